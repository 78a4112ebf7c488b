// Distinguishes hidden names from missing ones by the time that a rejection takes.
import { auc, sampleTimes, startTimed } from "../../support/timing.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "hidden and missing items told apart by response time";
/** Measures time or memory, so no other class may run meanwhile. */
export const alone = true;

const SAMPLES = [40, 300];
/**
 * Maximum difference of the area under the curve from one half. Chance is added: four standard deviations for that many
 * samples.
 */
const MARGIN = 0.06;
const chance = (count) => 4 * Math.sqrt((2 * count + 1) / (12 * count * count));

export async function* attempt(stage, size) {
  const samples = SAMPLES[size];
  const timed = await startTimed();
  stage.defer(() => timed.stop());
  const most = MARGIN + chance(samples);
  // The difference that a longer body makes is detected, so that of a lookup would be too.
  const [{ pairs, ...about }] = timed.cases;
  const long = ({ missing, ids }) => ({
    missing,
    hidden: { ...missing, body: missing.body.replace(/\}$/, `${" ".repeat(1024 * 1024)}}`) },
    ids,
  });
  const [seen] = await sampleTimes({ ...timed, cases: [{ ...about, pairs: pairs.map(long) }] }, samples);
  yield control(
    "a body of 1 MB is told from a short one",
    Math.abs(auc(seen.hidden, seen.missing) - 0.5) > most,
    auc(seen.hidden, seen.missing),
  );
  for (const { world, era, method, hidden, missing } of await sampleTimes(timed, samples)) {
    const area = auc(hidden, missing);
    yield tried(
      `${world}, ${era}: ${method}, ${samples} samples of each`,
      Math.abs(area - 0.5) <= most,
      `AUC ${area.toFixed(3)}`,
    );
  }
}
