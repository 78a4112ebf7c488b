// @ts-check
// A person's own tags (SEP-1300, "ad hoc filtering"): names of primitives under tags that no server knows.
import { KINDS, SieveError, place } from "./error.js";

/** How the id of a person's own tag begins. A server's tag that begins like this is left out of a tagged catalog. */
export const OWN = "user:";
/** Maximum number of own tags. */
const MAX_TAGS = 100;
/** Maximum length of the name of a tag, in characters. */
const MAX_LENGTH = 64;
/** Maximum number of names under all tags together. */
const MAX_NAMES = 1000;
/** Names in one rule: an expression has its limits. */
const NAMES_IN_RULE = 25;
const TERMS = { tools: "tool", resources: "resource", resourceTemplates: "template", prompts: "prompt" };
/** Members of a primitive that name its tags, in itself and in its `_meta`. */
const MIRROR = "dev.mcpsieve/tags";

/** @typedef {Readonly<Record<string, Readonly<Partial<Record<import("../../types/index.js").Kind, readonly string[]>>>>>} OwnTags */

const refuse = (path, expected) => {
  throw new SieveError("preferences", `${path}: expected ${expected}`, { path });
};
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

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
export function retagged(tags, of, given, kind, on) {
  place(kind);
  if (typeof of !== "string") throw new SieveError("invalid_name", `expected text, got ${typeof of}`);
  const next = { ...tags };
  for (const name of [given].flat().map(checkedName)) {
    const others = (next[name]?.[kind] ?? []).filter((known) => known !== of);
    next[name] = { ...next[name], [kind]: on ? [...others, of] : others };
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

/** A configuration with own tags, which apply after its own rules. */
export function withTags(config, tags) {
  if (Object.keys(tags).length === 0 && !namesOwn(config)) return config;
  const settings = typeof config === "string" ? parsed(config) : (config ?? {});
  const given = (settings.rules ?? []).map(withoutOwn);
  const rules = Object.entries(tags).flatMap(([tag, kinds]) =>
    Object.entries(kinds).flatMap(([kind, names]) => [
      ...parts(names).map((part) => rule(OWN + tag, kind, part)),
      // A person sees the name that a rule gives, and rules match the name that the server gives.
      ...given.filter(({ name }) => names.includes(name)).map(({ match }) => tagging(OWN + tag, kind, match)),
    ]),
  );
  const declared = Object.keys(tags).map((tag) => ({ name: OWN + tag }));
  return {
    ...settings,
    tags: [...(settings.tags ?? []).filter(({ name }) => !String(name).startsWith(OWN)), ...declared],
    rules: [...given, ...rules],
  };
}

function rule(tag, kind, names) {
  const field = kind === "tools" || kind === "prompts" ? "name" : "uri";
  const named = names.map((name) => ({ [field]: { "=": name } }));
  return tagging(tag, kind, named.length > 1 ? { any: named } : named[0]);
}

/** A rule cannot give an own tag: that is the person's part. */
const withoutOwn = (rule) => (Array.isArray(rule?.tags) ? { ...rule, tags: foreign(rule.tags) } : rule);
const foreign = (names) => names.filter((name) => !String(name).startsWith(OWN));

const tagging = (tag, kind, match) => ({ match: { all: [{ kind: TERMS[kind] }, match] }, tags: [tag] });

const parts = (names) =>
  Array.from({ length: Math.ceil(names.length / NAMES_IN_RULE) }, (_, at) =>
    names.slice(at * NAMES_IN_RULE, (at + 1) * NAMES_IN_RULE),
  );

/** Whether something in a catalog has an own tag that the person did not give it. */
export function intruded(sieve, tags) {
  return sieve.tags.some(({ name }) => {
    if (!name.startsWith(OWN)) return false;
    const known = tags[name.slice(OWN.length)];
    const given = (kind) => new Set(known?.[kind]);
    return KINDS.some((kind) => {
      const members = given(kind);
      return sieve.names({ filter: { tags: [name] }, kind }).some((one) => !members.has(one));
    });
  });
}

/** Lists without the tags of servers that begin as own tags do. */
export function withoutIntruders(lists) {
  const value = ArrayBuffer.isView(lists) ? JSON.parse(new TextDecoder().decode(lists)) : lists;
  return cleaned(typeof value === "string" ? JSON.parse(value) : value);
}

function cleaned(lists) {
  if (Array.isArray(lists)) return lists.map(cleaned);
  if (!isObject(lists)) return lists;
  const clean = (item) => {
    if (!isObject(item)) return item;
    const { tags, _meta: meta } = item;
    return {
      ...item,
      ...(Array.isArray(tags) && { tags: foreign(tags) }),
      ...(Array.isArray(meta?.[MIRROR]) && { _meta: { ...meta, [MIRROR]: foreign(meta[MIRROR]) } }),
    };
  };
  const copy = { ...lists };
  for (const kind of KINDS) if (Array.isArray(copy[kind])) copy[kind] = copy[kind].map(clean);
  if (copy.result !== undefined) copy.result = cleaned(copy.result);
  return copy;
}

/** JSONC as a value: what is no JSON for other reasons is the engine's to refuse. */
function parsed(text) {
  const bare = text
    .replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[^]*?\*\//g, "$1")
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, "$1");
  try {
    return JSON.parse(bare);
  } catch (cause) {
    throw new SieveError("json", `the configuration cannot be read: ${cause.message}`, { cause });
  }
}
