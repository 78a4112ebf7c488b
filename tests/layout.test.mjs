// The page "Where things are" lists every folder of the project, and no other.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import "./support/home.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Folders that tools build, install or write, by path (`MADE`) or by name at any depth (`NAMES`). */
const MADE = new Set([
  ".git",
  ".dev",
  ".tools",
  "build",
  "target",
  "pkg/dist",
  "web/pkg",
  "dist",
  "worker/build",
  "node_modules",
]);
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

/** The targets of `make` that run installed tools, and the installation that is enough for each. */
const INSTALLS = {
  "scripts/setup dev": ["dev", "package"],
  "scripts/setup test": [
    "test",
    "lint",
    "stress",
    "scale",
    "ceilings",
    "attack",
    "misbehaving",
    "quality",
    "bench",
    "instructions",
    "picture",
  ],
  "scripts/setup-npm tools": ["fmt", "deploy"],
};

test("each target of make installs the tools that it runs", () => {
  for (const [install, targets] of Object.entries(INSTALLS))
    for (const target of targets) {
      const lines = execFileSync("make", ["--dry-run", target], { cwd: root, encoding: "utf8" }).split("\n");
      assert.ok(lines.includes(install), `make ${target}: expected \`${install}\` in\n${lines.join("\n")}`);
    }
});

test("scripts take what cargo built from the folder that CARGO_TARGET_DIR names", () => {
  const folder = (environment) => {
    const script = '. scripts/common; printf %s "$target_dir"';
    const { CARGO_TARGET_DIR: _, ...rest } = process.env;
    return execFileSync("bash", ["-c", script], { cwd: root, encoding: "utf8", env: { ...rest, ...environment } });
  };
  assert.deepEqual(
    [folder({}), folder({ CARGO_TARGET_DIR: "elsewhere" }), folder({ CARGO_TARGET_DIR: "/elsewhere" })],
    [join(root, "target"), join(root, "elsewhere"), "/elsewhere"],
  );
  for (const name of readdirSync(join(root, "scripts"), { withFileTypes: true }).filter((entry) => entry.isFile()))
    assert.doesNotMatch(readFileSync(join(root, "scripts", name.name), "utf8"), /(?<!_dir\/)target\/wasm32/, name.name);
});
