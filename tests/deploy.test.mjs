// What would be deployed, as wrangler itself sees it; nothing is sent.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const deploy = fileURLToPath(new URL("../scripts/deploy", import.meta.url));

test("wrangler accepts the deployment and bundles the module", { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "sieve-deploy-"));
  try {
    const { stdout } = await promisify(execFile)(deploy, ["--dry-run", "--outdir", folder]);
    for (const binding of ["env.SESSIONS (SessionObject)", "env.TASKS (TasksObject)", "env.TRACKER (TrackerObject)", "env.ASSETS"]) {
      assert.ok(stdout.includes(binding), `${binding} is not among the bindings:\n${stdout}`);
    }
    const bundle = await readdir(folder);
    assert.ok(bundle.some((file) => file.endsWith(".wasm")), `no module in ${bundle}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
