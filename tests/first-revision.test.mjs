// Clients of 2024-11-05, among them the last official one that speaks nothing newer.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "mcp-sdk-1.10/client/index.js";
import { StreamableHTTPClientTransport } from "mcp-sdk-1.10/client/streamableHttp.js";
import { startRawServer } from "./support/raw-server.mjs";
import { startWorkers } from "./support/workerd.mjs";

const REVISION = "2024-11-05";
const tool = { name: "speak", description: "Speaks", inputSchema: { type: "object" } };
const later = { title: "Speak", annotations: { readOnlyHint: true }, outputSchema: { type: "object" } };
const result = {
  content: [
    { type: "text", text: "said" },
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    { type: "resource_link", uri: "file:///a", name: "a" },
  ],
  structuredContent: { said: true },
};

let upstream;
let workers;
before(async () => {
  upstream = await startRawServer({ lists: { tools: [{ ...tool, ...later }] }, answers: { "tools/call": result } });
  const config = {
    upstreams: [{ name: "raw", url: upstream.url }],
    presets: [{ name: "all", filter: { where: "name:*" } }],
  };
  workers = await startWorkers([{ name: "gateway", config, assets: "none" }]);
});
after(async () => {
  await workers?.stop();
  await upstream?.stop();
});

for (const path of ["/mcp", "/mcp/", "/mcp/all", "/mcp/all/"]) {
  test(`the official client 1.10.2 lists and calls at ${path}`, async () => {
    const client = new Client({ name: "old", version: "1" }, { capabilities: {} });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${workers.urls.gateway}${path}`)));
    try {
      assert.deepEqual((await client.listTools()).tools, [tool]);
      const { content, structuredContent } = await client.callTool({ name: "speak", arguments: {} });
      assert.deepEqual(content, [
        { type: "text", text: "said" },
        { type: "text", text: "[audio/wav: audio is not part of MCP 2024-11-05]" },
        { type: "text", text: "a: file:///a" },
      ]);
      assert.equal(structuredContent, undefined);
    } finally {
      await client.close();
    }
  });
}

/** Sends a message, and returns the response and its JSON. */
async function post(message, headers = {}) {
  const response = await fetch(`${workers.urls.gateway}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify(message),
  });
  const text = await response.text();
  return { response, value: text.startsWith("{") ? JSON.parse(text) : text };
}

test("its header is taken before, at and after the handshake", async () => {
  const version = { "mcp-protocol-version": REVISION };
  const params = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const { response, value } = await post({ jsonrpc: "2.0", id: 1, method: "initialize", params }, version);
  assert.equal(value.result.protocolVersion, REVISION);
  const headers = { ...version, "mcp-session-id": response.headers.get("mcp-session-id") };
  const begun = await post({ jsonrpc: "2.0", method: "notifications/initialized", params: null }, headers);
  assert.equal(begun.response.status, 202);
  const listed = await post({ jsonrpc: "2.0", id: 2, method: "tools/list", params: { cursor: null } }, headers);
  assert.deepEqual(listed.value.result.tools, [tool]);
  const batch = await post(
    [
      { jsonrpc: "2.0", id: 3, method: "ping" },
      { jsonrpc: "2.0", id: 4, method: "tools/list", params: { cursor: "" } },
    ],
    headers,
  );
  const messages = batch.value.split("\n").filter((line) => line.startsWith("data: {"));
  const results = messages.map((line) => JSON.parse(line.slice("data: ".length)));
  assert.deepEqual(
    results.map(({ id }) => id),
    [3, 4],
  );
  assert.deepEqual(results[1].result.tools, [tool]);
  const stranger = await post({ jsonrpc: "2.0", id: 5, method: "tools/list" }, version);
  assert.equal(stranger.value.error.data.reason, "session_required");
});

test("a preflight and a session's end take the slash too", async () => {
  const url = `${workers.urls.gateway}/mcp/`;
  const origin = "http://localhost:5173";
  const preflight = await fetch(url, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST" },
  });
  assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-origin")], [204, origin]);
  assert.equal((await fetch(url)).status, (await fetch(url.slice(0, -1))).status);
  const params = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const { response } = await post({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const headers = { "mcp-session-id": response.headers.get("mcp-session-id") };
  assert.equal((await fetch(url, { method: "DELETE", headers })).status, 204);
});
