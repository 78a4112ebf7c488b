// A FastMCP server whose tools have tags, unchanged: filtered by tag from a URL, a header and the picker.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Sieve } from "../pkg/loaders/node.js";
import { startTagged } from "./support/foreign.mjs";
import { startWorkers } from "./support/workerd.mjs";

const POLICY = { name: "nothing destructive", show: "-tag:destructive" };
const TOOLS = ["find_customer", "delete_customer", "send_mail", "ping"];

let server;
let workers;
before(async () => {
  server = await startTagged();
  const upstream = { url: server.url };
  workers = await startWorkers([
    { name: "plain", config: { upstream } },
    { name: "restricted", config: { upstream, policies: [POLICY] } },
    { name: "named", config: { upstream, policies: [POLICY], tagsFrom: ["meta.fastmcp.tags"] } },
  ]);
});
after(async () => {
  await workers?.stop();
  await server?.stop();
});

async function connected(t, url, mode, headers = {}) {
  const client = new Client({ name: "tags", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  t.after(() => client.close());
  return client;
}

const names = ({ tools }) => tools.map(({ name }) => name);
for (const mode of ["auto", "legacy"]) {
  test(`${mode}: tags filter from a URL`, async (t) => {
    const client = await connected(t, `${workers.urls.plain}/mcp?tags=crm`, mode);
    assert.deepEqual(names(await client.listTools()), ["find_customer", "delete_customer"]);
    const { resources } = await client.listResources();
    assert.deepEqual(
      resources.map(({ uri }) => uri),
      ["crm://customers"],
    );
    const { prompts } = await client.listPrompts();
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ["introduce"],
    );
    const narrower = await connected(t, `${workers.urls.plain}/mcp?tags=crm&not.tags=destructive`, mode);
    assert.deepEqual(names(await narrower.listTools()), ["find_customer"]);
  });

  test(`${mode}: tags filter from headers`, async (t) => {
    const listed = async (headers) =>
      names(await (await connected(t, `${workers.urls.plain}/mcp`, mode, headers)).listTools());
    assert.deepEqual(await listed({ "x-mcp-tags-include": "mail,stable" }), ["find_customer", "send_mail"]);
    assert.deepEqual(await listed({ "x-mcp-tags-exclude": "crm" }), ["send_mail", "ping"]);
    assert.deepEqual(await listed({ "x-mcp-toolsets": "default" }), TOOLS);
  });

  test(`${mode}: a policy reads the tags only where the file names their source`, async (t) => {
    const listed = async (name) => names(await (await connected(t, `${workers.urls[name]}/mcp`, mode)).listTools());
    assert.deepEqual(await listed("restricted"), TOOLS);
    assert.deepEqual(
      await listed("named"),
      TOOLS.filter((name) => name !== "delete_customer"),
    );
  });
}

test("definitions pass unchanged, and tags are listed", async (t) => {
  const direct = await connected(t, server.url, "auto");
  const through = await connected(t, `${workers.urls.plain}/mcp`, "auto");
  assert.deepEqual((await through.listTools()).tools, (await direct.listTools()).tools);
});

test("the picker offers the tags of the server's own list", async (t) => {
  const lists = await (await connected(t, server.url, "auto")).listTools();
  const sieve = Sieve.compile(lists, { policies: [POLICY] });
  const picker = sieve.picker();
  const offered = picker.tags.map(({ name, members }) => [name, members]).sort();
  assert.deepEqual(offered, [
    ["crm", 2],
    ["destructive", 1],
    ["mail", 1],
    ["stable", 1],
  ]);
  picker.mark("crm", "must");
  picker.mark("destructive", "not");
  assert.deepEqual(sieve.names({ filter: picker.filter }), ["find_customer"]);
  const named = Sieve.compile(lists, { policies: [POLICY], tagsFrom: ["meta.fastmcp.tags"] });
  assert.deepEqual(named.names(), ["find_customer", "send_mail", "ping"]);
});
