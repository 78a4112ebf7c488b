// Expressions of rules that hold for given names. The names are those of servers and may hold anything.

// Bounds of the engine (`src/expr/limits.rs`), with room to spare: a rule is read by people as well.
/** Longest value of a term, in characters. */
const MOST_CHARACTERS = 256;
/** Most terms of one expression. */
const MOST_TERMS = 100;
/** Longest expression, in bytes. */
const MOST_BYTES = 4 * 1024;

/** Whether a term can have this value. */
export const matchable = (value) => [...value].length <= MOST_CHARACTERS;

/** Expressions that hold, taken together, where `field` has one of these values, each within the engine's bounds. */
export function anyOf(field, values) {
  const parts = [[]];
  for (const value of new Set(values)) {
    const part = parts.at(-1);
    const candidate = [...part, termOf(field, value)];
    if (part.length > 0 && (candidate.length > MOST_TERMS || Buffer.byteLength(joined(candidate)) > MOST_BYTES)) parts.push(candidate.slice(-1));
    else part.push(candidate.at(-1));
  }
  return parts.filter((part) => part.length > 0).map(joined);
}

const joined = (terms) => (terms.length === 1 ? terms[0] : `(${terms.join(" or ")})`);

/** After `:`, `*` and `?` are patterns; after `=`, they are characters. */
const termOf = (field, value) => `${field}${/[*?]/.test(value) ? "=" : ":"}${quoted(value)}`;

/** The expression language knows two escapes, `\"` and `\\`; any other character stands in quotes as it is. */
const quoted = (value) => (/^[\w./-]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, "\\$&")}"`);

/** The pattern, if any, that holds for these of the `names` and for no other. */
export function patternOf(subject, members, names) {
  return [`${subject}*`, `*_${subject}*`, `*-${subject}*`, `*${subject}*`].find((pattern) => {
    const like = new RegExp(`^${pattern.replaceAll("*", ".*")}$`, "s");
    const found = names.filter((name) => like.test(name));
    return found.length === members.length && found.every((name) => members.includes(name));
  });
}
