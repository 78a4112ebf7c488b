// Simulates how much of a model's context tools need in each mode. The README lists the assumptions. Prints a section
// and writes it to RESULTS.md. SIEVE_DATA names the folder with the question sets and the catalogs.
import { chosen, seeded } from "../relevance/seeded.mjs";
import { section } from "../results.mjs";
import { PRICE, STEPS, WIDTH } from "./assumptions.mjs";
import { catalogOf, world } from "./catalogs.mjs";
import { MODES } from "./modes.mjs";
import { connected } from "./server.mjs";
import { tokensOfList } from "./tokens.mjs";

const SIZES = [50, 100, 200, 500, 2_000];
/** Number of catalogs for each size. */
const CATALOGS = Number(process.env.CATALOGS ?? 10);
/** Number of tasks for each catalog. */
const TASKS = Number(process.env.TASKS ?? 40);
const SEED = 20_261_123;
const MEASURES = ["tokens", "cold", "warm"];

/** Returns a random task over a catalog: its steps, and the groups of a filter that includes their tools. */
function taskOf({ tools, groupOf, questions }, random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const steps = Array.from({ length: 1 + Math.floor(random() * STEPS) }, () => {
    const { query, wanted } = pick(pick(questions));
    return { query, wanted, group: groupOf(wanted[0]) };
  });
  const needed = [...new Set(steps.map(({ group }) => group))];
  const others = [...new Set(tools.map(({ groups: [group] }) => group))].filter((group) => !needed.includes(group));
  return { steps, groups: [...needed, ...chosen(others, needed.length * (WIDTH - 1), random)] };
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the means of each mode over all tasks of a size. */
async function measured(from, size) {
  const random = seeded(SEED + size);
  const rows = new Map(Object.keys(MODES).map((name) => [name, []]));
  const lists = [];
  for (let turn = 0; turn < CATALOGS; turn += 1) {
    const catalog = catalogOf(from, size, random);
    const server = connected(catalog.tools);
    lists.push(tokensOfList(await server.list("disclosure=flat")));
    for (let at = 0; at < TASKS; at += 1) {
      const task = taskOf(catalog, random);
      for (const [name, mode] of Object.entries(MODES)) {
        const { conversation, found } = await mode(server, task);
        const { tokens, cold, warm, turns } = conversation;
        rows.get(name).push({ tokens, cold, warm, turns, found, steps: task.steps.length });
      }
    }
  }
  const of = (name, key) => mean(rows.get(name).map((row) => row[key]));
  console.error(`measured ${size} tools`);
  return {
    list: mean(lists),
    modes: Object.keys(MODES).map((name) => ({
      name,
      turns: of(name, "turns"),
      found: of(name, "found") / of(name, "steps"),
      ...Object.fromEntries(MEASURES.map((key) => [key, of(name, key)])),
    })),
  };
}

const count = (number) => Math.round(number).toLocaleString("en");
const change = (value, base) => {
  const percent = 100 * (value / base - 1);
  return `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(percent > -10 && percent < 10 ? 1 : 0)} %`;
};

function rowsOf(size, { list, modes }) {
  const [flat] = modes;
  return modes.map((mode) => {
    const first = mode === flat;
    const cells = MEASURES.map((key) =>
      first ? count(mode[key]) : `${count(mode[key])} (${change(mode[key], flat[key])})`,
    );
    const found = `${(100 * mode.found).toFixed(0)} %`;
    const label = first ? `${count(size)}, ${count(list)} tokens` : "";
    return `| ${label} | ${mode.name} | ${mode.turns.toFixed(1)} | ${cells.join(" | ")} | ${found} |`;
  });
}

const folder = process.env.SIEVE_DATA;
if (!folder) throw new Error("SIEVE_DATA names no folder with sets of questions");
const from = world(folder);
const lines = [];
/** Each mode that costs more than the flat list → the sizes at which it does, and how much more. */
const losses = new Map();
for (const size of SIZES) {
  const result = await measured(from, size);
  lines.push(...rowsOf(size, result));
  const [flat] = result.modes;
  for (const { name, ...mode } of result.modes) {
    const more = MEASURES.filter((key) => mode[key] > flat[key]).map((key) => `${key} ${change(mode[key], flat[key])}`);
    if (more.length > 0) losses.set(name, [...(losses.get(name) ?? []), `${count(size)} tools (${more.join(", ")})`]);
  }
}
const lost = [...losses].map(([name, where]) => `- ${name}: ${where.join(", ")}`);
section(
  "Context",
  `A simulation; no model was asked. [context/README.md](context/README.md) has its assumptions. Means of ${CATALOGS * TASKS} tasks of one to
${STEPS} steps for each size, over ${CATALOGS} catalogs of real and labelled tools. *tokens*: all tokens of all turns, input and output,
without a prompt cache. *cold* and *warm*: their price with a prompt cache, in tokens of input that is not cached (reads ${PRICE.read},
writes ${PRICE.written}, output ${PRICE.output}); a cold cache has nothing when a task begins, a warm one the list of tools. In brackets: beside the flat list.
*found*: steps whose tool was among the results that the model tried.

| tools | mode | turns | tokens | cold cache | warm cache | found |
|---|---|--:|--:|--:|--:|--:|
${lines.join("\n")}

What costs more than the flat list:

${lost.join("\n") || "- nothing"}
`,
);
