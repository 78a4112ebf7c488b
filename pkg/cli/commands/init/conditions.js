// @ts-check
// Conditions of rules that hold for given names. The names are those of servers and may hold any character.

// Limits of the engine (`src/expr/limits.rs`), with room to spare: people read rules as well.
/** Maximum length of a value, in characters. */
const MAX_CHARACTERS = 256;
/** Maximum number of terms in one condition. */
const MAX_TERMS = 100;
/** Maximum length of the terms of one condition, in bytes. */
const MAX_BYTES = 4 * 1024;
/** Maximum length of a condition that is written as text, in characters. A longer one is written as JSON. */
const MAX_TEXT = 90;
/** Fewest names for which one pattern is worth more than the names. */
const LEAST_NAMES = 2;

/** Returns whether a term can have this value. */
export const matchable = (value) => [...value].length <= MAX_CHARACTERS;

/**
 * Returns conditions that hold, taken together, for what is in the `scope` (`{ server, kind }`, and at none of the servers of `outside`) and has a `field` that is
 * one of the `values` or fits one of the `patterns`. Each is text, or the JSON form of the same language.
 */
export function conditions({ outside = [], ...scope }, field, values, patterns = []) {
  const limits = [...within(scope), ...outside.map((server) => ({ ...exact("server", server), not: true }))];
  const terms = [
    ...patterns.map((value) => ({ field, operator: ":", value })),
    ...[...new Set(values)].map((value) => exact(field, value)),
  ];
  return partsOf(terms).map((part) => {
    const any = part.map(textOf).join(" or ");
    const text = [...limits.map(textOf), part.length > 1 && limits.length > 0 ? `(${any})` : any].join(" ");
    return text.length <= MAX_TEXT ? text : joined("all", [...limits.map(jsonOf), joined("any", part.map(jsonOf))]);
  });
}

/** Divides terms, so that each part stays within the limits of one condition. */
function partsOf(terms) {
  const parts = [];
  let bytes = Infinity;
  for (const term of terms) {
    const more = Buffer.byteLength(` or ${textOf(term)}`);
    if (bytes + more > MAX_BYTES || parts.at(-1).length === MAX_TERMS) [bytes] = [0, parts.push([])];
    parts.at(-1).push(term);
    bytes += more;
  }
  return parts;
}

/** Returns a condition on one server, or on primitives of one kind at it. */
export const scoped = (scope) => within(scope).map(textOf).join(" ");

const within = (scope) =>
  Object.entries(scope)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => exact(name, value));

/** After `:`, `*` and `?` are patterns; after `=`, they are characters. */
const exact = (field, value) => ({ field, operator: /[*?]/.test(value) ? "=" : ":", value });

/** Writes a condition as text, which has the escapes `\"` and `\\`. All other characters stay as they are in quotes. */
const textOf = ({ field, operator, value, not }) =>
  `${not ? "-" : ""}${field}${operator}${BARE[operator].test(value) ? value : `"${value.replaceAll(/["\\]/g, "\\$&")}"`}`;
const BARE = { ":": /^[\w./*?-]+$/, "=": /^[\w./-]+$/ };
const jsonOf = ({ field, operator, value, not }) => {
  const term = { [field]: operator === ":" ? value : { [operator]: value } };
  return not ? { not: term } : term;
};
const joined = (operator, parts) => (parts.length === 1 ? parts[0] : { [operator]: parts });

/**
 * Returns `{ patterns, values }` that hold, taken together, for the `members` of the `names` and for no other name: one
 * pattern if there is one, else patterns by the `words` of the members and the names that none of them fits.
 */
export function patternsOf(words, members, names) {
  const isMember = new Set(members);
  const small = words.map((word) => word.replaceAll(" ", "?"));
  const capital = small.map((word) => word[0].toUpperCase() + word.slice(1));
  const parts = [...small, ...capital];
  const forms = [small, capital].flatMap((spelt) => [beginning(spelt), ...spelt]).filter((form) => form.length > 2);
  const tried = (patterns) =>
    [...new Set(patterns)]
      .map((pattern) => ({ pattern, found: names.filter(fits(pattern)) }))
      .filter(({ found }) => found.every((name) => isMember.has(name)));
  const loose = tried(forms.flatMap((form) => [`${form}*`, `*_${form}*`, `*-${form}*`, `*${form}*`]));
  const strict = tried(
    parts.flatMap((part) =>
      ["_", "-", "."].flatMap((mark) => [`${part}${mark}*`, `*${mark}${part}`, `*${mark}${part}${mark}*`]),
    ),
  );
  const whole = [...loose, ...strict].find(({ found }) => found.length === members.length);
  if (whole !== undefined && members.length >= LEAST_NAMES) return { patterns: [whole.pattern], values: [] };
  const left = new Set(members);
  const patterns = [];
  for (const { pattern, found } of [...strict, ...loose].sort((a, b) => b.found.length - a.found.length)) {
    if (found.filter((name) => left.has(name)).length < LEAST_NAMES) continue;
    patterns.push(pattern);
    for (const name of found) left.delete(name);
  }
  return { patterns, values: [...left] };
}

function fits(pattern) {
  const like = new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", ".*").replaceAll("?", ".")}$`, "su");
  return (name) => like.test(name);
}

/** The characters that all texts begin with. */
function beginning([first = "", ...others]) {
  const length = [...first].findIndex((character, at) => others.some((other) => [...other][at] !== character));
  return [...first].slice(0, length === -1 ? undefined : length).join("");
}
