// The catalog that isolates share: an isolate serves the lists that another has fetched, even if the servers were down
// at its start.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, beforeEach, test } from "node:test";
import { ask, send } from "./support/raw-client.mjs";
import { plainTool, startStatelessServer } from "./support/stateless-server.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";

const UPSTREAMS = "dev.mcpsieve/upstreams";
const WAIT_MS = 60_000;

/** Starts a stateless server that counts its requests by method. It can hang, go down and change its tools. */
async function startServer(name) {
  const server = { name, tools: [`${name}-tool`], asked: {}, hangs: false, open: 0 };
  const results = {
    "tools/list": () => ({ tools: server.tools.map(plainTool) }),
    "tools/call": { content: [{ type: "text", text: name }] },
  };
  const intercept = ({ method }, response) => {
    server.asked[method] = (server.asked[method] ?? 0) + 1;
    if (!server.hangs) return false;
    server.open += 1;
    return response.once("close", () => (server.open -= 1));
  };
  const { url, start, stop } = await startStatelessServer(results, { intercept });
  return Object.assign(server, { url, up: start, down: stop });
}

const names = ({ message }) => message.result.tools.map(({ name }) => name);
const list = async (url) => (await ask(`${url}/mcp`, "tools/list")).at(-1);
const call = async (url, name) => (await ask(`${url}/mcp`, "tools/call", { name })).at(-1).message;
const listed = ({ asked }) => asked["tools/list"] ?? 0;

const folder = mkdtempSync(join(tmpdir(), "sieve-shared-"));
let servers;
let workers;

beforeEach(async () => {
  servers = [await startServer("one"), await startServer("two")];
});
afterEach(async () => {
  await workers?.stop();
  await Promise.all(servers.map((server) => server.down().catch(() => {})));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Returns a configuration in which each server is listed once at a time, for clients without capabilities. */
const configOf = (more) => ({
  upstreams: servers.map(({ name, url }) => ({ name, url, capabilities: {}, minTtlMs: 1_000, ...more })),
});
const start = async (services, options) => {
  workers = await startWorkers(services, options);
  return workers.urls;
};
/** Starts two isolates of one deployment. The object with the catalog runs in the first. */
const pair = (config = configOf()) =>
  start([
    { name: "first", config },
    { name: "second", config, catalog: "first" },
  ]);

test("an isolate serves what another one has listed", { timeout: WAIT_MS }, async () => {
  const { first, second } = await pair(configOf({ minTtlMs: 60_000 }));
  assert.deepEqual(names(await list(first)), ["one-tool", "two-tool"]);
  assert.deepEqual(servers.map(listed), [1, 1]);
  assert.deepEqual(names(await list(second)), ["one-tool", "two-tool"]);
  assert.equal((await call(second, "two-tool")).result.content[0].text, "two");
  assert.deepEqual(servers.map(listed), [1, 1], "listed again");
});

test("an isolate learns what has changed from the one that lists", { timeout: WAIT_MS }, async () => {
  const { second } = await pair();
  await list(second);
  servers[0].tools.push("new-tool");
  await until(async () => names(await list(second)).includes("new-tool"), "the new tool");
  assert.equal((await call(second, "new-tool")).result.content[0].text, "one");
});

test("a name that an isolate does not know yet is looked up before it is refused", { timeout: WAIT_MS }, async () => {
  const { first, second } = await pair(configOf({ minTtlMs: 2_000 }));
  await list(second);
  servers[0].tools.push("new-tool");
  await until(async () => names(await list(first)).includes("new-tool"), "the new tool");
  assert.equal((await call(second, "new-tool")).result?.content[0].text, "one");
});

test("listeners in another isolate are told, and list what is new at once", { timeout: WAIT_MS }, async () => {
  const { first, second } = await pair();
  await list(first);
  const hangUp = new AbortController();
  const { signal } = hangUp;
  const opened = await send(
    `${second}/mcp`,
    "subscriptions/listen",
    { notifications: { toolsListChanged: true } },
    { signal },
  );
  let told = "";
  const reading = (async () => {
    for await (const piece of opened.body.pipeThrough(new TextDecoderStream())) told += piece;
  })().catch(() => {});
  await until(() => told.includes("acknowledged"), "the acknowledgement");
  servers[1].tools.push("new-tool");
  await until(async () => (await list(first), told.includes("notifications/tools/list_changed")), "the notification");
  assert.ok(names(await list(second)).includes("new-tool"), "the first list after the notification");
  hangUp.abort();
  await reading;
});

test("tools are known after a restart while servers are down", { timeout: WAIT_MS }, async () => {
  const persist = join(folder, "down");
  const { sieve } = await start([{ name: "sieve", config: configOf() }], { persist });
  await list(sieve);
  await Promise.all(servers.map((server) => server.down()));
  await workers.restart();
  const known = await list(sieve);
  assert.deepEqual(names(known), ["one-tool", "two-tool"]);
  assert.equal((await call(sieve, "one-tool")).error.data.reason, "upstream_unreachable");
  await until(async () => (await list(sieve)).message.result._meta[UPSTREAMS][0].status === "stale", "their state");
  await Promise.all(servers.map((server) => server.up()));
  await until(async () => (await list(sieve)).message.result._meta[UPSTREAMS][0].status === "ok", "their return");
});

test("a server that is down while a configuration is deployed keeps its names", { timeout: WAIT_MS }, async () => {
  const persist = join(folder, "deployed");
  for (const server of servers) server.tools = ["search"];
  const first = await start([{ name: "sieve", config: configOf() }], { persist });
  assert.equal((await call(first.sieve, "search")).result.content[0].text, "one");
  await workers.stop();
  await servers[0].down();
  const rules = [{ match: "name:other", tags: ["new"] }];
  const { sieve } = await start([{ name: "sieve", config: { ...configOf(), rules } }], { persist });
  assert.deepEqual(names(await list(sieve)), ["search"]);
  assert.equal((await call(sieve, "search")).error?.data.reason, "upstream_unreachable");
  // The lists of a server at another address are others.
  await workers.stop();
  const moved = configOf();
  moved.upstreams[0].url += "/moved";
  const { sieve: other } = await start([{ name: "sieve", config: moved }], { persist });
  assert.equal((await call(other, "search")).result?.content[0].text, "two");
});

test("a name stays with the server that had it, whatever else changes", { timeout: WAIT_MS }, async () => {
  const persist = join(folder, "names");
  const text = async (url) => (await call(url, "search")).result?.content[0].text;
  servers[1].tools = ["search"];
  const { first, second } = await start(
    [
      { name: "first", config: configOf() },
      { name: "second", config: configOf(), catalog: "first" },
    ],
    { persist },
  );
  assert.equal(await text(second), "two");
  // The server that stands first in the file begins to list the name.
  servers[0].tools = ["search", "new-tool"];
  for (const url of [first, second])
    await until(async () => names(await list(url)).includes("new-tool"), "the new tool");
  assert.deepEqual([await text(first), await text(second)], ["two", "two"]);
  await workers.stop();
  const other = { ...configOf(), rules: [{ match: "name:other", tags: ["new"] }] };
  other.upstreams[0].prefix = "one_";
  const { first: changed } = await start([{ name: "first", config: other }], { persist });
  assert.equal(await text(changed), "two");
  assert.ok(names(await list(changed)).includes("one_search"));
  // Without its server the name is free, and stays with the next one.
  await workers.stop();
  const alone = { upstreams: configOf().upstreams.slice(0, 1) };
  const { first: freed } = await start([{ name: "first", config: alone }], { persist });
  await until(async () => (await text(freed)) === "one", "the free name");
  await workers.stop();
  const reversed = { upstreams: configOf().upstreams.reverse() };
  const { first: back } = await start([{ name: "first", config: reversed }], { persist });
  await list(back);
  assert.equal(await text(back), "one");
});

test("a restart lists no server again while its lists are good", { timeout: WAIT_MS }, async () => {
  const persist = join(folder, "good");
  const { sieve } = await start([{ name: "sieve", config: configOf({ minTtlMs: 600_000 }) }], { persist });
  await list(sieve);
  await workers.restart();
  assert.deepEqual(names(await list(sieve)), ["one-tool", "two-tool"]);
  assert.equal((await call(sieve, "one-tool")).result.content[0].text, "one");
  await new Promise((done) => setTimeout(done, 500));
  assert.deepEqual(names(await list(sieve)), ["one-tool", "two-tool"]);
  assert.deepEqual(servers.map(listed), [1, 1]);
});

test("the first call after a restart is the only request that a stateless server gets", {
  timeout: WAIT_MS,
}, async () => {
  const persist = join(folder, "discovered");
  const { sieve } = await start([{ name: "sieve", config: configOf({ minTtlMs: 600_000 }) }], { persist });
  await list(sieve);
  await workers.restart();
  for (const server of servers) server.asked = {};
  assert.equal((await call(sieve, "one-tool")).result.content[0].text, "one");
  assert.deepEqual(
    servers.map(({ asked }) => asked),
    [{ "tools/call": 1 }, {}],
  );
});

test("a restart after that serves what was stored, and lists the upstream servers", { timeout: WAIT_MS }, async () => {
  const persist = join(folder, "late");
  const { sieve } = await start([{ name: "sieve", config: configOf({ minTtlMs: 100 }) }], { persist });
  await list(sieve);
  servers[0].tools.push("new-tool");
  await new Promise((done) => setTimeout(done, 200));
  await workers.restart();
  assert.deepEqual(names(await list(sieve)), ["one-tool", "two-tool"]);
  await until(async () => names(await list(sieve)).includes("new-tool"), "the new tool");
});

test("tools are known after a restart while servers hang", { timeout: WAIT_MS }, async () => {
  const persist = join(folder, "hang");
  const { sieve } = await start([{ name: "sieve", config: configOf({ minTtlMs: 0 }) }], { persist });
  await list(sieve);
  for (const server of servers) server.hangs = true;
  await workers.restart();
  assert.deepEqual(names(await list(sieve)), ["one-tool", "two-tool"]);
  await until(() => servers.every(({ open }) => open > 0), "the lists that are asked for behind");
});

test("another configuration takes effect while servers are down", { timeout: WAIT_MS }, async () => {
  const persist = join(folder, "config");
  const service = (rules) => [{ name: "sieve", config: { ...configOf(), rules } }];
  await list((await start(service([]), { persist })).sieve);
  await workers.stop();
  await Promise.all(servers.map((server) => server.down()));
  const { sieve } = await start(service([{ match: "name:one-tool", hide: true }]), { persist });
  assert.deepEqual(names(await list(sieve)), ["two-tool"]);
});

test("requests side by side cause one listing of each server", { timeout: WAIT_MS }, async () => {
  const { first, second } = await pair(configOf({ minTtlMs: 4_000 }));
  const all = () => Promise.all(Array.from({ length: 64 }, (_, at) => list(at % 2 ? first : second)));
  for (const answer of await all()) assert.equal(names(answer).length, 2);
  assert.deepEqual(servers.map(listed), [1, 1], "cold");
  // Waits beyond the minimum lifetime of lists.
  await until(async () => (await list(first), servers.every((server) => listed(server) === 2)), "the next listing");
  await new Promise((done) => setTimeout(done, 4_100));
  await all();
  await until(() => servers.every((server) => listed(server) >= 3), "the listing of the expired catalog");
  assert.deepEqual(servers.map(listed), [3, 3], "expired");
});

test("a server that hangs keeps no request for another one", { timeout: WAIT_MS }, async () => {
  const { sieve } = await start([{ name: "sieve", config: configOf({ minTtlMs: 0 }) }]);
  await list(sieve);
  servers[0].hangs = true;
  await until(async () => (await list(sieve), servers[0].open > 0), "the listing that hangs");
  const begun = servers[0].open;
  assert.equal((await call(sieve, "two-tool")).result.content[0].text, "two");
  assert.deepEqual(names(await list(sieve)), ["one-tool", "two-tool"]);
  assert.equal(servers[0].open, begun, "answered while the server hangs, and without asking it again");
});

test("the first list names the server that it did not wait for any longer", { timeout: WAIT_MS }, async () => {
  servers[0].hangs = true;
  const { sieve } = await start([{ name: "sieve", config: configOf({ listWaitMs: 300 }) }]);
  const first = await list(sieve);
  assert.deepEqual(names(first), ["two-tool"]);
  const [{ since, ...state }, other] = first.message.result._meta[UPSTREAMS];
  assert.deepEqual(
    [state, other],
    [
      { name: "one", status: "down", reason: "upstream_pending" },
      { name: "two", status: "ok" },
    ],
  );
  assert.match(since, /^20\d\d-/);
});

test("where no object keeps the catalog, each isolate lists for itself", { timeout: WAIT_MS }, async () => {
  const config = configOf({ minTtlMs: 60_000 });
  const { first, second } = await start([
    { name: "first", config, catalog: false },
    { name: "second", config, catalog: false },
  ]);
  for (const url of [first, second, first]) assert.equal(names(await list(url)).length, 2);
  assert.deepEqual(servers.map(listed), [2, 2]);
});

test("where no object records names, a name of two servers is that of neither", { timeout: WAIT_MS }, async () => {
  for (const server of servers) server.tools.push("search");
  const { sieve } = await start([{ name: "sieve", config: configOf({ minTtlMs: 60_000 }), catalog: false }]);
  assert.deepEqual(names(await list(sieve)), ["one-tool", "two-tool"]);
  assert.match((await call(sieve, "search")).error.message, /Unknown tool: search/);
});
