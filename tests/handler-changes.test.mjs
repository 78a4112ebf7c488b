// Notifications of `gateway(handler, config)` in front of a handler that announces no changes of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway } from "../pkg/loaders/handler-node.js";
import { events } from "./support/raw-client.mjs";
import { requestOf, sessionRequest, tinyHandler } from "./support/tiny-handler.mjs";

const WAIT_MS = 20_000;

const streams = {
  "the stream of a session": async (fetch) => {
    const begun = await fetch(sessionRequest("initialize"));
    const session = begun.headers.get("mcp-session-id");
    const headers = { accept: "text/event-stream", "mcp-session-id": session };
    return fetch(new Request("https://shop.example/mcp", { headers }));
  },
  "subscriptions/listen": async (fetch) => {
    const notifications = { toolsListChanged: true, groupsListChanged: true };
    return fetch(requestOf("subscriptions/listen", { notifications }));
  },
};

for (const [name, open] of Object.entries(streams)) {
  test(`${name} reports what lists show when they are fetched again`, { timeout: WAIT_MS }, async () => {
    const tools = ["one"];
    const config = { upstream: { minTtlMs: 0 }, rules: [{ match: "name:two", groups: ["new"] }] };
    const { fetch } = gateway(tinyHandler({ tools, ttlMs: 0 }).handler, config, { key: "a key of the tests" });
    const response = await open(fetch);
    tools.push("two");
    const seen = new Set();
    for await (const { message } of events(response)) {
      if (message?.method?.endsWith("list_changed")) seen.add(message.method);
      if (seen.size === 2) break;
    }
    assert.deepEqual([...seen].sort(), ["notifications/groups/list_changed", "notifications/tools/list_changed"]);
  });
}
