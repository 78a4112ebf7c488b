// workerd is killed, without warning, between any two writes of a task's life. The task is then consistent and runs to
// its end. A gate stands before and after each step of the work. The points of death are all passes of the gate, one
// after the other, and the responses that promise that data is stored.
//
// Before a step, the results of earlier steps are stored, and nothing of this one has begun. After it, the tool's own
// writes are stored, but the completion of the step is not. There is no third case: a step's own writes, and the
// task's, are each one transaction of SQLite.
import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { again, taskClient, tokens, yes } from "./support/tasks.mjs";
import { TRACKER, startWorker } from "./support/workerd.mjs";

const WAIT_MS = 240_000;
const MOST_POINTS = 60;
const persist = mkdtempSync(join(tmpdir(), "sieve-killed-"));
/** The tracker's Worker, whose object passes a gate before and after each step of its work. */
const gated = mkdtempSync(join(tmpdir(), "sieve-gated-"));
for (const module of ["index.js", "index_bg.wasm"]) copyFileSync(join(TRACKER, module), join(gated, module));
writeFileSync(
  join(gated, "worker.js"),
  `
  import worker, { TrackerObject as Tracker } from "./index.js";
  export * from "./index.js";
  export default worker;
  export class TrackerObject extends Tracker {
    constructor(state, env) {
      super(state, env);
      this.gate = env.GATE;
    }
    async fetch(request) {
      await fetch(\`\${this.gate}/before\`);
      const reply = await super.fetch(request);
      await fetch(\`\${this.gate}/behind\`);
      return reply;
    }
  }`,
);
let gate, worker, alice;

/** The pass of the gate at which the process is killed, counted down, and the promise of its restart. */
let fatal = Infinity;
let crashed = Promise.resolve();

before(async () => {
  gate = createServer((request, response) => {
    fatal -= 1;
    if (fatal !== 0) return response.end();
    crashed = worker.crash(); // no response, because its receiver is gone
  }).listen(0, "127.0.0.1");
  await once(gate, "listening");
  const env = { SIEVE_TOKENS: tokens("alice"), GATE: `http://127.0.0.1:${gate.address().port}` };
  worker = await startWorker({ persist, bundle: gated, tracker: true, env });
  alice = taskClient(worker.mcp, "alice");
});
after(async () => {
  await worker?.stop();
  gate?.closeAllConnections();
  gate?.close();
  for (const folder of [persist, gated]) rmSync(folder, { recursive: true, force: true });
});

/** Calls a tool that becomes a task. If the call was lost before that, it left nothing behind, and is repeated. */
async function begin(name, args) {
  const known = new Set((await again(() => alice.all())).map(({ taskId }) => taskId));
  for (;;) {
    try {
      return (await alice.call(name, args)).taskId;
    } catch (problem) {
      if (problem instanceof assert.AssertionError) throw problem;
      await crashed;
      const made = (await again(() => alice.all())).filter(({ taskId }) => !known.has(taskId));
      assert.ok(made.length <= 1, "one call makes one task");
      if (made.length === 1) return made[0].taskId;
    }
  }
}

/** Runs `life` repeatedly, killed one pass of the gate later each time, until it ends before that. */
async function atEveryPoint(life) {
  for (let point = 1; point <= MOST_POINTS; point++) {
    fatal = point;
    await life(point);
    await crashed;
    if (fatal > 0) {
      fatal = Infinity;
      return point - 1;
    }
  }
  assert.fail(`more than ${MOST_POINTS} points`);
}

const titles = (point, count) => Array.from({ length: count }, (_, at) => `Killed at ${point}, row ${at}`);

test("an import is whole wherever it is killed, and writes each row once", { timeout: WAIT_MS }, async (context) => {
  const points = await atEveryPoint(async (point) => {
    const wanted = titles(point, 4);
    const taskId = await begin("import_issues", { issues: wanted.map((title) => ({ title })), batch: 2 });
    await alice.asked(taskId);
    await again(() => alice.update(taskId, yes));
    const { status, result } = await alice.ended(taskId);
    assert.deepEqual([status, result.structuredContent.imported], ["completed", 4], `killed at ${point}`);
    await crashed;
    const made = [];
    for (const issue of result.structuredContent.issues)
      made.push((await again(() => alice.call("get_issue", { issue }))).structuredContent.title);
    assert.deepEqual(made, wanted, "what it says is what there is");
    const found = await again(() => alice.call("search_issues", { query: `Killed at ${point}`, limit: 50 }));
    const rows = found.structuredContent.issues
      .map(({ title }) => title)
      .filter((title) => title.startsWith(`Killed at ${point},`));
    assert.deepEqual(rows.toSorted(), wanted, "and there is nothing else");
    assert.equal((await again(() => alice.all())).filter((task) => task.taskId === taskId).length, 1);
  });
  context.diagnostic(`killed at ${points} points`);
  assert.ok(points >= 10, `only ${points} points`);
});

test("a report and a job that fails run to their ends wherever they are killed", {
  timeout: WAIT_MS,
}, async (context) => {
  for (const [name, args, expected] of [
    ["report_issues", { batch: 20 }, undefined],
    ["audit_issues", { batch: 20 }, true],
  ]) {
    const points = await atEveryPoint(async (point) => {
      const { status, result } = await alice.ended(await begin(name, args));
      assert.deepEqual([status, result.isError], ["completed", expected], `${name}, killed at ${point}`);
    });
    context.diagnostic(`${name}: killed at ${points} points`);
    assert.ok(points >= 4, `only ${points} points`);
  }
});

test("what a client was promised is kept, if the process is killed with the promise", {
  timeout: WAIT_MS,
}, async () => {
  for (let round = 0; round < 3; round++) {
    const taskId = (await alice.call("import_issues", { issues: [{ title: `Promised ${round}` }], batch: 1 })).taskId;
    await worker.crash();
    await alice.asked(taskId);
    await alice.update(taskId, yes);
    await worker.crash();
    const { result } = await alice.ended(taskId);
    assert.equal(result.structuredContent.imported, 1);

    const idle = (await alice.call("report_issues", { batch: 1, pause_ms: 5000 })).taskId;
    await alice.cancel(idle);
    await worker.crash();
    assert.equal((await again(() => alice.get(idle))).status, "cancelled");
  }
});
