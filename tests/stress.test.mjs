// The scenarios of tests/stress at small size: their outcomes, not their figures. Other requests are answered
// meanwhile.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { scenarios } from "./stress/scenarios.mjs";
import { setStage } from "./stress/stage.mjs";

let stage;
before(async () => {
  stage = await setStage();
});
after(() => stage?.stop());

for (const scenario of scenarios) {
  test(scenario.name(scenario.counts[0]), async () => {
    const { refused, others } = await stage.play(scenario, 0);
    assert.deepEqual(refused, [], "others are answered");
    assert.ok(others.count > 0);
  });
}
