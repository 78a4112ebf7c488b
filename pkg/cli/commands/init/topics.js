// @ts-check
// Topics of a server's tools, read off their names: `create_issue` and `list_issues` are about issues.

/** Words that say what a tool does, not what it works on. */
const VERBS = new Set(
  "add analyze apply approve archive assign attach book build calculate call cancel check clear click clone close commit compare connect convert copy count create customize delete deploy describe diff disable dismiss download drop edit enable end evaluate execute explain export extract fetch fill find fork format generate geocode get give go grant hover import insert inspect install interact invite invoke join kill launch leave list load lock lookup make manage mark merge modify move navigate open optimize parse patch ping populate post press preview print protect publish pull push put query read rebase recommend refresh remove rename render reopen replace reply reprioritize request reset resolve restart restore resume retrieve reverse revert revoke run save scan schedule search select send set share show sign star start stop submit subscribe suggest summarize switch sync test toggle transfer trigger unassign uninstall unlock unprotect unresolve unstar unsubscribe update upload upsert validate verify view wait watch write zip".split(
    " ",
  ),
);
/** Verbs that are no nouns wherever they stand. */
const NO_NOUNS = new Set("add create delete find get go list remove set update".split(" "));
const SMALL = new Set(
  "a all an and any as at back bulk by current data detail details for forward from id in info into is item items it latest me multiple my new not of off on one or out per single that the to up via what with".split(
    " ",
  ),
);
/** Words that say which one, not what. */
const ADJECTIVES = new Set(
  "active available average basic best big custom daily default empty final first free full future general global hidden high historical initial last local long low main maximum minimum nearby next official old open past popular present previous private public random raw recent related remaining remote short simple small special standard total unique upcoming visible weekly".split(
    " ",
  ),
);
/** Endings of adjectives. Words with them are topics only where they stand as nouns do. */
const ADJECTIVAL = /(?:able|al|ary|ed|est|ful|ible|ic|ing|ive|less|ous)$/;
/** Nouns that are no topic, and change none that they follow, such as `config` in `set_config_value`. */
const GENERIC = new Set("count name names result results state stats status value values".split(" "));
/** Endings that make nouns and adjectives of verbs, such as `searcher`. */
const DERIVED = /(?:er|or|ing|ed)$/;

/** Words in the name of a server that say nothing about it. */
export const IDLE = new Set(["mcp", "server", "servers"]);

/** Smallest topic, in tools. */
const LEAST = 2;
/** Smallest topic that no name has in the plural, of a server with more than `FEW` tools. */
const LEAST_OF_MANY = 3;
const FEW = 24;
/** Smallest topic whose word only qualifies other nouns in some names. */
const LEAST_OF_MODIFIERS = 3;
/** Largest topic, as a part of its server's tools: a larger one divides nothing. */
const LARGEST = 4 / 5;
/** Part of the tools with a word that must have its neighbour too, for both together to be the topic. */
const PHRASE = 0.8;
/** Longest word that a topic is named after, in characters. */
const LONGEST = 64;

/**
 * Returns the topics of tools by their distinct `names`: `[{ name, words, members }]`, `words` as they are spelt in the
 * names. Each topic adds at least two tools to those before it, most first. A tool may be of several topics. The name of the
 * `server` is no topic of it, nor is another form of a name in `groups`, which the server has itself.
 */
export function topicsOf(names, server = "", groups = []) {
  /** @type {Map<string, string | undefined>} */
  const own = new Map(groups.map((name) => [keyOf(name), name]));
  own.set(keyOf(server), undefined);
  const candidates = candidatesOf(names).filter(
    (topic) =>
      topic.members.length >= LEAST &&
      topic.members.length <= names.length * LARGEST &&
      (!own.has(topic.key) || own.get(topic.key) === topic.name) &&
      isGood(topic, names.length),
  );
  const topics = [];
  const covered = new Set();
  const gain = ({ members }) => members.filter((name) => !covered.has(name)).length;
  // If topics add equally many tools, the larger one wins.
  const worth = (candidate) => gain(candidate) + candidate.members.length / (names.length + 1);
  for (;;) {
    const best = candidates.reduce(
      (most, candidate) => (most === undefined || worth(candidate) > worth(most) ? candidate : most),
      undefined,
    );
    if (best === undefined || gain(best) < LEAST) return topics;
    topics.push(best);
    for (const name of best.members) covered.add(name);
  }
}

/** The stems of the words in a name, without words that say nothing. */
const keyOf = (name) =>
  wordsOf(name)
    .filter((word) => !IDLE.has(word))
    .map(stem)
    .join(" ");

/** Returns whether a topic is one that a person would choose: its word names things in its members, and does not only qualify them. */
function isGood({ words, members, nouns }, tools) {
  const [last] = words.map((word) => word.split(" ").at(-1));
  if (ADJECTIVES.has(last) || GENERIC.has(last)) return false;
  if (words.some(isPlural)) return true;
  if (nouns === members.length) return members.length >= (tools > FEW ? LEAST_OF_MANY : LEAST);
  return members.length >= LEAST_OF_MODIFIERS && (nouns > 0 || !ADJECTIVAL.test(last));
}

/** Splits `create_issueComment` into `create`, `issue` and `comment`. */
export const wordsOf = (name) =>
  name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, "$1$3 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && word.length <= LONGEST);

/**
 * Splits each name into words, without the words that all or most names begin with, such as their server's. Returns
 * `{ split: [[name, words]], isVerb }`. A verb that is mostly in the position of a noun counts as one, such as `pull` in
 * `merge_pull_request`.
 */
export function split(names) {
  const all = names.map(wordsOf);
  let common = 0;
  while (
    all.length > 1 &&
    all.every((words) => words.length > common + 1 && words[common] === all[0][common] && !VERBS.has(words[common]))
  )
    common += 1;
  const first = mostFrequent(all.map((words) => words[common]));
  const isShared = !VERBS.has(first) && all.filter((words) => words[common] === first).length > names.length * LARGEST;
  const skipped = (words) => common + (isShared && words[common] === first && words.length > common + 1 ? 1 : 0);
  const parts = names.map((name, at) => [name, all[at].slice(skipped(all[at]))]);
  const balance = new Map();
  for (const [, words] of parts) {
    const place = VERBS.has(words[0]) ? 0 : words.length - 1;
    words.forEach((word, at) => balance.set(word, (balance.get(word) ?? 0) + (at === place ? 1 : -1)));
  }
  return { split: parts, isVerb: (word) => VERBS.has(word) && (balance.get(word) >= 0 || NO_NOUNS.has(word)) };
}

/** The text that occurs most often. */
function mostFrequent(texts) {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), [undefined, 0])[0];
}

/** Returns whether a word is made of a verb, such as `getter` and `merging`. */
function isDerived(word) {
  const base = word.replace(DERIVED, "");
  return base !== word && [base, `${base}e`, base.replace(/(.)\1$/, "$1")].some((verb) => VERBS.has(verb));
}

/** Returns whether the word at a place of a name stands where nouns do: first, last, or before a preposition. */
function isNoun(words, at, isAction) {
  if (at === 0) return true;
  const isEmpty = (word) => SMALL.has(word) || GENERIC.has(word) || isAction(word);
  return SMALL.has(words[at + 1]) || words.slice(at + 1).every(isEmpty);
}

/** Every word, or phrase of two words, that a topic could be named after. */
function candidatesOf(names) {
  const { split: parts, isVerb } = split(names);
  const most = names.length * LARGEST;
  const [singles, pairs] = [new Map(), new Map()];
  const isAction = (word) => isVerb(word) || isDerived(word);
  const put = (found, key, [name, words], at, text) => {
    const entry = found.get(key) ?? { key, members: new Set(), words: new Set(), nouns: new Set() };
    entry.members.add(name);
    entry.words.add(text);
    if (isNoun(words, at, isAction)) entry.nouns.add(name);
    found.set(key, entry);
  };
  const isTopic = (word) => word !== undefined && !isAction(word) && !SMALL.has(word) && /\p{L}{2}/u.test(word);
  for (const part of parts)
    for (const [at, word] of part[1].entries()) if (isTopic(word)) put(singles, stem(word), part, at, word);
  const size = (word) => singles.get(word).members.size;
  for (const part of parts) {
    part[1].forEach((word, at) => {
      const pair = [word, part[1][at + 1]];
      if (pair.every((one) => isTopic(one) && size(stem(one)) <= most))
        put(pairs, pair.map(stem).join(" "), part, at + 1, pair.join(" "));
    });
  }
  // A word that is mostly next to the same other word is half of a phrase.
  const halves = [...pairs]
    .map(([key, { members }]) => [
      key,
      key.split(" ").filter((word) => members.size >= Math.max(size(word) * PHRASE, LEAST)),
    ])
    .filter(([, words]) => words.length > 0);
  const replaced = new Set(halves.flatMap(([, words]) => words));
  const kept = [
    ...[...singles].filter(([key]) => !replaced.has(key)).map(([, entry]) => entry),
    ...halves.map(([key]) => pairs.get(key)),
  ];
  return kept.map(({ key, members, words, nouns }) => ({
    key,
    name: spelling([...words]),
    words: [...words],
    members: [...members],
    nouns: nouns.size,
  }));
}

/** The spelling that names a topic: a plural if the names have one. */
const spelling = (words) => (words.find(isPlural) ?? words[0]).replaceAll(" ", "-");

export const isPlural = (word) => word.length > 3 && /[^siu]s$/.test(word);

/** Returns the common stem of singular and plural: `releas` for `release` and `releases`. It is compared, never shown. */
function stem(word) {
  if (word.length <= 3 || /(ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.replace(/e?s$/, "").replace(/e$/, "");
}
