// The oldest workerd that the command is tested with. It serves one node with its sessions and logs, and refuses a cluster. All
// other tests run the version that the command fetches.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { installCommand } from "./support/command.mjs";
import "./support/home.mjs";
import { open, post } from "./support/session-client.mjs";

const OLDEST = fileURLToPath(new URL("node_modules/workerd-oldest", import.meta.url));
const { version } = JSON.parse(readFileSync(join(OLDEST, "package.json"), "utf8"));
const server = fileURLToPath(new URL("support/stdio-server.mjs", import.meta.url));
const KEY = "k".repeat(32);

test("the oldest runtime keeps a session across runs, and names the version that a cluster needs", async (t) => {
  const command = await installCommand();
  t.after(() => command.remove());
  const modules = join(command.folder, "node_modules");
  mkdirSync(modules, { recursive: true });
  symlinkSync(OLDEST, join(modules, "workerd"));
  const config = { groups: [{ name: "all" }], rules: [{ match: "name:*", groups: ["all"] }] };
  command.write(
    "sieve.json",
    JSON.stringify({ ...config, upstream: { name: "local", command: [process.execPath, server] } }),
  );
  const args = ["run", "sieve.json", "--port", "0", "--data", "data", "--json"];

  const first = command.start(args);
  t.after(() => first.stop());
  const { mcp } = JSON.parse(await first.line(/"ready"/));
  await first.line(/"server"/);
  const { headers } = await open(mcp);
  const list = (url, filter) => post(url, headers, { id: 2, method: "tools/list", params: { filter } });
  const { message } = await list(mcp, { groups: ["all"] });
  assert.ok(message.result.tools.length > 0);
  assert.deepEqual((await list(mcp, { groups: ["none"] })).message.result.tools, []);
  await first.stop();

  const second = command.start(args);
  t.after(() => second.stop());
  const again = JSON.parse(await second.line(/"ready"/));
  await second.line(/"server"/);
  assert.deepEqual((await list(again.mcp, { groups: ["all"] })).message.result.tools, message.result.tools);
  await second.stop();

  const cluster = [
    "run",
    "sieve.json",
    "--port",
    "0",
    "--cluster",
    "s3://bucket/prefix",
    "--cluster-address",
    "127.0.0.1:1",
  ];
  const refused = await command.run(cluster, { env: { SIEVE_CLUSTER_KEY: KEY } });
  assert.equal(refused.status, 2);
  assert.ok(refused.stderr.includes(`(expected ^1.20261117.1, got ${version} in `), refused.stderr);
});
