// Measures of the quality of an order: nDCG and hits, as means over the questions in percent.

const gain = (rank) => 1 / Math.log2(rank + 2);

/**
 * Returns the nDCG of an order. Every wanted tool has the same gain, discounted by its rank; the best possible order
 * has 1.
 */
function ndcg(found, wanted, k) {
  const best = wanted.slice(0, k).reduce((sum, _, rank) => sum + gain(rank), 0);
  return found.slice(0, k).reduce((sum, at, rank) => sum + (wanted.includes(at) ? gain(rank) : 0), 0) / best;
}

const mean = (values) => (100 * values.reduce((sum, value) => sum + value, 0)) / Math.max(1, values.length);

/** Returns the measures of an order for one question, each from 0 to 1. */
export function judge(found, wanted) {
  const hit = (k) => Number(found.slice(0, k).some((at) => wanted.includes(at)));
  return { at5: ndcg(found, wanted, 5), at10: ndcg(found, wanted, 10), hit1: hit(1), hit3: hit(3), hit5: hit(5) };
}

/** Returns the mean of a measure, in percent. */
export const meanOf = (rows, key) => mean(rows.map((row) => row[key]));

/**
 * Returns the half to which a tool belongs, by a hash of its name (FNV-1a, then mixed): 0 for tuning, 1 for judging.
 */
export function halfOf(name) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0;
  return (hash ^ (hash >>> 16)) & 1;
}

/**
 * Runs `search` for every question; it returns the indexes of the first ten tools. Returns each measure for the tuning
 * half and for the judging half. A question belongs to the half of the first tool that it wants.
 */
export function quality({ tools, questions }, search) {
  const asked = questions.map(({ query, wanted }) => {
    return { half: halfOf(tools[wanted[0]].name), ...judge(search(query, 10), wanted) };
  });
  return [0, 1].map((half) => {
    const rows = asked.filter((row) => row.half === half);
    return Object.fromEntries(["at5", "at10", "hit1", "hit3"].map((key) => [key, meanOf(rows, key)]));
  });
}

/** Returns for each half the number of results with at least the score `bar`, and how many of them are wanted. */
export function sure({ tools, questions }, scored, bar) {
  const halves = [0, 1].map(() => ({ count: 0, right: 0 }));
  for (const { query, wanted } of questions) {
    const half = halves[halfOf(tools[wanted[0]].name)];
    for (const { index, score } of scored(query, 10)) {
      if (score < bar) continue;
      half.count += 1;
      half.right += Number(wanted.includes(index));
    }
  }
  return halves;
}
