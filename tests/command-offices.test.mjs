// A thousand tools of three local servers and seven HTTP servers behind `mcp-sieve stdio`. Third-party clients search,
// describe and call over standard input and output, as three presets that see different tools.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { clients } from "./support/clients.mjs";
import { installCommand } from "./support/command.mjs";
import { OFFICES, commandOf, startOffices } from "./support/offices.mjs";

const LISTED = ["search_tools", "describe_tools", "call_read_only_tool", "call_tool", "chat_get_status"];
const LOCAL = ["billing", "chat", "forge"];
const ROLES = { guest: "-tag:staff -tag:admin", staff: "-tag:admin", admin: "name:*" };

let command;
let offices;
let file;
before(async () => {
  [command, offices] = await Promise.all([installCommand(), startOffices()]);
  command.install("workerd");
  const reached = (name) =>
    LOCAL.includes(name) ? { command: commandOf(name), capabilities: {} } : { url: offices.url(name) };
  const config = {
    upstreams: OFFICES.map((name) => ({ name, ...reached(name), prefix: `${name}_`, prefixAll: true })),
    rules: [
      { match: "name:refund_*", tags: ["staff"] },
      { match: "name:delete_*", tags: ["admin"] },
    ],
    presets: Object.entries(ROLES).map(([name, where]) => ({ name, filter: { where } })),
    disclosure: { mode: "search", always: "name:chat_get_status" },
  };
  file = command.write("offices.jsonc", JSON.stringify(config));
});
after(async () => {
  await offices?.stop();
  await command?.remove();
});

const steps = [
  { tool: "search_tools", args: { query: "refund an invoice", limit: 3 } },
  { tool: "describe_tools", args: { names: ["billing_refund_invoice"] } },
  { tool: "call_tool", args: { name: "billing_refund_invoice", arguments: { id: 7 } } },
  { tool: "call_read_only_tool", args: { name: "wiki_get_article", arguments: { id: 7 } } },
];

for (const [name, { task }] of Object.entries(clients)) {
  // The Inspector's command line sends one request per run, and starts the gateway each time.
  const skip = (!task || name.startsWith("Inspector")) && "its peer makes one call a run";
  describe(name, { skip }, () => {
    for (const role of Object.keys(ROLES)) {
      test(`searches, describes and calls as ${role}`, async () => {
        const main = join(command.package, "cli/main.js");
        const started = [process.execPath, main, "stdio", file, "--preset", role];
        const { names, answers, asked } = await task("stdio:", {
          command: started,
          steps,
          answer: { reason: "broken" },
        });
        assert.deepEqual(names, LISTED);
        const [found, described, called, read] = answers;
        const tools = JSON.parse(found).tools.map(({ name }) => name);
        assert.equal(read, 'wiki: get_article {"id":7}');
        if (role === "guest") {
          assert.ok(!tools.some((tool) => tool.includes("refund")), `${tools}`);
          assert.deepEqual(JSON.parse(described).tools, []);
          assert.match(called, /Unknown tool: billing_refund_invoice/);
          return;
        }
        assert.equal(tools[0], "billing_refund_invoice");
        assert.equal(JSON.parse(described).tools[0].inputSchema.required[0], "id");
        assert.equal(called, 'billing: refund_invoice {"id":7}, accept: broken');
        assert.equal(asked, 1);
      });
    }
  });
}
