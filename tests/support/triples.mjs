// A model whose scores can be computed by hand, like that of rank/ranker.rs: the number of letter triples of a query that a
// text contains.

/** Returns the scores of `texts` for a query. */
export function triples(query, texts) {
  const letters = query.toLowerCase().replaceAll(/[^a-z]/g, "");
  const asked = Array.from({ length: Math.max(0, letters.length - 2) }, (_, at) => letters.slice(at, at + 3));
  return texts.map((text) => {
    const held = text.toLowerCase().replaceAll(/[^a-z]/g, "");
    return asked.filter((triple) => held.includes(triple)).length || Number.NaN;
  });
}
