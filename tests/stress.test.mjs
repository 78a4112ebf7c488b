// What tests/stress does at full size, small: the outcomes, not the figures. Whoever asks meanwhile is answered.
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
