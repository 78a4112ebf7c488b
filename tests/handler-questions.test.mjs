// A handler without sessions that asks its client during a call: the official SDK's stateless transport under
// `gateway`, and its client.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { ElicitRequestSchema, ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { gateway } from "../pkg/loaders/handler-node.js";

const WAIT_MS = 30_000;
const question = {
  method: "elicitation/create",
  params: { message: "Sure?", requestedSchema: { type: "object", properties: {} } },
};

/** A handler that creates a server for each request, as the SDK's documentation does for stateless servers. */
async function handler(request) {
  const server = new McpServer({ name: "shop", version: "1" });
  server.registerTool("plain", {}, async () => ({ content: [{ type: "text", text: "done" }] }));
  server.registerTool("ask", {}, async ({ sendRequest }) => {
    const { action } = await sendRequest(question, ElicitResultSchema, { timeout: WAIT_MS });
    return { content: [{ type: "text", text: action }] };
  });
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  return transport.handleRequest(request);
}

test("a call in which a handler without sessions asks its client ends at once, with the reason", {
  timeout: WAIT_MS,
}, async () => {
  const wrapped = gateway(handler);
  const client = new Client({ name: "v1", version: "1" }, { capabilities: { elicitation: {} } });
  const asked = [];
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params);
    return { action: "decline" };
  });
  const fetch = (url, init) => wrapped.fetch(new Request(url, { ...init, duplex: "half" }));
  await client.connect(new StreamableHTTPClientTransport(new URL("https://shop.example/mcp"), { fetch }));
  const began = Date.now();
  const call = client.callTool({ name: "ask", arguments: {} }, undefined, { timeout: WAIT_MS });
  await assert.rejects(
    call,
    /asked the client by `elicitation\/create` and keeps no session, so it cannot receive the answer/,
  );
  assert.ok(Date.now() - began < WAIT_MS / 3, "the call did not wait for the handler");
  assert.deepEqual(asked, [], "a question whose answer would be lost is not asked");
  const { content } = await client.callTool({ name: "plain", arguments: {} });
  assert.deepEqual(content, [{ type: "text", text: "done" }]);
  await client.close();
});
