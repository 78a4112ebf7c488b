// BM25 as in textbooks, and BM25 tuned for the texts of tools.

const STOP = new Set(
  (
    "a an and are as at be by can do for from get give has have how i in is it me my of on or please " +
    "that the there this to was we what when where which will with you your"
  ).split(" "),
);

/** Returns the words of a text as they are written. */
export const plainWords = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/**
 * Returns the words of a text: compound names split, common words removed, plurals and the endings `-ing` and `-ed`
 * cut.
 */
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

/** Returns the same words, and every sequence of four letters of each, with `_` at both ends of the word. */
function pieces(text) {
  const words = tunedWords(text);
  const letters = words.flatMap((word) => {
    const marked = `_${word}_`;
    return Array.from({ length: Math.max(1, marked.length - 3) }, (_, at) => marked.slice(at, at + 4));
  });
  return [...words, ...letters];
}

const described = ({ name, title = "", description = "" }) => [name, title, description].join(" ");

/** Returns a function that joins the name, `names` times, with the descriptions, and with the names of parameters. */
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
/** The best of the variants tried on the tuning halves, with pieces of three to five letters. */
export const strong = (tools) => bm25(tools, { words: pieces, text: whole(3), k1: 1.2, b: 0.5, once: true });

/**
 * Returns a BM25 search over the texts of tools. It counts a word of the query as often as it occurs, or once if `once`
 * is set.
 */
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

/** Returns the indexes of the best tools, from pairs of an index and a score. Equal scores are ordered by name. */
export function byScore(scores, tools, limit) {
  const before = (one, other) => (tools[one].name < tools[other].name ? -1 : 1);
  return scores
    .sort((one, other) => other[1] - one[1] || before(one[0], other[0]))
    .slice(0, limit)
    .map(([at]) => at);
}
