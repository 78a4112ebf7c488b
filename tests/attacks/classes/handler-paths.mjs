// Reaches the handler behind `gateway()` by paths other than its own.
import { request as httpRequest } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import * as modern from "@modelcontextprotocol/server";
import { z } from "zod";
import { request } from "../../support/raw-client.mjs";
import { identifyIn, wrap } from "../stage.mjs";
import { startAgents } from "../upstreams/agents.mjs";
import { statelessVault } from "../upstreams/vault.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "paths around the wrapped handler";

const PEOPLE = { "hr-token": { sub: "h", role: "hr" } };
const VERBS = ["POST", "GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"];
const AROUND = (path) => [
  "/",
  "/other",
  "/x",
  "/sse",
  "/favicon.ico",
  "/api",
  "/api/mcp2",
  path.toUpperCase(),
  `/${path}`,
  `${path}%2f`,
  `${path};x`,
  path.replace("m", "%6d"),
  `${path}%00`,
  `${path}x`,
  `${path}.`,
  `${path}%20`,
  `${path}\\`,
  `/x/..${path}`,
  `/./${path}`,
  `${path}/..${path}`,
  `${path}%2fx`,
  `/%2e%2e${path}`,
  `${path}#x`,
  `/${path.slice(1).replace("/", "%2f")}`,
  path.replace("p", "P"),
  `//evil.example${path}`,
  "/sse/message",
  "/message",
  "",
  "?x",
  `/a${path}`,
];
const COUNT = [30, 120];

/** Sends a request whose path is sent exactly as given. */
function raw(url, path, method, headers, body) {
  const { hostname, port } = new URL(url);
  return new Promise((done, fail) => {
    const sent = httpRequest(
      {
        hostname,
        port,
        path,
        method,
        headers: { ...headers, "content-length": Buffer.byteLength(body) },
        agent: false,
        timeout: 10_000,
      },
      async (response) => {
        let text = `${response.statusCode} `;
        for await (const chunk of response.setEncoding("utf8")) text += chunk;
        done(text);
      },
    );
    sent.on("error", fail);
    sent.on("timeout", () => sent.destroy(new Error("no answer within 10 s")));
    sent.end(body);
  });
}

async function handlers() {
  const mcpHandler = createRequire(new URL("../../consumers/", import.meta.url)).resolve("mcp-handler");
  const { createMcpHandler } = await import(pathToFileURL(mcpHandler));
  const none = z.object({});
  const stock = (server) =>
    void server.registerTool("secret_tool", { inputSchema: none }, async () => ({
      content: [{ type: "text", text: "TOP SECRET" }],
    }));
  const api = createMcpHandler(stock, { serverInfo: { name: "shop", version: "1" } });
  const bare = modern.createMcpHandler(() => {
    const server = new modern.McpServer({ name: "bare", version: "1" });
    stock(server);
    return server;
  });
  return [
    ["/mcp", statelessVault()],
    ["/mcp", { label: "createMcpHandler of SDK 2", fetch: (request) => bare.fetch(request) }],
    ["/api/mcp", { label: "mcp-handler", fetch: api }],
  ];
}

export async function* attempt(stage, size, random) {
  const config = { policies: [{ name: "hr only", show: "-name:secret* or claim.role:hr" }] };
  for (const [path, behind] of await handlers()) {
    let called = 0;
    const watched = {
      ...behind,
      fetch: async (request, ...rest) => {
        called += Number((await request.clone().text()).includes('"secret_tool"'));
        return behind.fetch(request, ...rest);
      },
    };
    const front = wrap(watched, config, { path, identify: identifyIn(PEOPLE) });
    const { headers, body } = request("tools/call", { name: "secret_tool", arguments: {} });
    const seen = await (
      await front.fetch(path, { method: "POST", headers: { ...headers, authorization: "Bearer hr-token" }, body })
    ).text();
    yield control(
      `${front.name}: the role calls the tool at ${path}`,
      called === 1 && seen.includes("TOP SECRET"),
      seen,
    );
    const generated = Array.from({ length: COUNT[size] }, () => {
      const letters = [...path].map((letter) =>
        random.chance(0.8)
          ? letter
          : random.pick([
              letter.toUpperCase(),
              `%${letter.codePointAt(0).toString(16)}`,
              `${letter}/`,
              `${letter}%00`,
              `/.${letter}`,
              `${letter};`,
            ]),
      );
      return `${random.pick(["", "", "/", "/x/..", "/%2e"])}${letters.join("")}${random.pick(["", "", "/", "%2f", "?x=/mcp", "x"])}`;
    });
    for (const place of [...AROUND(path), ...generated]) {
      for (const verb of size === 1 || AROUND(path).includes(place) ? VERBS : ["POST"]) {
        const from = called;
        let saw;
        try {
          const reply = await front.fetch(place.startsWith("//") ? `http://handler.example${place}` : place, {
            method: verb,
            headers,
            ...(["GET", "HEAD"].includes(verb) ? {} : { body }),
          });
          saw = `${reply.status} ${await reply.text()}`;
        } catch (error) {
          saw = String(error);
        }
        yield tried(
          `${front.name}: ${verb} ${JSON.stringify(place)} with a call of secret_tool`,
          called === from && !saw.includes("TOP SECRET"),
          saw,
        );
      }
    }
  }
  // Deployed applications receive paths as sent, while `Request` would normalize them.
  const { headers, body } = request("tools/call", { name: "secret_tool", arguments: {} });
  for (const [name, url] of Object.entries(await startAgents(stage))) {
    const send = (path, verb, more = {}) =>
      raw(url, path, verb, { ...headers, ...more }, ["GET", "HEAD"].includes(verb) ? "" : body);
    const seen = await send("/mcp", "POST", { authorization: "Bearer hr-token" });
    yield control(`${name}: the role calls the tool at /mcp`, seen.includes("TOP SECRET"), seen);
    for (const place of AROUND("/mcp").filter((place) => place.startsWith("/"))) {
      for (const verb of size === 1 ? VERBS : ["POST", "PUT"]) {
        const saw = await send(place.replace("#", "%23"), verb).catch(String);
        yield tried(
          `${name}: ${verb} ${JSON.stringify(place)} on the wire with a call of secret_tool`,
          !saw.includes("TOP SECRET"),
          saw,
        );
      }
    }
  }
}
