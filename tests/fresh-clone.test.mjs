// What a person runs in a fresh clone that has the tools of `make setup` on PATH: wasm-pack builds and tests the browser
// crate, and make packs the command. Git sees nothing new afterwards.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { cloneCommit } from "./support/clone.mjs";

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
