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
import { openSession } from "./support/raw-client.mjs";
import { plainTool, startStatelessServer } from "./support/stateless-server.mjs";
import { storedTables } from "./support/storage.mjs";
import { EXTENSION, taskClient, tokens } from "./support/tasks.mjs";
import { until } from "./support/until.mjs";
import { startWorker } from "./support/workerd.mjs";

const WAIT_MS = 60_000;
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
});

test("an owner without tasks stores nothing, also after its tasks have expired", { timeout: WAIT_MS }, async (t) => {
  const times = () => ({ createdAt: new Date().toISOString(), lastUpdatedAt: new Date().toISOString(), ttlMs: 3_000 });
  const working = () => ({ ...times(), taskId: "behind", status: "working" });
  const server = await startStatelessServer({
    "server/discover": {
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, extensions: { [EXTENSION]: {} } },
    },
    "tools/list": { tools: [plainTool("work")] },
    "tools/call": () => ({ ...working(), resultType: "task" }),
    "tasks/get": working,
  });
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
