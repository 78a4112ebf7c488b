// The limits of a task, on the Worker with the fixtures of the official suite.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { taskClient, tokens } from "./support/tasks.mjs";
import { startWorker } from "./support/workerd.mjs";

const WAIT_MS = 60_000;
const build = fileURLToPath(new URL("conformance/worker/build", import.meta.url));
let worker, alice;

before(async () => {
  worker = await startWorker({ build, env: { SIEVE_TOKENS: tokens("alice") } });
  alice = taskClient(worker.mcp, "alice");
});
after(() => worker?.stop());

test("a result that storage has no room for fails its task, and says so", { timeout: WAIT_MS }, async () => {
  const ended = async (bytes) => alice.ended((await alice.call("large_result", { bytes })).taskId);
  const whole = await ended(1_400_000);
  assert.deepEqual([whole.status, whole.result.content[0].text.length], ["completed", 1_400_000]);
  const { status, error, result } = await ended(3_000_000);
  assert.deepEqual([status, result, error.code], ["failed", undefined, -32603]);
  assert.match(error.message, /^the result has 30000\d\d bytes, and a task keeps at most 1500000$/);
  assert.deepEqual([error.data.reason, error.data.limit], ["task_too_large", 1_500_000]);
  assert.deepEqual((await alice.query({ status: ["failed"] })).tasks.length, 1);
});

test("a call that storage has no room for makes no task", { timeout: WAIT_MS }, async () => {
  const params = { name: "large_result", arguments: { bytes: 1, more: "x".repeat(2_000_000) } };
  const { error } = await alice.request("tools/call", params);
  assert.deepEqual([error.code, error.data.reason], [-32603, "task_too_large"]);
  assert.match(error.message, /^the call has 2000\d\d\d bytes/);
  assert.equal((await alice.all()).length, 2);
});

test("answers that storage has no room for are refused, and the task still waits for others", {
  timeout: WAIT_MS,
}, async () => {
  const { taskId } = await alice.call("multi_input");
  await alice.asked(taskId);
  const answer = (name) => ({ action: "accept", content: { name } });
  const { error } = await alice.request("tasks/update", {
    taskId,
    inputResponses: { first: answer("x".repeat(500_000)) },
  });
  assert.deepEqual([error.code, error.data.reason], [-32603, "task_too_large"]);
  assert.deepEqual(Object.keys((await alice.get(taskId)).inputRequests), ["first", "second"]);
  await alice.update(taskId, { first: answer("one") });
  await alice.update(taskId, { first: answer("too late"), second: answer("two") });
  assert.equal((await alice.ended(taskId)).result.content[0].text, "one and two");
});

test("a client that cannot be asked hears which capability it lacks", { timeout: WAIT_MS }, async () => {
  const _meta = {
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  const made = await alice.result("tools/call", { name: "confirm_delete", arguments: {}, _meta });
  const { status, error } = await alice.ended(made.taskId);
  assert.deepEqual([status, error.code, error.data], ["failed", -32021, { requiredCapabilities: { elicitation: {} } }]);
});
