// Measures in workerd whether response times distinguish hidden names from names that do not exist. Prints a table and
// writes it to RESULTS.md. `node benches/timing.mjs [SAMPLES] [METHOD]` sets the number of samples, or measures one
// method without writing.
import { auc, aucInterval, sampleTimes, startTimed } from "../tests/support/timing.mjs";
import { median } from "./measure.mjs";
import { section } from "./results.mjs";

const SAMPLES = Number(process.argv[2] ?? 400);
const only = process.argv[3];
/** Milliseconds that the upstream server takes to answer. */
const DELAY_MS = 2;

const timed = await startTimed({ delay: DELAY_MS });
let sampled;
try {
  const cases = timed.cases.filter(({ method }) => !only || method.includes(only));
  sampled = await sampleTimes({ ...timed, cases }, SAMPLES);
} finally {
  await timed.stop();
}
const rows = sampled.map(({ world, era, method, hidden, missing }) => {
  const [from, to] = aucInterval(hidden, missing);
  const fixed = (number) => number.toFixed(2);
  return [
    world,
    era,
    method,
    fixed(median(hidden)),
    fixed(median(missing)),
    auc(hidden, missing).toFixed(3),
    `${from.toFixed(3)} – ${to.toFixed(3)}`,
  ];
});
const table = `Milliseconds (median) of requests about something hidden and about something that does not exist, ${SAMPLES} of each in
random order, and the probability that the hidden one is slower (AUC, with the middle 95 % of a bootstrap): 0.5 where
time tells nothing. The upstream server answers after ${DELAY_MS} ms.

| Worker | revision | request | hidden | missing | AUC | interval |
|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}
`;
if (only) console.log(table);
else section("What time tells", table);
