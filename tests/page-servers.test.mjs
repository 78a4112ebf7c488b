// The demo page's MCP client in front of servers with faults. Both official clients list what such a server has, and so does the page.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { wrapClient } from "../pkg/loaders/node.js";
import { clientOf, connect } from "../web/page/server.js";
import "./support/home.mjs";

const tool = (name) => ({ name, inputSchema: { type: "object" } });
const SESSION = "2025-11-25";
const STATELESS = "2026-07-28";
/** A server with two tools, a resource and a prompt. */
const RESULTS = {
  initialize: {
    protocolVersion: SESSION,
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: "odd", version: "1" },
  },
  "tools/list": { tools: [tool("a"), tool("b")] },
  "resources/list": { resources: [{ uri: "x://r", name: "r" }] },
  "resources/templates/list": { resourceTemplates: [] },
  "prompts/list": { prompts: [{ name: "p" }] },
};
const ALL = { tools: ["a", "b"], resources: ["x://r"], prompts: ["p"] };
const json = (response, value, status = 200) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
const refusal = (code, data) => ({ error: { code, message: "refused", data } });
const events = (response, ...parts) =>
  response
    .writeHead(200, { "content-type": "text/event-stream" })
    .end(parts.map((part) => `data: ${part}\n\n`).join(""));
const resultOf = (method) => (RESULTS[method] ? { result: RESULTS[method] } : refusal(-32601));

/**
 * Lists the server that `answer(message, response)` makes, with the page's client. What it does not answer is answered as by a
 * server without faults.
 */
async function listed(answer) {
  const http = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const message = JSON.parse(await text(request));
    if (message.id === undefined) return response.writeHead(202).end();
    if (answer(message, response) !== undefined) return;
    json(response, { jsonrpc: "2.0", id: message.id, ...resultOf(message.method) });
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const { signal } = new AbortController();
  try {
    const server = await connect(`http://127.0.0.1:${http.address().port}/mcp`, signal);
    const sieve = await wrapClient(clientOf(server, signal)).catalog();
    const names = Object.keys(ALL).map((kind) => [kind, sieve.names({ kind })]);
    sieve.free();
    return { version: server.version, names: Object.fromEntries(names), lost: [...server.failures.keys()] };
  } finally {
    http.closeAllConnections();
    http.close();
  }
}

const reply = (id, method) => ({ jsonrpc: "2.0", id, ...resultOf(method) });
const FAULTS = {
  "ids as strings": ({ id, method }, response) => json(response, reply(String(id), method)),
  "ids as strings in events": ({ id, method }, response) => events(response, JSON.stringify(reply(String(id), method))),
  "events that are no JSON-RPC messages": ({ id, method }, response) =>
    events(response, '{"type":"heartbeat"}', "[DONE]", "7", '"x"', "null", JSON.stringify(reply(id, method))),
  "a response to another request before its own": ({ id, method }, response) =>
    events(response, JSON.stringify({ jsonrpc: "2.0", id: 4711, result: {} }), JSON.stringify(reply(id, method))),
  "a batch of one": ({ id, method }, response) => json(response, [reply(id, method)]),
  "a content type in capitals": ({ id, method }, response) =>
    response.writeHead(200, { "content-type": "Application/JSON" }).end(JSON.stringify(reply(id, method))),
  "no answer to server/discover": ({ method }) => (method === "server/discover" ? true : undefined),
  "HTTP 500 for server/discover": ({ method }, response) =>
    method === "server/discover" ? response.writeHead(500).end() : undefined,
  "an empty result of server/discover": ({ id, method }, response) =>
    method === "server/discover" ? json(response, { jsonrpc: "2.0", id, result: {} }) : undefined,
  "an id of null in a refusal": ({ method }, response) =>
    method === "server/discover" ? json(response, { jsonrpc: "2.0", id: null, ...refusal(-32600) }, 400) : undefined,
  "a list as null": ({ id, method }, response) =>
    method === "resources/templates/list"
      ? json(response, { jsonrpc: "2.0", id, result: { resourceTemplates: null } })
      : undefined,
  "an empty cursor on every page": ({ id, method }, response) => {
    const { result } = resultOf(method);
    return json(response, {
      jsonrpc: "2.0",
      id,
      ...(result ? { result: { ...result, nextCursor: "" } } : refusal(-32601)),
    });
  },
};

test("a server with a fault is listed whole", async () => {
  const found = await Promise.all(Object.entries(FAULTS).map(async ([fault, answer]) => [fault, await listed(answer)]));
  for (const [fault, { names, lost }] of found) assert.deepEqual([fault, names, lost], [fault, ALL, []]);
});

test("versions that a server offers in a refusal are taken", async () => {
  const old = "2025-03-26";
  for (const [refusing, code] of [
    ["server/discover", -32022],
    ["initialize", -32602],
  ]) {
    const asked = [];
    const { version, names } = await listed(({ id, method, params }, response) => {
      if (method === "initialize") asked.push(params.protocolVersion);
      if (method === refusing && params.protocolVersion !== old)
        return json(response, { jsonrpc: "2.0", id, ...refusal(code, { supported: [old, "2024-11-05"] }) }, 400);
      const result = { ...RESULTS.initialize, protocolVersion: old };
      return method === "initialize" ? json(response, { jsonrpc: "2.0", id, result }) : undefined;
    });
    assert.deepEqual([version, names, asked.at(-1)], [old, ALL, old], refusing);
  }
});

test("one list that fails does not lose the others", async () => {
  for (const [fault, outcome, status, lost] of [
    ["an error", refusal(-32603), 200, ["resources/list"]],
    ["HTTP 500", {}, 500, ["resources/list"]],
    ["no list", { result: { resources: "none" } }, 200, ["resources/list"]],
    ["no such method", refusal(-32601), 200, []],
    ["no such method, as HTTP 404", refusal(-32601), 404, []],
  ]) {
    const found = await listed(({ id, method }, response) =>
      method === "resources/list" ? json(response, { jsonrpc: "2.0", id, ...outcome }, status) : undefined,
    );
    assert.deepEqual([fault, found.names, found.lost], [fault, { ...ALL, resources: [] }, lost]);
  }
});

test("pages are followed until a cursor repeats", async () => {
  const { names } = await listed(({ id, method, params }, response) => {
    if (method !== "tools/list") return undefined;
    const at = Number(params?.cursor ?? 0);
    return json(response, {
      jsonrpc: "2.0",
      id,
      result: { tools: [tool(`t${at}`)], nextCursor: at < 2 ? String(at + 1) : "2" },
    });
  });
  assert.deepEqual(names.tools, ["t0", "t1", "t2"]);
});

test("a stateless server is asked without a session", async () => {
  const { version, names } = await listed(({ id, method }, response) => {
    const { capabilities, serverInfo } = RESULTS.initialize;
    const result = {
      supportedVersions: [STATELESS],
      capabilities,
      _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
    };
    return method === "server/discover" ? json(response, { jsonrpc: "2.0", id, result }) : undefined;
  });
  assert.deepEqual([version, names], [STATELESS, ALL]);
});
