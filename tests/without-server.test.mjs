// The shipped Worker before it is configured: it serves no tools, and explains to clients, the operator and visitors
// what is missing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ask } from "./support/raw-client.mjs";
import { digest } from "./support/tokens.mjs";
import { startWorkers } from "./support/workerd.mjs";

const EXPLAINED =
  /^no MCP server is configured behind this gateway: .*`upstream`.*`upstreams`.*sieve\.jsonc.*UPSTREAM_URL.*docs\/configuration\.md/;
const token = "of the operator";
let workers;
before(async () => {
  const env = { SIEVE_OPERATOR: digest(token) };
  const config = { groups: [{ name: "issues" }], policies: [{ name: "p", show: "-name:secret" }] };
  workers = await startWorkers(
    [
      { name: "empty", env },
      { name: "rules", config },
    ].map((service) => ({ ...service, assets: "none", tracker: false })),
  );
});
after(() => workers?.stop());

for (const name of ["empty", "rules"]) {
  test(`${name}: every MCP request gets an error with a reason and the way to mend it`, async () => {
    for (const [method, params] of [
      ["server/discover"],
      ["tools/list"],
      ["prompts/list"],
      ["groups/list"],
      ["tools/call", { name: "list_issues", arguments: {} }],
    ]) {
      const [
        {
          message: { error },
        },
      ] = await ask(`${workers.urls[name]}/mcp`, method, params);
      assert.deepEqual([error.code, error.data], [-32603, { reason: "upstream_missing" }], method);
      assert.match(error.message, EXPLAINED, method);
    }
  });

  test(`${name}: an official client reads it in either revision`, async () => {
    for (const mode of ["auto", "legacy"]) {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
      await assert.rejects(
        client.connect(new StreamableHTTPClientTransport(new URL(`${workers.urls[name]}/mcp`))),
        ({ message }) => /no MCP server is configured/.test(message),
      );
    }
  });
}

test("a list as a plain resource and the operator's report say it by their status too", async () => {
  const rows = [
    ["/catalog/tools", 502, {}],
    ["/upstreams", 503, { authorization: `Bearer ${token}` }],
  ];
  for (const [path, expected, headers] of rows) {
    const response = await fetch(`${workers.urls.empty}${path}`, { headers });
    const { error } = await response.json();
    assert.deepEqual([response.status, error.data], [expected, { reason: "upstream_missing" }], path);
    assert.match(error.message, EXPLAINED);
  }
  assert.equal((await fetch(`${workers.urls.empty}/upstreams`)).status, 401);
});
