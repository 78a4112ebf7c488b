// What would be deployed, as wrangler itself sees it; nothing is sent.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { installTarball } from "./support/tarball.mjs";

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

/** A wrangler.jsonc as it is meant. */
async function read(path) {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(new URL("../scripts/deployment.mjs", import.meta.url)), fileURLToPath(new URL(path, import.meta.url))]);
  return JSON.parse(stdout);
}

test("the template deploys the packed package, bound to what the Worker is", { timeout: 300_000 }, async () => {
  assert.deepEqual(await read("../deploy/wrangler.jsonc"), await read("../worker/wrangler.jsonc"));
  const consumer = await installTarball();
  try {
    for (const file of ["wrangler.jsonc", ".dev.vars.example"]) await cp(new URL(`../deploy/${file}`, import.meta.url), join(consumer.folder, file));
    const bin = (path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
    const { stdout } = await promisify(execFile)(bin(".bin/node"), [bin("wrangler/bin/wrangler.js"), "deploy", "--dry-run", "--outdir", "out"], {
      cwd: consumer.folder, env: { ...process.env, HOME: consumer.folder, XDG_CONFIG_HOME: consumer.folder, WRANGLER_SEND_METRICS: "false", CI: "true" },
    });
    assert.ok(stdout.includes("env.SESSIONS (SessionObject)"), stdout);
    assert.ok((await readdir(join(consumer.folder, "out"))).some((file) => file.endsWith(".wasm")));
  } finally {
    await consumer.remove();
  }
});

test("every manifest names one version, and the registry's the package that it is of", () => {
  const json = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
  const [server, manifest, template] = [json("../server.json"), json("../pkg/package.json"), json("../deploy/package.json")];
  const [packed] = server.packages;
  assert.deepEqual([server.version, packed.version, template.dependencies["mcp-sieve"]], [manifest.version, manifest.version, manifest.version]);
  assert.deepEqual([packed.identifier, server.name], [manifest.name, manifest.mcpName]);
  assert.ok(server.description.length <= 100);
  const docker = readFileSync(new URL("../Dockerfile", import.meta.url), "utf8");
  assert.ok(docker.includes(`ARG PACKAGE=${manifest.name}@${manifest.version}\n`));
  assert.ok(docker.includes(`workerd@${json("package.json").devDependencies.workerd} `) || docker.includes(`workerd@${json("package.json").devDependencies.workerd}\n`));
});
