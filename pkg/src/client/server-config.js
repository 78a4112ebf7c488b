// @ts-check
// The declarations of a server as a configuration for its lists.
import {
  CONCERNS,
  IDS,
  LISTS,
  METHOD_NOT_FOUND,
  codeOf,
  concerns,
  filtersBy,
  filtering,
  unlearnt,
  whole,
} from "./server-lists.js";
import { pagesOf } from "./pages.js";
import { loaded } from "../core/memory.js";
import { Sieve } from "../core/sieve.js";

const PARENT = "dev.mcpsieve/parent";
/** The groups that contain a group, in the form of SEP-2084. */
const SEP_2084_GROUPS = "io.modelcontextprotocol/groups";
/** Maximum number of names in one rule, and maximum length of one: the limits of expressions. */
const MAX_NAMES = 25;
const MAX_NAME = 256;
/** Maximum number of levels above a group in a configuration. */
const MAX_LEVELS = 16;
/** The member of `_meta` of a concern with its primitives, which a Sieve returns for `members: true`. */
const MEMBERS = "dev.mcpsieve/members";
/** Number of concurrent requests. */
const AT_ONCE = 4;
/** Maximum number of unusable declarations of one kind. Each costs a check of all others; beyond it, all are left out. */
const MAX_UNUSABLE = 64;
const TERMS = { tools: "tool", resources: "resource", resourceTemplates: "template", prompts: "prompt" };

/**
 * Returns groups and tags with their titles, concerns with their defaults, and the primitives with each value. All are requested
 * together, also while the engine is still loading. `unset` has the session's concerns, each set to `null`, so that they do not
 * narrow the lists.
 */
export async function declared(client, results, options, unset) {
  const filters = filtersBy(client, "concerns");
  const own = concerns(client);
  const [groups, tags, known] = await Promise.all([
    listed(client, "groups", options),
    listed(client, "tags", options),
    filters && own.length > 0 ? members(client, options) : undefined,
    loaded(),
  ]);
  const parents = parentsOf(groups);
  const found = carried(results);
  // Values that neither a filter nor a list shows select nothing here.
  const shown = filters ? own : own.filter(({ name }) => found.some((one) => one.name === name));
  const declaredConcerns = usable(
    "concerns",
    (own.length > 0 ? shown : found).map(({ name, description, values, ordered, default: usual }) => ({
      name,
      description: text(description),
      values,
      ordered,
      default: usual,
    })),
    client,
  );
  return {
    groups: usable(
      "groups",
      groups.map(({ name, title, description }) => {
        return { name, title: text(title), description: text(description), parent: parents.get(name) };
      }),
      client,
    ),
    tags: usable(
      "tags",
      tags.map(({ name, description }) => ({ name, description: text(description) ?? "" })),
      client,
    ),
    concerns: declaredConcerns,
    rules: filters
      ? (disclosed(declaredConcerns, results, known ?? (await membersOf(client, declaredConcerns, options))) ??
        (await mapped(
          client,
          declaredConcerns.filter(({ values }) => Array.isArray(values)),
          results,
          options,
          unset,
        )))
      : [],
  };
}

/** Returns the groups or tags of a server, which may filter by them without listing them. */
async function listed(client, half, options) {
  if (!filtering(client)?.[half]) return [];
  try {
    const method = `${half}/list`;
    /** @type {(cursor: string | undefined) => Promise<any>} */
    const request = (cursor) =>
      client.request({ method, params: cursor === undefined ? {} : { cursor } }, whole, options);
    const found = [];
    for await (const page of pagesOf(request, method)) found.push(...records(page[half]));
    return found;
  } catch (error) {
    if (codeOf(error) === METHOD_NOT_FOUND) return [];
    throw error;
  }
}

/**
 * Returns the declarations that a configuration can have. Others, of another form or declared twice, are reported to the client;
 * beyond `MAX_UNUSABLE` all are left out.
 * @param {"groups" | "tags" | "concerns"} part
 * @param {any[]} items
 */
function usable(part, items, client) {
  for (let left = MAX_UNUSABLE; ; left -= 1) {
    try {
      Sieve.compile({ tools: [] }, { [part]: items }).free();
      return items;
    } catch (error) {
      client.onerror?.(error);
      const [, place] = /^\w+\[(\d+)\]/.exec(error.path ?? "") ?? [];
      items = place === undefined || left === 0 ? [] : items.filter((_, at) => at !== Number(place));
    }
  }
}

/** Returns the parents of each group, without unknown ones and those that would make a cycle or too many levels. */
function parentsOf(groups) {
  const parents = new Map(groups.map(({ name }) => [name, []]));
  /** Returns the number of levels above a group; `Infinity` if `below` is one of them. */
  const levels = (name, below, known = new Map()) => {
    if (name === below) return Number.POSITIVE_INFINITY;
    if (!known.has(name)) {
      const above = parents.get(name).map((parent) => 1 + levels(parent, below, known));
      known.set(name, Math.max(0, ...above));
    }
    return known.get(name);
  };
  const children = new Map(groups.map(({ name }) => [name, []]));
  /** Returns the number of levels below a group. */
  const depth = (name, known = new Map()) => {
    if (!known.has(name)) known.set(name, Math.max(0, ...children.get(name).map((child) => 1 + depth(child, known))));
    return known.get(name);
  };
  for (const { name, _meta, parent } of groups) {
    for (const above of new Set([_meta?.[PARENT] ?? parent, _meta?.[SEP_2084_GROUPS]].flat())) {
      if (!parents.has(above) || levels(above, name) + depth(name) >= MAX_LEVELS) continue;
      parents.get(name).push(above);
      children.get(above).push(name);
    }
  }
  return parents;
}

const records = (list) => (Array.isArray(list) ? list : []).filter((entry) => Object(entry) === entry);
const text = (value) => (typeof value === "string" ? value : undefined);

const least = (/** @type {number} */ one, /** @type {number} */ other) => Math.min(one, other);
const most = (/** @type {number} */ one, /** @type {number} */ other) => Math.max(one, other);

/** Returns undeclared concerns, from the values of primitives. */
export function carried(results) {
  const found = new Map();
  const items = results.flatMap((result) => Object.keys(IDS).flatMap((kind) => records(result[kind])));
  for (const [name, value] of items.flatMap(({ _meta }) =>
    Object.entries({ ..._meta?.concerns, ..._meta?.[CONCERNS] }),
  )) {
    const values = [value].flat().filter((one) => typeof one === "string" || typeof one === "number");
    if (values.length === 0) continue;
    const known = found.get(name) ?? new Set();
    for (const one of values) known.add(one);
    found.set(name, known);
  }
  return [...found].map(([name, set]) => {
    const values = [...set];
    const numbers = values.every((value) => typeof value === "number");
    return {
      name,
      values: numbers ? { min: values.reduce(least), max: values.reduce(most) } : values.map(String).sort(),
    };
  });
}

/** Returns the primitives with each value of these concerns; nothing if there are no concerns. */
const membersOf = async (client, concerns, options) => (concerns.length > 0 ? members(client, options) : new Map());

/** Returns the primitives with each value of a concern, by concern, from one request; nothing if the server refuses it. */
async function members(client, options) {
  const found = new Map();
  /** @type {(cursor: string | undefined) => Promise<any>} */
  const request = (cursor) =>
    client.request(
      { method: "listConcerns", params: { members: true, ...(cursor !== undefined && { cursor }) } },
      whole,
      options,
    );
  try {
    for await (const page of pagesOf(request, "listConcerns"))
      for (const { name, _meta } of records(page.concerns)) found.set(name, _meta?.[MEMBERS]);
  } catch {
    // The lists for each value say the same.
    options?.signal?.throwIfAborted();
    found.clear();
  }
  return found;
}

/**
 * Returns rules with the concern values of primitives. `undefined` if the server did not return them, because it is no Sieve, or an
 * older one.
 */
function disclosed(concerns, results, found) {
  if (!concerns.every(({ name }) => Object(found.get(name)) === found.get(name))) return undefined;
  const rules = [];
  for (const { name, values } of concerns) {
    const members = found.get(name);
    const { min, max } = values ?? {};
    const inRange = () =>
      Object.keys(members)
        .map(Number)
        .filter((value) => value >= min && value <= max);
    const known = Array.isArray(values) ? values : inRange();
    for (const kind of Object.keys(IDS)) {
      const shown = known.map((value) => new Set([members[value]?.[kind] ?? []].flat()));
      rules.push(...assigned(kind, name, alike(idsOf(results, kind), known, shown, false)));
    }
  }
  return rules;
}

/**
 * Finds the value of a concern for each primitive, which only the server knows, by one list for each value. Primitives
 * that are in all of these lists have no value.
 */
async function mapped(client, concerns, results, options, unset) {
  const slim = filtersBy(client, "fields") ? { fields: ["name"] } : {};
  const rules = [];
  for (const [method, [kind]] of Object.entries(LISTS)) {
    const all = idsOf(results, kind);
    const shown = (wanted) => async () => {
      const params = { filter: { concerns: { ...unset, ...wanted }, ...slim } };
      return new Set(idsOf([await unlearnt(client, method, params, options)], kind));
    };
    // First one value of every concern together: most kinds have nothing mapped, and these lists show that.
    const most = all.length > 0 ? Math.max(0, ...concerns.map(({ values }) => values.length)) : 0;
    const together = await inTurn(
      Array.from({ length: most }, (_, at) =>
        shown(Object.fromEntries(concerns.map(({ name, values }) => [name, values[at % values.length]]))),
      ),
    );
    if (together.every((found) => all.every((id) => found.has(id)))) continue;
    for (const { name, values } of concerns) {
      const found = await inTurn(values.map((value) => shown({ [name]: value })));
      rules.push(...assigned(kind, name, alike(all, values, found, true)));
    }
  }
  return rules;
}

/** Returns the ids of listed primitives of a kind, without those that are too long for a rule. */
const idsOf = (results, kind) =>
  records(results.find((result) => kind in result)?.[kind])
    .map((item) => item[IDS[kind]])
    .filter((id) => id?.length <= MAX_NAME);

/** Returns the rules that give primitives of a kind their values of a concern, from groups as `alike` returns them. */
const assigned = (kind, concern, groups) =>
  [...groups].flatMap(([values, ids]) =>
    chunks(ids).map((part) => ({
      match: {
        all: [
          { kind: TERMS[kind] },
          { any: part.map((id) => ({ [IDS[kind] === "name" ? "name" : "uri"]: { "=": id } })) },
        ],
      },
      concerns: { [concern]: values },
    })),
  );

/** Runs jobs, a few at a time: servers limit how many requests of one caller are under way. */
async function inTurn(jobs) {
  const done = [];
  while (done.length < jobs.length)
    done.push(...(await Promise.all(jobs.slice(done.length, done.length + AT_ONCE).map((job) => job()))));
  return done;
}

/**
 * Groups primitives that were listed for the same values, by these values. `free` is whether primitives without a value are listed
 * for every value.
 */
function alike(all, values, shown, free) {
  const found = new Map();
  for (const id of all) {
    const places = values.flatMap((_, at) => (shown[at].has(id) ? [at] : []));
    if (places.length === 0 || (free && places.length === values.length)) continue;
    const key = places.join();
    if (!found.has(key)) found.set(key, [places.map((at) => values[at]), []]);
    found.get(key)[1].push(id);
  }
  return found.values();
}

/** Splits names into those of one rule each. */
const chunks = (items) =>
  Array.from({ length: Math.ceil(items.length / MAX_NAMES) }, (_, at) =>
    items.slice(at * MAX_NAMES, (at + 1) * MAX_NAMES),
  );
