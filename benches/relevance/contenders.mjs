// The contenders: functions from tools to a search, which returns the indexes of the best tools. Equal scores are
// ordered by name.
import { Sieve } from "../../pkg/loaders/node.js";
import { byScore, plain, strong, tuned } from "./bm25.mjs";
import { fielded } from "./fielded.mjs";

/**
 * minisearch, as its README recommends for a search box: names weigh more than descriptions; prefixes and typos match.
 */
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

/**
 * Returns all contenders by name, the engine last. If the package minisearch is not installed, its formula replaces it.
 */
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
