// `gateway(handler, config)` of the packed package in front of the handlers of other libraries, as in their readme:
// `agents` in workerd, `mcp-handler` and the official SDK under Node's own server. Official clients send the requests.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { OBJECTS, bundle } from "./support/bundle.mjs";
import { connect, generations } from "./support/generations.mjs";
import { RUNTIMES, start } from "./support/runtimes.mjs";
import { installTarball, link } from "./support/tarball.mjs";
import { startWorkers } from "./support/workerd.mjs";

const CONFIG = `{
  groups: [{ name: "orders" }],
  rules: [{ match: "name:*_order*", groups: ["orders"] }, { match: "annotation.readOnlyHint=true", tags: ["read-only"] }],
  policies: [{ name: "staff", show: "-name:cancel_* or claim.role:staff" }],
}, {
  key: "a key of the tests",
  identify: (request) => (request.headers.get("authorization") === "Bearer staff" ? { sub: "s", role: "staff" } : null),
}`;
const SHOP = `
const say = (text) => ({ content: [{ type: "text", text }] });
function stock(server) {
  server.registerTool("list_orders", { inputSchema: z.object({}), annotations: { readOnlyHint: true } }, async () => say("orders"));
  server.registerTool("create_order", { inputSchema: z.object({ item: z.string() }) }, async ({ item }) => say("ordered " + item));
  server.registerTool("cancel_order", { inputSchema: z.object({}) }, async () => say("cancelled"));
  server.registerTool("list_customers", { inputSchema: z.object({}), annotations: { readOnlyHint: true } }, async () => say("customers"));
  return server;
}`;
const V1 = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { gateway } from "mcp-sieve/handler";
${SHOP}`;
const V2 = V1.replace("sdk/server/mcp.js", "server");

const NODE = `import { serve } from "@hono/node-server";
const listen = ({ fetch }) => serve({ port: 0, hostname: "127.0.0.1", fetch }, ({ port }) => console.log(port));`;

/** The wrapped handlers, as in their own documentation: Worker modules here, and programs for Node below. */
const WORKERS = {
  "createMcpHandler of agents": `${V2}
import { createMcpHandler } from "agents/mcp/server";
const handler = createMcpHandler(() => stock(new McpServer({ name: "shop", version: "1.0.0" })));
export default gateway(handler, ${CONFIG});`,

  "createLegacyMcpHandler of agents": `${V1}
import { createLegacyMcpHandler } from "agents/mcp";
const handler = (request, env, ctx) => createLegacyMcpHandler(stock(new McpServer({ name: "shop", version: "1.0.0" })))(request, env, ctx);
export default gateway(handler, ${CONFIG});`,

  "McpAgent of agents": `${V1}
import { McpAgent } from "agents/mcp";
export class Shop extends McpAgent {
  server = new McpServer({ name: "shop", version: "1.0.0" });
  async init() { stock(this.server); }
}
export default gateway(Shop.serve("/mcp"), ${CONFIG});`,
};
const PROGRAMS = {
  "mcp-handler": `${V2}${NODE}
import { createMcpHandler } from "mcp-handler";
const handler = createMcpHandler((server) => void stock(server), { serverInfo: { name: "shop", version: "1.0.0" } });
listen(gateway(handler, ${CONFIG.replace(/\}$/, 'path: "/api/mcp",\n}')}));`,

  "the official SDK, version 2": `${V2}${NODE}
import { createMcpHandler } from "@modelcontextprotocol/server";
const handler = createMcpHandler(() => stock(new McpServer({ name: "shop", version: "1.0.0" })));
listen(gateway(handler, ${CONFIG}));`,

  "the official SDK, version 1": `${V1}${NODE}
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
const handler = async (request) => {
  const transport = new WebStandardStreamableHTTPServerTransport();
  await stock(new McpServer({ name: "shop", version: "1.0.0" })).connect(transport);
  return transport.handleRequest(request);
};
listen(gateway(handler, ${CONFIG}));`,
};

let consumer;
let workers;
const programs = [];
const urls = {};
const fileOf = (name) => name.replace(/\W+/g, "-");

before(async () => {
  consumer = await installTarball();
  link(consumer, [
    "@hono/node-server",
    "@modelcontextprotocol/sdk",
    "@modelcontextprotocol/server",
    "agents",
    "mcp-handler",
    "zod",
  ]);
  const services = [];
  for (const [name, source] of Object.entries(WORKERS)) {
    const build = await bundle(consumer, fileOf(name), `${source}\n${OBJECTS}`);
    services.push({
      name: fileOf(name),
      hosts: null,
      assets: "none",
      build,
      objects: name.startsWith("McpAgent") ? { MCP_OBJECT: "Shop" } : {},
    });
  }
  workers = await startWorkers(services);
  for (const name of Object.keys(WORKERS)) urls[name] = `${workers.urls[fileOf(name)]}/mcp`;
  for (const [name, source] of Object.entries(PROGRAMS)) {
    const module = `${fileOf(name)}.mjs`;
    consumer.write(module, source);
    const program = await start(RUNTIMES["Node 20"], consumer, module);
    programs.push(program);
    urls[name] = `http://127.0.0.1:${program.said}${name === "mcp-handler" ? "/api/mcp" : "/mcp"}`;
  }
});
after(async () => {
  await workers?.stop();
  for (const program of programs) await program.stop();
  await consumer?.remove();
});

const names = async (client, filter) => (await client.listTools(filter && { filter })).tools.map(({ name }) => name);

/** Paths that these libraries serve themselves, or that could be mistaken for the endpoint. */
const ELSEWHERE = [
  "/",
  "/other",
  "/MCP",
  "//mcp",
  "/mcp%2f",
  "/mcp;x",
  "/%6dcp",
  "/mcpx",
  "/sse",
  "/message",
  "/api/MCP",
  "/api//mcp",
  "/api/%6dcp",
  "/api/sse",
];
const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "cancel_order", arguments: {} } };

for (const library of [...Object.keys(WORKERS), ...Object.keys(PROGRAMS)]) {
  describe(library, () => {
    test("it is not reached by another path", async () => {
      const endpoint = new URL(urls[library]).pathname;
      for (const path of [...ELSEWHERE, endpoint === "/mcp" ? "/api/mcp" : "/mcp"]) {
        const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
        const response = await fetch(new URL(urls[library]).origin + path, {
          method: "POST",
          headers,
          body: JSON.stringify(CALL),
        });
        assert.deepEqual([response.status, await response.text()], [404, "not found"], path);
      }
    });

    for (const [name, generation] of Object.entries(generations)) {
      test(`a client of ${name} lists with a filter, and calls`, async (t) => {
        const connected = async (headers = {}) => {
          const client = await connect(generation, urls[library], { requestInit: { headers } }, "shopper");
          t.after(() => client.close());
          return client;
        };
        const client = await connected();
        assert.deepEqual(await names(client), ["list_orders", "create_order", "list_customers"]);
        assert.deepEqual(await names(client, { groups: ["orders"] }), ["list_orders", "create_order"]);
        assert.deepEqual(await names(client, { groups: ["orders"], tags: ["read-only"] }), ["list_orders"]);
        assert.equal(
          (await client.callTool({ name: "create_order", arguments: { item: "tea" } })).content[0].text,
          "ordered tea",
        );
        await assert.rejects(client.callTool({ name: "cancel_order", arguments: {} }), { code: -32602 });
        const staff = await connected({ Authorization: "Bearer staff" });
        assert.equal((await staff.callTool({ name: "cancel_order", arguments: {} })).content[0].text, "cancelled");
      });
    }
  });
}
