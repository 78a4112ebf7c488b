// Tasks of the built-in tracker on real storage, in both revisions: created, listed, asked, cancelled, deleted.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openSession } from "./support/raw-client.mjs";
import { QUERY, editTasks, taskClient, tokens, yes } from "./support/tasks.mjs";
import { until } from "./support/until.mjs";
import { startWorker } from "./support/workerd.mjs";

const WAIT_MS = 60_000;
const persist = mkdtempSync(join(tmpdir(), "sieve-tasks-"));
let worker, alice, bob, stranger;

before(async () => {
  worker = await startWorker({
    persist,
    env: { SIEVE_TOKENS: tokens("alice", "bob", "carol", "dora", "erin", "frank") },
  });
  [alice, bob, stranger] = ["alice", "bob", undefined].map((person) => taskClient(worker.mcp, person));
});
after(async () => {
  await worker?.stop();
  rmSync(persist, { recursive: true, force: true });
});

const rows = (...titles) => ({ issues: titles.map((title) => ({ title })), batch: 1 });
const ids = (tasks) => tasks.map(({ taskId }) => taskId);

test("a report runs to its end, and only its owner knows of it (T-19)", { timeout: WAIT_MS }, async () => {
  const made = await alice.call("report_issues", { batch: 3 });
  assert.equal(made.resultType, "task");
  assert.ok(made.ttlMs > 0 && made.pollIntervalMs > 0 && Date.parse(made.createdAt) <= Date.parse(made.lastUpdatedAt));
  assert.match(made.statusMessage, /^read 3 of 12 issues$/);
  const { status, result } = await alice.ended(made.taskId);
  assert.deepEqual([status, result.structuredContent.issues], ["completed", 12]);
  assert.equal(
    (await alice.call("report_issues", { batch: 500 })).resultType,
    "complete",
    "what is quickly done needs no task",
  );

  assert.deepEqual(ids((await alice.query()).tasks), [made.taskId]);
  assert.deepEqual((await bob.query()).tasks, []);
  for (const other of [bob, stranger]) {
    for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
      const { error } = await other.request(method, { taskId: made.taskId, inputResponses: {} });
      assert.deepEqual(error, { code: -32602, message: `Unknown task: ${made.taskId}` }, method);
    }
  }
  const named = await stranger.call("report_issues", { batch: 3 });
  assert.equal((await stranger.ended(named.taskId)).status, "completed", "who has no token has the id");
  assert.deepEqual(ids((await stranger.query({ taskIds: [named.taskId, made.taskId, "no-such-task"] })).tasks), [
    named.taskId,
  ]);
  assert.equal((await stranger.request(QUERY, {})).error.data.reason, "task_ids_required");
});

test("an import asks as a task, and fails, declines or imports as it is told", { timeout: WAIT_MS }, async () => {
  const made = await bob.call("import_issues", rows("Buoys", "Lighthouses"));
  const { inputRequests, result } = await bob.asked(made.taskId);
  assert.equal(result, undefined);
  assert.match(inputRequests.confirm.params.message, /^Import 2 new issues/);
  await bob.update(made.taskId, { "no such key": { action: "accept" } });
  assert.equal((await bob.get(made.taskId)).status, "input_required");
  await bob.update(made.taskId, yes);
  assert.deepEqual((await bob.ended(made.taskId)).result.structuredContent.imported, 2);

  const declined = await bob.call("import_issues", rows("Never"));
  await bob.asked(declined.taskId);
  await bob.update(declined.taskId, { confirm: { action: "decline" } });
  assert.equal((await bob.ended(declined.taskId)).result.structuredContent.outcome, "declined");

  const audit = await bob.call("audit_issues", { batch: 2 });
  const failed = await bob.ended(audit.taskId);
  assert.deepEqual(
    [failed.status, failed.result.isError],
    ["completed", true],
    "a tool that fails has completed, to the extension",
  );
  const byStatus = async (status) => ids((await bob.query({ status: [status] })).tasks);
  assert.equal((await byStatus("completed")).length, 3);
  assert.deepEqual(await byStatus("failed"), []);
});

test("cancelling stops the work, and twice is once", { timeout: WAIT_MS }, async () => {
  const made = await bob.call("report_issues", { batch: 1, pause_ms: 5000 });
  for (let times = 0; times < 2; times++) assert.equal((await bob.cancel(made.taskId)).resultType, "complete");
  const cancelled = await bob.get(made.taskId);
  assert.equal(cancelled.status, "cancelled");
  // Another task runs to its end meanwhile.
  await bob.ended((await bob.call("report_issues", { batch: 3 })).taskId);
  assert.deepEqual(await bob.get(made.taskId), cancelled, "nothing happens to it any more");
  const asking = await bob.call("import_issues", rows("Cancelled while it asks"));
  await bob.asked(asking.taskId);
  await bob.cancel(asking.taskId);
  await bob.update(asking.taskId, yes);
  assert.equal((await bob.get(asking.taskId)).status, "cancelled");
  assert.equal((await bob.call("search_issues", { query: "Cancelled" })).structuredContent.total, 0);
});

test("two clients at once do what one after the other would", { timeout: WAIT_MS }, async () => {
  const other = taskClient(worker.mcp, "bob");
  for (let round = 0; round < 5; round++) {
    const { taskId } = await bob.call("import_issues", rows(`At once ${round}`));
    await bob.asked(taskId);
    const answers = Array.from({ length: 10 }, (_, at) => (at % 2 ? bob : other).update(taskId, yes));
    const seen = Array.from({ length: 10 }, () => other.get(taskId));
    await Promise.all([...answers, ...seen]);
    const ended = await bob.ended(taskId);
    assert.deepEqual([ended.status, ended.result.structuredContent.imported], ["completed", 1]);
    const found = await bob.call("search_issues", { query: `"At once ${round}"`, limit: 50 });
    assert.equal(found.structuredContent.issues.filter(({ title }) => title === `At once ${round}`).length, 1);
  }
  const { taskId } = await bob.call("import_issues", rows("Cancelled or not"));
  await bob.asked(taskId);
  await Promise.all([bob.cancel(taskId), other.update(taskId, yes), bob.update(taskId, yes), other.cancel(taskId)]);
  const ended = await bob.ended(taskId);
  assert.deepEqual(await other.get(taskId), ended, "both see one end of it");
});

test("a thousand at once are all kept, done and listed (T-30)", { timeout: 4 * WAIT_MS }, async () => {
  const carol = taskClient(worker.mcp, "carol");
  const made = [];
  for (let round = 0; round < 10; round++) {
    made.push(...(await Promise.all(Array.from({ length: 100 }, () => carol.call("report_issues", { batch: 10 })))));
  }
  assert.equal(new Set(ids(made)).size, 1000);
  const done = async () => (await carol.query({ status: ["working"] })).tasks.length === 0;
  await until(done, "the end of a thousand tasks", { within: 2 * WAIT_MS, every: 100 });
  for (const order of ["asc", "desc"]) {
    const listed = await carol.all({ orderBy: "createdAt", order });
    const sign = order === "asc" ? 1 : -1;
    const expected = listed.toSorted(
      (a, b) => sign * (Date.parse(a.createdAt) - Date.parse(b.createdAt)) || (a.taskId < b.taskId ? -1 : 1),
    );
    assert.deepEqual(ids(listed), ids(expected), "ties by id");
    assert.deepEqual(new Set(ids(listed)), new Set(ids(made)), "each once");
  }
  const middle = made[500].createdAt;
  const [earlier, later] = await Promise.all([
    carol.all({ createdBefore: middle }),
    carol.all({ createdAfter: middle }),
  ]);
  assert.ok(earlier.every(({ createdAt }) => createdAt < middle) && later.every(({ createdAt }) => createdAt > middle));
});

test("a session has tasks of its own, for as long as it wants them (T-18)", { timeout: WAIT_MS }, async () => {
  const rpc = async (headers, method, params) => {
    const response = await fetch(worker.mcp, {
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const text = await response.text();
    return JSON.parse(
      text.startsWith("{")
        ? text
        : text
            .split("\n")
            .findLast((line) => line.startsWith("data: {"))
            .slice(6),
    );
  };
  const [mine, other] = [await openSession(worker.mcp), await openSession(worker.mcp)];
  const call = async (name, args, task) => (await rpc(mine, "tools/call", { name, arguments: args, task })).result.task;
  const short = await call("report_issues", { batch: 500 }, { ttl: 1500 });
  assert.deepEqual(
    [short.status, short.ttl],
    ["working", 1500],
    "who wants a task has one, however quickly it is done",
  );
  const failing = await call("audit_issues", { batch: 3 }, { ttl: 60_000 });
  const done = (await rpc(mine, "tasks/result", { taskId: failing.taskId })).result;
  assert.deepEqual(
    [done.isError, done._meta["io.modelcontextprotocol/related-task"]],
    [true, { taskId: failing.taskId }],
  );
  assert.equal((await rpc(mine, "tasks/get", { taskId: failing.taskId })).result.status, "failed", "in this era");
  const listed = async (params = {}) => ids((await rpc(mine, "tasks/list", params)).result.tasks);
  assert.deepEqual(await listed(), [failing.taskId, short.taskId], "the latest change first (T-38)");
  assert.deepEqual(await listed({ status: ["failed"] }), [failing.taskId]);
  assert.deepEqual(await listed({ filter: { status: ["failed"] } }), [failing.taskId], "in either place (T-20)");
  assert.deepEqual((await rpc(other, "tasks/list", {})).result.tasks, []);
  assert.equal((await rpc(other, "tasks/get", { taskId: failing.taskId })).error.code, -32602);
  const again = await rpc(mine, "tasks/cancel", { taskId: failing.taskId });
  assert.equal(again.error.code, -32602, "what has ended is not cancelled");

  await until(async () => (await listed()).length === 1, "the expiry of the short task");
  assert.deepEqual(await listed(), [failing.taskId], "its time is over");
  assert.equal((await rpc(mine, "tasks/get", { taskId: short.taskId })).error.code, -32602);
});

test("a clock that jumps back takes nothing back", { timeout: WAIT_MS }, async () => {
  const dora = taskClient(worker.mcp, "dora");
  const { taskId } = await dora.call("import_issues", rows("Sundial"));
  await dora.asked(taskId);
  // From now on, stored times are an hour ahead of the clock.
  await worker.stopAndEdit(() =>
    editTasks(
      persist,
      taskId,
      `
record = json.loads(db.execute("SELECT head FROM tasks WHERE id = ?", (id,)).fetchone()[0])
for key in ("created", "updated"): record[key] += 3600000
db.execute("UPDATE tasks SET head = ?, created = created + 3600000, updated = updated + 3600000 WHERE id = ?", (json.dumps(record), id))`,
    ),
  );
  const before = await dora.get(taskId);
  assert.ok(Date.parse(before.lastUpdatedAt) > Date.now() + 3_000_000);
  await dora.update(taskId, yes);
  const ended = await dora.ended(taskId);
  assert.deepEqual(
    [ended.status, ended.lastUpdatedAt >= before.lastUpdatedAt, ended.createdAt],
    ["completed", true, before.createdAt],
  );
  assert.deepEqual(ids((await dora.query()).tasks), [taskId], "and it is listed all the same");
});

test("an owner has so many tasks and no more, until some expire", { timeout: WAIT_MS }, async () => {
  const erin = taskClient(worker.mcp, "erin");
  const { taskId } = await erin.call("report_issues", { batch: 3 });
  await erin.ended(taskId);
  await worker.stopAndEdit(() =>
    editTasks(
      persist,
      taskId,
      `
row = db.execute("SELECT state, method, created, updated, expires, head, outcome FROM tasks WHERE id = ?", (id,)).fetchone()
for at in range(9999): db.execute("INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (f"copy {at}", *row))`,
    ),
  );
  const { error } = await erin.request("tools/call", { name: "report_issues", arguments: { batch: 3 } });
  assert.deepEqual([error.code, error.data.reason], [-32603, "task_limit"]);
  assert.match(error.message, /^too many tasks: one owner has at most 10000 at a time/);
  assert.equal((await bob.call("audit_issues", { batch: 2 })).resultType, "task", "others are none the worse for it");
  await worker.stopAndEdit(() =>
    editTasks(
      persist,
      taskId,
      `
db.execute("UPDATE tasks SET expires = 1 WHERE id != ?", (id,))`,
    ),
  );
  assert.equal((await erin.call("report_issues", { batch: 3 })).resultType, "task");
  assert.equal((await erin.all()).length, 2);
});

test("a task in a form that cannot be read is left out or fails, and others continue", {
  timeout: WAIT_MS,
}, async () => {
  const frank = taskClient(worker.mcp, "frank");
  const [record, work, sound] = await Promise.all(
    ["a", "b", "c"].map((title) => frank.call("import_issues", rows(title))),
  );
  await Promise.all([record, work, sound].map(({ taskId }) => frank.asked(taskId)));
  await worker.stopAndEdit(() => {
    editTasks(persist, record.taskId, `db.execute("UPDATE tasks SET head = '{}' WHERE id = ?", (id,))`);
    editTasks(persist, work.taskId, `db.execute("UPDATE calls SET call = '{}' WHERE id = ?", (id,))`);
  });
  assert.deepEqual(ids((await frank.query()).tasks).sort(), ids([work, sound]).sort());
  const { error } = await frank.request("tasks/get", { taskId: record.taskId });
  assert.deepEqual([error.code, error.data.reason], [-32603, "task_unreadable"]);
  for (const { taskId } of [work, sound]) await frank.update(taskId, yes);
  const failed = await frank.ended(work.taskId);
  assert.deepEqual([failed.status, failed.error.data.reason], ["failed", "task_unreadable"]);
  assert.equal((await frank.ended(sound.taskId)).status, "completed");
});
