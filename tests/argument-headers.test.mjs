// Arguments that a stateless server wants repeated as headers, with the Worker in workerd in front of it. The headers
// match the arguments that the Worker sends, whatever the client wrote.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { request } from "./support/raw-client.mjs";
import { startStatelessServer } from "./support/stateless-server.mjs";
import { startWorkers } from "./support/workerd.mjs";

const REDACTING = {
  middleware: { chains: [{ on: ["tools/call"], request: ["pii_redaction"], response: ["pii_restoration"] }] },
};
const tool = {
  name: "route",
  inputSchema: { type: "object", properties: { who: { type: "string", "x-mcp-header": "Who" } } },
};
let server;
let workers;

before(async () => {
  server = await startStatelessServer({
    "tools/list": { tools: [tool], ttlMs: 60_000 },
    "tools/call": { content: [{ type: "text", text: "Sent to [EMAIL_1]" }] },
  });
  const upstream = server.url;
  workers = await startWorkers([
    { name: "plain", upstream },
    { name: "redacting", upstream, config: REDACTING },
  ]);
});
after(async () => {
  await workers?.stop();
  await server?.stop();
});

/** Calls a tool with these headers. Returns the headers and arguments that the server gets, and the text for the client. */
async function sent(name, headers, who) {
  const { headers: own, ...options } = request("tools/call", { name: "route", arguments: { who } });
  const response = await fetch(`${workers.urls[name]}/mcp`, { ...options, headers: { ...own, ...headers } });
  const { result } = await response.json();
  const call = server.seen.findLast(({ method }) => method === "tools/call");
  const marked = Object.entries(call.headers).filter(([header]) => header.startsWith("mcp-param-"));
  return [Object.fromEntries(marked), call.params.arguments, result.content[0].text];
}

const headers = { "mcp-param-who": "jane@example.com", "mcp-param-made-up": "jane@example.com", "mcp-param-x": "y" };

test("a header has the argument as it is sent, and no header is copied", async () => {
  assert.deepEqual(await sent("plain", headers, "jane@example.com"), [
    { "mcp-param-who": "jane@example.com" },
    { who: "jane@example.com" },
    "Sent to [EMAIL_1]",
  ]);
});

test("M-36: a server gets handles, in headers too, and the client gets the values back", async () => {
  assert.deepEqual(await sent("redacting", headers, "jane@example.com"), [
    { "mcp-param-who": "[EMAIL_1]" },
    { who: "[EMAIL_1]" },
    "Sent to jane@example.com",
  ]);
});
