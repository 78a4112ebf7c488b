// The official server of the older revision, whose list of tools depends on the client's capabilities, with the
// official clients and nothing configured. A client sees and calls the same through the gateway as without it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import { CreateMessageRequestSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { startEverythingOn } from "./support/foreign.mjs";
import { freePort } from "./support/port.mjs";
import { tokensVariable } from "./support/tokens.mjs";
import { startWorkers } from "./support/workerd.mjs";

const REQUIRED = "io.modelcontextprotocol/requiredCapabilities";
const ELICITATION = { form: {}, url: {} };
const TASKS = { requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } };
const ALL = { elicitation: ELICITATION, sampling: {}, roots: {}, tasks: TASKS };
const tasksFor = (...names) => ({
  requests: Object.fromEntries(names.map((name) => [name, TASKS.requests[name]])),
});
/** Capabilities of the clients, and the number of tools that the server lists to each. */
const CLIENTS = {
  nothing: [{}, 13],
  roots: [{ roots: {} }, 14],
  "roots that change": [{ roots: { listChanged: true } }, 14],
  sampling: [{ sampling: {} }, 14],
  "sampling with tools": [{ sampling: { tools: {} } }, 14],
  elicitation: [{ elicitation: {} }, 14],
  "elicitation by form": [{ elicitation: { form: {} } }, 14],
  "elicitation by URL": [{ elicitation: { url: {} } }, 15],
  "sampling and elicitation": [{ sampling: {}, elicitation: ELICITATION }, 16],
  "everything but tasks": [{ elicitation: ELICITATION, sampling: {}, roots: {} }, 17],
  "sampling with tasks": [{ sampling: {}, tasks: tasksFor("sampling") }, 15],
  "elicitation with tasks": [{ elicitation: {}, tasks: tasksFor("elicitation") }, 15],
  "sampling with tasks of elicitation": [{ sampling: {}, tasks: tasksFor("elicitation") }, 14],
  "only tasks": [{ tasks: TASKS }, 13],
  everything: [ALL, 19],
};

/** The token of a caller. Clients without one are told the revisions with sessions alone. */
const ADA = { authorization: "Bearer ada-token" };

let server;
let workers;
before(async () => {
  server = await startEverythingOn(await freePort());
  workers = await startWorkers([
    {
      name: "capable",
      config: { upstream: { url: server.url } },
      env: { SIEVE_TOKENS: tokensVariable({ "ada-token": { sub: "ada" } }) },
    },
    {
      name: "annotated",
      config: { upstream: { url: server.url, requiredCapabilities: "annotate" } },
    },
    { name: "plain", config: { upstream: { url: server.url, capabilities: {} } } },
  ]);
});
after(async () => {
  await workers?.stop();
  await server?.stop();
});

async function connected(t, url, capabilities, mode = "legacy", headers = {}) {
  const client = new Client({ name: "everything", version: "1" }, { capabilities, versionNegotiation: { mode } });
  const answers = {
    "elicitation/create": { action: "accept", content: { name: "Ada" } },
    "sampling/createMessage": { role: "assistant", content: { type: "text", text: "Paris" }, model: "a-model" },
    "roots/list": { roots: [{ uri: "file:///work", name: "work" }] },
  };
  for (const [method, answer] of Object.entries(answers))
    if (capabilities[method.split("/")[0]]) client.setRequestHandler(method, () => answer);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  t.after(() => client.close());
  return client;
}

/** Returns the lists that a client receives, by kind, without the capabilities that the gateway marks as required. */
async function listed(client) {
  const { tools } = await client.listTools();
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const { prompts } = await client.listPrompts();
  for (const tool of tools) {
    delete tool._meta?.[REQUIRED];
    if (Object.keys(tool._meta ?? {}).length === 0) delete tool._meta;
  }
  return { tools, resources, resourceTemplates, prompts };
}

for (const [name, [capabilities, count]] of Object.entries(CLIENTS)) {
  test(`a client that declares ${name} gets the same list as without the gateway`, async (t) => {
    const direct = await connected(t, server.url, capabilities);
    const through = await connected(t, `${workers.urls.capable}/mcp`, capabilities);
    const theirs = await listed(direct);
    assert.equal(theirs.tools.length, count);
    assert.deepEqual(await listed(through), theirs);
  });
}

test("a stateless client is listed no tools for which it would need tasks", async (t) => {
  const client = await connected(t, `${workers.urls.capable}/mcp`, ALL, { pin: "2026-07-28" }, ADA);
  assert.equal((await client.listTools()).tools.length, CLIENTS["everything but tasks"][1]);
});

test("a server is listed without capabilities where the file says so", async (t) => {
  const client = await connected(t, `${workers.urls.plain}/mcp`, ALL);
  assert.equal((await client.listTools()).tools.length, CLIENTS.nothing[1]);
});

/** Returns a client of the older SDK, which answers requests with tasks. */
async function connectedWithTasks(t, url) {
  const taskStore = new InMemoryTaskStore();
  const client = new FirstClient({ name: "tasks", version: "1" }, { capabilities: ALL, taskStore });
  const answers = [
    [CreateMessageRequestSchema, { role: "assistant", content: { type: "text", text: "Paris" }, model: "a-model" }],
    [ElicitRequestSchema, { action: "accept", content: { name: "Ada" } }],
  ];
  for (const [schema, answer] of answers)
    client.setRequestHandler(schema, async ({ params }, { taskStore }) => {
      const task = await taskStore.createTask({ ttl: params.task.ttl, pollInterval: 100 });
      setTimeout(() => taskStore.storeTaskResult(task.taskId, "completed", answer), 200);
      return { task };
    });
  await client.connect(new FirstTransport(new URL(url)));
  t.after(async () => {
    await client.close();
    taskStore.cleanup();
  });
  return client;
}

test("a client with tasks calls the tools that need them, through the gateway as without it", async (t) => {
  for (const url of [server.url, `${workers.urls.capable}/mcp`]) {
    const client = await connectedWithTasks(t, url);
    const said = async (name, args) => (await client.callTool({ name, arguments: args })).content[0].text;
    const [sampled, asked] = await Promise.all([
      said("trigger-sampling-request-async", { prompt: "A city?" }),
      said("trigger-elicitation-request-async", {}),
    ]);
    assert.match(sampled, /^\[COMPLETED\]/, url);
    assert.match(sampled, /Paris/, url);
    assert.match(asked, /^\[COMPLETED\]/, url);
  }
});

test("every client is listed every tool where they are annotated", async (t) => {
  const client = await connected(t, `${workers.urls.annotated}/mcp`, {});
  const { tools } = await client.listTools();
  const required = Object.fromEntries(
    tools.filter(({ _meta }) => _meta?.[REQUIRED]).map(({ name, _meta }) => [name, _meta[REQUIRED]]),
  );
  assert.deepEqual(required, {
    "get-roots-list": { roots: {} },
    "trigger-elicitation-request": { elicitation: {} },
    "trigger-url-elicitation": { elicitation: { url: {} } },
    "trigger-sampling-request": { sampling: {} },
    "trigger-sampling-request-async": { sampling: {}, tasks: tasksFor("sampling") },
    "trigger-elicitation-request-async": { elicitation: {}, tasks: tasksFor("elicitation") },
  });
});

for (const [service, mode] of [
  ["capable", "legacy"],
  ["capable", { pin: "2026-07-28" }],
  ["annotated", "legacy"],
]) {
  const revision = mode === "legacy" ? "with a session" : "without a session";
  test(`a call without the capability names it: ${service}, ${revision}`, async (t) => {
    const headers = mode === "legacy" || service !== "capable" ? {} : ADA;
    const client = await connected(t, `${workers.urls[service]}/mcp`, { roots: {} }, mode, headers);
    await assert.rejects(client.callTool({ name: "trigger-sampling-request", arguments: { prompt: "A city?" } }), {
      code: -32021,
      data: { requiredCapabilities: { sampling: {} } },
    });
  });
}

for (const mode of ["legacy", { pin: "2026-07-28" }]) {
  const revision = mode === "legacy" ? "with a session" : "without a session";
  test(`the server's questions reach the client: ${revision}`, async (t) => {
    const headers = mode === "legacy" ? {} : ADA;
    const client = await connected(t, `${workers.urls.capable}/mcp`, ALL, mode, headers);
    const said = async (name, args) =>
      (await client.callTool({ name, arguments: args })).content.map(({ text }) => text).join("\n");
    assert.match(await said("trigger-sampling-request", { prompt: "A city?" }), /Paris/);
    assert.match(await said("trigger-elicitation-request", {}), /Ada/);
    // The tool asks on the standalone stream of the session.
    assert.match(await said("get-roots-list", {}), /file:\/\/\/work/);
  });
}

/** One request for every feature of the server, by subject. */
const REQUESTS = {
  ping: (client) => client.ping(),
  "the log level": (client) => client.setLoggingLevel("debug"),
  ...Object.fromEntries(
    Object.entries({
      echo: { message: "höre" },
      "get-annotated-message": { messageType: "error", includeImage: true },
      "get-env": {},
      "get-resource-links": { count: 3 },
      "get-resource-reference": { resourceType: "Text", resourceId: 2 },
      "get-structured-content": { location: "Chicago" },
      "get-sum": { a: 2, b: 40 },
      "get-tiny-image": {},
      "gzip-file-as-resource": { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" },
      "toggle-simulated-logging": {},
      "toggle-subscriber-updates": {},
      "trigger-long-running-operation": { duration: 1, steps: 2 },
      "get-roots-list": {},
      "trigger-sampling-request": { prompt: "A city?" },
      "trigger-elicitation-request": {},
    }).map(([name, args]) => [`the tool ${name}`, (client) => client.callTool({ name, arguments: args })]),
  ),
  "a tool with wrong arguments": (client) => client.callTool({ name: "get-sum", arguments: { a: "two" } }),
  "a file": (client) => client.readResource({ uri: "demo://resource/static/document/architecture.md" }),
  "a resource of a template": (client) => client.readResource({ uri: "demo://resource/dynamic/text/7" }),
  "a blob of a template": (client) => client.readResource({ uri: "demo://resource/dynamic/blob/7" }),
  "a subscription": (client) => client.subscribeResource({ uri: "demo://resource/dynamic/text/1" }),
  "the end of a subscription": (client) => client.unsubscribeResource({ uri: "demo://resource/dynamic/text/1" }),
  "a prompt": (client) => client.getPrompt({ name: "simple-prompt" }),
  "a prompt with arguments": (client) =>
    client.getPrompt({ name: "args-prompt", arguments: { city: "Oslo", state: "N" } }),
  "a prompt without its arguments": (client) => client.getPrompt({ name: "args-prompt", arguments: {} }),
  "a prompt with completions": (client) =>
    client.getPrompt({ name: "completable-prompt", arguments: { department: "Sales", name: "Eve" } }),
  "a prompt with a resource": (client) =>
    client.getPrompt({ name: "resource-prompt", arguments: { resourceType: "Text", resourceId: "1" } }),
  "a completion": (client) =>
    client.complete({
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "department", value: "S" },
    }),
  "a completion in a context": (client) =>
    client.complete({
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "name", value: "" },
      context: { arguments: { department: "Support" } },
    }),
  "a completion of a template": (client) =>
    client.complete({
      ref: { type: "ref/resource", uri: "demo://resource/dynamic/text/{resourceId}" },
      argument: { name: "resourceId", value: "2" },
    }),
};

/** Replaces times of day and ids of sessions, which differ in every response. */
const steady = (value) =>
  JSON.parse(
    JSON.stringify(value)
      .replace(/\d\d?:\d\d:\d\d( [AP]M)?/g, "TIME")
      .replace(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, "SESSION")
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "DATE"),
  );

/** Returns the result of a request, or its error. */
async function answered(client, request) {
  try {
    const { ttlMs, cacheScope, ...rest } = await request(client);
    return { result: steady(rest) };
  } catch ({ code, message, data }) {
    return { code, message: message.replace(/^MCP error -?\d+: /, ""), data };
  }
}

test("every answer through the gateway is the server's", async (t) => {
  const direct = await connected(t, server.url, ALL);
  const through = await connected(t, `${workers.urls.capable}/mcp`, ALL);
  const { tools } = await direct.listTools();
  const tried = Object.keys(REQUESTS).flatMap((name) => name.match(/^the tool (.*)$/)?.slice(1) ?? []);
  const others = tools.map(({ name }) => name).filter((name) => !tried.includes(name));
  // Tools that start tasks, which need another kind of call, and one that needs a browser.
  assert.deepEqual(others.sort(), [
    "simulate-research-query",
    "trigger-elicitation-request-async",
    "trigger-sampling-request-async",
    "trigger-url-elicitation",
  ]);
  for (const [name, request] of Object.entries(REQUESTS)) {
    const theirs = await answered(direct, request);
    assert.deepEqual(await answered(through, request), theirs, name);
  }
});

test("the server's description of itself passes through", async (t) => {
  const direct = await connected(t, server.url, ALL);
  const through = await connected(t, `${workers.urls.capable}/mcp`, ALL);
  assert.ok(direct.getInstructions().length > 100);
  assert.ok(through.getInstructions().includes(direct.getInstructions()));
  assert.deepEqual(through.getServerVersion(), direct.getServerVersion());
  const ours = through.getServerCapabilities();
  for (const [name, settings] of Object.entries(direct.getServerCapabilities()))
    for (const key of Object.keys(settings)) assert.ok(ours[name]?.[key] !== undefined, `${name}.${key}`);
});
