// The rows of tasks.json in the tarball, and the tasks of a host, which a server requests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { ListTasksRequestSchema, ListTasksResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { installTarball } from "./support/tarball.mjs";

const { tasks, rows } = JSON.parse(readFileSync(new URL("fixtures/tasks.json", import.meta.url), "utf8"));
let consumer;
let TaskFilter;
let TaskRegistry;

before(async () => {
  consumer = await installTarball();
  ({ TaskFilter, TaskRegistry } = await consumer.load());
});
after(() => consumer.remove());

const ids = (listed) => listed.map(({ taskId }) => taskId);

test("each row keeps the stated tasks, or gets the stated error", () => {
  for (const { name, params, select, ignored = [], unknown = [], error } of rows) {
    if (error) {
      assert.throws(
        () => new TaskFilter(params),
        (thrown) =>
          thrown.name === "SieveError" &&
          thrown.code === error.code &&
          thrown.message === error.message &&
          thrown.path === error.path,
        name,
      );
      continue;
    }
    const filter = new TaskFilter(params);
    assert.deepEqual(ids(filter.apply(tasks)), select, name);
    assert.deepEqual([filter.ignored, filter.unknown], [ignored, unknown], name);
    assert.deepEqual(TaskFilter.apply(tasks, JSON.stringify(params)), filter.apply(tasks), name);
    assert.equal(new TaskFilter({ filter: filter.applied }).hash, filter.hash, name);
  }
});

test("a filter of tasks is freed", () => {
  const filter = new TaskFilter({ status: ["working"] });
  filter.free();
  filter[Symbol.dispose]();
  assert.throws(() => filter.apply(tasks), { code: "freed", message: "this filter was freed" });
});

test("the tasks that are kept are those that were handed in", () => {
  assert.equal(TaskFilter.apply(tasks, { taskIds: ["c"] })[0], tasks[2]);
  assert.throws(() => TaskFilter.apply({ tasks }), { code: "filter_type" });
  assert.deepEqual(TaskFilter.apply([1, {}, null]), []);
});

/**
 * Starts an official server of 2025-11-25 that ignores filters of tasks: it lists all tasks, two on a page, in its own
 * order.
 */
async function oldServer(listed) {
  const asked = [];
  const server = new Server({ name: "old", version: "1" }, { capabilities: { tasks: { list: {} } } });
  server.setRequestHandler(ListTasksRequestSchema, ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const nextCursor = from + 2 < listed.length ? String(from + 2) : undefined;
    return { tasks: listed.slice(from, from + 2), nextCursor };
  });
  const client = new Client({ name: "new", version: "1" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  // Records the parameters that are sent, because the official server drops unknown ones.
  const send = near.send.bind(near);
  near.send = (message, options) => {
    asked.push(message.params);
    return send(message, options);
  };
  await Promise.all([server.connect(far), client.connect(near)]);
  return { client, asked };
}

test("a server that ignores a filter lists everything, and the host filters and sorts it (T-7)", async () => {
  const listed = ["c", "a", "d", "b"].map((taskId, place) => ({
    taskId,
    status: taskId === "d" ? "completed" : "working",
    createdAt: at(place),
    lastUpdatedAt: at(taskId.charCodeAt(0)),
    ttl: null,
  }));
  const { client, asked } = await oldServer(listed);
  assert.deepEqual(client.getServerCapabilities().tasks, { list: {} }, "it advertises no filter");
  for (const [filter, expected] of [
    [{}, ["d", "c", "b", "a"]],
    [{ status: ["working"] }, ["c", "b", "a"]],
    [{ status: ["working"], order: "asc" }, ["a", "b", "c"]],
    [{ orderBy: "createdAt", order: "asc", createdAfter: at(0) }, ["a", "d", "b"]],
    [{ taskIds: ["a", "d", "nobody"] }, ["d", "a"]],
  ]) {
    const all = [];
    for (let cursor; ; ) {
      const params = { ...filter, filter, ...(cursor && { cursor }) };
      const page = await client.request({ method: "tasks/list", params }, ListTasksResultSchema);
      all.push(...page.tasks);
      if (!(cursor = page.nextCursor)) break;
    }
    // The parameters were sent, and had no effect.
    assert.deepEqual(asked.at(-1).filter, filter);
    assert.deepEqual(ids(all), ids(listed));
    // A list that is broader than requested is filtered and sorted in the host.
    assert.deepEqual(ids(TaskFilter.apply(all, { filter })), expected, JSON.stringify(filter));
  }
  await client.close();
});

const at = (second) => new Date(Date.UTC(2027, 0, 1, 0, 0, second)).toISOString();
const held = (registry, count) => {
  for (let n = 0; n < count; n += 1)
    registry.set(
      { taskId: `t${n}`, status: n % 2 ? "working" : "completed", createdAt: at(n), lastUpdatedAt: at(n), ttl: null },
      n % 3 ? "sampling/createMessage" : "elicitation/create",
    );
  return registry;
};

test("a server that asks a host for its tasks gets them filtered, in pages", () => {
  const registry = held(new TaskRegistry({ pageSize: 2 }), 7);
  const all = (params) => {
    const found = [];
    for (let cursor; ; ) {
      const page = registry.list({ ...params, ...(cursor && { cursor }) }, { now: Date.parse(at(60)) });
      found.push(...ids(page.tasks));
      assert.ok(page.tasks.length <= 2);
      if (!(cursor = page.nextCursor)) return found;
    }
  };
  assert.deepEqual(all({}), ["t6", "t5", "t4", "t3", "t2", "t1", "t0"]);
  assert.deepEqual(all({ filter: { order: "asc", status: ["working"] } }), ["t1", "t3", "t5"]);
  assert.deepEqual(all({ methods: ["elicitation/create"], createdAfter: at(0) }), ["t6", "t3"]);
  const [first] = registry.list({}).tasks;
  assert.equal("method" in first, false, "a task is shown as it was kept");
  assert.deepEqual(ids(registry.list({ cursor: null }).tasks), ids(registry.list({}).tasks));
});

test("a cursor belongs to its list, and later changes are in no further page (T-31)", () => {
  const registry = held(new TaskRegistry({ pageSize: 2 }), 5);
  const first = registry.list({ order: "asc" }, { now: Date.parse(at(10)) });
  assert.deepEqual(ids(first.tasks), ["t0", "t1"]);
  registry.set({ ...registry.get("t2"), lastUpdatedAt: at(20) });
  registry.delete("t1");
  const second = registry.list({ order: "asc", cursor: first.nextCursor }, { now: Date.parse(at(30)) });
  assert.deepEqual(ids(second.tasks), ["t3", "t4"]);
  assert.equal(second.nextCursor, undefined);
  // A cursor belongs to its order and to its filter.
  for (const params of [{}, { order: "asc", filter: { status: ["working"] } }])
    assert.throws(() => registry.list({ ...params, cursor: first.nextCursor }), { code: "cursor_filter_mismatch" });
  for (const cursor of ["", "x", btoa("{}"), 1])
    assert.throws(() => registry.list({ cursor }), { code: "invalid_cursor" });
  assert.deepEqual(
    ids(registry.list({ filter: { methods: ["sampling/createMessage"] } }).tasks),
    ["t2", "t4"],
    "the method is told once",
  );
});

test("expired tasks are not listed", () => {
  const registry = new TaskRegistry().set({
    taskId: "a",
    status: "working",
    createdAt: at(0),
    lastUpdatedAt: at(0),
    ttl: 1000,
  });
  assert.equal(registry.list({}, { now: Date.parse(at(0)) + 999 }).tasks.length, 1);
  assert.equal(registry.list({}, { now: Date.parse(at(0)) + 1000 }).tasks.length, 0);
  assert.throws(() => new TaskRegistry({ pageSize: 0 }), { code: "limit" });
});

test("the capability of a host has every member that the proposal shows (T-2)", () => {
  const sides = { after: true, before: true };
  assert.deepEqual(TaskRegistry.capability().list.filter, {
    methods: ["sampling/createMessage", "elicitation/create"],
    taskIds: true,
    status: true,
    createdAt: sides,
    lastUpdatedAt: sides,
    order: { by: ["createdAt", "lastUpdatedAt"], direction: ["asc", "desc"] },
  });
});

test("tasks of the stateless revision, which cannot be listed, are filtered by the host that knows them (T-37)", () => {
  const known = ["a", "b", "c"].map((taskId, place) => ({
    taskId,
    status: place === 1 ? "completed" : "working",
    createdAt: at(place),
    lastUpdatedAt: at(place),
    ttlMs: 60_000,
    pollIntervalMs: 500,
  }));
  assert.deepEqual(ids(TaskFilter.apply(known, { status: ["working"] })), ["c", "a"]);
  assert.deepEqual(ids(TaskFilter.apply(known, { createdAfter: at(0), order: "asc" })), ["b", "c"]);
});
