// What is compared: functions from tools to a search, which returns the places of the best tools. Equal scores are in the
// order of names.
import { Sieve } from "../../pkg/loaders/node.js";
import { byScore, plain, strong, tuned } from "./bm25.mjs";
import { fielded } from "./fielded.mjs";

/** minisearch, as its README recommends for a search box: names before descriptions, beginnings and slips. */
async function minisearch() {
  const { default: MiniSearch } = await import("minisearch");
  return (tools) => {
    const index = new MiniSearch({
      idField: "at",
      fields: ["name", "title", "description"],
      searchOptions: { boost: { name: 2 }, fuzzy: 0.2, prefix: true },
    });
    index.addAll(tools.map(({ name, title, description }, at) => ({ at, name, title, description })));
    return (query, limit) =>
      byScore(
        index.search(query).map(({ id, score }) => [id, score]),
        tools,
        limit,
      );
  };
}

export function ours(tools) {
  const sieve = Sieve.compile({ tools });
  if (sieve.count() !== tools.length) throw new Error(`${sieve.count()} of ${tools.length} tools`);
  const search = (query, limit) => sieve.search(query, { limit }).map(({ index }) => index);
  const scored = (query, limit) => sieve.search(query, { limit });
  return Object.assign(search, { scored, free: () => sieve.free() });
}

/** All of them by name, the engine last. Where the package minisearch is not installed, its formula stands for it. */
export async function contenders() {
  const peer = await minisearch().catch(() => undefined);
  return {
    "BM25, plain": plain,
    "BM25, tuned": tuned,
    "BM25, strong": strong,
    ...(peer ? { minisearch: peer } : { "minisearch's formula": fielded }),
    ours,
  };
}
