// Servers on the official SDK whose lists change during a call: for all clients (W9), and for one session (W11).
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { connect } from "./support/sdk-clients.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";

const CHANGED = "notifications/tools/list_changed";
const text = (words) => ({ content: [{ type: "text", text: words }] });
/** How soon a change is heard that the server announced, in milliseconds. */
const soon = { within: 5_000, every: 50 };

/** Serves the server that `create()` returns in each session. Without `get`, it refuses the stream of a session with 405. */
async function serve(create, { get = true } = {}) {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    if (request.method === "GET" && !get) return response.writeHead(405).end();
    const known = sessions.get(request.headers["mcp-session-id"]);
    if (known) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await create().connect(transport);
    return transport.handleRequest(request, response);
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const stop = () => (http.closeAllConnections(), http.close());
  return { url: `http://127.0.0.1:${http.address().port}/mcp`, stop };
}

/** A server with the tool `add`, which gives all sessions one more tool and announces it in the stream of the call alone. */
function growing() {
  const added = [];
  const servers = [];
  /** Adds a tool to a session without announcing it on its stream. */
  const extend = (server, name) => {
    const { notification } = server.server;
    server.server.notification = async () => {};
    server.registerTool(name, {}, () => text(name));
    server.server.notification = notification;
  };
  return () => {
    const server = new McpServer({ name: "growing", version: "1" });
    servers.push(server);
    for (const name of added) server.registerTool(name, {}, () => text(name));
    server.registerTool("add", {}, async ({ sendNotification }) => {
      const name = `added-${added.length}`;
      added.push(name);
      for (const each of servers) extend(each, name);
      await sendNotification({ method: CHANGED });
      return text(name);
    });
    return server;
  };
}

/** A server whose tool `enable_toolset` enables the tool `extra` in its session alone. */
function toolsets() {
  const server = new McpServer({ name: "toolsets", version: "1" });
  const extra = server.registerTool("extra", {}, () => text("extra"));
  extra.disable();
  server.registerTool("enable_toolset", {}, () => (extra.enable(), text("enabled")));
  return server;
}

const GENERATIONS = ["v1", "v2", "v2, sessions"];
/** Lists that grow: one for each test. */
const GROWING = [...GENERATIONS.flatMap((generation) => [`${generation} direct`, `${generation} through`]), "others"];

const growers = {};
let toolset;
let workers;
before(async () => {
  for (const name of GROWING) growers[name] = await serve(growing(), { get: false });
  toolset = await serve(toolsets);
  workers = await startWorkers([
    ...GROWING.map((name, at) => ({ name: `growing-${at}`, upstream: growers[name].url })),
    { name: "toolsets", config: { upstream: { url: toolset.url, lists: "session" } } },
  ]);
});
after(async () => {
  await workers?.stop();
  for (const { stop } of [...Object.values(growers), toolset]) stop();
});
/** Returns the address of the gateway in front of a list that grows. */
const gatewayOf = (name) => `${workers.urls[`growing-${GROWING.indexOf(name)}`]}/mcp`;

const heard = ({ notes }) => notes.filter(({ method }) => method === CHANGED).length;
const names = async ({ client }) =>
  (await client.listTools({}, { cacheMode: "refresh" })).tools.map(({ name }) => name).sort();
/** Opens what a client without a session hears changes on. */
const listens = ({ client, stateless }) => stateless && client.listen({ toolsListChanged: true });

describe("a change that is announced in the stream of a call", { concurrency: true }, () => {
  for (const place of ["direct", "through"])
    for (const generation of GENERATIONS)
      test(`W9: reaches the ${generation} client that called, ${place}`, async (t) => {
        const name = `${generation} ${place}`;
        const client = await connect(generation, place === "direct" ? growers[name].url : gatewayOf(name));
        t.after(() => client.close());
        await listens(client);
        assert.deepEqual(await names(client), ["add"]);
        assert.equal(await client.text("add"), "added-0");
        await until(() => heard(client) > 0, "the change is heard", soon);
        assert.deepEqual(await names(client), ["add", "added-0"]);
      });

  test("W9: reaches other clients that listen", async (t) => {
    const clients = await Promise.all(["v1", "v1", "v2"].map((generation) => connect(generation, gatewayOf("others"))));
    t.after(() => Promise.all(clients.map(({ close }) => close())));
    const [caller, ...others] = clients;
    for (const other of others) {
      await listens(other);
      assert.deepEqual(await names(other), ["add"]);
    }
    assert.equal(await caller.text("add"), "added-0");
    for (const other of others) {
      await until(() => heard(other) > 0, "the change is heard", soon);
      assert.deepEqual(await names(other), ["add", "added-0"]);
    }
  });
});

describe("tools that a session enables", { concurrency: true }, () => {
  for (const place of ["direct", "through"])
    for (const generation of GENERATIONS)
      for (const answers of [{}, { "elicitation/create": { action: "decline" } }]) {
        const declared = Object.keys(answers)[0] ?? "nothing";
        test(`W11: a ${generation} client that declares ${declared} has its own, ${place}`, async (t) => {
          const url = place === "direct" ? toolset.url : `${workers.urls.toolsets}/mcp`;
          const clients = await Promise.all([1, 2].map(() => connect(generation, url, { answers })));
          t.after(() => Promise.all(clients.map(({ close }) => close())));
          const [client, other] = clients;
          await listens(client);
          assert.deepEqual(await names(client), ["enable_toolset"]);
          assert.equal(await client.text("enable_toolset"), "enabled");
          await until(() => heard(client) > 0, "the change is heard", soon);
          assert.deepEqual(await names(client), ["enable_toolset", "extra"]);
          assert.equal(await client.text("extra"), "extra");
          assert.deepEqual(await names(other), ["enable_toolset"]);
          assert.match(await other.text("extra"), /disabled|unknown|not found/i);
        });
      }
});
