// Compares the search with other searches by words: its quality on the sets in the folder that SIEVE_DATA names, and
// its speed with 10,000 tools. Prints a section and writes it to RESULTS.md.
import { readFileSync } from "node:fs";
import { Sieve } from "../../pkg/loaders/node.js";
import { initSync } from "../../pkg/dist/sieve.js";
import { catalog } from "../generate.mjs";
import { median, race } from "../measure.mjs";
import { section } from "../results.mjs";
import { contenders } from "./contenders.mjs";
import { quality, sure } from "./quality.mjs";
import { catalogs, sets } from "./sets.mjs";

const TOOLS = 10_000;
const BUILDS = 5;
/** Minimum score of a reliable result, equal to `rank::SURE`. */
const SURE = 700;
const QUERIES = [
  "weather",
  "create an issue",
  "send a message to a channel",
  "current stock price of a company",
  "convert a markdown document to pdf",
  "search the web for recent news about space travel",
  "find flights and a cheap hotel in Lisbon for next weekend and put the trip into my calendar",
  "calender reminder for the standup meetting",
];

const folder = process.env.SIEVE_DATA;
const { memory } = initSync({ module: readFileSync(new URL("../../pkg/dist/sieve_bg.wasm", import.meta.url)) });
const utf8 = new TextEncoder();
const {
  devDependencies: { minisearch: version },
} = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const compared = await contenders();
const plain = compared["BM25, plain"];
const minisearch = compared.minisearch ?? compared["minisearch's formula"];
const count = (number) => Math.round(number).toLocaleString("en");

function found() {
  if (!folder) return "`SIEVE_DATA` named no folder: how well was not measured.";
  const rows = sets(folder).flatMap((set) => {
    return Object.entries(compared).map(([name, make], at) => {
      const [tuning, judging] = quality(set, make(set.tools));
      const cells = Object.keys(tuning).map((key) => `${tuning[key].toFixed(1)} / ${judging[key].toFixed(1)}`);
      return `| ${at ? "" : `${set.name}, ${set.tools.length} tools, ${count(set.questions.length)} queries`} | ${name} | ${cells.join(" | ")} |`;
    });
  });
  return `| set | | nDCG@5 | nDCG@10 | hit@1 | hit@3 |\n|---|---|---|---|---|---|\n${rows.join("\n")}\n\n${relied()}`;
}

/** Returns a table of the results with at least the score `SURE`, and the share of them that is right. */
function relied() {
  const rows = sets(folder).map((set) => {
    const search = compared.ours(set.tools);
    const cells = sure(set, search.scored, SURE).map(
      ({ count, right }) => `${count} | ${count ? ((100 * right) / count).toFixed(1) : "–"}`,
    );
    search.free();
    return `| ${set.name} | ${cells.join(" | ")} |`;
  });
  return `Results of ours with a score of ${SURE} or more, and how many percent of them are wanted:

| set | tuning half | wanted, % | judging half | wanted, % |
|---|---|---|---|---|
${rows.join("\n")}`;
}

/** Returns `TOOLS` tools with unique names: copies of real tools if there are any, otherwise generated ones. */
function many() {
  const bodies = folder ? catalogs(folder) : [];
  if (bodies.length === 0) return catalog(TOOLS).tools;
  return Array.from({ length: TOOLS }, (_, at) => {
    const body = bodies[at % bodies.length];
    return { ...body, name: `${body.name}_${Math.floor(at / bodies.length)}` };
  });
}

function fast() {
  const tools = many();
  const bytes = utf8.encode(JSON.stringify({ tools }));
  const times = { parse: [], plain: [], mini: [], ours: [] };
  const timed = (name, run) => {
    const start = performance.now();
    const result = run();
    times[name].push(performance.now() - start);
    return result;
  };
  let grown = 0;
  let kept;
  for (let turn = 0; turn < BUILDS; turn += 1) {
    timed("parse", () => JSON.parse(new TextDecoder().decode(bytes)));
    const [bm25, mini] = [timed("plain", () => plain(tools)), timed("mini", () => minisearch(tools))];
    const sieve = Sieve.compile(bytes);
    const before = memory.buffer.byteLength;
    // The first search builds the index.
    timed("ours", () => sieve.search("weather"));
    grown = Math.max(grown, memory.buffer.byteLength - before);
    kept?.sieve.free();
    kept = { sieve, bm25, mini };
  }
  const { sieve, bm25, mini } = kept;
  const rows = QUERIES.map((query) => {
    const lanes = race(
      { bm25: () => bm25(query, 10), mini: () => mini(query, 10), ours: () => sieve.search(query) },
      5,
    );
    return `| ${query} | ${count(lanes.bm25)} | ${count(lanes.mini)} | ${lanes.ours.toFixed(1)} | ${count(lanes.mini / lanes.ours)}× |`;
  });
  const ms = Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values).toFixed(0)]));
  return `${count(tools.length)} tools, ${count(bytes.length)} bytes of JSON, which \`JSON.parse\` reads in ${ms.parse} ms. To index it took plain BM25
${ms.plain} ms, minisearch ${ms.mini} ms, ours ${ms.ours} ms (the first search, names, descriptions and schemas); the memory grew by
${count(grown)} bytes, ${((100 * grown) / bytes.length).toFixed(0)} % of the JSON, what the index was made in included.

| query, the best ten, µs | BM25, plain | minisearch | ours | minisearch ÷ ours |
|---|---|---|---|---|
${rows.join("\n")}`;
}

// Speed comes first, while the engine's memory is small: otherwise memory that an index adds would not show.
const speed = fast();
section(
  "Search",
  `Plain BM25: words as they are written, names and descriptions, k1 = 1.2, b = 0.75. Tuned: names split, common words
left out, plurals cut, the name twice, parameters too, k1 = 0.9, b = 0.4. Strong: these words and their pieces of four
letters, the name three times, k1 = 1.2, b = 0.5. minisearch ${version}: names twice, prefixes, slips.
Equal scores are in the order of names. Figures are those of the tuning half / the judging half. [relevance/README.md](relevance/README.md) describes the sets.

${found()}

${speed}
`,
);
