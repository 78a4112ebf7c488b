// The deployment as wrangler interprets it. Nothing is uploaded.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import "./support/home.mjs";
import { ask } from "./support/raw-client.mjs";
import { installTarball } from "./support/tarball.mjs";
import { startWorkers } from "./support/workerd.mjs";
import { bundleWorker } from "./support/wrangler.mjs";

const deploy = fileURLToPath(new URL("../scripts/deploy", import.meta.url));

test("wrangler accepts the deployment and bundles the module", { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "sieve-deploy-"));
  try {
    const { stdout } = await promisify(execFile)(deploy, ["--dry-run", "--outdir", folder]);
    for (const binding of [
      "env.SESSIONS (SessionObject)",
      "env.TASKS (TasksObject)",
      "env.AUDIT (AuditObject)",
      "env.ASSETS",
    ]) {
      assert.ok(stdout.includes(binding), `${binding} is not among the bindings:\n${stdout}`);
    }
    const bundle = await readdir(folder);
    assert.ok(
      bundle.some((file) => file.endsWith(".wasm")),
      `no module in ${bundle}`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Returns the deployment members of a wrangler.jsonc. */
async function read(path) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL("../scripts/deployment.mjs", import.meta.url)),
    fileURLToPath(new URL(path, import.meta.url)),
  ]);
  return JSON.parse(stdout);
}

/**
 * The newest compatibility date that workerd 1.20260426.1 accepts. wrangler 4.86 installs that workerd. It is the last
 * wrangler for Node 20, and therefore the one that npm installs there. A later date would break `wrangler dev` under
 * Node 20.
 */
const NODE_20_DATE = "2026-04-26";

test("the compatibility date is one that wrangler knows under Node 20", async () => {
  for (const path of ["../deploy/wrangler.jsonc", "../worker/wrangler.jsonc"]) {
    const { compatibility_date } = await read(path);
    assert.ok(compatibility_date <= NODE_20_DATE, `${path}: ${compatibility_date}`);
  }
});

test("the entry modules differ only in where they import the Worker from", () => {
  const text = (path) =>
    readFileSync(new URL(path, import.meta.url), "utf8").replaceAll(
      /"(\.\/build\/index\.js|\.\/index\.js|mcp-sieve\/worker)"/g,
      '"the Worker"',
    );
  const [own, template, packed] = ["../worker/worker.js", "../deploy/worker.js", "../pkg/dist/worker/worker.js"].map(
    text,
  );
  assert.deepEqual([template, packed], [own, own]);
});

test("the template deploys the packed package with its own sieve.jsonc", { timeout: 300_000 }, async () => {
  assert.deepEqual(await read("../deploy/wrangler.jsonc"), await read("../worker/wrangler.jsonc"));
  const consumer = await installTarball();
  let behind, workers;
  try {
    for (const file of ["wrangler.jsonc", "worker.js", "sieve.jsonc", ".dev.vars.example"])
      await cp(new URL(`../deploy/${file}`, import.meta.url), join(consumer.folder, file));
    // The template's configuration has no effect, so a visible rule is added.
    const file = readFileSync(join(consumer.folder, "sieve.jsonc"), "utf8");
    consumer.write(
      "sieve.jsonc",
      file.replace(
        /\n\}\s*$/,
        ',\n  // Tools that write are hidden.\n  "rules": [{ "match": "-annotation.readOnlyHint=true", "hide": true }]\n}\n',
      ),
    );
    const { stdout } = await bundleWorker(consumer, "out");
    assert.ok(stdout.includes("env.SESSIONS (SessionObject)"), stdout);
    behind = await startWorkers([{ name: "tracker", assets: "none" }]);
    workers = await startWorkers([
      {
        name: "template",
        bundle: join(consumer.folder, "out"),
        upstream: `${behind.urls.tracker}/mcp`,
        assets: "none",
      },
    ]);
    const [{ message }] = await ask(`${workers.urls.template}/mcp`, "tools/list");
    const { tools } = message.result;
    assert.ok(tools.length > 0 && tools.every(({ annotations }) => annotations.readOnlyHint), JSON.stringify(message));
  } finally {
    await workers?.stop();
    await behind?.stop();
    await consumer.remove();
  }
});

test("the template checks its configuration before it deploys", { timeout: 120_000 }, async () => {
  const { scripts } = JSON.parse(readFileSync(new URL("../deploy/package.json", import.meta.url), "utf8"));
  assert.equal(scripts.deploy, "npm run check && wrangler deploy");
  const consumer = await installTarball();
  try {
    consumer.write("package.json", JSON.stringify({ name: "template", private: true, scripts }));
    const check = () =>
      promisify(execFile)("npm", ["run", "check"], { cwd: consumer.folder }).then(
        () => ({ code: 0 }),
        (failed) => failed,
      );
    await cp(new URL("../deploy/sieve.jsonc", import.meta.url), join(consumer.folder, "sieve.jsonc"));
    assert.equal((await check()).code, 0);
    // All callers would use the operator's token.
    consumer.write(
      "sieve.jsonc",
      JSON.stringify({ upstream: { url: "https://a.example/mcp", headers: { Authorization: "Bearer ${TOKEN}" } } }),
    );
    const { code, stdout } = await check();
    assert.equal(code, 1);
    assert.match(stdout, /\[open_gateway\]/);
  } finally {
    await consumer.remove();
  }
});

test("a checkout deploys no gateway that gives its credentials to everyone", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sieve-checkout-"));
  const from = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
  try {
    for (const path of ["scripts/common", "scripts/deploy", "Cargo.toml"])
      await cp(from(path), join(folder, path), { recursive: true });
    for (const path of ["pkg", "tests"]) await symlink(from(path), join(folder, path));
    await mkdir(join(folder, "worker"));
    const upstream = { url: "https://a.example/mcp", headers: { Authorization: "Bearer ${TOKEN}" } };
    await writeFile(join(folder, "worker/sieve.jsonc"), JSON.stringify({ upstream }));
    const { code, stderr } = await promisify(execFile)(join(folder, "scripts/deploy"), ["--dry-run"]).catch((e) => e);
    assert.equal(code, 1);
    assert.match(stderr, /\[open_gateway\]/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Returns the files that `git add --all` takes, in a repository that begins with those of `files`. */
async function added(files, copied) {
  const folder = await mkdtemp(join(tmpdir(), "sieve-repository-"));
  const git = (...args) => promisify(execFile)("git", args, { cwd: folder });
  try {
    await cp(new URL(copied, import.meta.url), folder, { recursive: true });
    for (const file of files) {
      await mkdir(join(folder, dirname(file)), { recursive: true });
      await writeFile(join(folder, file), "");
    }
    await git("init", "--quiet");
    await git("add", "--all");
    return (await git("ls-files")).stdout.trim().split("\n");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("a repository of the template takes neither secrets nor what tools write", async () => {
  const made = [".dev.vars", ".dev.vars.staging", ".env", "node_modules/x/index.js", ".wrangler/state/v3/x"];
  const files = await added([...made, "package-lock.json"], "../deploy");
  assert.deepEqual(files, [
    ".dev.vars.example",
    ".gitignore",
    "package-lock.json",
    "package.json",
    "sieve.jsonc",
    "worker.js",
    "wrangler.jsonc",
  ]);
});

test("the image is built from the tarball of this folder alone", () => {
  const lines = readFileSync(new URL("../.dockerignore", import.meta.url), "utf8").split("\n");
  const patterns = lines.filter((line) => line !== "" && !line.startsWith("#"));
  // The first excludes everything, such as builds of several gigabytes and local secrets.
  assert.deepEqual(patterns, ["*", "!build/mcp-sieve-*.tgz"]);
});

test("every manifest names one version, and the registry's the package that it is of", () => {
  const json = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
  const [server, manifest, template] = [
    json("../server.json"),
    json("../pkg/package.json"),
    json("../deploy/package.json"),
  ];
  const [packed] = server.packages;
  assert.deepEqual(
    [server.version, packed.version, template.dependencies["mcp-sieve"]],
    [manifest.version, manifest.version, manifest.version],
  );
  assert.deepEqual([packed.identifier, server.name], [manifest.name, manifest.mcpName]);
  assert.ok(server.description.length <= 100);
  const docker = readFileSync(new URL("../Dockerfile", import.meta.url), "utf8");
  assert.ok(docker.includes(` /packed/${manifest.name}-${manifest.version}.tgz `));
  assert.ok(
    docker.includes(`workerd@${json("package.json").devDependencies.workerd} `) ||
      docker.includes(`workerd@${json("package.json").devDependencies.workerd}\n`),
  );
  const bases = docker.split("\n").filter((line) => line.startsWith("FROM"));
  for (const base of bases)
    assert.match(base, /^FROM \S+@sha256:[0-9a-f]{64}$/, "the content of the base image is pinned");
});

test("build and server have the same tool versions as the tests", () => {
  const { devDependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
  const tools = JSON.parse(readFileSync(new URL("../scripts/package.json", import.meta.url), "utf8")).devDependencies;
  for (const name of ["esbuild", "workerd"]) assert.equal(tools[name], devDependencies[name], name);
});
