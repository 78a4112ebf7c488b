// Attacks what the command serves on this machine, as another program or a web page of it: `stdio`, its bridge to local servers, the
// tokens of its user, and `run --bearer`.
import { request as ask } from "node:http";
import { fileURLToPath } from "node:url";
import { installCommand } from "../../support/command.mjs";
import { familyOf, portsOf } from "../../support/process.mjs";
import { request } from "../../support/raw-client.mjs";
import { parallel } from "../parallel.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "gateways of the command, used by other programs and pages of the machine";

const server = fileURLToPath(new URL("../../support/stdio-server.mjs", import.meta.url));
const TOKEN = "a-token-of-the-machine";
const TOKENS = ["", "x", TOKEN.slice(1), `${TOKEN}x`, TOKEN.toUpperCase(), "null", "undefined", "*", "0".repeat(64)];
const PATHS = [
  ...["/", "/mcp", "//mcp", "/mcp/", "/mcp/x", "/mcp?groups=x", "/%6dcp", "/MCP", "/./mcp", "/health/../mcp", "/0"],
  ...["/upstreams", "/audit", "/catalog/tools", "/catalog/%74ools", "/middleware", "/middleware/x", "/healthz"],
  ...["/.well-known/oauth-protected-resource", "/.well-known/mcp/server-card.json", `/mcp?x-sieve-bearer=${TOKEN}`],
  `/mcp?access_token=${TOKEN}`,
  ...[
    "/user",
    `/${"0".repeat(64)}/user`,
    "/connect/user",
    "/connect/user/callback?state=x&code=y",
    "/connect/client.json",
  ],
];
const VERBS = ["GET", "POST", "DELETE", "OPTIONS", "HEAD", "PUT", "PATCH"];
const HEADERS = [
  {},
  ...TOKENS.flatMap((token) => [{ authorization: `Bearer ${token}` }, { "x-sieve-bearer": token }]),
  ...[`Basic ${TOKEN}`, TOKEN, `Bearer\t${TOKEN}`, `Bearer ${TOKEN}, Bearer x`].map((authorization) => ({
    authorization,
  })),
  ...["cookie", "x-authorization", "proxy-authorization", "x-api-key", "sieve-bearer"].map((name) => ({
    [name]: TOKEN,
  })),
  { authorization: `Bearer ${TOKEN}`, "x-sieve-bearer": "x" },
  { accept: "text/event-stream", "mcp-session-id": "x" },
  { "x-forwarded-for": "127.0.0.1", "cf-connecting-ip": "127.0.0.1", forwarded: "for=127.0.0.1" },
];
const ORIGINS = [
  undefined,
  "null",
  "http://localhost",
  "http://127.0.0.1:8787",
  "http://evil.localhost",
  "https://evil.example",
];
const HOSTS = [undefined, "localhost", "127.0.0.1", "[::1]", "rebound.example", "evil"];
const COUNT = [400, 4_000];

/** Sends a request with any header to a port, over a connection of its own. */
const send = (port, { method, path, headers }, body) =>
  new Promise((done, fail) => {
    const sent = method === "GET" || method === "HEAD" ? "" : body;
    const all = sent === "" ? headers : { ...headers, "content-length": String(sent.length) };
    const asked = ask({ host: "127.0.0.1", port, method, path, headers: all, agent: false }, async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      done({ status: response.statusCode, text });
    });
    asked.once("error", fail).end(sent);
  });

export async function* attempt(stage, size, random) {
  const command = await installCommand();
  stage.defer(() => command.remove());
  command.install("workerd");
  const upstreams = [
    { name: "local", command: [process.execPath, server] },
    // Its connections have a service, and an address at which a browser signs in.
    { name: "user", url: "http://127.0.0.1:9/mcp", auth: "user" },
  ];
  command.write("sieve.json", JSON.stringify({ upstreams }));
  /** Starts the command, which ends with the class. */
  const start = (args, env) => {
    const started = command.start(args, { env });
    stage.defer(started.stop);
    return started;
  };

  const list = request("tools/list");
  const alone = start(["stdio", "sieve.json"]);
  alone.child.stdin.write(`${list.body}\n`);
  yield control("the host of `stdio` reads the list", (await alone.line(/"tools":/)).includes('"pid"'));
  const served = start(["run", "sieve.json", "--port", "0", "--json"], { SIEVE_BEARER: TOKEN });
  const [, port] = /127\.0\.0\.1:(\d+)\/mcp/.exec(await served.line(/"ready"/));
  await served.line(/"server"/);
  const ports = [alone, served].flatMap(({ child }) => portsOf(familyOf(child.pid)));
  for (const headers of [{ authorization: `Bearer ${TOKEN}` }, { "x-sieve-bearer": TOKEN }]) {
    const reply = await send(
      port,
      { method: "POST", path: "/mcp", headers: { ...list.headers, ...headers } },
      list.body,
    );
    yield control("with the token `run` lists the tool", reply.status === 200 && reply.text.includes('"pid"'), reply);
  }
  yield control("the gateways, their bridges and their sign-ins listen", ports.length === 8, ports);

  const tries = Array.from({ length: COUNT[size] }, () => ({
    port: random.pick(ports),
    method: random.pick(VERBS),
    path: random.pick(PATHS),
    own: random.pick(HEADERS),
    origin: random.pick(ORIGINS),
    host: random.pick(HOSTS),
  }));
  yield* parallel(tries, async ({ port, method, path, own, origin, host }) => {
    const headers = { ...list.headers, ...own, ...(origin && { origin }), ...(host && { host }) };
    const { status, text } = await send(port, { method, path, headers }, list.body);
    // The demo page is the same for everyone, and asks for the token.
    const isPage = path === "/" && ["GET", "HEAD"].includes(method) && status === 200;
    const held = isPage
      ? !text.includes('"pid"') && !text.includes(TOKEN)
      : [401, 403, 404].includes(status) && !/"(?:result|tools|status)"/.test(text);
    return tried(`${method} ${path} of port ${port} with ${JSON.stringify(headers)}`, held, `${status} ${text}`);
  });
}
