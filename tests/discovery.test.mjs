// A thousand tools of ten servers, which third-party clients search, describe and call. Three roles see different
// tools.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { clients } from "./support/clients.mjs";
import { OFFICES, startOffices } from "./support/offices.mjs";
import { tokensVariable } from "./support/tokens.mjs";
import { startWorkers } from "./support/workerd.mjs";

const { encode } = createRequire(new URL("tokenizer/package.json", import.meta.url))("gpt-tokenizer");
const LISTED = ["search_tools", "describe_tools", "call_read_only_tool", "call_tool", "chat_get_status"];
const ROLES = { guest: 800, staff: 900, admin: 1000 };
const UNKNOWN = "Unknown tool: billing_refund_invoice";

let offices;
let workers;
before(async () => {
  offices = await startOffices();
  const config = {
    server: { name: "offices" },
    upstreams: OFFICES.map((name) => ({ name, url: offices.url(name), prefix: `${name}_`, prefixAll: true })),
    rules: [
      ...OFFICES.map((name) => ({ match: `server:${name}`, groups: [name] })),
      { match: "name:refund_*", tags: ["staff"] },
      { match: "name:delete_*", tags: ["admin"] },
    ],
    policies: [
      { name: "admin", show: "-tag:admin or claim.role:admin" },
      { name: "staff", show: "-tag:staff or claim.role:staff or claim.role:admin" },
    ],
    disclosure: { mode: "search", always: "name:get_status or name:chat_get_status" },
  };
  const people = Object.fromEntries(Object.keys(ROLES).map((role) => [`${role}-token`, { sub: role, role }]));
  const again = OFFICES.map((name) => ({
    name: `old-${name}`,
    url: offices.url(name),
    prefix: `old_${name}_`,
    prefixAll: true,
  }));
  const upstreams = [...config.upstreams, ...again];
  const groups = upstreams.map(({ name }) => ({ match: `server:${name}`, groups: [name] }));
  workers = await startWorkers([
    { name: "offices", config, env: { SIEVE_TOKENS: tokensVariable(people) } },
    { name: "twice", config: { upstreams, rules: groups, disclosure: { mode: "auto" } } },
  ]);
});
after(async () => {
  await workers?.stop();
  await offices?.stop();
});

const steps = [
  { tool: "search_tools", args: { query: "refund an invoice", limit: 3 } },
  { tool: "describe_tools", args: { names: ["billing_refund_invoice"] } },
  { tool: "call_tool", args: { name: "billing_refund_invoice", arguments: { id: 7 } } },
  { tool: "call_read_only_tool", args: { name: "billing_get_invoice", arguments: { id: 7 } } },
];

for (const [name, { task }] of Object.entries(clients)) {
  describe(name, { skip: !task && "its peer makes one call a run" }, () => {
    for (const role of Object.keys(ROLES)) {
      test(`searches, describes and calls as ${role}`, async () => {
        const todo = { token: `${role}-token`, steps, answer: { reason: "broken" } };
        const { names, answers, asked } = await task(`${workers.urls.offices}/mcp`, todo);
        assert.deepEqual(names, LISTED);
        const [found, described, called, read] = answers;
        const tools = JSON.parse(found).tools.map(({ name }) => name);
        assert.equal(read, 'billing: get_invoice {"id":7}');
        if (role === "guest") {
          assert.ok(!tools.some((tool) => tool.includes("refund")), `${tools}`);
          assert.deepEqual(JSON.parse(described).tools, []);
          assert.match(called, new RegExp(UNKNOWN));
          return;
        }
        assert.equal(tools[0], "billing_refund_invoice");
        assert.equal(JSON.parse(described).tools[0].inputSchema.required[0], "id");
        // The Inspector's command line cannot answer a question.
        if (name.startsWith("Inspector")) return assert.match(called, /elicitation/i);
        assert.equal(called, 'billing: refund_invoice {"id":7}, accept: broken');
        assert.equal(asked, 1);
      });
    }
  });
}

/** Returns the result of a method of the stateless revision. */
async function ask(url, method, token, query = "") {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const response = await fetch(`${url}/mcp${query}`, {
    method: "POST",
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      "Content-Type": "application/json",
      Accept: "application/json",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": method,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { _meta: meta } }),
  });
  return (await response.json()).result;
}

test("the instructions count the tools that each role sees", async () => {
  for (const [role, count] of Object.entries(ROLES)) {
    const { instructions } = await ask(workers.urls.offices, "server/discover", `${role}-token`);
    assert.match(instructions, new RegExp(`^This server has ${count} tools`));
    assert.match(instructions, new RegExp(`billing \\(${count / 10}\\)`));
  }
});

test("the list of 2,000 tools takes at most 2,500 tokens, instructions included", async () => {
  const { tools } = await ask(workers.urls.twice, "tools/list");
  const { instructions } = await ask(workers.urls.twice, "server/discover");
  assert.match(instructions, /^This server has 2000 tools/);
  const count = encode(JSON.stringify(tools)).length + encode(instructions).length;
  assert.ok(tools.length === 4 && count <= 2_500, `${tools.length} tools in ${count} tokens`);
});

test("the page states the tokens of the lists of both modes", async () => {
  const page = readFileSync(new URL("../docs/disclosure.md", import.meta.url), "utf8");
  const [, ...stated] = /tools of `search` take some (\d+) tokens, the five of `groups` some (\d+)/.exec(page);
  for (const [place, mode] of ["search", "groups"].entries()) {
    const { tools } = await ask(workers.urls.twice, "tools/list", undefined, `?disclosure=${mode}`);
    const count = encode(JSON.stringify(tools)).length;
    assert.ok(Math.abs(count - stated[place]) < 10, `${mode}: ${count} tokens, the page says ${stated[place]}`);
  }
});
