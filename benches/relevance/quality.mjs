// How good an order is: nDCG and hits, means over the questions in percent.

const gain = (rank) => 1 / Math.log2(rank + 2);

/** Every wanted tool is worth one, the less the later it comes, over the best order there could be. */
function ndcg(found, wanted, k) {
  const best = wanted.slice(0, k).reduce((sum, _, rank) => sum + gain(rank), 0);
  return found.slice(0, k).reduce((sum, at, rank) => sum + (wanted.includes(at) ? gain(rank) : 0), 0) / best;
}

const mean = (values) => (100 * values.reduce((sum, value) => sum + value, 0)) / Math.max(1, values.length);

/** How good an order is for one question, each from 0 to 1. */
export function judge(found, wanted) {
  const hit = (k) => Number(found.slice(0, k).some((at) => wanted.includes(at)));
  return { at5: ndcg(found, wanted, 5), at10: ndcg(found, wanted, 10), hit1: hit(1), hit3: hit(3), hit5: hit(5) };
}

/** The mean of a measure, in percent. */
export const meanOf = (rows, key) => mean(rows.map((row) => row[key]));

/** Asks every question; `search` gives the places of the first ten. The halves are those of the tools, every other one. */
export function quality({ questions }, search) {
  const asked = questions.map(({ query, wanted }) => {
    return { half: wanted[0] % 2, ...judge(search(query, 10), wanted) };
  });
  const of = (key, rows = asked) => meanOf(rows, key);
  const halves = [0, 1].map((half) =>
    of(
      "at5",
      asked.filter((row) => row.half === half),
    ),
  );
  return { at5: of("at5"), at10: of("at10"), hit1: of("hit1"), hit3: of("hit3"), halves };
}
