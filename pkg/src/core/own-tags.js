// @ts-check
// A person's own tags (SEP-1300, "ad hoc filtering"): names of primitives under tags that no server knows.
import { KINDS, SieveError, place } from "./error.js";

/** The prefix of the id of a user's own tag. A server's tag with this prefix is left out of a tagged catalog. */
export const OWN = "user:";
/** Maximum number of own tags. */
const MAX_TAGS = 100;
/** Maximum length of the name of a tag, in characters. */
const MAX_LENGTH = 64;
/** Maximum number of names under all tags together. */
const MAX_NAMES = 1000;

/** @typedef {Readonly<Record<string, Readonly<Partial<Record<import("../../types/index.js").Kind, readonly string[]>>>>>} OwnTags */

const refuse = (path, expected) => {
  throw new SieveError("preferences", `${path}: expected ${expected}`, { path });
};
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The name of an own tag, which may be given by its id. */
function checkedName(tag) {
  const name = typeof tag === "string" && tag.startsWith(OWN) ? tag.slice(OWN.length) : tag;
  const fits = typeof name === "string" && name !== "" && name.length <= MAX_LENGTH && name.trim() === name;
  if (!fits || /\p{Cc}/u.test(name))
    refuse("tags", `names of 1 to ${MAX_LENGTH} characters, without control characters and without spaces around them`);
  return name;
}

/**
 * Own tags in their canonical form: sorted, each name once.
 * @returns {OwnTags}
 * @throws {SieveError} `preferences`, with the path
 */
export function checkedTags(tags) {
  if (tags === undefined || tags === null) return {};
  if (!isObject(tags)) refuse("tags", "an object of tags");
  let count = 0;
  const checked = Object.entries(tags).map(([tag, kinds]) => {
    const name = checkedName(tag);
    const path = `tags.${name}`;
    if (!isObject(kinds)) refuse(path, "an object of kinds to names");
    const named = Object.entries(kinds).map(([kind, names]) => {
      if (!KINDS.includes(kind)) refuse(`${path}.${kind}`, `one of ${KINDS.join(", ")}`);
      if (!Array.isArray(names) || names.some((one) => typeof one !== "string"))
        refuse(`${path}.${kind}`, "an array of names");
      const unique = [...new Set(names)].sort();
      count += unique.length;
      return [kind, unique];
    });
    return [name, Object.fromEntries(named.filter(([, names]) => names.length > 0).sort())];
  });
  if (checked.length > MAX_TAGS) refuse("tags", `at most ${MAX_TAGS} tags`);
  if (count > MAX_NAMES) refuse("tags", `at most ${MAX_NAMES} names under all tags`);
  return Object.fromEntries(checked.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The tags after a primitive got some of them (`on`), or lost them. A tag without names is gone. */
export function retagged(tags, primitive, names, kind, on) {
  place(kind);
  if (typeof primitive !== "string") throw new SieveError("invalid_name", `expected text, got ${typeof primitive}`);
  // A tag may have the name of a member that every object inherits.
  const next = Object.assign(Object.create(null), tags);
  for (const name of [names].flat().map(checkedName)) {
    const others = (next[name]?.[kind] ?? []).filter((known) => known !== primitive);
    next[name] = { ...next[name], [kind]: on ? [...others, primitive] : others };
  }
  const checked = checkedTags(next);
  return Object.fromEntries(Object.entries(checked).filter(([, kinds]) => Object.keys(kinds).length > 0));
}

/** Whether a filter may name own tags. It names them by their prefix, in a list or in an expression. */
export const namesOwn = (filter) => JSON.stringify(filter ?? null).includes(OWN);

/**
 * A tag with its title, if it is an own one.
 * @type {<Tag extends { name: string }>(tag: Tag) => Tag & { title?: string, own?: true }}
 */
export const titled = (tag) =>
  tag.name.startsWith(OWN) ? { ...tag, title: tag.name.slice(OWN.length), own: true } : tag;
