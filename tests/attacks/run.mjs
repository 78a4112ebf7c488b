// `make attack`: runs every class at full size, prints the table and writes it into README.md. `node
// tests/attacks/run.mjs NAME…` runs only the named classes and writes nothing. `SEED` repeats a run, `SIZE=small`
// shortens it.
import { readFileSync, writeFileSync } from "node:fs";
import { loadClasses, play, report, table } from "./runner.mjs";
import { setStage } from "./stage.mjs";

const readme = new URL("README.md", import.meta.url);
const BETWEEN = /(<!-- figures -->\n)[^]*(<!-- end -->)/;
const seed = Number(process.env.SEED || Math.floor(Math.random() * 2 ** 32));
const size = process.env.SIZE === "small" ? 0 : 1;
const wanted = process.argv.slice(2);

const classes = (await loadClasses()).filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const results = [];
const stage = setStage();
console.log(`seed ${seed}`);
try {
  for (const each of classes) {
    const result = await play(each, stage, size, seed);
    results.push(result);
    console.log(
      `${result.failures.length === 0 ? "held  " : "BROKEN"} ${result.name}: ${result.held} of ${result.attempts}, ${result.controls} controls, ${result.seconds.toFixed(1)} s`,
    );
    if (result.failures.length > 0) console.log(report(result, seed));
  }
} finally {
  await stage.stop();
}
const total = results.reduce((sum, { attempts }) => sum + attempts, 0);
const figures = `${table(results)}\n\n${total} attempts, seed ${seed}.\n`;
console.log(`\n${figures}`);
if (wanted.length === 0 && size === 1) {
  writeFileSync(
    readme,
    readFileSync(readme, "utf8").replace(BETWEEN, (_, before, behind) => `${before}${figures}${behind}`),
  );
}
process.exitCode = results.some(({ failures }) => failures.length > 0) ? 1 : 0;
