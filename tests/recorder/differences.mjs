// The differences of two recordings, each as the path of a member and both values.
import { Lexeme } from "./lexemes.mjs";

const isTree = (value) => value !== null && typeof value === "object" && !(value instanceof Lexeme);

/** Returns the text of a value: the source of numbers and strings as it was written. */
export function shown(value) {
  if (value === undefined) return "absent";
  if (value instanceof Lexeme) return value.source;
  if (Array.isArray(value)) return `[${value.map(shown).join()}]`;
  if (!isTree(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}:${shown(inner)}`)
    .join()}}`;
}

/** Returns the items of a list by their names or URIs, or `undefined` for another array. */
function byName(array) {
  const names = array.map((item) => isTree(item) && (item.uri ?? item.uriTemplate ?? item.name)?.value);
  const keyed = names.every((name) => typeof name === "string") && new Set(names).size === names.length;
  return keyed && names.length > 0 ? Object.fromEntries(array.map((item, at) => [names[at], item])) : undefined;
}

/** Returns the difference of the order of members that both have. */
function orderOf(direct, through, path) {
  const order = Object.keys(direct).filter((key) => key in through);
  const other = Object.keys(through).filter((key) => key in direct);
  return order.join() === other.join() ? [] : [`${path}: order ${order} → ${other}`];
}

/**
 * Returns the differences of what a client gets directly and through the gateway, as `PATH: DIRECT → THROUGH`. Items of lists are
 * compared by their names, and their order always. With `written`, the order of the members of objects counts too.
 */
export function differences(direct, through, { written = false } = {}, path = "") {
  if (!isTree(direct) || !isTree(through) || Array.isArray(direct) !== Array.isArray(through))
    return shown(direct) === shown(through) ? [] : [`${path}: ${shown(direct)} → ${shown(through)}`];
  if (Array.isArray(direct)) {
    const [left, right] = [byName(direct), byName(through)];
    if (left && right) return [...membersOf(left, right, written, path), ...orderOf(left, right, path)];
  }
  const inner = membersOf(direct, through, written, path);
  return written && !Array.isArray(direct) ? [...inner, ...orderOf(direct, through, path)] : inner;
}

function membersOf(direct, through, written, path) {
  const keys = [...new Set([...Object.keys(direct), ...Object.keys(through)])];
  return keys.flatMap((key) => differences(direct[key], through[key], { written }, `${path}/${key}`));
}
