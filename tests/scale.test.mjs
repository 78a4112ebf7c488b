// The measurements of benches/scale at small size: costs grow no faster than linearly, and requests to the servers are
// minimal. Costs are CPU time and requests, so that a busy machine does not matter.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MAX_RATIO } from "../benches/scale/bend.mjs";
import { curves } from "../benches/scale/curves.mjs";
import { startFleets } from "../benches/scale/fleet.mjs";
import { counted } from "../benches/scale/goals.mjs";

/** Number of measurements. A cost fails the test only if it grows too fast in all of them. */
const MEASUREMENTS = 3;

let fleets;
before(() => {
  fleets = startFleets();
});
after(() => fleets?.stop());

/** Returns the costs whose ratio between two sizes is too high, by name. */
async function tooSteep({ quick, measure }) {
  const stage = { fleets, quick: true };
  const [few, many] = [await measure(stage, quick[0]), await measure(stage, quick[1])];
  const costs = Object.keys(few).filter((cost) => many[cost] > few[cost] * MAX_RATIO);
  const text = (cost) => `${few[cost].toFixed(2)} for ${quick[0]}, ${many[cost].toFixed(2)} for ${quick[1]}`;
  return Object.fromEntries(costs.map((cost) => [cost, text(cost)]));
}

for (const curve of curves) {
  test(`costs by the number of ${curve.name}`, async () => {
    // A busy machine may disturb a measurement, but a real excess shows every time.
    let steep = Object.entries(await tooSteep(curve));
    for (let again = 1; again < MEASUREMENTS && steep.length > 0; again += 1) {
      const found = await tooSteep(curve);
      steep = steep.filter(([cost]) => cost in found);
    }
    assert.deepEqual(steep, [], `at most ${MAX_RATIO} times the cost for four times the number`);
  });
}

for (const { name, run } of counted) {
  test(name, async () => {
    for (const { what, measured, limit } of await run({ fleets }, { quick: true })) {
      assert.ok(measured <= limit, `${what}: ${measured}, at most ${limit}`);
    }
  });
}
