// A throw-away clone has the files of the current commit and the tools of this repository, and git sees nothing new.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { cloneCommit } from "./support/clone.mjs";
import "./support/home.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
const isClean = git("status", "--porcelain") === "";
let clone;

before(() => {
  clone = cloneCommit();
});
after(() => clone?.remove());

test("a clone is the current commit, and links to tools are no change", async () => {
  assert.equal((await clone.run("git", ["rev-parse", "HEAD"])).stdout, git("rev-parse", "HEAD"));
  assert.ok(lstatSync(join(clone.folder, "tests/node_modules")).isSymbolicLink());
  assert.equal(clone.changes(), "");
  writeFileSync(join(clone.folder, "new.txt"), "");
  assert.equal(clone.changes(), "?? new.txt\n");
});

test("programs in a clone have a home of its own, and cargo builds where it cannot mix two states", async () => {
  const { stdout } = await clone.run("sh", ["-c", 'printf "%s\\n%s" "$HOME" "$CARGO_TARGET_DIR"']);
  const [home, target] = stdout.split("\n");
  assert.ok(existsSync(home) && home !== process.env.HOME);
  const { target_directory: shared } = JSON.parse(
    execFileSync("cargo", ["metadata", "--no-deps", "--format-version", "1"], { cwd: root, encoding: "utf8" }),
  );
  if (isClean) {
    assert.equal(target, shared);
    // Cargo compiles again what is newer than the last build.
    const time = (folder) => Math.floor(statSync(join(folder, "src/lib.rs")).mtimeMs / 1000);
    assert.equal(time(clone.folder), time(root));
  } else assert.ok(target.startsWith(join(clone.folder, "..")), target);
});

test("a clone is removed with all that is in it", () => {
  const other = cloneCommit();
  other.remove();
  assert.ok(!existsSync(other.folder));
});
