// Lists of a wrapped client that other lists, other wrappers and lost subscriptions must not disturb.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Server, createMcpHandler } from "@modelcontextprotocol/server";
import { wrapClient, wrapClients } from "../pkg/loaders/node.js";
import { plainTool, startStatelessServer } from "./support/stateless-server.mjs";
import { until } from "./support/until.mjs";

const KEPT_MS = 600_000;
const names = ({ tools }) => tools.map(({ name }) => name).join();

async function connected(context, url) {
  const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  context.after(() => client.close());
  return client;
}

/** A client of a server that filters by group and lets clients keep its lists. The list of group `slow` takes a while. */
async function filtered(context) {
  const capabilities = { tools: {}, extensions: { "dev.mcpsieve/filtering": { groups: {}, tags: {} } } };
  const server = await startStatelessServer({
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities },
    "tools/list": async ({ filter } = {}) => {
      const group = filter?.groups?.[0] ?? "all";
      if (group === "slow") await sleep(100);
      return { tools: [plainTool(`tool_${group}`)], ttlMs: KEPT_MS, cacheScope: "private" };
    },
  });
  context.after(() => server.stop());
  return connected(context, server.url);
}
const of = (group) => ({ filter: { groups: [group] } });

test("wrappers of one client get each its own list", async (context) => {
  const client = await filtered(context);
  const [one, other] = ["one", "other"].map((group) => wrapClient(client, of(group)));
  for (const [wrapped, expected] of [
    [one, "tool_one"],
    [other, "tool_other"],
    [one, "tool_one"],
    [wrapClient(client), "tool_all"],
    [wrapClient(client, { by: "client" }), "tool_all"],
    [other, "tool_other"],
    [wrapClient(client, { by: "client" }), "tool_all"],
  ])
    assert.equal(names(await wrapped.listTools()), expected);
});

test("lists that overlap and lists that are aborted leave nothing to the next", async (context) => {
  const mcp = wrapClient(await filtered(context));
  const both = await Promise.all(["slow", "quick"].map((group) => mcp.listTools(of(group))));
  assert.deepEqual(both.map(names), ["tool_slow", "tool_quick"]);
  assert.equal(names(await mcp.listTools(of("quick"))), "tool_quick");
  const hangUp = new AbortController();
  const aborted = mcp.listTools(of("slow"), { signal: hangUp.signal });
  hangUp.abort();
  await assert.rejects(aborted);
  assert.equal(names(await mcp.listTools(of("slow"))), "tool_slow");
});

/** A stateless server of the official SDK that can go away and come back at the same address. */
async function startAwayable(context) {
  const state = { tools: ["a"], away: false };
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler("tools/list", () => ({
      tools: state.tools.map((name) => plainTool(name)),
      ttlMs: KEPT_MS,
    }));
    return server;
  });
  const http = createServer(async (request, response) => {
    if (state.away) return response.writeHead(503).end();
    const body = request.method === "POST" ? Buffer.concat(await request.toArray()) : undefined;
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, { method: request.method, headers, body }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const piece of answer.body ?? []) response.write(piece);
    response.end();
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  context.after(async () => {
    await handler.close();
    http.closeAllConnections();
    http.close();
  });
  return { state, url: `http://127.0.0.1:${http.address().port}/mcp`, cut: () => http.closeAllConnections(), handler };
}

test("a subscription that was lost is opened again, however long the server is away", async (context) => {
  const { state, url, cut, handler } = await startAwayable(context);
  const mcp = wrapClient(await connected(context, url));
  const heard = [];
  mcp.onChange(({ list }) => heard.push(list));
  // A list that is filtered here, and kept as long as the server says.
  const list = async () => names(await mcp.listTools({ filter: { where: "name:*" } }));
  assert.equal(await list(), "a");
  state.away = true;
  cut();
  await sleep(1_500);
  state.tools = ["b"];
  state.away = false;
  await until(() => heard.length > 0, "the change while the server was away");
  assert.deepEqual([heard.splice(0), await list()], [["tools"], "b"]);
  state.tools = ["c"];
  handler.notify.toolsChanged();
  await until(() => heard.length > 0, "a later change");
  assert.equal(await list(), "c");
});

test("a filter that is applied here knows the groups above groups", async (context) => {
  const tool = (name, group) => ({ ...plainTool(name), groups: [group] });
  const tools = [tool("send", "mail"), tool("merge", "code"), tool("play", "fun")];
  const capabilities = { tools: {}, extensions: { "dev.mcpsieve/filtering": { groups: {}, tags: {} } } };
  const server = await startStatelessServer({
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities },
    "groups/list": { groups: [{ name: "work" }, { name: "mail", parent: "work" }, { name: "code", parent: "work" }] },
    "tags/list": { tags: [] },
    "tools/list": { tools, ttlMs: KEPT_MS },
  });
  context.after(() => server.stop());
  const client = await connected(context, server.url);
  const work = { filter: { groups: ["work"] } };
  assert.equal(names(await wrapClient(client, { by: "client" }).listTools(work)), "send,merge");
  const mcp = wrapClient(client);
  assert.equal(names(await mcp.listTools({ filter: { groups: ["work"], where: "-name:merge" } })), "send");
  assert.equal(names(await mcp.listTools({ filter: { not: { groups: ["work"] }, where: "name:*" } })), "play");
});

test("groups name those that contain them in the form of SEP-2084, and may name themselves or stand in a circle (H-12, H-14)", async (context) => {
  const inside = (...groups) => ({ _meta: { "io.modelcontextprotocol/groups": groups } });
  const tool = (name, group) => ({ ...plainTool(name), ...inside(group) });
  const capabilities = { tools: {}, extensions: { "dev.mcpsieve/filtering": { groups: {} } } };
  const server = await startStatelessServer({
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities },
    "groups/list": {
      groups: [
        { name: "work" },
        { name: "mail", ...inside("work", "nowhere") },
        { name: "own", ...inside("own") },
        { name: "x", ...inside("y") },
        { name: "y", ...inside("x") },
      ],
    },
    "tools/list": { tools: [tool("send", "mail"), tool("self", "own"), tool("one", "x"), tool("other", "y")] },
  });
  context.after(() => server.stop());
  const client = await connected(context, server.url);
  const errors = [];
  client.onerror = (error) => errors.push(error);
  const sieve = await wrapClient(client, { by: "client" }).catalog();
  context.after(() => sieve.free());
  const members = (group) => sieve.names({ filter: { groups: [group] } });
  assert.deepEqual(
    sieve.groups.map(({ name, parent }) => [name, parent]),
    [
      ["work", undefined],
      ["mail", "work"],
      ["own", undefined],
      ["x", "y"],
      ["y", undefined],
    ],
  );
  assert.deepEqual(["work", "own", "x", "y"].map(members), [["send"], ["self"], ["one"], ["one", "other"]]);
  assert.deepEqual(errors, []);
});

test("a deep tree of groups is cut at sixteen levels, whatever the order in which they are declared", async (context) => {
  const chain = Array.from({ length: 20 }, (_, at) => ({ name: `g${at}`, ...(at < 19 && { parent: `g${at + 1}` }) }));
  for (const groups of [chain, chain.toReversed()]) {
    const capabilities = { tools: {}, extensions: { "dev.mcpsieve/filtering": { groups: {}, tags: {} } } };
    const server = await startStatelessServer({
      "server/discover": { supportedVersions: ["2026-07-28"], capabilities },
      "groups/list": { groups },
      "tags/list": { tags: [] },
      "tools/list": { tools: [{ ...plainTool("send"), groups: ["g0"] }] },
    });
    context.after(() => server.stop());
    const client = await connected(context, server.url);
    const errors = [];
    client.onerror = (error) => errors.push(error);
    const sieve = await wrapClient(client, { by: "client" }).catalog();
    context.after(() => sieve.free());
    const known = sieve.groups;
    assert.equal(known.length, 20);
    assert.equal(
      known.filter(({ parent, _meta }) => (_meta?.["dev.mcpsieve/parent"] ?? parent) !== undefined).length,
      18,
    );
    assert.deepEqual(errors, []);
  }
});

test("a server that answers unknown methods with HTTP 404 lacks groups, tags, concerns and subscriptions", async (context) => {
  const tools = [
    plainTool("get_a"),
    { ...plainTool("get_b"), _meta: { concerns: { cost: "high" } } },
    { ...plainTool("set_a"), _meta: { concerns: { cost: "low" } } },
  ];
  const filtering = { "dev.mcpsieve/filtering": { groups: {}, tags: {}, fields: ["namePatterns"] } };
  const server = await startStatelessServer({
    "server/discover": {
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: { listChanged: true }, resources: {}, extensions: filtering },
    },
    "tools/list": { tools },
    "resources/list": { resources: [] },
  });
  context.after(() => server.stop());
  const client = await connected(context, server.url);
  const errors = [];
  client.onerror = (error) => errors.push(error);
  assert.equal(names(await wrapClient(client).listTools({ filter: { where: "name:get_*" } })), "get_a,get_b");
  const mcp = wrapClient(client, { concerns: { cost: "low" } });
  assert.equal(names(await mcp.listTools()), "get_a,set_a");
  assert.deepEqual(await mcp.listConcerns(), { concerns: [{ name: "cost", values: ["high", "low"] }] });
  (await mcp.catalog()).free();
  mcp.onChange(() => {});
  await sleep(1_500);
  assert.equal(server.seen.filter(({ method }) => method === "subscriptions/listen").length, 1, "asked once");
  assert.ok(errors.every(({ data }) => data?.status === 404));
});

/** A server without filters, and what hides tools, a resource and a prompt of it: `wrapClient`, or another library. */
async function hiding(context) {
  const server = await startStatelessServer({
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {}, resources: {}, prompts: {} } },
    "tools/list": { tools: ["get_a", "get_b", "set_a"].map(plainTool), ttlMs: KEPT_MS },
    "resources/list": { resources: ["get", "set"].map((name) => ({ name, uri: `x:${name}` })), ttlMs: KEPT_MS },
    "resources/templates/list": { resourceTemplates: [], ttlMs: KEPT_MS },
    "prompts/list": { prompts: ["get", "set"].map((name) => ({ name })), ttlMs: KEPT_MS },
  });
  context.after(() => server.stop());
  const client = await connected(context, server.url);
  const visible = { listTools: "tools", listResources: "resources", listPrompts: "prompts" };
  const library = new Proxy(client, {
    get(target, key) {
      const value = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      if (!Object.hasOwn(visible, key)) return value.bind(target);
      return async (...args) => {
        const result = await target[key](...args);
        return { ...result, [visible[key]]: result[visible[key]].filter(({ name }) => name.startsWith("get")) };
      };
    },
  });
  return { wrapClient: wrapClient(client, { filter: { where: "name:get* or uri:*get" } }), "another library": library };
}

test("a wrapper shows nothing that a wrapper inside it hides", async (context) => {
  for (const [name, inner] of Object.entries(await hiding(context))) {
    const mcp = wrapClient(inner);
    const shown = async (filter) => names(await mcp.listTools({ filter }));
    assert.equal(await shown(), "get_a,get_b", name);
    assert.equal(await shown({ where: "name:*_a" }), "get_a", name);
    const sieve = await mcp.catalog();
    const kinds = ["tools", "resources", "prompts"].map((kind) => sieve.count({ kind }));
    sieve.free();
    assert.deepEqual(kinds, [2, 1, 1], name);
    const several = wrapClients([{ server: "one", client: inner }]);
    assert.equal(names(await several.listTools()), "get_a,get_b", name);
  }
});

test("a wrapper follows the filter of the wrapper inside it", async (context) => {
  const { wrapClient: inner } = await hiding(context);
  const mcp = wrapClient(inner);
  const filter = { where: "name:*_a" };
  assert.equal(names(await mcp.listTools({ filter })), "get_a");
  inner.filter = undefined;
  assert.equal(names(await mcp.listTools({ filter })), "get_a,set_a");
});

test("tools with a header that the protocol forbids stay out of lists that are filtered here", async (context) => {
  const header = (name, type) => ({
    ...plainTool(name),
    inputSchema: { type: "object", properties: { at: { type, "x-mcp-header": "At" } } },
  });
  const server = await startStatelessServer({
    "tools/list": { tools: [header("good", "string"), header("bad", "array")] },
  });
  context.after(() => server.stop());
  const client = await connected(context, server.url);
  context.mock.method(console, "warn", () => {});
  assert.equal(names(await client.listTools()), "good");
  assert.equal(names(await wrapClient(client).listTools({ filter: { where: "name:*" } })), "good");
});

test("members of a request that change no list make no copy of it", async (context) => {
  const { server, client } = await listing(context);
  const mcp = wrapClient(client);
  const sent = () => server.seen.filter(({ method }) => method === "tools/list").length;
  const list = (_meta) => mcp.listTools({ filter: { where: "name:*" }, _meta });
  await list({ progressToken: 0, vendor: "a" });
  const once = sent();
  for (let at = 1; at < 5; at += 1) await list({ progressToken: at, traceparent: `00-${at}`, vendor: "a" });
  assert.equal(sent(), once);
  await list({ vendor: "b" });
  assert.equal(sent(), 2 * once, "another list");
  // However many there are, only some are kept.
  for (let at = 0; at < 40; at += 1) await list({ vendor: at });
  assert.equal(sent(), 42 * once);
  await list({ vendor: 39 });
  assert.equal(sent(), 42 * once);
  await list({ vendor: "a" });
  assert.equal(sent(), 43 * once, "the first ones are dropped");
});

async function listing(context) {
  const server = await startStatelessServer({ "tools/list": { tools: [plainTool("a")], ttlMs: KEPT_MS } });
  context.after(() => server.stop());
  return { server, client: await connected(context, server.url) };
}

test("the transport's handler is wrapped once, however many wrappers a client has", async (context) => {
  const { client } = await listing(context);
  const { transport } = client;
  const first = wrapClient(client);
  const { onmessage } = transport;
  let heard = 0;
  const stop = first.onChange(() => (heard += 1));
  for (let at = 0; at < 20_000; at += 1) wrapClient(client);
  const other = wrapClient(client);
  assert.equal(transport.onmessage, onmessage);
  const filter = { where: "name:*" };
  await other.listTools({ filter });
  transport.onmessage({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  assert.equal(heard, 1);
  stop();
  transport.onmessage({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  assert.equal(heard, 1);
});
