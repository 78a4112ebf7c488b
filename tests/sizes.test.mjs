// The check of the sizes of shipped files: which growth passes, and what is recorded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { passes, recordedSizes, sizesOf } from "../scripts/size.mjs";

const sizes = (raw, gzip, brotli) => ({ raw, gzip, brotli });

test("a file may grow by three percent in each measure", () => {
  const recorded = sizes(10_000, 5_000, 4_000);
  assert.ok(passes(recorded, sizes(10_300, 5_150, 4_120)));
  assert.ok(passes(recorded, sizes(1, 1, 1)));
  assert.ok(!passes(recorded, sizes(10_301, 5_000, 4_000)));
  assert.ok(!passes(recorded, sizes(10_000, 5_000, 4_121)));
  assert.ok(!passes(undefined, recorded), "a file that is not recorded");
});

test("every file is recorded with all its measures", () => {
  const measures = Object.keys(sizesOf(Buffer.from("text")));
  for (const { name, sizes } of recordedSizes()) assert.deepEqual(Object.keys(sizes), measures, name);
});
