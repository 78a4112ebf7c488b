// @ts-check
// Own tags on their way into a catalog: as rules of its configuration, without tags of others that look like them.
import { KINDS, SieveError } from "./error.js";
import { OWN, isObject, namesOwn } from "./own-tags.js";

/** Names in one rule: an expression has its limits. */
const NAMES_IN_RULE = 25;
const TERMS = {
  tools: "tool",
  resources: "resource",
  resourceTemplates: "template",
  prompts: "prompt",
  skills: "skill",
};

/**
 * A configuration with own tags, which apply after its own rules. `origin` says which server calls a primitive what, where
 * there are several.
 */
export function withTags(config, tags, origin) {
  if (Object.keys(tags).length === 0 && !namesOwn(config)) return config;
  const settings = typeof config === "string" ? parsed(config) : (config ?? {});
  const configured = (settings.rules ?? []).map(withoutOwn);
  const rules = Object.entries(tags).flatMap(([tag, kinds]) =>
    Object.entries(kinds).flatMap(([kind, names]) => [
      ...parts(names).map((part) => rule(OWN + tag, kind, part, origin)),
      // A person sees the name that a rule gives, and rules match the name that the server gives.
      ...configured.filter(({ name }) => names.includes(name)).map(({ match }) => tagging(OWN + tag, kind, match)),
    ]),
  );
  const declared = Object.keys(tags).map((tag) => ({ name: OWN + tag }));
  return {
    ...settings,
    tags: [...(settings.tags ?? []).filter(({ name }) => !String(name).startsWith(OWN)), ...declared],
    rules: [...configured, ...rules],
  };
}

function rule(tag, kind, names, origin) {
  const field = kind === "tools" || kind === "prompts" ? "name" : "uri";
  const named = names.map((name) => {
    const from = origin?.(name, kind);
    if (!from) return { [field]: { "=": name } };
    return { all: [{ server: { "=": from.server } }, { [field]: { "=": from.name } }] };
  });
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
    if (known === undefined) return true;
    return KINDS.some((kind) => {
      const members = new Set(known?.[kind]);
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
    const { tags, annotations, _meta: meta } = item;
    return {
      ...item,
      ...(Array.isArray(tags) && { tags: foreign(tags) }),
      ...(Array.isArray(annotations?.tags) && { annotations: { ...annotations, tags: foreign(annotations.tags) } }),
      ...(isObject(meta) && { _meta: foreignWithin(meta) }),
    };
  };
  const copy = { ...lists };
  if (Array.isArray(copy.tags)) copy.tags = copy.tags.filter((tag) => !isOwn(tag?.name));
  for (const kind of KINDS) if (Array.isArray(copy[kind])) copy[kind] = copy[kind].map(clean);
  if (copy.result !== undefined) copy.result = cleaned(copy.result);
  return copy;
}

/** A value of `_meta` without own tags. The configuration may read tags from any path, as texts or arrays of them. */
function foreignWithin(value) {
  if (Array.isArray(value)) return value.filter((one) => !isOwn(one)).map(foreignWithin);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, one]) => !isOwn(one));
  return Object.fromEntries(kept.map(([key, one]) => [key, foreignWithin(one)]));
}

const isOwn = (value) => typeof value === "string" && value.startsWith(OWN);

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
