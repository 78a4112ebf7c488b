// Type checks of the JavaScript of the package, the page and the Worker, against the types written by hand in pkg/types
// and those that TypeScript infers.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import "./support/home.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));

test("every source asks to be checked", async () => {
  const { stdout } = await run(
    "git",
    [
      "ls-files",
      "pkg/*.js",
      "web/page/*.js",
      "worker/durable.js",
      "worker/entry.js",
      "worker/response.js",
      "worker/fetch.js",
      "worker/oauth/*.js",
      "worker/object.js",
      "worker/pieces.js",
      "worker/plan.js",
    ],
    {
      cwd: root,
    },
  );
  const files = stdout.split("\n").filter(Boolean);
  assert.ok(files.length > 90);
  const unchecked = files.filter((file) => !/^(#!.*\n)?\/\/ @ts-check\n/.test(readFileSync(`${root}${file}`, "utf8")));
  assert.deepEqual(unchecked, []);
});

test("TypeScript finds nothing wrong in them", async () => {
  const tsc = fileURLToPath(new URL("node_modules/.bin/tsc", import.meta.url));
  const { stdout } = await run(tsc, ["--project", "tests/jsconfig.json"], { cwd: root }).catch((failed) => failed);
  assert.equal(stdout, "");
});
