// Notifications to listeners when the upstream server changes the groups and tags of its tools.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { ListToolsRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { messages, send } from "./support/raw-client.mjs";
import { until } from "./support/until.mjs";
import { startWorker } from "./support/workerd.mjs";

const TTL_MS = 1; // the gateway refreshes the list at every request
const WAIT_MS = 10_000;

/** The tools that the server currently lists. */
let tools = [];
let behind;
let worker;

before(async () => {
  const sessions = new Map();
  behind = createServer(async (request, response) => {
    const known = sessions.get(request.headers["mcp-session-id"]);
    if (known) return known.handleRequest(request, response);
    const server = new Server({ name: "changing", version: "1" }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
    const onsessioninitialized = (id) => sessions.set(id, transport);
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized });
    await server.connect(transport);
    return transport.handleRequest(request, response);
  }).listen(0, "127.0.0.1");
  await once(behind, "listening");
  const upstream = `http://127.0.0.1:${behind.address().port}/mcp`;
  worker = await startWorker({ upstream, config: { upstream: { ttlMs: TTL_MS, minTtlMs: 0 } } });
});
after(async () => {
  await worker?.stop();
  behind?.closeAllConnections();
  behind?.close();
});

const tool = (name, groups) => ({ name, inputSchema: { type: "object" }, groups });
const post = (method, params, headers = {}) =>
  fetch(worker.mcp, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
const inGroup = async (group) =>
  (await (await send(worker.mcp, "tools/list", { filter: { groups: [group] } })).json()).result.tools.map(
    ({ name }) => name,
  );

/** Returns the next message of a method, and skips those before it. */
async function next(stream, method) {
  for (;;) {
    const { value, done } = await stream.next();
    if (done) throw new Error(`the stream ended without ${method}`);
    if (value.method === method) return value;
  }
}

test("a tool that joins a group is a change of the tools, reported to listeners (G-24, H-15)", {
  timeout: WAIT_MS,
}, async () => {
  tools = [tool("send", ["mail"]), tool("plan", ["calendar"])];
  assert.deepEqual(await inGroup("mail"), ["send"]);
  const hangUp = new AbortController();
  const stream = messages(
    await send(
      worker.mcp,
      "subscriptions/listen",
      { notifications: { toolsListChanged: true } },
      { signal: hangUp.signal },
    ),
  );
  const { params } = await next(stream, "notifications/subscriptions/acknowledged");
  assert.deepEqual(params.notifications, { toolsListChanged: true });

  tools = [tool("send", ["mail"]), tool("plan", ["calendar", "mail"])];
  await until(async () => (await inGroup("mail")).length === 2, "the tool in its new group");
  await next(stream, "notifications/tools/list_changed");
  hangUp.abort();
});

test("and to a session, on its stream (G-24, H-15)", { timeout: WAIT_MS }, async () => {
  tools = [tool("send", ["mail"])];
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "listener", version: "1" } };
  const begun = await post("initialize", params);
  assert.equal((await begun.json()).result.capabilities.tools.listChanged, true);
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id"), "mcp-protocol-version": "2025-11-25" };
  const hangUp = new AbortController();
  const opened = await fetch(worker.mcp, {
    headers: { ...session, accept: "text/event-stream" },
    signal: hangUp.signal,
  });
  assert.equal(opened.status, 200);
  const stream = messages(opened);

  tools = [tool("send", ["outbox"])];
  const groups = async () =>
    (await (await post("tools/list", {}, session)).json()).result.tools.flatMap(({ groups }) => groups);
  await until(async () => (await groups()).join() === "outbox", "the group of the tool");
  await next(stream, "notifications/tools/list_changed");
  hangUp.abort();
});

/** Starts a proxy whose connections can be cut. */
async function startProxy(context, url) {
  const { hostname, port } = new URL(url);
  const sockets = new Set();
  const proxy = createTcpServer((near) => {
    const far = connect(port, hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  context.after(() => {
    cut();
    proxy.close();
  });
  return { url: Object.assign(new URL(url), { port: proxy.address().port }), cut };
}

test("a client whose stream was cut is notified of what it missed, and of later changes", {
  timeout: WAIT_MS,
}, async (context) => {
  tools = [tool("send", ["mail"])];
  await until(async () => (await inGroup("mail")).length === 1, "the tool in mail");
  const proxy = await startProxy(context, worker.mcp);
  const client = new Client({ name: "listener", version: "1" });
  let [heard, errors] = [0, 0];
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    heard += 1;
  });
  client.onerror = () => {
    errors += 1;
  };
  const reconnectionOptions = {
    initialReconnectionDelay: 50,
    maxReconnectionDelay: 50,
    reconnectionDelayGrowFactor: 1,
    maxRetries: 5,
  };
  await client.connect(new StreamableHTTPClientTransport(proxy.url, { reconnectionOptions }));
  context.after(() => client.close());
  const change = async (group) => {
    const before = heard;
    tools = [tool("send", [group])];
    await until(async () => (await inGroup(group)).length === 1, `the tool in ${group}`);
    await until(() => heard > before, `the notification of ${group}`);
  };
  await change("outbox");
  for (const [during, later] of [
    ["drafts", "sent"],
    ["archive", "spam"],
  ]) {
    proxy.cut();
    await until(() => errors > 0, "the client to notice");
    errors = 0;
    await change(during);
    await change(later);
  }
});
