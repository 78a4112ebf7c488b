// `gateway(handler, config)` in front of a handler that stores data by session and by caller. No caller receives
// another session's data, and a rejection of one caller affects no other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway } from "../pkg/loaders/handler-node.js";
import { request } from "./support/raw-client.mjs";
import { until } from "./support/until.mjs";

/** Returns a handler of the handshake revision. A session belongs to the caller that opened it, and holds a basket. */
function shop() {
  const sessions = new Map();
  const ended = [];
  let begun = 0;
  const reply = (id, result, headers = {}) => Response.json({ jsonrpc: "2.0", id, result }, { headers });
  const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
  async function fetch(request) {
    const session = request.headers.get("mcp-session-id");
    if (request.method === "DELETE") {
      ended.push(session);
      return new Response(null, { status: sessions.delete(session) ? 200 : 404 });
    }
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const owner = request.headers.get("authorization");
    const { id, method, params } = await request.json();
    if (method === "initialize") {
      const name = `shop-${(begun += 1)}`;
      sessions.set(name, { owner, basket: [] });
      const result = {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "shop", version: "1" },
      };
      return reply(id, result, { "mcp-session-id": name });
    }
    if (!sessions.has(session)) return new Response("no session", { status: session === null ? 400 : 404 });
    if (id === undefined) return new Response(null, { status: 202 });
    if (method === "tools/list") return reply(id, { tools: [{ name: "put", inputSchema: { type: "object" } }] });
    if (owner === "Bearer busy") return new Response("busy", { status: 429, headers: { "retry-after": "3600" } });
    if (owner === "Bearer broken") throw new Error("broken");
    const held = sessions.get(session);
    held.basket.push(params.arguments.item);
    return reply(id, text(held));
  }
  return { fetch, sessions, ended };
}

const post = (handler, headers, message) =>
  handler.fetch(
    new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    }),
    {},
    { waitUntil() {} },
  );

/** Calls `put` as a caller with this token, and returns the response. */
async function put(handler, token, item, session) {
  const [method, params] = ["tools/call", { name: "put", arguments: { item } }];
  const authorization = `Bearer ${token}`;
  const stateless = new Request("http://127.0.0.1/mcp", request(method, params));
  stateless.headers.set("authorization", authorization);
  const response = await (session === undefined
    ? handler.fetch(stateless, {}, { waitUntil() {} })
    : post(handler, { authorization, "mcp-session-id": session }, { id: 1, method, params }));
  const { result, error } = JSON.parse((await response.text()).replace(/^[^]*?data: /, ""));
  return error ?? JSON.parse(result.content[0].text);
}

/** Opens a session at the gateway, and returns its id. */
async function session(handler, token) {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const headers = { authorization: `Bearer ${token}` };
  const id = (await post(handler, headers, { id: 0, method: "initialize", params })).headers.get("mcp-session-id");
  await post(handler, { ...headers, "mcp-session-id": id }, { method: "notifications/initialized" });
  return id;
}

test("callers without a principal have no session in common", async () => {
  const { fetch, sessions, ended } = shop();
  const handler = gateway(fetch, {}, { key: "a key of the tests" });
  for (const token of ["alice", "bob", "alice"]) {
    assert.deepEqual(
      await put(handler, token, "card"),
      { owner: `Bearer ${token}`, basket: ["card"] },
      "a session of each call",
    );
  }
  await until(() => ended.length >= 3, "the end of three calls' sessions");
  assert.equal(ended.length, 3);
  assert.equal(sessions.size, 1, "the calls' sessions were ended, that of the lists was not");

  const alice = await session(handler, "alice");
  const bob = await session(handler, "bob");
  for (const [token, id] of [
    ["alice", alice],
    ["bob", bob],
  ]) {
    await put(handler, token, 1, id);
    assert.deepEqual(
      await put(handler, token, 2, id),
      { owner: `Bearer ${token}`, basket: [1, 2] },
      "one session for each in front",
    );
  }
  assert.deepEqual(
    await put(handler, "mallory", 3, alice),
    { owner: "Bearer mallory", basket: [3] },
    "not by another's session id",
  );

  const left = ended.length;
  const headers = { "mcp-session-id": bob, authorization: "Bearer bob" };
  const end = new Request("http://127.0.0.1/mcp", { method: "DELETE", headers });
  assert.equal((await handler.fetch(end, {}, { waitUntil() {} })).status, 204);
  await until(() => ended.length > left, "the end of the session of the client that ended its own");
  assert.equal(ended.length, left + 1);
  assert.deepEqual(await put(handler, "alice", 3, alice), { owner: "Bearer alice", basket: [1, 2, 3] });
});

test("a principal has a session for each of its credentials", async () => {
  const { fetch } = shop();
  const identify = () => ({ sub: "team" });
  const handler = gateway(fetch, {}, { key: "a key of the tests", identify });
  await put(handler, "one", 1);
  assert.deepEqual(await put(handler, "one", 2), { owner: "Bearer one", basket: [1, 2] });
  assert.deepEqual(await put(handler, "two", 3), { owner: "Bearer two", basket: [3] });
});

test("a refusal of the handler for one caller does not pause requests of the next", async (t) => {
  const { fetch } = shop();
  t.mock.method(console, "warn", () => {});
  const handler = gateway(fetch, {}, { key: "a key of the tests" });
  for (const token of ["busy", "broken"]) {
    for (let at = 0; at < 8; at += 1) {
      const { data } = await put(handler, token, 1);
      assert.deepEqual(
        data,
        token === "busy"
          ? { reason: "upstream_status", httpStatus: 429, retryAfter: 3600 }
          : { reason: "upstream_unreachable" },
      );
      assert.deepEqual((await put(handler, "alice", 1)).basket, [1]);
    }
  }
});
