// What one caller or one value must not do to another: settings of another kind, shared lists, errors and names.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { gateway } from "../pkg/loaders/handler-node.js";
import { Middleware } from "../pkg/loaders/middleware-node.js";
import { Sieve, TaskRegistry, wrapClient, wrapClients } from "../pkg/loaders/node.js";
import { request } from "./support/raw-client.mjs";
import { startStatelessServer } from "./support/stateless-server.mjs";

const tool = (name) => ({ name, inputSchema: { type: "object" } });
const names = ({ tools }) => tools.map((one) => one.name);
const lists = { tools: [tool("a"), tool("b")] };

/** A client of the official SDK, connected to a server whose tools `listed` returns. */
async function connected(t, listed, { delay = 0 } = {}) {
  const called = [];
  async function connect(client) {
    const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler(ListToolsRequestSchema, async () => {
      await sleep(delay);
      return { tools: listed() };
    });
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      called.push(params.name);
      return { content: [] };
    });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await server.connect(there);
    await client.connect(here);
    return server;
  }
  const client = new Client({ name: "host", version: "1" });
  const server = await connect(client);
  t.after(() => client.close());
  return { client, server, called, connect };
}

test("a setting that is a promise or a collection is refused", () => {
  const policies = { policies: [{ name: "p", show: "name:a" }] };
  for (const config of [Promise.resolve(policies), new Map(Object.entries(policies)), 5, () => policies]) {
    assert.throws(() => gateway(() => new Response(), config), { name: "SieveError", code: "config" });
    assert.throws(() => Sieve.compile(lists, config), { name: "SieveError", code: "config" });
  }
  const identify = () => null;
  assert.throws(() => gateway(() => new Response(), {}, Promise.resolve({ identify })), { code: "handler" });
  assert.throws(() => Sieve.compile(lists, {}, Promise.resolve({ predicates: [] })), { code: "invalid_option" });
});

test("lists that are none are refused with a code", () => {
  for (const none of [null, undefined, 5])
    assert.throws(() => Sieve.compile(none), { name: "SieveError", code: "catalog" });
});

test("a filter that is no object is refused", async (t) => {
  const mcp = wrapClient((await connected(t, () => lists.tools)).client);
  const sieve = Sieve.compile(lists);
  for (const filter of [new URLSearchParams("groups=g"), new Map(), "5", "[]", "true", [], 5]) {
    await assert.rejects(mcp.listTools({ filter }), { name: "SieveError", code: "filter_type" }, String(filter));
    assert.throws(() => sieve.count({ filter }), { name: "SieveError", code: "filter_type" }, String(filter));
  }
  assert.deepEqual(names(await mcp.listTools({ filter: null })), ["a", "b"]);
});

test("a time limit and a signal are those of one caller", async (t) => {
  const { client } = await connected(t, () => lists.tools, { delay: 200 });
  const mcp = wrapClient(client, { by: "client", config: {} });
  const [late, patient] = await Promise.allSettled([mcp.listTools({}, { timeout: 50 }), mcp.listTools({})]);
  assert.match(late.reason.message, /timed out/);
  assert.deepEqual(names(patient.value), ["a", "b"]);

  let isListed = false;
  const slow = await connected(
    t,
    () => {
      isListed = true;
      return lists.tools;
    },
    { delay: 400 },
  );
  const wrapped = wrapClients([{ server: "s", client: slow.client }]);
  const signal = AbortSignal.timeout(50);
  await assert.rejects(wrapped.callTool({ name: "a", arguments: {} }, undefined, { signal }), { name: "TimeoutError" });
  assert.ok(!isListed, "the call waited for the list");
});

test("a signal that was aborted before leaves no rejection behind", async (t) => {
  const capabilities = {
    tools: {},
    experimental: { "dev.mcpsieve/concerns": { concerns: [{ name: "cost", values: ["low"] }] } },
  };
  const server = new Server({ name: "s", version: "1" }, { capabilities });
  server.setRequestHandler(ListToolsRequestSchema, () => lists);
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  const client = new Client({ name: "host", version: "1" });
  await client.connect(here);
  t.after(() => client.close());
  // The session has no such method: sending the concerns again fails, after the call has given up.
  const mcp = wrapClient(client, { by: "server", concerns: { cost: "low" } });
  const stray = [];
  const note = (reason) => stray.push(reason);
  process.on("unhandledRejection", note);
  t.after(() => process.off("unhandledRejection", note));
  const signal = AbortSignal.abort(new Error("left"));
  await assert.rejects(mcp.listTools({}, { signal }), /left/);
  await assert.rejects(mcp.updateConcerns({ cost: "low" }, { signal }), /left/);
  await sleep(50);
  assert.deepEqual(stray, []);
});

test("an abort does not reach a call that shares a probe", async (t) => {
  const mcp = wrapClient((await connected(t, () => lists.tools)).client, { concerns: { cost: "low" } });
  const leaving = new AbortController();
  const calls = [mcp.listTools({}, { signal: leaving.signal }), mcp.listTools({})];
  leaving.abort(new Error("left"));
  const [left, stayed] = await Promise.allSettled(calls);
  assert.equal(left.status, "rejected");
  assert.deepEqual(names(stayed.value), ["a", "b"]);
});

test("a waiting time beyond that of timers is no shorter one", async (t) => {
  const { client } = await connected(t, () => lists.tools, { delay: 20 });
  assert.deepEqual(names(await wrapClients([{ server: "s", client }], { listWaitMs: 3e9 }).listTools()), ["a", "b"]);
});

test("a tool that came later is called by its own name", async (t) => {
  const tools = [tool("a_1")];
  const { client, server, called } = await connected(t, () => tools);
  const rules = ["1", "2"].map((at) => ({ match: `name:a_${at}`, name: `b_${at}` }));
  const mcp = wrapClient(client, { config: { rules } });
  await mcp.listTools();
  tools.push(tool("a_2"));
  await server.sendToolListChanged();
  assert.deepEqual((await mcp.catalog()).names(), ["b_1", "b_2"]);
  await mcp.callTool({ name: "b_2", arguments: {} });
  assert.deepEqual(called, ["a_2"]);
});

test("a listener hears changes after the host has connected its client anew", async (t) => {
  const { client, connect } = await connected(t, () => lists.tools);
  const heard = [];
  const stop = wrapClients([{ server: "s", client }]).onChange(({ list }) => heard.push(list));
  await client.close();
  const server = await connect(client);
  await server.sendToolListChanged();
  await sleep(20);
  assert.deepEqual(heard, ["tools"]);
  stop();
  assert.ok(!Object.hasOwn(client, "connect"), "the client is as it was");
});

test("a listener that adds itself again hears each change once", async (t) => {
  const { client, server } = await connected(t, () => lists.tools);
  const mcp = wrapClient(client);
  let heard = 0;
  let stop;
  const listener = () => {
    heard += 1;
    stop();
    stop = mcp.onChange(listener);
  };
  stop = mcp.onChange(listener);
  await server.sendToolListChanged();
  await sleep(20);
  assert.equal(heard, 1);
});

test("configured concerns are in every request, and a new one shows in the next list", async (t) => {
  const capabilities = {
    tools: {},
    extensions: { "dev.mcpsieve/concerns": { concerns: [{ name: "cost", values: ["low", "high"] }] } },
  };
  const server = await startStatelessServer({
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities },
    "tools/list": ({ _meta }) => ({
      tools: [tool(`for_${_meta?.concerns?.cost}`)],
      ttlMs: 60_000,
      cacheScope: "private",
    }),
    updateConcerns: ({ concerns }) => ({ concerns }),
    listConcerns: { concerns: [{ name: "cost", values: ["low", "high"] }] },
  });
  t.after(() => server.stop());
  const { Client: Modern, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Modern({ name: "host", version: "1" }, { versionNegotiation: { mode: "auto" } });
  t.after(() => client.close());
  const mcp = wrapClient(client, { concerns: { cost: "low" } });
  await mcp.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  assert.deepEqual(names(await mcp.listTools()), ["for_low"]);
  await mcp.updateConcerns({ cost: "high" });
  assert.deepEqual(names(await mcp.listTools()), ["for_high"]);
});

test("of two updates the later call counts", async (t) => {
  const { client } = await connected(t, () => [
    { ...tool("cheap"), _meta: { concerns: { cost: "low" } } },
    { ...tool("dear"), _meta: { concerns: { cost: "high" } } },
  ]);
  const mcp = wrapClient(client, { by: "client" });
  await Promise.all([mcp.updateConcerns({ cost: "low" }), mcp.updateConcerns({ cost: "high" })]);
  assert.deepEqual(names(await mcp.listTools()), ["dear"]);
});

test("very many values of a concern are read in reasonable time", async (t) => {
  const many = Array.from({ length: 60_000 }, (_, at) => ({ ...tool(`t${at}`), _meta: { concerns: { rank: at } } }));
  const { client } = await connected(t, () => many);
  const { concerns } = await wrapClient(client, { by: "client" }).catalog();
  assert.deepEqual(concerns[0].values, { min: 0, max: 59_999 });
});

test("a registry that stops serves no longer, on a wrapped client too", async (t) => {
  const { client, server } = await connected(t, () => lists.tools);
  const stop = new TaskRegistry().serve(wrapClient(client));
  const ask = () =>
    server.request(
      { method: "tasks/list", params: {} },
      { parse: (result) => result, safeParse: (data) => ({ success: true, data }) },
    );
  assert.deepEqual((await ask()).tasks, []);
  stop();
  await assert.rejects(ask(), { code: -32601 });
});

/** Sends a request to a wrapped handler. */
function ask(served, method, ctx) {
  const { headers, body } = request(method);
  return served.fetch(new Request("https://shop.test/mcp", { method: "POST", headers, body }), {}, ctx);
}

/** A handler that speaks MCP and lists two tools. */
async function shop(asked) {
  const { id, method } = await asked.json();
  const results = {
    "server/discover": {
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      serverInfo: { name: "shop", version: "1" },
    },
    "tools/list": lists,
  };
  const result = results[method] && {
    resultType: "complete",
    ttlMs: 60_000,
    cacheScope: "private",
    ...results[method],
  };
  return Response.json({ jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32601, message: "no" } }) });
}

test("what a predicate throws hides its primitive, whatever it is", async () => {
  const odd = [
    Object.create(null),
    {
      get message() {
        throw new Error("no");
      },
    },
    undefined,
  ];
  for (const thrown of odd) {
    const notes = [];
    const test = (primitive) => {
      if (primitive.name === "a") throw thrown;
      return true;
    };
    const served = gateway(
      shop,
      {},
      {
        key: "a key of sixteen bytes",
        sessions: "memory",
        note: (line) => notes.push(line),
        predicates: [{ name: "p", test }],
      },
    );
    const { result } = await (await ask(served, "tools/list")).json();
    assert.deepEqual(names(result), ["b"]);
    assert.ok(
      notes.some((line) => line.includes("`a`")),
      notes.join("\n"),
    );
  }
});

test("a context whose waitUntil throws does not keep a request from its answer", async () => {
  const notes = [];
  const served = gateway(
    shop,
    {},
    { key: "a key of sixteen bytes", sessions: "memory", note: (line) => notes.push(line) },
  );
  const ctx = {
    waitUntil() {
      throw new Error("Illegal invocation");
    },
  };
  const { result } = await (await ask(served, "tools/list", ctx)).json();
  assert.deepEqual(names(result), ["a", "b"]);
  assert.ok(
    notes.some((line) => line.includes("waitUntil")),
    notes.join("\n"),
  );
});

test("a list is public only if every caller may have it", async () => {
  const options = { key: "a key of sixteen bytes", sessions: "memory", note: () => {} };
  const scope = async (more, handler = open) =>
    (await (await ask(gateway(handler, {}, { ...options, ...more }), "tools/list")).json()).result.cacheScope;
  const open = async (asked) => {
    const answered = await shop(asked);
    return new Response((await answered.text()).replaceAll('"private"', '"public"'), answered);
  };
  assert.equal(await scope({}), "public");
  assert.equal(await scope({}, shop), "private", "its server says so");
  assert.equal(await scope({ identify: () => null }), "public", "others without a token are served too");
  assert.equal(await scope({ identify: () => ({ sub: "alice" }) }), "private");
  assert.equal(await scope({ checks: [() => undefined] }), "private");
});

test("methods of a wrapped handler read its private members", () => {
  class Shop {
    #opened = 7;
    name = "shop";
    fetch = shop;
    scheduled() {
      return this.#opened;
    }
  }
  const served = gateway(new Shop());
  assert.equal(served.scheduled(), 7);
  assert.equal(served.name, "shop");
  assert.ok(served instanceof Shop);
  assert.notEqual(served.fetch, shop);
});

test("names that are no text are refused before they reach the module", async () => {
  const middleware = new Middleware();
  const code = "invalid_option";
  await assert.rejects(middleware.invoke({}, []), { name: "SieveError", code });
  assert.throws(() => middleware.remove(5), { name: "SieveError", code });
  for (const wrong of [{ phase: 5 }, { description: 5 }, { events: 5 }, { events: [5] }])
    assert.throws(() => middleware.add({ name: "own", apply: () => ({}), ...wrong }), { name: "SieveError", code });
});

test("an error has the cause of its own call", async () => {
  const middleware = new Middleware();
  middleware.add({
    name: "own",
    async apply([{ text }]) {
      await sleep(text === "alice" ? 20 : 1);
      throw new Error(`cannot check ${text}`);
    },
  });
  const failed = await Promise.all(
    ["alice", "bob", "carol"].map((text) => middleware.invoke("own", [{ type: "text", text }]).catch((error) => error)),
  );
  assert.deepEqual(
    failed.map(({ message, cause }) => [message, cause.message]),
    ["alice", "bob", "carol"].map((text) => ["the function `own` has thrown", `cannot check ${text}`]),
  );
});

test("a context is read when the call is made", async () => {
  const conversation = new Middleware().pipeline({ outbound: ["pii_redaction"] }).start();
  const context = [{ type: "text", text: "Mail jane@example.com" }];
  const first = conversation.outbound(context);
  context[0].text = "changed";
  assert.equal((await first).content[0].text, "Mail [EMAIL_1]");
});
