// Third-party clients and a raw one complete tasks although the Worker is killed meanwhile.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client as StatelessClient, StreamableHTTPClientTransport as Transport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { ask } from "./support/raw-client.mjs";
import { again, EXTENSION, taskClient, tokens, yes } from "./support/tasks.mjs";
import { until } from "./support/until.mjs";
import { startWorker } from "./support/workerd.mjs";

const WAIT_MS = 60_000;
const persist = mkdtempSync(join(tmpdir(), "sieve-task-clients-"));
let worker;

before(async () => {
  worker = await startWorker({ persist, env: { SIEVE_TOKENS: tokens("alice") } });
});
after(async () => {
  await worker?.stop();
  rmSync(persist, { recursive: true, force: true });
});

async function connect({ authorization, answers = [] } = {}) {
  const client = new Client({ name: "tasks", version: "1.0.0" }, { capabilities: { elicitation: {}, tasks: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    answers.push(params);
    return { action: "accept", content: { proceed: true } };
  });
  const requestInit = authorization && { headers: { authorization } };
  await client.connect(new StreamableHTTPClientTransport(new URL(worker.mcp), { requestInit }));
  return client;
}

const rows = (...titles) => ({ issues: titles.map((title) => ({ title })), batch: 1 });

test("the TypeScript client streams a task from its creation to its result", { timeout: WAIT_MS }, async () => {
  const asked = [];
  const client = await connect({ answers: asked });
  await client.listTools();
  const seen = [];
  for await (const message of client.experimental.tasks.callToolStream(
    { name: "import_issues", arguments: rows("Streamed") },
    CallToolResultSchema,
    { task: { ttl: 60_000 } },
  )) {
    seen.push(message);
  }
  assert.equal(seen[0].type, "taskCreated");
  assert.ok(
    seen.some(({ type, task }) => type === "taskStatus" && task.status === "input_required"),
    JSON.stringify(seen),
  );
  assert.equal(seen.at(-1).type, "result", JSON.stringify(seen.at(-1)));
  assert.equal(seen.at(-1).result.structuredContent.imported, 1);
  const [{ message, _meta }] = asked;
  assert.match(message, /^Import 1 new issues/);
  assert.deepEqual(_meta["io.modelcontextprotocol/related-task"], { taskId: seen[0].task.taskId });
  await client.close();
});

test("its tasks go on though the Worker is killed in the middle", { timeout: WAIT_MS }, async () => {
  const client = await connect({ authorization: "Bearer alice-token" });
  await client.listTools();
  const stream = client.experimental.tasks.callToolStream(
    { name: "report_issues", arguments: { batch: 1, pause_ms: 150 } },
    CallToolResultSchema,
    { task: { ttl: 60_000 } },
  );
  const {
    value: { type, task },
  } = await stream.next();
  assert.equal(type, "taskCreated");
  await worker.crash();
  await stream.return?.();
  const tasks = client.experimental.tasks;
  const found = await again(() => tasks.getTask(task.taskId));
  assert.equal(found.status, "working");
  const result = await tasks.getTaskResult(task.taskId, CallToolResultSchema);
  assert.deepEqual([result.isError, result.structuredContent.by_state.closed], [undefined, 3]);
  assert.equal((await tasks.getTask(task.taskId)).status, "completed");
  assert.deepEqual(
    (await tasks.listTasks()).tasks.map(({ taskId }) => taskId),
    [task.taskId],
  );
  await client.close();
});

test("a session's own stream tells how its tasks stand", { timeout: WAIT_MS }, async () => {
  const client = await connect();
  const told = [];
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => told.push(params));
  await client.listTools();
  let last;
  for await (const message of client.experimental.tasks.callToolStream(
    { name: "report_issues", arguments: { batch: 4 } },
    CallToolResultSchema,
    { task: {} },
  ))
    last = message;
  assert.equal(last.type, "result");
  await until(
    () => told.some(({ status }) => status === "completed"),
    () => `the completed task in ${JSON.stringify(told)}`,
  );
  await client.close();
});

test("the client of the extension settles a task with its result, its question and its end", {
  timeout: WAIT_MS,
}, async () => {
  const clientInfo = { name: "extension", version: "1.0.0" };
  const capabilities = { elicitation: { form: {} }, extensions: { [EXTENSION]: {} } };
  const client = new StatelessClient(clientInfo, { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new Transport(new URL(worker.mcp)));
  const rawDispatch = async ({ method, params }, { context } = {}) => {
    // The client writes the names of headers in upper case.
    const headers = Object.fromEntries(new Headers(context?.headers));
    const sent = await ask(worker.mcp, method, params, { headers });
    const { result, error } = sent.at(-1).message;
    return error ? { kind: "error", error } : { kind: "result", result };
  };
  const asked = [];
  const session = createTaskSessionFromClient(client, {
    endpointId: "sieve",
    rawDispatch,
    v2RequestFraming: { protocolVersion: "2026-07-28", clientInfo, clientCapabilities: capabilities },
    onInputRequest: (request) => {
      asked.push(request);
      return { action: "accept", content: { proceed: true } };
    },
  });
  const settled = async (name, args) => {
    const execution = await session.callTool(name, args, { task: { preference: "allow" } });
    const { outcome } = await execution.settle();
    return [execution.kind, outcome.status, outcome.result?.structuredContent, outcome.error];
  };
  const [kind, status, { by_state }] = await settled("report_issues", { batch: 3 });
  assert.deepEqual([kind, status, by_state.closed], ["task", "completed", 3]);
  const imported = await settled("import_issues", rows("Of the extension"));
  assert.deepEqual([imported[1], imported[2].imported], ["completed", 1]);
  assert.equal(asked.length, 1);
  const idle = await session.callTool(
    "report_issues",
    { batch: 1, pause_ms: 1_000 },
    { task: { preference: "allow" } },
  );
  const end = idle.settle();
  await idle.cancel();
  assert.equal((await end).outcome.status, "cancelled");
  await session.close();
  await client.close();
});

test("a raw client of the stateless revision lives through it as well", { timeout: WAIT_MS }, async () => {
  const alice = taskClient(worker.mcp, "alice");
  const { taskId } = await alice.call("import_issues", rows("Raw one", "Raw two", "Raw three"));
  await worker.crash();
  await alice.asked(taskId);
  await worker.crash();
  await again(() => alice.update(taskId, yes));
  await worker.crash();
  const { status, result } = await alice.ended(taskId);
  assert.deepEqual([status, result.structuredContent.imported], ["completed", 3]);
});
