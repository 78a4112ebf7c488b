// The page "Where things are" lists every folder of the project, and no other.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Folders that tools build, install or write, by path (`MADE`) or by name at any depth (`NAMES`). */
const MADE = new Set([".git", ".dev", ".tools", "build", "target", "pkg/dist", "dist", "worker/build", "node_modules"]);
const NAMES = new Set(["node_modules", "build", "target", ".wrangler", "__pycache__"]);

function* foldersBelow(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory() || MADE.has(path) || NAMES.has(entry.name)) continue;
    yield path;
    yield* foldersBelow(path);
  }
}

test("the page about the folders has each of them", () => {
  const page = readFileSync(join(root, "DESIGN.md"), "utf8");
  const [section] = /## Where things are\n[^]*?(?=\n## )/.exec(page);
  const rows = [...section.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)];
  assert.deepEqual(rows.map(([, folder]) => folder).sort(), [...foldersBelow("")].sort());
  for (const [, folder, line] of rows) assert.ok(line.length <= 90, `${folder}: one line`);
});
