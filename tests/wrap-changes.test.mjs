// Reactions of `wrapClient` to `notifications/…/list_changed`: cached lists, listeners, and the host's own handlers.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import {
  Client as Client2,
  InMemoryTransport as Memory2,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server as Server1 } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Server as Server2, createMcpHandler } from "@modelcontextprotocol/server";
import { installTarball } from "./support/tarball.mjs";
import { until } from "./support/until.mjs";

const identity = { name: "host", version: "1" };
const config = { rules: [{ match: "name:get_*", groups: ["get"] }] };
const filter = { groups: ["get"] };
const tool = (name) => ({ name, inputSchema: { type: "object" } });
const names = ({ tools }) => tools.map((one) => one.name);
/** Answers a call with the name of its tool. */
const named = ({ params }) => ({ content: [{ type: "text", text: params.name }] });
let consumer;
let api;
before(async () => {
  consumer = await installTarball();
  api = await consumer.load();
});
after(() => consumer?.remove());

const generations = {
  "version 1": {
    client: (options) => new Client1(identity, options),
    memory: Memory1,
    server: (capabilities, list) => {
      const server = new Server1(identity, { capabilities });
      server.setRequestHandler(ListToolsRequestSchema, list);
      server.setRequestHandler(CallToolRequestSchema, named);
      return server;
    },
    handle: (client, handler) => client.setNotificationHandler(ToolListChangedNotificationSchema, handler),
  },
  "version 2": {
    client: (options) => new Client2(identity, options),
    memory: Memory2,
    server: (capabilities, list) => {
      const server = new Server2(identity, { capabilities });
      server.setRequestHandler("tools/list", list);
      server.setRequestHandler("tools/call", named);
      return server;
    },
    handle: (client, handler) => client.setNotificationHandler("notifications/tools/list_changed", handler),
  },
};

for (const [name, { client: make, memory, server: serve, handle }] of Object.entries(generations)) {
  /** Connects a client and a server that counts its lists. A list waits for the promise `held`. */
  async function pair(t, { options, capabilities = { tools: { listChanged: true } } } = {}) {
    const state = { tools: [tool("get_a"), tool("set_a")], lists: 0, held: undefined, extra: {} };
    const list = async () => {
      const { tools } = state;
      state.lists += 1;
      await state.held;
      return { tools, ...state.extra };
    };
    const server = serve(capabilities, list);
    const [near, far] = memory.createLinkedPair();
    const client = make(options);
    await server.connect(far);
    t.after(() => client.close());
    return { state, server, client, connect: (mcp) => mcp.connect(near) };
  }

  test(`${name}: a tool is called by the name that the configuration gives it`, async (t) => {
    const { state, client, connect } = await pair(t);
    const rules = [
      { match: "name:get_a", name: "set_a" },
      { match: "name:set_a", name: "get_a" },
      { match: "name:get_b", name: "read" },
    ];
    const mcp = api.wrapClient(client, { config: { rules } });
    await connect(mcp);
    const called = async (name) => (await mcp.callTool({ name, arguments: {} })).content[0].text;
    state.tools = [tool("get_a"), tool("set_a"), tool("get_b"), tool("put")];
    // Before the first list, after it, and after lists that a filter narrowed.
    for (const listed of [undefined, {}, { filter: { namePatterns: ["put"] } }]) {
      if (listed) await mcp.listTools(listed);
      assert.deepEqual(await Promise.all(["set_a", "get_a", "read", "put", "no_such"].map(called)), [
        "get_a",
        "set_a",
        "get_b",
        "put",
        "no_such",
      ]);
    }
    assert.equal((await client.callTool({ name: "set_a", arguments: {} })).content[0].text, "set_a");
  });

  test(`${name}: the names of a server that filters itself are its own, in lists and in calls`, async (t) => {
    const capabilities = { tools: {}, extensions: { "dev.mcpsieve/filtering": { groups: {}, tags: {} } } };
    const { client, connect } = await pair(t, { capabilities });
    const rules = [
      { match: "name:get_a", name: "set_a" },
      { match: "name:set_a", name: "get_a" },
    ];
    const mcp = api.wrapClient(client, { config: { rules } });
    await connect(mcp);
    assert.equal((await mcp.callTool({ name: "set_a", arguments: {} })).content[0].text, "set_a");
    assert.deepEqual(names(await mcp.listTools()), ["get_a", "set_a"]);
    assert.equal((await mcp.callTool({ name: "set_a", arguments: {} })).content[0].text, "set_a");
  });

  test(`${name}: a client that is not connected has no list`, async (t) => {
    const { client } = await pair(t);
    const mcp = api.wrapClient(client, { config });
    for (const call of [() => mcp.listTools({ filter }), () => mcp.catalog(), () => mcp.callTool({ name: "get_a" })])
      await assert.rejects(call, /not connected/i);
    const all = api.wrapClients([{ server: "one", client }]);
    assert.deepEqual((await all.listTools()).tools, []);
    const [{ status, error }] = all.servers();
    assert.equal(status, "down");
    assert.match(error, /not connected/i);
  });

  test(`${name}: a listener that rejects is reported to the client`, async (t) => {
    const { server, client, connect } = await pair(t);
    const mcp = api.wrapClient(client, { config });
    await connect(mcp);
    const errors = [];
    client.onerror = (error) => errors.push(error.message);
    for (const fails of [async () => Promise.reject(new Error("later")), () => assert.fail("at once")])
      mcp.onChange(fails);
    await server.notification({ method: "notifications/tools/list_changed" });
    await until(() => errors.length >= 2);
    assert.deepEqual(errors.sort(), ["at once", "later"]);
  });

  test(`${name}: a list is kept until the server says that it changed`, async (t) => {
    const { state, server, client, connect } = await pair(t);
    const mcp = api.wrapClient(client, { config });
    await connect(mcp);
    const changes = [];
    const stop = mcp.onChange(({ list }) => changes.push(list));
    assert.deepEqual(names(await mcp.listTools({ filter })), ["get_a"]);
    const { lists } = state;
    assert.deepEqual(names(await mcp.listTools({ filter: { namePatterns: ["set_*"] } })), ["set_a"]);
    assert.equal(state.lists, lists, "another filter of the same list");
    state.tools = [...state.tools, tool("get_b")];
    await server.notification({ method: "notifications/tools/list_changed" });
    await until(() => changes.length > 0);
    assert.deepEqual(changes, ["tools"]);
    assert.deepEqual(names(await mcp.listTools({ filter })), ["get_a", "get_b"]);
    const sieve = await mcp.catalog();
    assert.deepEqual(sieve.names(), ["get_a", "set_a", "get_b"]);
    sieve.free();
    assert.ok(state.lists > lists);
    // A list that only the proposals define, and no event after the listener was removed.
    await server.notification({ method: "notifications/concerns/list_changed" });
    await until(() => changes.length > 1);
    stop();
    await server.notification({ method: "notifications/groups/list_changed" });
    await server.notification({ method: "notifications/tools/list_changed" });
    await server.ping();
    assert.deepEqual(changes, ["tools", "concerns"]);
  });

  test(`${name}: concurrent lists share one, and a change meanwhile leaves it unkept`, async (t) => {
    const { state, server, client, connect } = await pair(t);
    const mcp = api.wrapClient(client, { config });
    await connect(mcp);
    await Promise.all([mcp.listTools({ filter }), mcp.listTools({ filter }), mcp.listTools()]);
    const once = state.lists;
    await server.notification({ method: "notifications/tools/list_changed" });
    let release;
    state.held = new Promise((done) => (release = done));
    const early = mcp.listTools({ filter });
    await until(() => state.lists > once);
    state.tools = [tool("get_c")];
    let changed = 0;
    mcp.onChange(() => (changed += 1));
    await server.notification({ method: "notifications/tools/list_changed" });
    await until(() => changed > 0);
    state.held = undefined;
    release();
    assert.deepEqual(names(await early), ["get_a"], "as it was when it was asked for");
    assert.deepEqual(names(await mcp.listTools({ filter })), ["get_c"]);
    assert.equal(state.lists, 3 * once, "each of the three was fetched once");
    // A call that can be aborted, or that refreshes, requests its own list.
    await mcp.listTools({ filter }, { signal: new AbortController().signal });
    assert.equal(state.lists, 4 * once);
    await mcp.listTools({ filter }, { cacheMode: "refresh" });
    assert.equal(state.lists, 5 * once);
  });

  test(`${name}: a list that failed, and lists of a server that sends no changes, are not kept`, async (t) => {
    const { state, client, connect } = await pair(t, { capabilities: { tools: {} } });
    const mcp = api.wrapClient(client, { config });
    await connect(mcp);
    state.held = Promise.reject(new Error("not now"));
    await assert.rejects(Promise.all([mcp.listTools({ filter }), mcp.listTools({ filter })]), /not now/);
    state.held = undefined;
    assert.deepEqual(names(await mcp.listTools({ filter })), ["get_a"]);
    state.tools = [tool("get_d")];
    assert.deepEqual(names(await mcp.listTools({ filter })), ["get_d"]);
  });

  test(`${name}: the host's own handlers run as before`, async (t) => {
    const fromOption = [];
    const onChanged = (error, tools) => fromOption.push(error ?? tools.length);
    const { state, server, client, connect } = await pair(t, {
      options: { listChanged: { tools: { onChanged, debounceMs: 0 } } },
    });
    const mcp = api.wrapClient(client, { config });
    await connect(mcp);
    const order = [];
    mcp.onChange(() => {
      throw new Error("a listener of the host");
    });
    mcp.onChange(() => order.push("listener"));
    const errors = [];
    client.onerror = (error) => errors.push(error.message);
    state.tools = [tool("get_e")];
    await server.notification({ method: "notifications/tools/list_changed" });
    await until(() => fromOption.length > 0);
    assert.deepEqual([fromOption, order, errors], [[1], ["listener"], ["a listener of the host"]]);
    // A separate handler, on the wrapped client or on the client itself, replaces only the option.
    const handled = [];
    handle(mcp, () => handled.push("handler"));
    await server.notification({ method: "notifications/tools/list_changed" });
    await until(() => handled.length > 0);
    assert.deepEqual([handled, order], [["handler"], ["listener", "listener"]]);
  });

  test(`${name}: nothing of one connection is kept for the next`, async (t) => {
    const { client, connect } = await pair(t);
    const mcp = api.wrapClient(client, { config });
    await connect(mcp);
    assert.deepEqual(names(await mcp.listTools({ filter })), ["get_a"]);
    await client.close();
    // Without a connection, one generation returns empty lists and the other rejects.
    const gone = await mcp.catalog().then(
      (sieve) => sieve.count(),
      () => 0,
    );
    assert.equal(gone, 0);
    const again = await pair(t);
    again.state.tools = [tool("get_f")];
    const [near, far] = memory.createLinkedPair();
    await again.server.close();
    const server = serve({ tools: { listChanged: true } }, () => ({ tools: again.state.tools }));
    await server.connect(far);
    await client.connect(near);
    assert.deepEqual(names(await mcp.listTools({ filter })), ["get_f"]);
  });

  test(`${name}: concerns that are applied here change what listeners know`, async (t) => {
    const { client, connect } = await pair(t);
    const mcp = api.wrapClient(client, {
      config: { concerns: [{ name: "cost", values: ["low", "high"] }] },
    });
    await connect(mcp);
    const changes = [];
    mcp.onChange(({ list }) => changes.push(list));
    await mcp.updateConcerns({ cost: "low" });
    await mcp.updateConcerns({ cost: "low" });
    assert.deepEqual(changes, ["tools", "resources", "prompts"]);
  });
}

/**
 * Connects a stateless client to the official handler, and records the methods that it sends. `list` receives the
 * request's filter, which the handler does not know.
 */
async function stateless(t, capabilities, list) {
  let filter;
  const handler = createMcpHandler(() => {
    const server = new Server2(identity, { capabilities });
    server.setRequestHandler("tools/list", () => list(filter));
    return server;
  });
  const http = createServer(async (request, response) => {
    const body = request.method === "POST" ? Buffer.concat(await request.toArray()) : undefined;
    if (body) filter = JSON.parse(body).params?.filter;
    const headers = Object.entries(request.headers).map(([key, value]) => [key, String(value)]);
    const answer = await handler.fetch(
      new Request(`http://localhost${request.url}`, { method: request.method, headers, body }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const piece of answer.body ?? []) response.write(piece);
    response.end();
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const sent = [];
  const client = new Client2(identity, { versionNegotiation: { mode: "auto" } });
  t.after(async () => {
    await client.close();
    await handler.close();
    http.closeAllConnections();
    http.close();
  });
  const recorded = (input, init) => {
    if (typeof init?.body === "string") sent.push(JSON.parse(init.body).method);
    return fetch(input, init);
  };
  const url = new URL(`http://127.0.0.1:${http.address().port}/mcp`);
  return { handler, http, sent, client, transport: new StreamableHTTPClientTransport(url, { fetch: recorded }) };
}

test("the stateless revision: listeners open one subscription, and the last one closes it", async (t) => {
  const state = { tools: [tool("get_a"), tool("set_a")], lists: 0, ttlMs: 60_000 };
  const { handler, http, sent, client, transport } = await stateless(t, { tools: { listChanged: true } }, () => {
    state.lists += 1;
    return { tools: state.tools, ttlMs: state.ttlMs };
  });
  const mcp = api.wrapClient(client, { config });
  await mcp.connect(transport);
  const subscribed = () => sent.filter((method) => method === "subscriptions/listen").length;
  assert.equal(client.getProtocolEra(), "modern");
  assert.deepEqual(names(await mcp.listTools({ filter })), ["get_a"]);
  assert.equal(subscribed(), 0, "there is no listener yet");
  const { lists } = state;
  // The list's `ttlMs` says how long it may be cached.
  await mcp.listTools({ filter });
  assert.equal(state.lists, lists);
  const changes = [];
  const stops = [mcp.onChange(({ list }) => changes.push(list)), mcp.onChange(() => {})];
  await until(() => subscribed() === 1);
  const announced = async () => {
    const known = changes.length;
    await until(() => {
      handler.notify.toolsChanged();
      return changes.length > known;
    });
  };
  state.tools = [tool("get_b")];
  await announced();
  assert.deepEqual(names(await mcp.listTools({ filter })), ["get_b"]);
  // A subscription that is interrupted is opened again.
  http.closeAllConnections();
  await until(() => subscribed() === 2);
  state.tools = [tool("get_c")];
  await announced();
  assert.deepEqual(names(await mcp.listTools({ filter })), ["get_c"]);
  for (const stop of stops) stop();
  await until(() => sent.includes("notifications/cancelled"));
  assert.equal(subscribed(), 2);
  state.ttlMs = 0;
  await mcp.listTools({ filter }, { cacheMode: "refresh" });
  const earlier = state.lists;
  await mcp.listTools({ filter: { groups: [] } }, { cacheMode: "refresh" });
  assert.equal(state.lists, earlier + 2, "the client learns from a list of its own");
});

test("a subscription that ends at once is opened less and less often", async (t) => {
  const { http, client, transport } = await stateless(t, { tools: { listChanged: true } }, () => ({
    tools: [tool("get_a")],
    ttlMs: 60_000,
  }));
  const opened = [];
  const { listen } = client;
  client.listen = async (...args) => {
    const stream = await listen.apply(client, args);
    opened.push(Date.now());
    http.closeAllConnections();
    return stream;
  };
  const mcp = api.wrapClient(client, { config });
  await mcp.connect(transport);
  mcp.onChange(() => {});
  await until(() => opened.length === 3, "three subscriptions");
  const [first, second, third] = opened;
  assert.ok(third - second > 1.5 * (second - first), `${second - first} ms, ${third - second} ms`);
});

test("the official client's cache plays no list back for another filter", async (t) => {
  const extensions = { "dev.mcpsieve/filtering": { version: 1, groups: {}, fields: ["namePatterns"] } };
  const { client, transport } = await stateless(t, { tools: {}, extensions }, (filter) => {
    const [pattern] = filter?.namePatterns ?? [];
    return { tools: [tool("get_a"), tool("set_a")].filter(({ name }) => !pattern || name === pattern), ttlMs: 60_000 };
  });
  const mcp = api.wrapClient(client);
  await mcp.connect(transport);
  const listed = async (filter) => names(await mcp.listTools({ filter }));
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(await listed({ namePatterns: ["get_a"] }), ["get_a"]);
    assert.deepEqual(await listed({ namePatterns: ["set_a"] }), ["set_a"]);
    assert.deepEqual(await listed(), ["get_a", "set_a"]);
    assert.deepEqual(await listed({ namePatterns: ["get_a"] }), ["get_a"]);
    assert.deepEqual(await listed({ where: "name:set_*" }), ["set_a"]);
  }
});
