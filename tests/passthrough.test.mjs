// Results that pass through unread, and those that something has to look at: a row for each cell of the table in the gateway's
// module `call::reading`. The request log names the reader. Each result that passes is compared with that of a reply which has
// to be read.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gateway } from "../pkg/loaders/handler-node.js";
import { openSession, request } from "./support/raw-client.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";

const VERSION = "2026-07-28";
const { rows } = JSON.parse(readFileSync(fileURLToPath(new URL("fixtures/passthrough.json", import.meta.url)), "utf8"));
const LONG = 'Länge, "{[\\'.repeat(27_300);
const meta = { "io.modelcontextprotocol/serverInfo": { name: "replies", version: "1" } };
const LISTS = {
  "tools/list": { tools: [{ name: "t", inputSchema: { type: "object" } }] },
  "prompts/list": { prompts: [{ name: "p" }] },
  "resources/list": { resources: [{ uri: "r://a", name: "a" }] },
  "resources/templates/list": { resourceTemplates: [] },
};
const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} };

const withLong = (text) => text.replaceAll('"$LONG"', JSON.stringify(LONG));

/** Returns the result of a row as its server writes it. */
function given(row) {
  const result = row.given ?? row.result;
  const isStateless = row.era === undefined;
  return withLong(JSON.stringify(isStateless ? { resultType: "complete", ...result, _meta: meta } : result));
}

let server, workers;
/** The reply to the next call, and the ids that calls had. */
let next;
const ids = [];

/** Writes a reply: JSON whole or in pieces, or events. */
async function reply(response, { status = 200, json, events, pieces, afterMs = 0 }, id) {
  const fill = (text) => text.replaceAll("$id", JSON.stringify(id)).replaceAll('"$id"', JSON.stringify(String(id)));
  await new Promise((done) => setTimeout(done, afterMs));
  if (events) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) {
      const lines = fill(event).split("\n");
      response.write(`event: message\n${lines.map((line) => `data: ${line}\n`).join("")}\n`);
    }
    return response.end();
  }
  const body = Buffer.from(fill(json));
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  if (!pieces) return response.setHeader("content-length", body.length).end(body);
  for (let at = 0; at < body.length; at += pieces) response.write(body.subarray(at, at + pieces));
  return response.end();
}

/** A server whose path names its era: it answers lists, and calls with the next reply. */
async function answer(request, response) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  if (request.method !== "POST") return response.writeHead(request.method === "DELETE" ? 204 : 405).end();
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return response.writeHead(202).end();
  const keepsSessions = request.url === "/session";
  const complete = keepsSessions ? {} : { resultType: "complete", ttlMs: 600_000, cacheScope: "public", _meta: meta };
  response.setHeader("content-type", "application/json");
  const send = (body) => response.end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
  const unknown = () => send({ error: { code: -32601, message: "unknown method" } });
  if (method === "server/discover")
    return keepsSessions ? unknown() : send({ result: { ...complete, supportedVersions: [VERSION], capabilities } });
  if (method === "initialize") {
    if (!keepsSessions) return unknown();
    response.setHeader("mcp-session-id", `s${Math.random()}`);
    return send({
      result: {
        protocolVersion: params.protocolVersion,
        capabilities,
        serverInfo: meta["io.modelcontextprotocol/serverInfo"],
      },
    });
  }
  if (LISTS[method]) return send({ result: { ...complete, ...LISTS[method] } });
  if (!next) return unknown();
  ids.push(id);
  return reply(response, next, id);
}

before(async () => {
  server = http.createServer((request, response) => void answer(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = (path) => `http://127.0.0.1:${server.address().port}/${path}`;
  const service = (name, path, more = {}) => ({
    name,
    assets: "none",
    config: { log: true, upstream: { url: url(path), ...more.upstream }, ...more.config },
  });
  const chains = [{ on: ["tools/call"], response: ["secret_detection"] }];
  workers = await startWorkers([
    service("stateless", "stateless"),
    service("wrong", "stateless?wrong"),
    service("session", "session"),
    service("middleware", "stateless", { config: { middleware: { chains } } }),
    service("unlisted", "stateless", {
      config: { policies: [{ name: "hidden", show: "-name:hidden or claim.role:x" }] },
      upstream: { unlisted: true },
    }),
    service("tags", "stateless", { config: { drafts: { definitionTags: true } } }),
    service("discovery", "stateless", { config: { disclosure: { mode: "search" } } }),
  ]);
});
after(async () => {
  await workers?.stop();
  server?.close();
  server?.closeAllConnections();
});

/** Returns the log lines about calls so far. */
const lines = () =>
  workers
    .log()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter((line) => !/list|initialize|discover/.test(line["mcp.method.name"]));

/** The revisions of sessions, unless it is the usual one. */
const REVISIONS = { first: "2024-11-05", batch: "2025-03-26" };

/** Returns the messages of a response, or nothing of one that breaks off. */
async function messagesOf(response, row) {
  const text = await response.text().catch((error) => {
    if (row.broken) return null;
    throw error;
  });
  if (text === null) return null;
  if (!response.headers.get("content-type").startsWith("text/event-stream")) return [JSON.parse(text)];
  const lines = (event) => event.split("\n").filter((line) => line.startsWith("data:"));
  const events = text.split("\n\n").map((event) =>
    lines(event)
      .map((line) => line.slice(5))
      .join("\n"),
  );
  return events.filter(Boolean).map((text) => JSON.parse(text));
}

/** Returns the request of a row. */
function asked({
  ask = ["tools/call", { name: "t", arguments: {} }],
  accept,
  meta: more,
  progressToken,
  capabilities,
}) {
  const [method, params] = ask;
  const _meta = {
    ...(progressToken && { progressToken }),
    ...more,
    ...(capabilities && { "io.modelcontextprotocol/clientCapabilities": capabilities }),
  };
  const sent = request(method, { ...params, _meta });
  return { ...sent, headers: { ...sent.headers, ...(accept && { accept }) } };
}

/** Sends the request of a row to the Worker. Returns the messages, the id and the line of the log. */
async function call(row) {
  const { era } = row;
  const url = `${workers.urls[row.service ?? (era ? "session" : "stateless")]}/mcp`;
  const sent = asked(row);
  const headers = era ? await openSession(url, {}, REVISIONS[era]) : sent.headers;
  const { id, ...message } = JSON.parse(sent.body);
  if (era) delete message.params._meta;
  const before = lines().length;
  const body = era === "batch" ? [{ ...message, id }] : { ...message, id };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const isStream = response.headers.get("content-type").startsWith("text/event-stream");
  const messages = await messagesOf(response, row);
  await until(() => lines().length > before, "a line of the log", { within: 5_000, every: 20 });
  return { messages, id, isStream, line: lines().at(-1) };
}

/** Returns a reply with the result of a row that has to be read, because its envelope has a member more. */
const readReply = (row) => ({ json: `{"x":1,"jsonrpc":"2.0","id":$id,"result":${given(row)}}` });

/** Sets the reply to the next call to that of a row. */
function prepare(row) {
  const fill = (text) => text.replaceAll("$RESULT", given(row));
  const { json, events } = row.reply;
  next = { ...row.reply, ...(json && { json: fill(json) }), ...(events && { events: events.map(fill) }) };
}

/** Asserts what the client of a row gets. */
function assertLast(row, last, id) {
  assert.equal(last.id, id);
  if (row.error) return assert.equal(last.error.code, row.error);
  if (!row.result) return;
  const { resultType, _meta, ...result } = last.result;
  assert.deepEqual(result, JSON.parse(withLong(JSON.stringify(row.result))));
  if (!row.era) assert.equal(resultType, "complete");
}

describe("the Worker", () => {
  for (const row of rows)
    test(row.name, async () => {
      prepare(row);
      const { messages, id, isStream, line } = await call(row);
      if (row.broken) {
        assert.equal(messages, null, "the body is cut off");
        // From then on, the server's responses are read.
        next = { json: `{"result":${given(row)},"jsonrpc":"2.0","id":$id}` };
        return assert.equal((await call({ ...row, broken: false })).line["dev.mcpsieve.read_by"], "reply");
      }
      const last = messages.at(-1);
      assertLast(row, last, id);
      assert.equal(isStream, row.stream ?? false);
      if (row.readBy !== undefined) assert.equal(line["dev.mcpsieve.read_by"] ?? null, row.readBy);
      if (row.readBy !== null) return;
      // The request had the id of the client.
      assert.equal(ids.at(-1), id);
      next = readReply(row);
      const read = await call(row);
      assert.equal(read.line["dev.mcpsieve.read_by"], "reply");
      assert.deepEqual(read.messages.at(-1).result, last.result);
    });
});

describe("in front of a handler", () => {
  const url = () => `http://127.0.0.1:${server.address().port}/stateless`;
  const served = gateway(async (request) => {
    const headers = { "content-type": "application/json", accept: request.headers.get("accept") };
    return fetch(url(), { method: "POST", headers, body: await request.text() });
  });
  for (const row of rows.filter(({ era, service, broken }) => !era && !service && !broken))
    test(row.name, async () => {
      prepare(row);
      const sent = asked(row);
      const response = await served.fetch(new Request("http://here.example/mcp", sent));
      const messages = await messagesOf(response, row);
      assertLast(row, messages.at(-1), JSON.parse(sent.body).id);
    });
});
