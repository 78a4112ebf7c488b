// Tasks of an upstream server through the Worker. Each has a record at the Worker, which survives a crash.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { startEverything } from "./support/everything.mjs";
import { memory } from "./support/process.mjs";
import { messages, openSession, send } from "./support/raw-client.mjs";
import { plainTool, startStatelessServer } from "./support/stateless-server.mjs";
import { storedTables } from "./support/storage.mjs";
import { EXTENSION, taskClient, tokens } from "./support/tasks.mjs";
import { until } from "./support/until.mjs";
import { startWorker } from "./support/workerd.mjs";

const WAIT_MS = 60_000;
/** Number of streams that watch one task, and the length of an answer to it, in bytes. */
const WATCHERS = 100;
const ANSWER = 390_000;
const persist = mkdtempSync(join(tmpdir(), "sieve-task-gateway-"));
const build = fileURLToPath(new URL("conformance/worker/build", import.meta.url));
let behind, front, alice, bob;

before(async () => {
  behind = await startWorker({ build });
  front = await startWorker({ persist, upstream: behind.mcp, env: { SIEVE_TOKENS: tokens("alice", "bob") } });
  [alice, bob] = ["alice", "bob"].map((person) => taskClient(front.mcp, person));
});
after(async () => {
  await front?.stop();
  await behind?.stop();
  rmSync(persist, { recursive: true, force: true });
});

test("a task of an upstream server is its caller's alone, and outlives the gateway", { timeout: WAIT_MS }, async () => {
  const { taskId } = await alice.call("slow_compute", { seconds: 1, label: "behind" });
  await front.crash();
  assert.equal((await bob.request("tasks/get", { taskId })).error.code, -32602);
  const { status, result } = await alice.ended(taskId);
  assert.deepEqual([status, result.content[0].text], ["completed", "computed behind"]);
  assert.deepEqual(
    (await alice.query({ status: ["completed"] })).tasks.map((task) => task.taskId),
    [taskId],
  );
  assert.deepEqual((await bob.query()).tasks, []);
});

test("what an upstream server asks is answered through the gateway, and what is cancelled here is cancelled there", {
  timeout: WAIT_MS,
}, async () => {
  const { taskId } = await bob.call("confirm_delete", { filename: "a" });
  const { inputRequests } = await bob.asked(taskId);
  const [key] = Object.keys(inputRequests);
  await bob.update(taskId, { [key]: { action: "accept", content: { confirm: true } } });
  assert.equal((await bob.ended(taskId)).result.content[0].text, "deleted");
  const idle = await bob.call("slow_compute", { seconds: 60, label: "idle" });
  await bob.cancel(idle.taskId);
  assert.equal((await bob.ended(idle.taskId)).status, "cancelled");
});

test("a task of a server with sessions asks through the gateway, and may take longer than a call", {
  timeout: WAIT_MS,
}, async (t) => {
  const everything = await startEverything();
  t.after(() => everything.stop());
  // The task takes four seconds.
  const config = { upstreams: [{ name: "everything", url: everything.url, callTimeoutMs: 1_000 }] };
  const gateway = await startWorker({ config });
  t.after(() => gateway.stop());
  const client = new Client({ name: "tasks", version: "1" }, { capabilities: { elicitation: {}, tasks: {} } });
  const questions = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params);
    return { action: "accept", content: { interpretation: "technical" } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.mcp)));
  t.after(() => client.close());
  await client.listTools();
  for (const ambiguous of [false, true]) {
    const seen = [];
    for await (const message of client.experimental.tasks.callToolStream(
      { name: "simulate-research-query", arguments: { topic: "python", ambiguous } },
      CallToolResultSchema,
      { task: { ttl: 60_000 } },
    ))
      seen.push(message);
    const { type, result, error } = seen.at(-1);
    assert.deepEqual([type, error], ["result", undefined], JSON.stringify(seen));
    assert.match(result.content[0].text, /python/);
    assert.equal(questions.length, ambiguous ? 1 : 0);
  }
  assert.match(questions[0].message, /python/);
  // A stateless client cannot get the question, so its task ends.
  const stateless = taskClient(gateway.mcp);
  const { taskId } = await stateless.call("simulate-research-query", { topic: "python", ambiguous: true });
  const { status, error } = await stateless.ended(taskId);
  assert.deepEqual([status, error.data.reason], ["failed", "client_stream"]);
});

/** Starts an upstream server whose calls all create the same task. `state` returns what differs in it. */
function startTasks(state, more) {
  const task = () => {
    const now = new Date().toISOString();
    return { taskId: "behind", createdAt: now, lastUpdatedAt: now, ...state() };
  };
  return startStatelessServer({
    "server/discover": {
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, extensions: { [EXTENSION]: {} } },
    },
    "tools/list": { tools: [plainTool("work")] },
    "tools/call": () => ({ ...task(), resultType: "task" }),
    "tasks/get": task,
    ...more,
  });
}

test("an owner without tasks stores nothing, also after its tasks have expired", { timeout: WAIT_MS }, async (t) => {
  const server = await startTasks(() => ({ status: "working", ttlMs: 3_000 }));
  const persist = mkdtempSync(join(tmpdir(), "sieve-no-tasks-"));
  const gateway = await startWorker({ persist, upstream: server.url });
  t.after(async () => {
    await gateway.stop();
    await server.stop();
    rmSync(persist, { recursive: true, force: true });
  });
  const stored = () => storedTables(persist, "sieve-TasksObject");
  const headers = await openSession(gateway.mcp, { tasks: {} });
  const listed = await fetch(gateway.mcp, {
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/list" }),
  });
  assert.match(await listed.text(), /"tasks":\[\]/);
  assert.deepEqual(stored(), []);

  const client = taskClient(gateway.mcp);
  const begin = async () => {
    const { taskId } = await client.call("work");
    assert.equal((await client.get(taskId)).status, "working");
    assert.ok(stored().includes("tasks"));
    return taskId;
  };
  const taskId = await begin();
  await until(() => stored().length === 0, "the end of all storage");
  assert.equal((await client.request("tasks/get", { taskId })).error.code, -32602);
  assert.deepEqual(stored(), []);
  await begin();
});

test("a long answer is not sent to all who watch its task, but a long result is", { timeout: WAIT_MS }, async (t) => {
  const text = "r".repeat(1_000_000);
  const inputRequests = { q: { method: "elicitation/create", params: { message: "?", requestedSchema: {} } } };
  const asking = { status: "input_required", ttlMs: 600_000, pollIntervalMs: 600_000, inputRequests };
  const done = {
    ...asking,
    status: "completed",
    inputRequests: undefined,
    result: { content: [{ type: "text", text }] },
  };
  let state = asking;
  const server = await startTasks(() => state, { "tasks/update": {} });
  const gateway = await startWorker({ upstream: server.url });
  const leave = new AbortController();
  t.after(async () => {
    leave.abort();
    await gateway.stop();
    await server.stop();
  });
  const client = taskClient(gateway.mcp);
  const { taskId } = await client.call("work");
  await client.asked(taskId);
  const listen = async () => {
    const _meta = { "io.modelcontextprotocol/clientCapabilities": { extensions: { [EXTENSION]: {} } } };
    const params = { notifications: { taskIds: [taskId] }, _meta };
    return messages(await send(gateway.mcp, "subscriptions/listen", params, { signal: leave.signal }));
  };
  const reported = async (stream, status) => {
    for (;;) {
      const { params } = (await stream.next()).value;
      if (params.status === status) return params;
    }
  };
  const streams = await Promise.all(Array.from({ length: WATCHERS }, listen));
  await Promise.all(streams.map((stream) => reported(stream, "input_required")));
  const before = memory(gateway.pid);
  await client.update(taskId, { q: { action: "accept", content: { long: "a".repeat(ANSWER) } } });
  await Promise.all(streams.map((stream) => reported(stream, "working")));
  const grown = memory(gateway.pid) - before;
  assert.ok(grown < (WATCHERS * ANSWER) / 2, `${grown} bytes more`);

  state = done;
  await client.ended(taskId);
  const { result } = await reported(streams[0], "completed");
  assert.equal(result.content[0].text, text);
});
