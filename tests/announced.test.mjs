// Lists of a Worker's own server that are kept for a minute: a change that its author announces shows at once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { startWorker } from "./support/workerd.mjs";

let worker;
before(async () => {
  worker = await startWorker({ build: fileURLToPath(new URL("conformance/worker/build", import.meta.url)) });
});
after(() => worker?.stop());

test("a client that hears of a change lists it", { timeout: 60_000 }, async () => {
  const client = new Client({ name: "announced", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(worker.mcp)));
  const listed = async () => (await client.listTools()).tools.some(({ name }) => name === "test_changing_tool");
  let changed;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed());
  assert.equal(await listed(), false);
  for (const there of [true, false]) {
    const heard = new Promise((resolve) => {
      changed = resolve;
    });
    await client.callTool({ name: "test_trigger_tool_change", arguments: {} });
    await heard;
    assert.equal(await listed(), there);
  }
  await client.close();
});
