// What a person runs in a fresh clone that has the tools of `make setup` on PATH: wasm-pack builds and tests the browser
// crate, make packs the command, and the commands of the README start a cluster. Git sees nothing new afterwards.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { cloneCommit } from "./support/clone.mjs";
import "./support/home.mjs";
import { freePort } from "./support/port.mjs";
import { familyOf } from "./support/process.mjs";
import { openSession, session } from "./support/raw-client.mjs";
import { until } from "./support/until.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const TARBALL = "build/mcp-sieve-0.1.0.tgz";
let clone;

before(() => {
  clone = cloneCommit();
});
after(() => clone?.remove());
afterEach(() => assert.equal(clone.changes(), ""));

/** Copies what a command made to the same place of this repository, where other tests use it. */
function keep(path) {
  const to = join(root, path);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(join(to, ".."), { recursive: true });
  cpSync(join(clone.folder, path), to, { recursive: true });
}

test("`wasm-pack build` in the root stops before it writes anything", async () => {
  await assert.rejects(clone.run("wasm-pack", ["build"]), /crate-type must be cdylib/);
  assert.ok(!existsSync(join(clone.folder, "pkg/mcp_sieve.js")));
});

test("`wasm-pack build web --target web` makes a module", async () => {
  await clone.run("wasm-pack", ["build", "web", "--target", "web"]);
  const module = await import(pathToFileURL(join(clone.folder, "web/pkg/mcp_sieve_web.js")).href);
  assert.deepEqual(Object.keys(module).sort(), [
    "Picker",
    "PreferenceStore",
    "Selection",
    "Sieve",
    "TaskFilter",
    "View",
    "default",
    "initSync",
  ]);
  keep("web/pkg");
});

test("`wasm-pack test --headless --chrome web` runs the corpus in Chromium", async () => {
  const { stdout } = await clone.run("wasm-pack", ["test", "--headless", "--chrome", "web"]);
  const [closing, passed] = /^test result: ok\. (\d+) passed.*$/m.exec(stdout) ?? assert.fail(stdout);
  console.log(closing);
  assert.ok(Number(passed) > 100, closing);
  for (const name of [
    "corpus::typed::select",
    "predicates::",
    "rank::rows",
    "middleware::rows::",
    "tasks::rows_as_objects",
  ])
    assert.match(stdout, new RegExp(`test tests::${name}.*ok$`, "m"), name);
});

test("`make package` writes one tarball", async () => {
  await clone.run("make", ["package"]);
  assert.ok(existsSync(join(clone.folder, TARBALL)));
  // `make dev` serves from the folder. The tarball is made from it, and must not be older.
  keep("build/dev");
  keep(TARBALL);
});

/** Returns the folder in which an environment of Python keeps its packages. */
function packagesOf(environment) {
  const [version] = readdirSync(join(environment, "lib"));
  return join(environment, "lib", version, "site-packages");
}

/** Returns the environment in which the three commands of the README need no registry: what they fetch is installed. */
async function withoutRegistry() {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "tests/package.json"), "utf8"));
  const cached = join(clone.env.HOME, ".cache/mcp-sieve", `workerd@${devDependencies.workerd}`, "node_modules");
  mkdirSync(cached, { recursive: true });
  symlinkSync(join(root, "tests/node_modules/workerd"), join(cached, "workerd"));
  return {
    ...clone.env,
    PORT: String(await freePort()),
    PYTHONPATH: packagesOf(join(root, ".tools/venv-moto")),
    PIP_NO_INDEX: "1",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    npm_config_offline: "true",
  };
}

test("three commands of the README start three nodes behind a balancer", { timeout: 600_000 }, async () => {
  const [, block] = /<!-- commands: cluster -->\n```console\n([^]*?)```/.exec(
    readFileSync(join(clone.folder, "README.md"), "utf8"),
  );
  const commands = [...block.matchAll(/^\$ (.+)$/gm)].map(([, line]) => line);
  assert.equal(commands.length, 3);
  const env = await withoutRegistry();
  const last = commands.pop();
  for (const line of commands) await clone.run("bash", ["-c", line], { env });

  const cluster = spawn("bash", ["-c", `exec ${last}`], { cwd: clone.folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const over = once(cluster, "exit");
  const printed = [];
  for (const output of [cluster.stdout, cluster.stderr])
    createInterface({ input: output }).on("line", (line) => printed.push(line));
  const isOver = () => cluster.exitCode !== null || cluster.signalCode !== null;
  const addressOf = (name) => new RegExp(`^  ${name} +(http:\\S+)`, "m").exec(printed.join("\n"))?.[1];
  let family = [];
  try {
    await until(
      () => isOver() || addressOf("balancer"),
      () => printed.join("\n"),
      { within: 120_000 },
    );
    assert.ok(addressOf("balancer"), printed.join("\n"));
    family = familyOf(cluster.pid);
    // A session of the balancer is one of every node.
    const headers = await openSession(addressOf("balancer"));
    assert.equal(new URL(addressOf("balancer")).port, env.PORT);
    for (const name of ["node1", "node2", "node3"]) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
      const response = await fetch(addressOf(name), { method: "POST", headers, body });
      assert.match(await response.text(), /"echo"/, name);
    }
    const ask = await session(addressOf("balancer"));
    const [{ message }] = await ask("tools/call", { name: "add", arguments: { a: 1, b: 2 } });
    assert.equal(message.result.content[0].text, "3");
  } finally {
    // The processes end with it, however it ends: three nodes with their runtimes, the store, the tools and the balancer.
    cluster.kill("SIGKILL");
    await over;
  }
  assert.ok(family.length >= 10, family.join());
  const left = () => family.filter((pid) => existsSync(`/proc/${pid}`));
  await until(
    () => left().length === 0,
    () => `the processes ${left().join()} are still there`,
  );
});
