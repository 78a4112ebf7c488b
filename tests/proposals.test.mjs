// docs/proposals.md matches the rows of tests/fixtures/proposals.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { proposals } from "../scripts/proposals.mjs";

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test("the page about the proposals is generated from the rows", () => {
  assert.equal(read("docs/proposals.md"), proposals(), "run `node scripts/proposals.mjs`");
});
