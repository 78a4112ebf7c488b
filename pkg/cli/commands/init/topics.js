// @ts-check
// Topics of a server's tools, read off their names: `create_issue` and `list_issues` are about issues.

/** Words that say what a tool does, not what it works on. */
const VERBS = new Set(
  "add analyze apply approve archive assign attach book build calculate call cancel check clear click clone close commit compare connect convert copy count create customize delete deploy describe diff disable dismiss download drop edit enable end evaluate execute explain export extract fetch fill find fork format generate get give go grant hover import insert inspect install interact invite invoke join kill launch leave list load lock lookup make manage mark merge modify move navigate open optimize parse patch ping populate post press preview print protect publish pull push put query read rebase recommend refresh remove rename render reopen replace reply reprioritize request reset resolve restart restore resume retrieve revert revoke run save scan schedule search select send set share show sign star start stop submit subscribe suggest summarize switch sync test toggle transfer trigger unassign uninstall unlock unprotect unresolve unstar unsubscribe update upload upsert validate verify view wait watch write zip".split(
    " ",
  ),
);
const SMALL = new Set(
  "a all an and any as at back bulk by current data detail details for forward from id in info into is item items it latest me multiple my new not of off on one or out per single that the to up via what with".split(
    " ",
  ),
);

/** Smallest topic, in tools. */
const LEAST = 2;
/** Largest topic, as a part of its server's tools: a larger one divides nothing. */
const LARGEST = 4 / 5;
/** Part of the tools with a word that must have its neighbour too, for both together to be the topic. */
const PHRASE = 0.8;
/** Longest word that a topic is named after, in characters. */
const LONGEST = 64;

/**
 * Returns the topics of tools by their distinct `names`: `[{ name, words, members }]`, `words` as they are spelt in the
 * names. Each topic adds at least two tools to those before it, most first. A tool may be of several topics.
 */
export function topicsOf(names) {
  const candidates = candidatesOf(names).filter(
    ({ members }) => members.length >= LEAST && members.length <= names.length * LARGEST,
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

/** Splits `create_issueComment` into `create`, `issue` and `comment`. */
export const wordsOf = (name) =>
  name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, "$1$3 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && word.length <= LONGEST);

/**
 * Splits each name into words, without the words that all names begin with, such as their server's. Returns
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
  const parts = names.map((name, at) => [name, all[at].slice(common)]);
  const balance = new Map();
  for (const [, words] of parts) {
    const place = VERBS.has(words[0]) ? 0 : words.length - 1;
    words.forEach((word, at) => balance.set(word, (balance.get(word) ?? 0) + (at === place ? 1 : -1)));
  }
  return { split: parts, isVerb: (word) => VERBS.has(word) && balance.get(word) >= 0 };
}

/** Every word, or phrase of two words, that a topic could be named after. */
function candidatesOf(names) {
  const { split: parts, isVerb } = split(names);
  const most = names.length * LARGEST;
  const [singles, pairs] = [new Map(), new Map()];
  const put = (found, key, name, words) => {
    const entry = found.get(key) ?? { members: new Set(), words: new Set() };
    found.set(key, { members: entry.members.add(name), words: entry.words.add(words) });
  };
  const isTopic = (word) => word !== undefined && !isVerb(word) && !SMALL.has(word) && /\p{L}{2}/u.test(word);
  for (const [name, words] of parts) for (const word of words.filter(isTopic)) put(singles, stem(word), name, word);
  const size = (word) => singles.get(word).members.size;
  for (const [name, words] of parts) {
    words.forEach((word, at) => {
      const pair = [word, words[at + 1]];
      if (pair.every((part) => isTopic(part) && size(stem(part)) <= most))
        put(pairs, pair.map(stem).join(" "), name, pair.join(" "));
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
  return kept.map(({ members, words }) => ({ name: spelling([...words]), words: [...words], members: [...members] }));
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
