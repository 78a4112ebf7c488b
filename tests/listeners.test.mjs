// Many listeners on one gateway: the load on the upstream server, and the notifications that each listener receives.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  SubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { messages, send } from "./support/raw-client.mjs";
import { tokensVariable } from "./support/tokens.mjs";
import { until } from "./support/until.mjs";
import { startWorker } from "./support/workerd.mjs";

const WAIT_MS = 20_000;
/** The Worker's limit. */
const MAX_LISTENERS_PER_CALLER = 64;
/** The limit of one of its objects. */
const MAX_LISTENERS = 2_000;

/** The state of the upstream server: its tools, the subscribed resources, and its open streams. */
const behind = { tools: [], subscribed: [], servers: [], streams: new Set(), opened: 0 };
let http;
let worker;

async function open(request, response, sessions) {
  const server = new Server(
    { name: "telling", version: "1" },
    { capabilities: { tools: { listChanged: true }, resources: { subscribe: true } } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: behind.tools }));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [
      { uri: "note:one", name: "one" },
      { uri: "note:two", name: "two" },
    ],
  }));
  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) => {
    behind.subscribed.push(uri);
    return {};
  });
  const onsessioninitialized = (id) => sessions.set(id, transport);
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized });
  await server.connect(transport);
  behind.servers.push(server);
  return transport.handleRequest(request, response);
}

before(async () => {
  const sessions = new Map();
  http = createServer((request, response) => {
    if (request.method === "GET") {
      behind.opened += 1;
      behind.streams.add(response);
      response.once("close", () => behind.streams.delete(response));
    }
    const known = sessions.get(request.headers["mcp-session-id"]);
    return known ? known.handleRequest(request, response) : open(request, response, sessions);
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const config = {
    upstream: { ttlMs: 600_000 },
    policies: [{ name: "members", show: "-name:secret* or claim.sub:*" }],
  };
  const tokens = tokensVariable({ "alice-token": { sub: "alice" } });
  worker = await startWorker({
    upstream: `http://127.0.0.1:${http.address().port}/mcp`,
    config,
    env: { SIEVE_TOKENS: tokens },
  });
});
after(async () => {
  await worker?.stop();
  http?.closeAllConnections();
  http?.close();
});

const tool = (name, description) => ({ name, description, inputSchema: { type: "object" } });
// Sessions that have ended are told nothing.
const tell = (say) => Promise.all(behind.servers.filter(({ transport }) => transport !== undefined).map(say));
const post = (message, headers, signal) =>
  fetch(worker.mcp, {
    method: "POST",
    signal,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });

/** Yields the messages of a stream, each as the name of its list or resource. */
async function* said(response) {
  for await (const { method, params } of messages(response)) yield params?.uri ?? method.split("/")[1];
}

async function listen(headers = {}, resource = "note:one") {
  const hangUp = new AbortController();
  const method = "subscriptions/listen";
  const notifications = { toolsListChanged: true, groupsListChanged: true, resourceSubscriptions: [resource] };
  const response = await send(worker.mcp, method, { notifications }, { headers, signal: hangUp.signal });
  const heard = said(response);
  assert.equal((await heard.next()).value, "subscriptions");
  return { next: async () => (await heard.next()).value, hangUp: () => hangUp.abort() };
}

test("one stream of the upstream server serves all listeners, each receives what it may see, and it ends with the last", {
  timeout: WAIT_MS,
}, async () => {
  behind.tools = [tool("open", "one"), tool("secret", "one")];
  const strangers = [await listen(), await listen()];
  const alice = await listen({ authorization: "Bearer alice-token" });
  await until(
    () => behind.streams.size === 1 && behind.subscribed.length > 0,
    "one stream and one subscription at the upstream server",
  );
  assert.deepEqual(behind.subscribed, ["note:one"], "subscribed to once for all");

  behind.tools = [tool("open", "one"), tool("secret", "two")];
  await tell((server) => server.sendToolListChanged());
  assert.equal(await alice.next(), "tools");
  behind.tools = [tool("open", "two"), tool("secret", "two")];
  await tell((server) => server.sendToolListChanged());
  assert.equal(await alice.next(), "tools");
  await tell((server) => server.sendResourceUpdated({ uri: "note:one" }));
  for (const { next } of strangers) assert.deepEqual([await next(), await next()], ["tools", "note:one"]);
  assert.equal(await alice.next(), "note:one");
  assert.equal(behind.streams.size, 1);

  for (const { hangUp } of [...strangers, alice]) hangUp();
  // The gateway notices a disconnected client only when there is a change to send to it.
  let count = 0;
  const streamEnded = async () => {
    if (behind.streams.size === 0) return true;
    behind.tools = [tool("open", String(count++))];
    await tell((server) => server.sendToolListChanged());
    return false;
  };
  await until(streamEnded, "the end of the stream from the upstream server", { every: 100 });
});

test("listeners for which an object has no place are in the next, and the server has one stream", {
  timeout: 6 * WAIT_MS,
}, async () => {
  behind.tools = [tool("open", "before")];
  const from = (at) => ({ "cf-connecting-ip": `198.51.100.${Math.floor(at / MAX_LISTENERS_PER_CALLER)}` });
  const count = MAX_LISTENERS + 40;
  const listeners = [];
  const lane = async () => {
    while (listeners.length < count) {
      const at = listeners.push(undefined) - 1;
      listeners[at] = await listen(from(at));
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  await until(
    () => behind.streams.size === 1,
    () => `one stream of the upstream server, of ${behind.streams.size}, ${behind.opened} opened so far`,
  );
  const opened = behind.opened;

  behind.tools = [tool("open", "after")];
  await tell((server) => server.sendToolListChanged());
  assert.deepEqual(await Promise.all(listeners.map(({ next }) => next())), Array(count).fill("tools"));
  await tell((server) => server.sendResourceUpdated({ uri: "note:one" }));
  assert.deepEqual(await Promise.all(listeners.map(({ next }) => next())), Array(count).fill("note:one"));

  // It is in the second object, which passes the subscription on to the first.
  behind.subscribed = [];
  const last = await listen({ authorization: "Bearer alice-token" }, "note:two");
  await until(() => behind.subscribed.includes("note:two"), "the subscription of a listener in the next object");
  await tell((server) => server.sendResourceUpdated({ uri: "note:two" }));
  assert.equal(await last.next(), "note:two");
  assert.deepEqual([behind.streams.size, behind.opened], [1, opened], "streams of the upstream server");
  for (const { hangUp } of [...listeners, last]) hangUp();
});

test("a caller listens on 64 streams and no more, and takes no place of another", { timeout: WAIT_MS }, async () => {
  const from = (address) => ({ "cf-connecting-ip": address });
  const held = await Promise.all(Array.from({ length: MAX_LISTENERS_PER_CALLER }, () => listen(from("203.0.113.1"))));
  const notifications = { toolsListChanged: true };
  const refused = await send(worker.mcp, "subscriptions/listen", { notifications }, { headers: from("203.0.113.1") });
  assert.equal((await refused.json()).error.data.reason, "listener_limit");
  held.push(
    await listen(from("203.0.113.2")),
    await listen({ ...from("203.0.113.1"), authorization: "Bearer alice-token" }),
  );
  for (const { hangUp } of held) hangUp();
});

test("a session receives updates of subscriptions that are newer than its stream", { timeout: WAIT_MS }, async () => {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "listener", version: "1" } };
  const begun = await post({ id: 1, method: "initialize", params });
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id"), "mcp-protocol-version": "2025-11-25" };
  const hangUp = new AbortController();
  const heard = said(
    await fetch(worker.mcp, { headers: { ...session, accept: "text/event-stream" }, signal: hangUp.signal }),
  );
  behind.subscribed = [];
  const subscribed = await post({ id: 2, method: "resources/subscribe", params: { uri: "note:two" } }, session);
  assert.deepEqual((await subscribed.json()).result, {});
  await until(() => behind.subscribed.includes("note:two") && behind.streams.size > 0, "the second subscription");
  await tell((server) => server.sendResourceUpdated({ uri: "note:two" }));
  assert.equal((await heard.next()).value, "note:two");
  hangUp.abort();
});
