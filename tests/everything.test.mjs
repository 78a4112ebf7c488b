// The official server of the older revision, which lists tools by what its client declares, with the official client: what
// a client is listed and can call through the gateway is what it is listed and can call without.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startEverythingOn } from "./support/foreign.mjs";
import { freePort } from "./support/port.mjs";
import { startWorkers } from "./support/workerd.mjs";

const REQUIRED = "io.modelcontextprotocol/requiredCapabilities";
const ELICITATION = { form: {}, url: {} };
const TASKS = { requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } };
const ALL = { elicitation: ELICITATION, sampling: {}, roots: {}, tasks: TASKS };
/** Clients by what they declare. */
const CLIENTS = {
  nothing: {},
  roots: { roots: {} },
  sampling: { sampling: {} },
  elicitation: { elicitation: {} },
  "elicitation by URL": { elicitation: { url: {} } },
  "sampling and elicitation": { sampling: {}, elicitation: ELICITATION },
  everything: ALL,
};

let server;
let workers;
before(async () => {
  server = await startEverythingOn(await freePort());
  workers = await startWorkers([
    { name: "capable", config: { upstream: { url: server.url, capabilities: ALL } } },
    {
      name: "annotated",
      config: { upstream: { url: server.url, capabilities: ALL, requiredCapabilities: "annotate" } },
    },
  ]);
});
after(async () => {
  await workers?.stop();
  await server?.stop();
});

async function connected(t, url, capabilities, mode = "legacy") {
  const client = new Client({ name: "everything", version: "1" }, { capabilities, versionNegotiation: { mode } });
  const answers = {
    "elicitation/create": { action: "accept", content: { name: "Ada" } },
    "sampling/createMessage": { role: "assistant", content: { type: "text", text: "Paris" }, model: "a-model" },
    "roots/list": { roots: [{ uri: "file:///work", name: "work" }] },
  };
  for (const [method, answer] of Object.entries(answers))
    if (capabilities[method.split("/")[0]]) client.setRequestHandler(method, () => answer);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  t.after(() => client.close());
  return client;
}

/** What a client is listed, by kind; without what the gateway says is required. */
async function listed(client) {
  const { tools } = await client.listTools();
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const { prompts } = await client.listPrompts();
  for (const tool of tools) {
    delete tool._meta?.[REQUIRED];
    if (Object.keys(tool._meta ?? {}).length === 0) delete tool._meta;
  }
  const byName = (a, b) => (a.name < b.name ? -1 : 1);
  return { tools: tools.sort(byName), resources, resourceTemplates, prompts };
}

for (const [name, capabilities] of Object.entries(CLIENTS)) {
  test(`a client that declares ${name} is listed what it is listed without the gateway`, async (t) => {
    const direct = await connected(t, server.url, capabilities);
    const through = await connected(t, `${workers.urls.capable}/mcp`, capabilities);
    const theirs = await listed(direct);
    assert.ok(theirs.tools.length >= 13);
    assert.deepEqual(await listed(through), theirs);
  });
}

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
    "trigger-sampling-request-async": ALL,
    "trigger-elicitation-request-async": ALL,
  });
});

for (const [service, mode] of [
  ["capable", "legacy"],
  ["capable", { pin: "2026-07-28" }],
  ["annotated", "legacy"],
]) {
  const revision = mode === "legacy" ? "with a session" : "without a session";
  test(`a call without the capability names it: ${service}, ${revision}`, async (t) => {
    const client = await connected(t, `${workers.urls[service]}/mcp`, { roots: {} }, mode);
    await assert.rejects(client.callTool({ name: "trigger-sampling-request", arguments: { prompt: "A city?" } }), {
      code: -32021,
      data: { requiredCapabilities: { sampling: {} } },
    });
  });
}

for (const mode of ["legacy", { pin: "2026-07-28" }]) {
  const revision = mode === "legacy" ? "with a session" : "without a session";
  test(`the server's questions reach the client: ${revision}`, async (t) => {
    const client = await connected(t, `${workers.urls.capable}/mcp`, ALL, mode);
    const said = async (name, args) =>
      (await client.callTool({ name, arguments: args })).content.map(({ text }) => text).join("\n");
    assert.match(await said("trigger-sampling-request", { prompt: "A city?" }), /Paris/);
    assert.match(await said("trigger-elicitation-request", {}), /Ada/);
    // `get-roots-list` asks on the standalone stream of the session, which the gateway does not forward (README).
  });
}
