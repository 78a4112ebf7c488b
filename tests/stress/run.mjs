// `make stress`: runs every scenario at full size, prints the table and writes it into README.md.
import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { scenarios } from "./scenarios.mjs";
import { setStage } from "./stage.mjs";

const readme = new URL("README.md", import.meta.url);
const BETWEEN = /(<!-- figures -->\n)[^]*(<!-- end -->)/;
const ms = (number) => (number < 10 ? number.toFixed(1) : Math.round(number));

const rows = [
  "| scenario | outcome | s | other requests | median ms | 99 % | worst | memory before → peak, MB |",
  "|---|---|--:|--:|--:|--:|--:|--:|",
];
const stage = await setStage();
try {
  for (const scenario of scenarios) {
    const name = scenario.name(scenario.counts[1]);
    console.log(name);
    const { outcome, refused, seconds, others, memory } = await stage.play(scenario, 1);
    if (refused.length > 0) throw new Error(`${name}: others were refused: ${JSON.stringify(refused[0])}`);
    const figures = [seconds.toFixed(1), others.count, ms(others.median), ms(others.late), ms(others.worst)];
    rows.push(
      `| ${name} | ${outcome} | ${figures.join(" | ")} | ${Math.round(memory.before)} → ${Math.round(memory.peak)} |`,
    );
  }
} finally {
  await stage.stop();
}
const machine = `${os.cpus().length} cores (${os.cpus()[0].model.trim()}), shared with other processes`;
const table = `${rows.join("\n")}\n\nOn ${machine}.\n`;
console.log(`\n${table}`);
writeFileSync(
  readme,
  readFileSync(readme, "utf8").replace(BETWEEN, (_, before, behind) => `${before}${table}${behind}`),
);
