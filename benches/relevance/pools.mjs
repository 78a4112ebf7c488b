// Measures how well searches find the right tool among few and many others. For each question, the wanted tools and
// random others (from a fixed seed) fill a pool. Prints a section and writes it to RESULTS.md. SIEVE_DATA names the
// folder with the sets.
import { section } from "../results.mjs";
import { contenders } from "./contenders.mjs";
import { judge, meanOf } from "./quality.mjs";
import { chosen, seeded } from "./seeded.mjs";
import { intents, sets } from "./sets.mjs";

const SIZES = [30, 100, 180, Number.POSITIVE_INFINITY];
const SEED = 20_261_123;
const MEASURES = ["hit1", "hit5", "at5"];

/**
 * Returns the pools: tools in a random order, with questions that name the places of the wanted tools. Questions about
 * the same tools share a pool.
 */
function pools({ tools, questions }, size) {
  const random = seeded(SEED);
  const all = tools.map((_, at) => at);
  const byWanted = new Map();
  for (const { query, wanted } of questions) {
    const key = size < tools.length ? wanted.join() : "";
    if (!byWanted.has(key)) {
      const others = all.filter((at) => !wanted.includes(at));
      const places =
        size < tools.length
          ? chosen([...wanted, ...chosen(others, size - wanted.length, random)], size, random)
          : chosen(all, all.length, random);
      byWanted.set(key, { tools: places.map((at) => tools[at]), places, questions: [] });
    }
    const pool = byWanted.get(key);
    pool.questions.push({ query, wanted: wanted.map((at) => pool.places.indexOf(at)) });
  }
  return [...byWanted.values()];
}

function measured(pools, make) {
  const asked = pools.flatMap(({ tools, questions }) => {
    const search = make(tools);
    const rows = questions.map(({ query, wanted }) => judge(search(query, 10), wanted));
    search.free?.();
    return rows;
  });
  return MEASURES.map((key) => meanOf(asked, key).toFixed(1));
}

function rowsOf(set, compared) {
  const sizes = SIZES.filter((size) => size === Number.POSITIVE_INFINITY || size < set.tools.length);
  const made = sizes.map((size) => pools(set, size));
  return Object.entries(compared).map(([name, make], at) => {
    const cells = SIZES.map((size) => {
      const place = sizes.indexOf(size);
      return place < 0 ? "–" : measured(made[place], make).join(" / ");
    });
    console.error(`measured ${name} on ${set.name}`);
    const label = at ? "" : `${set.name}, ${set.tools.length} tools, ${set.questions.length} queries`;
    return `| ${label} | ${name} | ${cells.join(" | ")} |`;
  });
}

const folder = process.env.SIEVE_DATA;
if (!folder) throw new Error("SIEVE_DATA names no folder with sets of questions");
const compared = await contenders();
const rows = [...sets(folder), ...intents(folder)].flatMap((set) => rowsOf(set, compared));
section(
  "Search among few and many tools",
  `hit@1 / hit@5 / nDCG@5 in percent. A pool holds the wanted tools of a query and others of the same set, which a seed
chooses, the same for all searches. Equal scores are in the order of names. [relevance/README.md](relevance/README.md) describes
the sets; *intents* are phrased as models phrase them, and 70 are so few that differences below ten points say little.

| set | | pools of 30 | of 100 | of 180 | all |
|---|---|---|---|---|---|
${rows.join("\n")}
`,
);
