// Notifications of `gateway(handler, config)` in front of a handler that announces no changes of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway } from "../pkg/loaders/handler-node.js";
import { events, request } from "./support/raw-client.mjs";

const URL = "http://127.0.0.1/mcp";
const WAIT_MS = 20_000;
const CONTEXT = { waitUntil() {} };

/** Returns a handler of the stateless revision with these tools. It offers no subscriptions. */
function quiet(tools) {
  const capabilities = { tools: {} };
  const results = {
    "server/discover": () => ({
      supportedVersions: ["2026-07-28"],
      capabilities,
      serverInfo: { name: "q", version: "1" },
    }),
    "tools/list": () => ({ tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })), ttlMs: 0 }),
  };
  return async (request) => {
    const { id, method } = await request.json();
    const result = results[method]?.();
    const answer = result
      ? { result: { resultType: "complete", ...result } }
      : { error: { code: -32601, message: "no" } };
    return Response.json({ jsonrpc: "2.0", id, ...answer }, { status: result ? 200 : 404 });
  };
}

/** Opens a session, and returns the headers of its requests. */
async function session(handler) {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const send = (message, more = {}) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    return handler.fetch(new Request(URL, { method: "POST", headers: { ...headers, ...more }, body }), {}, CONTEXT);
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const begun = await send({ id: 0, method: "initialize", params });
  const named = { "mcp-session-id": begun.headers.get("mcp-session-id") };
  await send({ method: "notifications/initialized" }, named);
  return { ...headers, ...named };
}

const streams = {
  "the stream of a session": async (handler) => new Request(URL, { headers: await session(handler) }),
  "subscriptions/listen": async () =>
    new Request(
      URL,
      request("subscriptions/listen", { notifications: { toolsListChanged: true, groupsListChanged: true } }),
    ),
};

for (const [name, open] of Object.entries(streams)) {
  test(`${name} reports what lists show when they are fetched again`, { timeout: WAIT_MS }, async () => {
    const tools = ["one"];
    const config = { upstream: { minTtlMs: 0 }, rules: [{ match: "name:two", groups: ["new"] }] };
    const handler = gateway(quiet(tools), config, { key: "a key of the tests" });
    const response = await handler.fetch(await open(handler), {}, CONTEXT);
    tools.push("two");
    const seen = new Set();
    for await (const { message } of events(response)) {
      if (message?.method?.endsWith("list_changed")) seen.add(message.method);
      if (seen.size === 2) break;
    }
    assert.deepEqual([...seen].sort(), ["notifications/groups/list_changed", "notifications/tools/list_changed"]);
  });
}
