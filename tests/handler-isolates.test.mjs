// `gateway(handler)` as the edge runs it: two isolates of workerd in turn. The packed package.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { OBJECTS, bundle } from "./support/bundle.mjs";
import { roundRobin } from "./support/round-robin.mjs";
import { installTarball } from "./support/tarball.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";

const worker = (options) => `
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { gateway } from "mcp-sieve/handler";
${OBJECTS}
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  for (const name of ["list_orders", "create_order", "cancel_order"]) server.registerTool(name, {}, () => ({ content: [{ type: "text", text: name }] }));
  return server;
});
export default gateway({ fetch: (request) => handler.fetch(request) }, { pageSize: 1 }, ${options});
`;
const STORED = "{ sessions: (env) => env.MCP_SESSIONS }";
const KEY = "a key of the tests, the same in every isolate";

let consumer, workers;
const proxies = [];
before(async () => {
  consumer = await installTarball();
  const service = (name, build, more) =>
    ["a", "b"].map((half) => ({
      name: `${name}-${half}`,
      hosts: null,
      assets: "none",
      key: undefined,
      build,
      ...more,
    }));
  const [plain, stored, memory] = [
    await bundle(consumer, "plain", worker("{}")),
    await bundle(consumer, "stored", worker(STORED)),
    await bundle(consumer, "memory", worker('{ sessions: "memory" }')),
  ];
  workers = await startWorkers([
    ...service("bare", plain),
    ...service("whole", stored, { key: KEY, kv: { MCP_SESSIONS: "sessions" } }),
    ...service("unbound", stored, { key: KEY }),
    ...service("memory", memory, { key: KEY }),
  ]);
});
after(async () => {
  for (const proxy of proxies) proxy.stop();
  await workers?.stop();
  consumer?.remove();
});

/** Returns the endpoint whose requests go to two isolates in turn. */
async function inTurn(name) {
  const proxy = await roundRobin(["a", "b"].map((half) => workers.urls[`${name}-${half}`]));
  proxies.push(proxy);
  return new URL("/mcp", proxy.url);
}

const generations = {
  "2025-11-25": (url) => [new Client1({ name: "one", version: "1" }), new Transport1(url)],
  "2026-07-28": (url) => [
    new Client2({ name: "two", version: "1" }, { versionNegotiation: { mode: "auto" } }),
    new Transport2(url),
  ],
};

/** Requests every page of the list, each from the other isolate, and makes two calls. */
async function use(url, generation) {
  const [client, transport] = generations[generation](url);
  await client.connect(transport);
  try {
    const names = [];
    for (let cursor, page = 0; page === 0 || cursor !== undefined; page += 1) {
      const { tools, nextCursor } = await client.request(
        { method: "tools/list", params: cursor === undefined ? {} : { cursor } },
        ...(generation === "2025-11-25" ? [whole] : []),
      );
      names.push(...tools.map(({ name }) => name));
      cursor = nextCursor;
    }
    for (const name of names.slice(0, 2))
      assert.equal((await client.callTool({ name, arguments: {} })).content[0].text, name);
    return names;
  } finally {
    await client.close();
  }
}
/** A schema for the older client that accepts everything. */
const whole = {
  parse: (value) => value,
  safeParse: (data) => ({ success: true, data }),
  parseAsync: async (value) => value,
  safeParseAsync: async (data) => ({ success: true, data }),
};
/** Returns the warnings of the isolates since the last call, once there are `expected` lines. */
let read = 0;
async function warnings(expected) {
  const all = () =>
    workers
      .log()
      .split("\n")
      .map((line) => /\b(key|sessions): set the/.exec(line)?.[1])
      .filter(Boolean);
  await until(
    () => all().length - read >= expected,
    () => `${expected} warnings, not only ${all().slice(read)}`,
  );
  const fresh = all().slice(read);
  read += fresh.length;
  return fresh.sort();
}

test("with a key and a store, both generations of clients work, and nothing is warned of", async () => {
  const url = await inTurn("whole");
  for (const generation of Object.keys(generations))
    assert.deepEqual(await use(url, generation), ["list_orders", "create_order", "cancel_order"], generation);
  assert.deepEqual(await warnings(0), []);
});

test("without a key and without a store, neither works, and each isolate warns once of each", async () => {
  const url = await inTurn("bare");
  for (let round = 0; round < 2; round += 1) {
    for (const generation of Object.keys(generations)) await assert.rejects(use(url, generation), generation);
  }
  assert.deepEqual(await warnings(4), ["key", "key", "sessions", "sessions"]);
  assert.match(workers.log(), /key: .*SIEVE_KEY.*cursors and sessions/);
  assert.match(workers.log(), /sessions: .*2025-11-25/);
});

test("a store whose binding is missing is warned of when a client needs it", async () => {
  const url = await inTurn("unbound");
  assert.equal((await use(url, "2026-07-28")).length, 3);
  assert.deepEqual(await warnings(0), []);
  await assert.rejects(use(url, "2025-11-25"));
  assert.deepEqual(await warnings(2), ["sessions", "sessions"]);
});

test("an author who wants memory is not warned", async () => {
  assert.equal((await use(new URL(`${workers.urls["memory-a"]}/mcp`), "2025-11-25")).length, 3);
  assert.deepEqual(await warnings(0), []);
});
