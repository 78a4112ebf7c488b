// Every class of attack at small size. The table at the end shows how many attempts each class made, and how many of
// them failed.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { loadClasses, play, report, table } from "./attacks/runner.mjs";
import { setStage } from "./attacks/stage.mjs";

const SMALL = 0;
/** Number of classes that run at the same time. A class that measures time or memory runs alone. */
const TOGETHER = 3;
/** A fixed seed, so that every build makes the same attempts. `make attack` draws a random one. */
const seed = Number(process.env.SEED ?? 1);
const classes = await loadClasses();
const results = [];
let stage;
before(() => {
  stage = setStage();
});
after(async () => {
  await stage.stop();
  console.log(`\n${table(results)}`);
});

async function run(each) {
  const result = await play(each, stage, SMALL, seed);
  results.push(result);
  assert.equal(result.failures.length, 0, report(result, seed));
}

describe("attacks that run together", { concurrency: TOGETHER }, () => {
  for (const each of classes.filter(({ alone }) => !alone)) test(each.description, () => run(each));
});
describe("attacks that measure", () => {
  for (const each of classes.filter(({ alone }) => alone)) test(each.description, () => run(each));
});
