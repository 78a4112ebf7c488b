// BM25 as it stands in every textbook, and as somebody makes it who knows what tools look like.

const STOP = new Set(
  (
    "a an and are as at be by can do for from get give has have how i in is it me my of on or please " +
    "that the there this to was we what when where which will with you your"
  ).split(" "),
);

/** Words as they are written. */
export const plainWords = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** Names split where they join words, common words left out, plurals and `-ing`, `-ed` cut. */
function tunedWords(text) {
  const words =
    text
      .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .filter((word) => !STOP.has(word))
    .map((word) => (word.length > 4 ? word.replace(/ies$/, "y").replace(/(?:ing|ed|es|s|e)$/, "") : word));
}

/** The same words, and every four neighbouring letters of each, with a mark at both ends. */
function pieces(text) {
  const words = tunedWords(text);
  const letters = words.flatMap((word) => {
    const marked = `_${word}_`;
    return Array.from({ length: Math.max(1, marked.length - 3) }, (_, at) => marked.slice(at, at + 4));
  });
  return [...words, ...letters];
}

const described = ({ name, title = "", description = "" }) => [name, title, description].join(" ");

/** The name so many times, and what the parameters are called and for. */
const whole = (names) => (tool) => {
  const texts = [...Array(names - 1).fill(tool.name), described(tool)];
  const visit = (schema) => {
    for (const [name, property] of Object.entries(schema?.properties ?? {})) {
      texts.push(name, typeof property?.description === "string" ? property.description : "");
      visit(property);
    }
  };
  visit(tool.inputSchema);
  return texts.join(" ");
};

export const plain = (tools) => bm25(tools, { words: plainWords, text: described, k1: 1.2, b: 0.75 });
export const tuned = (tools) => bm25(tools, { words: tunedWords, text: whole(2), k1: 0.9, b: 0.4 });
/** The best of those that were tried with pieces of three to five letters, on the tuning halves. */
export const strong = (tools) => bm25(tools, { words: pieces, text: whole(3), k1: 1.2, b: 0.5, once: true });

/** A query counts each word as often as it has it, or `once`. */
function bm25(tools, { words, text, k1, b, once = false }) {
  const postings = new Map();
  const lengths = tools.map((tool, at) => {
    const counts = new Map();
    const said = words(text(tool));
    for (const word of said) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) {
      if (!postings.has(word)) postings.set(word, []);
      postings.get(word).push([at, count]);
    }
    return said.length;
  });
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  return (query, limit) => {
    const scores = new Map();
    const asked = words(query);
    for (const word of once ? new Set(asked) : asked) {
      const holders = postings.get(word) ?? [];
      const rarity = Math.log(1 + (tools.length - holders.length + 0.5) / (holders.length + 0.5));
      for (const [at, count] of holders) {
        const gain = (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + (b * lengths[at]) / average));
        scores.set(at, (scores.get(at) ?? 0) + gain);
      }
    }
    return byScore([...scores], tools, limit);
  };
}

/** The places of the best, from pairs of a place and a score; equal scores in the order of names. */
export function byScore(scores, tools, limit) {
  const before = (one, other) => (tools[one].name < tools[other].name ? -1 : 1);
  return scores
    .sort((one, other) => other[1] - one[1] || before(one[0], other[0]))
    .slice(0, limit)
    .map(([at]) => at);
}
