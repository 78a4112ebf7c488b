// Compares the Worker in workerd with what others would write. Prints the results and writes them to RESULTS.md. Arguments select
// parts, or sizes of lists: `node benches/edge.mjs 1000` and `node benches/edge.mjs memory` only print. `calls` alone is a whole
// section, and is written. `BEFORE=folder` names an older build of the Worker (`worker/build`) as a further contender.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { calls } from "./edge/calls.mjs";
import { delay } from "./edge/delay.mjs";
import { lists } from "./edge/lists.mjs";
import { memory } from "./edge/memory.mjs";
import { section } from "./results.mjs";

const wanted = process.argv.slice(2);
const sizes = wanted.map(Number).filter(Number.isInteger);
/** The parts that are sections of RESULTS.md. */
const SECTIONS = {
  lists: ["At the edge", lists],
  calls: [
    "Calls at the edge",
    async (folder) => [await calls(folder), await memory(folder), await delay(folder)].join("\n"),
  ],
};
/** Parts of a section, which are only printed. */
const PARTS = { memory, delay };

const folder = mkdtempSync(join(tmpdir(), "sieve-edge-"));
try {
  if (sizes.length > 0) console.log(await lists(folder, sizes));
  for (const [name, [title, measure]] of Object.entries(SECTIONS)) {
    if (wanted.length === 0 || wanted.includes(name)) section(title, await measure(folder));
  }
  for (const [name, measure] of Object.entries(PARTS)) if (wanted.includes(name)) console.log(await measure(folder));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
