// BM25+ over fields with prefixes and typos, an independent implementation of minisearch 7's public formula. The
// options are those that its README recommends for a search box. BM25+ is BM25 with a minimum gain for each term (Lv
// and Zhai, 2011).
import { byScore } from "./bm25.mjs";

const [K1, B, DELTA] = [1.2, 0.7, 0.5];
const BOOSTS = { name: 2, title: 1, description: 1 };
/** Weights of a term that begins with the word of the query, and of one that equals it except for typos. */
const [PREFIX, FUZZY] = [0.375, 0.45];
/** Number of typos that a word may have: per letter, and at most. */
const [SLIPS, MOST_SLIPS] = [0.2, 6];

/** Returns the words between spaces and punctuation. Underscores separate words too. */
const wordsOf = (text) =>
  text
    .toLowerCase()
    .split(/[\n\r\p{Z}\p{P}]+/u)
    .filter(Boolean);

/** Returns the edit distance between two words, or `undefined` if it exceeds `most`. */
function distance(one, other, most) {
  if (Math.abs(one.length - other.length) > most) return;
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1)
      row.push(Math.min(before[j] + 1, row[j - 1] + 1, before[j - 1] + Number(one[i - 1] !== other[j - 1])));
    if (Math.min(...row) > most) return;
    before = row;
  }
  return before.at(-1) <= most ? before.at(-1) : undefined;
}

/** Returns the terms that match a word, each with its weight. */
function expanded(word, terms) {
  const most = Math.min(MOST_SLIPS, Math.round(word.length * SLIPS));
  return terms.flatMap((term) => {
    if (term === word) return [[term, 1]];
    const longer = term.length - word.length;
    if (term.startsWith(word)) return [[term, (PREFIX * term.length) / (term.length + 0.3 * longer)]];
    const slips = most > 0 ? distance(word, term, most) : undefined;
    return slips ? [[term, (FUZZY * term.length) / (term.length + slips)]] : [];
  });
}

/**
 * Indexes a field: for each term, the tools that contain it and how often; the length of each tool's field, and the
 * average.
 */
function indexed(tools, field) {
  const holders = new Map();
  const lengths = tools.map((tool, at) => {
    const words = wordsOf(tool[field] ?? "");
    for (const word of words) {
      if (!holders.has(word)) holders.set(word, new Map());
      const counts = holders.get(word);
      counts.set(at, (counts.get(at) ?? 0) + 1);
    }
    return new Set(words).size;
  });
  return { holders, lengths, average: lengths.reduce((sum, length) => sum + length, 0) / lengths.length };
}

export function fielded(tools) {
  const fields = Object.entries(BOOSTS).map(([name, boost]) => ({ boost, ...indexed(tools, name) }));
  const terms = [...new Set(fields.flatMap(({ holders }) => [...holders.keys()]))];
  return (query, limit) => {
    const scores = new Map();
    const matched = new Map();
    for (const word of wordsOf(query)) {
      for (const [term, weight] of expanded(word, terms)) {
        for (const { boost, holders, lengths, average } of fields) {
          const counts = holders.get(term) ?? new Map();
          const rarity = Math.log(1 + (tools.length - counts.size + 0.5) / (counts.size + 0.5));
          for (const [at, count] of counts) {
            const norm = K1 * (1 - B + (B * lengths[at]) / average);
            const gain = weight * boost * rarity * (DELTA + (count * (K1 + 1)) / (count + norm));
            scores.set(at, (scores.get(at) ?? 0) + gain);
            matched.set(at, (matched.get(at) ?? new Set()).add(word));
          }
        }
      }
    }
    // A tool's score is multiplied by the number of query words that it contains.
    const graded = [...scores].map(([at, score]) => [at, score * matched.get(at).size]);
    return byScore(graded, tools, limit);
  };
}
