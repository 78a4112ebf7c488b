// `gateway(handler, config)` of the packed package around the official SDK's own handler, in workerd.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { OBJECTS, bundle } from "./support/bundle.mjs";
import { connect as connectClient, generations } from "./support/generations.mjs";
import { send } from "./support/raw-client.mjs";
import { installTarball } from "./support/tarball.mjs";
import { startWorkers } from "./support/workerd.mjs";

const WORKER = `
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { z } from "zod";
import { gateway } from "mcp-sieve/handler";
${OBJECTS}
let calls = 0;
const handler = createMcpHandler(({ requestInfo: request } = {}) => {
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  const tool = (name, hint, work) => server.registerTool(name, { description: name.replaceAll("_", " "), inputSchema: z.object({ item: z.string().optional() }), annotations: { readOnlyHint: hint } }, work);
  const say = (text) => ({ content: [{ type: "text", text }] });
  tool("list_orders", true, async () => say("orders"));
  tool("create_order", false, async ({ item }) => say("ordered " + item));
  tool("cancel_order", false, async () => say("cancelled"));
  tool("list_customers", true, async () => say("customers"));
  tool("who_asks", true, async () => say(request?.headers.get("x-customer") ?? "nobody"));
  return server;
});

const checked = [];
export default {
  scheduled() {},
  ...gateway({
    async fetch(request) {
      calls += 1;
      return handler.fetch(request);
    },
  }, {
    groups: [{ name: "orders" }],
    tags: [{ name: "read-only" }],
    rules: [{ match: "name:*_order*", groups: ["orders"] }, { match: "annotation.readOnlyHint=true", tags: ["read-only"] }],
    policies: [{ name: "staff", show: "-name:cancel_* or claim.role:staff" }],
  }, {
    key: "a key of the tests",
    otherwise: (request) => Response.json({ elsewhere: request.url, checked, calls }),
    identify: (request) => {
      const token = request.headers.get("authorization");
      if (token === "Bearer wrong") throw new Error("no such token");
      return token === "Bearer staff" ? { sub: "s", role: "staff" } : null;
    },
    checks: [
      { name: "low", priority: 1, check: async ({ client }) => { checked.push("low"); if (client?.name === "late") throw new Error("the database is down"); } },
      { name: "high", priority: 2, async check({ client, headers, env }) {
        checked.push("high");
        await new Promise((done) => setTimeout(done, 5));
        if (client?.name === "banned") return "not on " + headers.get("host");
      } },
    ],
  }),
};
`;
let consumer;
let workers;
let mcp;

before(async () => {
  consumer = await installTarball();
  const service = async (name, source) => ({
    name,
    hosts: null,
    assets: "none",
    build: await bundle(consumer, name, source),
  });
  const [, snippet] = /<!-- snippet: worker -->\n```ts\n([^]*?)```/.exec(
    readFileSync(join(consumer.package, "README.md"), "utf8"),
  );
  workers = await startWorkers([await service("shop", WORKER), await service("readme", `${snippet}${OBJECTS}`)]);
  mcp = `${workers.urls.shop}/mcp`;
});
after(async () => {
  await workers?.stop();
  await consumer?.remove();
});

const connect = (generation, { name = "shopper", headers = {}, query = "", url = mcp } = {}) =>
  connectClient(generation, `${url}${query}`, { requestInit: { headers } }, name);
const names = async (client, filter) => (await client.listTools(filter && { filter })).tools.map(({ name }) => name);

for (const [name, generation] of Object.entries(generations)) {
  test(`${name}: filter, rules and policies before the SDK's handler`, async (t) => {
    const client = await connect(generation);
    t.after(() => client.close());
    assert.deepEqual(await names(client), ["list_orders", "create_order", "list_customers", "who_asks"]);
    assert.deepEqual(await names(client, { groups: ["orders"], tags: ["read-only"] }), ["list_orders"]);
    const { tools } = await client.listTools({ filter: { groups: ["orders"] } });
    assert.deepEqual(tools[0]._meta["dev.mcpsieve/groups"], ["orders"]);
    assert.equal(
      (await client.callTool({ name: "create_order", arguments: { item: "tea" } })).content[0].text,
      "ordered tea",
    );
    // A hidden tool and a missing tool have the same response.
    for (const tool of ["cancel_order", "no_such_tool"]) {
      await assert.rejects(
        client.callTool({ name: tool, arguments: {} }),
        (error) => error.code === -32602 && error.message.endsWith(`Unknown tool: ${tool}`),
      );
    }
    const narrow = await connect(generation, { query: "?tags=read-only" });
    t.after(() => narrow.close());
    assert.deepEqual(await names(narrow), ["list_orders", "list_customers", "who_asks"]);
  });

  test(`${name}: a caller is known by its claims, and the handler sees its headers`, async (t) => {
    const staff = await connect(generation, { headers: { Authorization: "Bearer staff", "X-Customer": "c-7" } });
    t.after(() => staff.close());
    assert.ok((await names(staff)).includes("cancel_order"));
    assert.equal((await staff.callTool({ name: "cancel_order", arguments: {} })).content[0].text, "cancelled");
    assert.equal((await staff.callTool({ name: "who_asks", arguments: {} })).content[0].text, "c-7");
    await assert.rejects(connect(generation, { headers: { Authorization: "Bearer wrong" } }));
  });

  test(`${name}: asynchronous checks in JavaScript refuse a client (Q-38)`, async () => {
    await assert.rejects(connect(generation, { name: "banned" }), (error) => /not on /.test(error.message));
    await assert.rejects(connect(generation, { name: "late" }), (error) => !/database/.test(error.message));
  });
}

test("the README's Worker works as described", async (t) => {
  const url = `${workers.urls.readme}/mcp`;
  const [generation] = Object.values(generations);
  const open = async (headers) => {
    const client = await connect(generation, { url, headers });
    t.after(() => client.close());
    return client;
  };
  assert.deepEqual(await names(await open({})), ["list_orders"]);
  const staff = await open({ Authorization: "Bearer letmein" });
  assert.deepEqual(await names(staff), ["list_orders", "cancel_order"]);
  assert.equal((await staff.callTool({ name: "cancel_order", arguments: {} })).content[0].text, "done");
  await assert.rejects(connect(generation, { url, name: "banned" }), /this client is not served/);
});

/** Sends one request of the stateless revision. */
async function ask(method, params = {}, { headers = {}, client = "raw" } = {}) {
  const _meta = { "io.modelcontextprotocol/clientInfo": { name: client, version: "1" } };
  const response = await send(mcp, method, { ...params, _meta }, { headers });
  return { status: response.status, ...(await response.json()) };
}
const elsewhere = async () => (await fetch(`${workers.urls.shop}/status`)).json();

test("checks run one after the other; one refuses, and one throws (Q-39 Q-40 Q-43 Q-44)", async () => {
  const before = (await elsewhere()).checked.length;
  const refused = await ask("tools/list", {}, { client: "banned" });
  assert.deepEqual([refused.status, refused.error.code, refused.result], [200, -32603, undefined]);
  assert.match(refused.error.message, /^not on 127\.0\.0\.1/);
  // The check with the higher priority runs first, although it was given last. The first that fails ends the series.
  assert.deepEqual((await elsewhere()).checked.slice(before), ["high"]);
  const thrown = await ask("tools/list", {}, { client: "late" });
  assert.deepEqual(
    [thrown.status, thrown.error],
    [500, { code: -32603, message: "a check could not be made", data: { reason: "check" } }],
  );
  assert.deepEqual((await elsewhere()).checked.slice(before), ["high", "high", "low"]);
});

test("a token that is not accepted", async () => {
  const { status, error } = await ask("tools/list", {}, { headers: { authorization: "Bearer wrong" } });
  // The reason is for the operator only.
  assert.deepEqual([status, error.message], [401, "the caller's credentials were not accepted"]);
});

test("other paths are those of `otherwise`, and without it there are none", async () => {
  assert.match((await elsewhere()).elsewhere, /\/status$/);
  for (const path of ["/", "/other", "/MCP", "//mcp", "/mcp%2f", "/%6dcp"]) {
    const { calls } = await elsewhere();
    const response = await fetch(`${workers.urls.readme}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "cancel_order", arguments: {} },
      }),
    });
    assert.deepEqual([response.status, await response.text()], [404, "not found"], path);
    assert.equal((await elsewhere()).calls, calls);
  }
});

test("lists are kept for as long as the handler says, and calls go to it", async () => {
  await ask("tools/list");
  const { calls } = await elsewhere();
  const listed = await ask("tools/list", { filter: { groups: ["orders"] } });
  assert.equal(listed.result._meta["dev.mcpsieve/filter"].matched, 2);
  await ask("tools/call", { name: "list_orders", arguments: {} });
  assert.ok((await elsewhere()).calls - calls <= 6);
});

test("a configuration that contradicts itself is refused when the module is loaded", async () => {
  const text = (config) => `import { gateway, SieveError } from "mcp-sieve/handler";
    try { gateway(() => {}, ${config}); console.log("taken"); } catch (error) { console.log(error instanceof SieveError, error.code, error.message); }`;
  const print = (name, config) => consumer.print(name, text(config));
  assert.equal(
    await print("one.mjs", '{ rules: [{ match: "gruop:a" }] }'),
    "true config rules[0].match: unknown term `gruop` (did you mean `group`?) at byte 0\n",
  );
  assert.equal(
    await print("two.mjs", '{ upstream: { url: "https://a.example/mcp" } }'),
    "true config upstream: the handler is the upstream server, expected no other address\n",
  );
  // A setting that is not supported here is rejected rather than ignored.
  const beyond = {
    "{ middleware: {} }": "middleware: a handler has no middleware functions, expected no `middleware`",
    "{ limits: { concurrent: 2 } }": "limits: requests to a handler are not counted, expected no `limits`",
    '{ audit: "all" }': "audit: calls of a handler are not recorded, expected no `audit`",
    '{ auth: { issuer: "https://login.example", audience: ["a"], jwks: "https://login.example/keys" } }':
      "auth: the option `identify` identifies callers, expected no `auth`",
  };
  for (const [config, message] of Object.entries(beyond))
    assert.equal(await print("beyond.mjs", config), `true config ${message}\n`);
  assert.equal(await print("three.mjs", "{ groups: [] }"), "taken\n");
});
