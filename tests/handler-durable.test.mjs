// A handler that asks its client during a call, behind `gateway` in workerd. In a Durable Object, the answer reaches
// the call. In a plain Worker, whose requests share no state, the call ends at once with a reason.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { OBJECTS, bundle } from "./support/bundle.mjs";
import { installTarball } from "./support/tarball.mjs";
import { startWorkers } from "./support/workerd.mjs";

/** Maximum time, in milliseconds, until a call that cannot continue ends. The clients themselves wait for a minute. */
const SOON_MS = 5_000;
const SCHEMA = '{ type: "object", properties: { sure: { type: "boolean" } } }';
/** A handler with a tool that asks before it acts. */
const HANDLER = `
import { McpServer, createMcpHandler, inputRequired } from "@modelcontextprotocol/server";
const sdk = createMcpHandler(() => {
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  server.registerTool("wipe", {}, async (ctx) => {
    const answer = ctx.mcpReq.inputResponses?.sure;
    if (!answer) return inputRequired({ inputRequests: { sure: inputRequired.elicit({ message: "Sure?", requestedSchema: ${SCHEMA} }) } });
    return { content: [{ type: "text", text: answer.action }] };
  });
  return server;
});
const handler = (request) => sdk.fetch(request);`;
const module = (end) =>
  `import { gateway } from "mcp-sieve/handler";\n${OBJECTS}\n${HANDLER}\nconst served = gateway(handler, {}, { key: "a key of the tests", sessions: "memory" });\n${end}`;
const PLAIN = "export default served;";
const OBJECT = `
export class Shop extends DurableObject {
  fetch(request) { return served.fetch(request, this.env, this.ctx); }
}
export default { fetch: (request, env) => env.SHOP.get(env.SHOP.idFromName("one")).fetch(request) };`;

let consumer, workers;
before(async () => {
  consumer = await installTarball();
  const service = async (name, source, objects) => ({
    name,
    hosts: null,
    assets: "none",
    build: await bundle(consumer, name, source),
    objects,
  });
  workers = await startWorkers([
    await service("plain", module(PLAIN)),
    await service("object", module(OBJECT), { SHOP: "Shop" }),
  ]);
});
after(async () => {
  await workers?.stop();
  consumer?.remove();
});

const accept = async () => ({ action: "accept", content: { sure: true } });
const capabilities = { elicitation: { form: {} } };
const clients = {
  "2025-11-25": () => {
    const client = new Client1({ name: "one", version: "1" }, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, accept);
    return [client, Transport1];
  },
  "2026-07-28": () => {
    const client = new Client2({ name: "two", version: "1" }, { capabilities, versionNegotiation: { mode: "auto" } });
    client.setRequestHandler("elicitation/create", accept);
    return [client, Transport2];
  },
};

/** Returns the text of the call's result, or the message of its error. */
async function wipe(where, generation) {
  const [client, Transport] = clients[generation]();
  await client.connect(new Transport(new URL(`${workers.urls[where]}/mcp`)));
  try {
    const call = client.callTool({ name: "wipe", arguments: {} }, ...(generation === "2025-11-25" ? [undefined] : []), {
      timeout: SOON_MS,
    });
    return await call.then(
      ({ content }) => content[0].text,
      ({ message }) => message,
    );
  } finally {
    await client.close();
  }
}

test("in a plain Worker a client with a session cannot be asked, and the call says so at once", async () => {
  assert.match(
    await wipe("plain", "2025-11-25"),
    /the answer would not reach the call; a handler that sends requests has to run in a Durable Object/,
  );
});

test("a question in a result needs no waiting, so that newer clients are asked", async () => {
  assert.equal(await wipe("plain", "2026-07-28"), "accept");
});

test("in a Durable Object clients of both generations are asked", async () => {
  for (const generation of Object.keys(clients)) assert.equal(await wipe("object", generation), "accept", generation);
});
