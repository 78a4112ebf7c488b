// `wrapClient(client).listTasks` in front of a server that ignores filters, one that filters, and ones in between; and
// a host that answers the `tasks/list` of its server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client as Client2, InMemoryTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport as Transport1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { startEverything } from "./support/everything.mjs";
import { installTarball } from "./support/tarball.mjs";

const REPORT = "dev.mcpsieve/filter";
const identity = { name: "host", version: "1" };
let consumer;
let api;
let everything;

before(async () => {
  consumer = await installTarball();
  api = await consumer.load();
  everything = await startEverything();
});
after(async () => {
  await everything?.stop();
  await consumer?.remove();
});

/** Returns a client that records requests, and whose server returns `tasks` unfiltered, `size` on a page. */
function before1904(tasks, capabilities, size = tasks.length) {
  const requests = [];
  return {
    requests,
    listTools: async () => ({ tools: [] }),
    getServerCapabilities: () => capabilities,
    async request({ method, params }) {
      requests.push([method, params]);
      const from = Number(params?.cursor ?? 0);
      const page = tasks.slice(from, from + size);
      return { tasks: page, ...(from + size < tasks.length && { nextCursor: String(from + size) }) };
    },
  };
}

const at = (minute) => new Date(Date.UTC(2027, 0, 1, 0, minute)).toISOString();
const task = (taskId, status, minute) => ({
  taskId,
  status,
  createdAt: at(minute),
  lastUpdatedAt: at(minute),
  ttl: null,
});
const tasks = [task("a", "working", 3), task("b", "completed", 1), task("c", "working", 2), task("d", "failed", 4)];
const ids = (result) => result.tasks.map(({ taskId }) => taskId);

test("a server that ignores filters is listed whole, filtered and ordered by the client (T-22)", async (t) => {
  const client = new Client1(identity, { capabilities: {} });
  await client.connect(new StreamableHTTPClientTransport(new URL(everything.url)));
  t.after(() => client.close());
  const wrapped = api.wrapClient(client);
  const begin = async (topic) => {
    const stream = client.experimental.tasks.callToolStream(
      { name: "simulate-research-query", arguments: { topic, ambiguous: false } },
      CallToolResultSchema,
      { task: { ttl: 60_000 } },
    );
    for await (const message of stream) if (message.type === "taskCreated") return message.task.taskId;
    throw new Error("no task");
  };
  const [first, second] = [await begin("salt"), await begin("iron")];
  await client.experimental.tasks.cancelTask(first);

  const all = await wrapped.listTasks();
  assert.deepEqual(ids(all).sort(), [first, second].sort(), "no filter: the server's own result");
  assert.equal(all._meta?.[REPORT], undefined);
  const cancelled = await wrapped.listTasks({ filter: { status: ["cancelled"] } });
  assert.deepEqual(ids(cancelled), [first]);
  assert.deepEqual(cancelled._meta[REPORT], {
    applied: { status: ["cancelled"], orderBy: "lastUpdatedAt", order: "desc" },
    ignored: [],
    matched: 1,
    by: "client",
    total: 2,
  });
  assert.deepEqual(ids(await wrapped.listTasks({ filter: { order: "asc", orderBy: "createdAt" } })), [first, second]);
  assert.deepEqual(ids(await wrapped.listTasks({ filter: { taskIds: [second], createdAfter: "20260101T000000Z" } })), [
    second,
  ]);
});

test("only criteria that the server declares are sent, all in one place, and the rest is applied here (T-4, T-20)", async () => {
  const filter = { status: ["working", "failed"], createdAfter: at(2), orderBy: "createdAt", order: "asc" };
  const client = before1904(tasks, { tasks: { list: { filter: { status: true } } } }, 3);
  const result = await api.wrapClient(client).listTasks({ filter });
  assert.deepEqual(ids(result), ["a", "d"]);
  assert.equal(result.nextCursor, undefined, "every page was fetched");
  const sent = { filter: { status: ["failed", "working"] } };
  assert.deepEqual(
    client.requests.map(([method, params]) => [
      method,
      { ...params, filter: { status: [...params.filter.status].sort() } },
    ]),
    [
      ["tasks/list", sent],
      ["tasks/list", { ...sent, cursor: "3" }],
    ],
  );
  await assert.rejects(api.wrapClient(client).listTasks({ filter, cursor: "3" }), { code: "invalid_cursor" });

  // A server that declares no filter gets none.
  const without = before1904(tasks, { tasks: { list: {} } });
  assert.deepEqual(ids(await api.wrapClient(without).listTasks({ filter })), ["a", "d"]);
  assert.deepEqual(without.requests, [["tasks/list", {}]]);
});

test("a server that declares all criteria is asked page by page, and what does not match is left out", async () => {
  const served = {
    status: true,
    createdAt: { after: true },
    order: { by: ["createdAt"], direction: ["asc", "desc"] },
  };
  const client = before1904(tasks, { tasks: { list: { filter: served } } }, 2);
  const wrapped = api.wrapClient(client);
  const filter = { status: ["working"], orderBy: "createdAt" };
  const page = await wrapped.listTasks({ filter });
  assert.deepEqual([ids(page), page.nextCursor, page._meta[REPORT].by], [["a"], "2", "server"]);
  assert.deepEqual(ids(await wrapped.listTasks({ filter, cursor: page.nextCursor })), ["c"]);
  assert.deepEqual(client.requests[1][1], { filter, cursor: "2" });
});

test("an order that the server does not declare is not reported as applied", async () => {
  const client = before1904(tasks, { tasks: { list: { filter: { status: true } } } });
  const page = await api.wrapClient(client).listTasks({ filter: { status: ["working"] } });
  assert.deepEqual(ids(page), ["a", "c"]);
  assert.deepEqual(page._meta[REPORT].applied, { status: ["working"] });
});

test("a method that the server does not declare is not sent (T-32)", async () => {
  const client = before1904(tasks, { tasks: { list: { filter: { methods: ["tools/call"] } } } });
  await api.wrapClient(client).listTasks({ filter: { methods: ["sampling/createMessage"] } });
  assert.deepEqual(client.requests, [["tasks/list", {}]]);
});

test("a gateway without sessions lists tasks by the method that it declares", async () => {
  const extension = { method: "dev.mcpsieve/tasks/query", filter: { status: true } };
  const client = before1904(tasks, { extensions: { "dev.mcpsieve/tasks": extension } });
  assert.deepEqual(ids(await api.wrapClient(client).listTasks({ filter: { status: ["failed"] } })), ["d"]);
  assert.equal(client.requests[0][0], "dev.mcpsieve/tasks/query");
});

test("a server without lists of tasks is not asked", async () => {
  const client = before1904(tasks, { tasks: {} });
  await assert.rejects(api.wrapClient(client).listTasks(), { code: "capability" });
  await assert.rejects(api.wrapClient(client).listTasks({ filter: { status: [1] } }), { code: "capability" });
  assert.deepEqual(client.requests, []);
});

for (const [name, Client, Transport] of [
  ["version 1", Client1, Transport1],
  ["version 2", Client2, Transport2],
]) {
  test(`${name}: a host declares task filters, and answers its server's tasks/list by the registry (T-3, T-21)`, async (t) => {
    const registry = new api.TaskRegistry();
    for (const kept of tasks) registry.set(kept, "sampling/createMessage");
    const client = new Client(identity, { capabilities: { tasks: api.TaskRegistry.capability() } });
    const stop = registry.serve(client);
    const [ours, theirs] = Transport.createLinkedPair();
    const replies = new Map();
    let declared;
    theirs.onmessage = (message) => {
      if (message.method === "initialize") {
        const { protocolVersion, capabilities } = message.params;
        declared = capabilities.tasks?.list?.filter;
        const result = { protocolVersion, capabilities: {}, serverInfo: identity };
        theirs.send({ jsonrpc: "2.0", id: message.id, result });
      } else if (message.id !== undefined) replies.get(message.id)?.(message);
    };
    await theirs.start();
    await client.connect(ours);
    t.after(() => client.close());
    assert.deepEqual(declared, api.TaskRegistry.capability().list.filter, "it is sent with initialize");
    const ask = (id, params) =>
      new Promise((done) => {
        replies.set(id, done);
        theirs.send({ jsonrpc: "2.0", id, method: "tasks/list", params });
      });
    assert.deepEqual(ids((await ask("1", { filter: { status: ["working"], order: "asc" } })).result), ["c", "a"]);
    assert.deepEqual(ids((await ask("2", {})).result), ["d", "a", "c", "b"]);
    stop();
    assert.equal((await ask("3", {})).error.code, -32601);
  });
}
