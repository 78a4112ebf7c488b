// Runs the corpus in the current runtime, with the package installed in its own project. Prints the number of rows that
// ran for each file, and the rows that failed. The runners are outside the project, so their URL is an argument.
import * as api from "mcp-sieve";
import * as context from "mcp-sieve/middleware";
import * as command from "./node_modules/mcp-sieve/cli/lib/engine.js";

const support = process.argv[2];
const { corpus, runners, searches, textsOf, worlds } = await import(`${support}package-corpus.mjs`);
const { middlewareCorpus, runMiddleware } = await import(`${support}middleware-corpus.mjs`);

const sieves = new Map();
const open = (world) => sieves.get(world) ?? sieves.set(world, api.Sieve.compile(...textsOf(worlds[world]))).get(world);
const restored = (world) => api.Sieve.restore(open(world).snapshot());

const ran = {};
const failed = [];
async function each(file, rows, run) {
  for (const row of rows) {
    try {
      await run(row);
    } catch (error) {
      failed.push(`${file}: ${row.name}: ${error.stack}`);
    }
  }
  ran[file] = rows.length;
}

for (const [file, rows] of Object.entries(corpus)) {
  await each(file, rows, runners(api, open, command)[file]);
  await each(`${file}, restored`, rows, runners(api, restored, command)[file]);
}
await each("rank", searches.rows, ({ query, first, lists = searches.lists, rules = [] }) => {
  const names = api.Sieve.compile(lists, { rules })
    .search(query, { limit: Math.max(1, first.length) })
    .map(({ name }) => name);
  if (names.join() !== first.join()) throw new Error(`found ${names}`);
});
for (const [file, rows] of Object.entries(middlewareCorpus))
  await each(file, rows, (row) => runMiddleware(context, row));
console.log(JSON.stringify({ ran, failed }));
