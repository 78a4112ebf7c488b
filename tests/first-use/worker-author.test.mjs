// The author of a JavaScript Worker: the README's snippet from the packed tarball, as the edge runs it, in two isolates
// in turn.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { OBJECTS, bundle } from "../support/bundle.mjs";
import { clients } from "../support/clients.mjs";
import { roundRobin } from "../support/round-robin.mjs";
import { installTarball } from "../support/tarball.mjs";
import { startWorkers } from "../support/workerd.mjs";

const KEY = "a key that every isolate shares, 32 bytes";
/** Paths at which most handlers would serve MCP too. */
const ELSEWHERE = ["/", "/MCP", "/mcpx", "/%6dcp", "//mcp", "/sse", "/api/mcp", "/favicon.ico"];

let consumer, workers, proxy;
before(async () => {
  consumer = await installTarball();
  const [, snippet] = /<!-- snippet: worker -->\n```ts\n([^]*?)```/.exec(
    readFileSync(join(consumer.package, "README.md"), "utf8"),
  );
  const build = await bundle(consumer, "shop", `${snippet}${OBJECTS}`);
  const isolate = (name) => ({ name, hosts: null, assets: "none", build, key: KEY, kv: { MCP_SESSIONS: "sessions" } });
  workers = await startWorkers([isolate("one"), isolate("two")]);
  proxy = await roundRobin([workers.urls.one, workers.urls.two]);
});
after(async () => {
  proxy?.stop();
  await workers?.stop();
  await consumer?.remove();
});

for (const [name, { use }] of Object.entries(clients)) {
  test(`${name}: members of staff see and call more than strangers`, async () => {
    const as = (token) => use(`${proxy.url}/mcp`, { token, tool: "cancel_order", args: {} });
    const [staff, stranger] = [await as("letmein"), await as("something else")];
    assert.deepEqual([staff.names, staff.answer], [["list_orders", "cancel_order"], "done"]);
    assert.deepEqual(stranger.names, ["list_orders"]);
    assert.match(stranger.answer, /Unknown tool: cancel_order|not found/i);
  });
}

describe("other paths", () => {
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "cancel_order",
      arguments: {},
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  };
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "cancel_order",
  };
  for (const path of ELSEWHERE) {
    test(`${path} is not found`, async () => {
      const response = await fetch(`${proxy.url}${path}`, { method: "POST", headers, body: JSON.stringify(call) });
      assert.equal(response.status, 404);
      assert.doesNotMatch(await response.text(), /done/);
    });
  }
});

test("nothing is warned of", () => {
  assert.doesNotMatch(workers.log(), /\b(?:key|sessions): set the/);
});
