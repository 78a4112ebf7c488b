// `make scale`: runs every curve and every goal at full size, which takes about ten minutes. Writes a section of
// RESULTS.md, and exits with 1 if a curve bends or a goal is missed. Arguments are patterns of names to run; then the
// section is only printed.
import os from "node:os";
import { section } from "../results.mjs";
import { curves } from "./curves.mjs";
import { number } from "./figures.mjs";
import { startFleets } from "./fleet.mjs";
import { goals, holds } from "./goals.mjs";
import { MAX_RATIO, bend } from "./bend.mjs";

const patterns = process.argv.slice(2).map((pattern) => new RegExp(pattern, "i"));
const chosen = ({ name }) => patterns.length === 0 || patterns.some((pattern) => pattern.test(name));
const missed = [];

/** Returns one row for each cost of a curve. */
async function rowsOf(stage, { name, sizes, measure }) {
  const costs = [];
  for (const size of sizes) {
    console.log(`${name}: ${size}`);
    costs.push(await measure(stage, size));
  }
  return Object.keys(costs[0]).map((cost) => {
    const values = costs.map((of) => of[cost]);
    const steepest = bend(sizes, values);
    if (steepest.bends) missed.push(`${name}, ${cost}`);
    const points = sizes.map((size, at) => `${size.toLocaleString("en")}: ${number(values[at])}`).join(", ");
    return `| ${name} | ${cost} | ${points} | ${steepest.growth.toFixed(2)} |`;
  });
}

/** Returns one row for each limit of a goal. A goal that cannot be measured counts as missed. */
async function goalRows(stage, { name, run }) {
  console.log(name);
  let rows;
  try {
    rows = await run(stage);
  } catch (error) {
    missed.push(`${name}: ${error.message}`);
    return [`| ${name} | ${error.message.split("\n")[0]} | – | – | **no** |`];
  }
  return rows.map((row) => {
    if (!holds(row)) missed.push(`${name}: ${row.what}`);
    const limit = row.limit === undefined ? "–" : `${number(row.limit)} ${row.unit}`;
    const verdict = row.limit === undefined ? "–" : holds(row) ? "yes" : "**no**";
    return `| ${name} | ${row.what} | ${number(row.measured)} ${row.unit} | ${limit} | ${verdict} |`;
  });
}

const fleets = startFleets();
const [curveRows, goalTable] = [[], []];
try {
  for (const curve of curves.filter(chosen)) curveRows.push(...(await rowsOf({ fleets }, curve)));
  for (const goal of goals.filter(chosen)) goalTable.push(...(await goalRows({ fleets }, goal)));
} finally {
  fleets.stop();
}
const text = `Written by \`make scale\`. The built Worker in workerd in front of real HTTP servers on this machine, every third of them of
revision 2025-11-25; clients, servers and Worker share ${os.cpus().length} cores (${os.cpus()[0].model.trim()}). CPU time is the whole process's. A
refresh lists every server again after each of them has changed.

Cost by number; *growth* is the exponent of the steepest step: 1 where twice the number costs twice as much. At most ${MAX_RATIO} times the
cost for four times the number is an exponent of ${(Math.log(MAX_RATIO) / Math.log(4)).toFixed(2)}.

| of | cost | number: cost | growth |
|---|---|---|--:|
${curveRows.join("\n")}

Goals.

| when | what | measured | limit | holds |
|---|---|--:|--:|---|
${goalTable.join("\n")}
`;
if (patterns.length === 0) section("Under load", text);
else console.log(text);
console.log(missed.length === 0 ? "every goal holds" : `missed:\n${missed.map((line) => `  ${line}`).join("\n")}`);
if (missed.length > 0) process.exitCode = 1;
