// A model of which every answer can be computed by hand, as that of rank.rs: how many letter triples of a query a text has.

/** The scores of `texts` for a query. */
export function triples(query, texts) {
  const letters = query.toLowerCase().replaceAll(/[^a-z]/g, "");
  const asked = Array.from({ length: Math.max(0, letters.length - 2) }, (_, at) => letters.slice(at, at + 3));
  return texts.map((text) => {
    const held = text.toLowerCase().replaceAll(/[^a-z]/g, "");
    return asked.filter((triple) => held.includes(triple)).length || Number.NaN;
  });
}
