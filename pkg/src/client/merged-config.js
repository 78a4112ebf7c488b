// @ts-check
// Merges the declarations of several servers into one configuration.
import { carried } from "./server-config.js";
import { SieveError } from "../core/error.js";
import { Sieve } from "../core/sieve.js";

/**
 * Merges what servers declare, under the names that the host gives. The first that declares a name counts, and members that it
 * lacks come from the next, as the operator's come in the gateway. Declarations that differ, and those that cannot be used and are
 * left out, are reported to the client of their server.
 * @param {readonly import("./listed-server.js").ListedServer[]} servers
 */
export function mergedConfig(servers) {
  /** The server that each member of a declaration comes from. */
  let origins = new Map();
  let merged = { groups: [], tags: [], concerns: [], rules: [] };
  for (const { name, client, listing, naming, declaresConcerns } of servers) {
    const { declared } = listing;
    if (declared === undefined) continue;
    const problems = [];
    const known = new Map(origins);
    /** @type {(kind: string) => Note} */
    const noting = (kind) => (term, member, differs) => {
      const key = `${kind} \`${term}\` ${member}`;
      if (!known.has(key)) known.set(key, name);
      if (!differs) return;
      const first = `in \`${name}\` than in \`${known.get(key)}\``;
      problems.push(
        member === "values"
          ? `the ${kind} \`${term}\` has other values ${first}: the values of both can be chosen`
          : `the ${kind} \`${term}\` has another ${member} ${first}, which counts`,
      );
    };
    const next = {
      groups: added(merged.groups, renamedGroups(declared.groups, naming.groups), noting("group")),
      tags: added(merged.tags, renamed(declared.tags, naming.tags), noting("tag")),
      concerns: declaresConcerns
        ? added(merged.concerns, renamed(declared.concerns, naming.concerns), noting("concern"))
        : merged.concerns,
      rules: [...merged.rules, ...declared.rules.map((rule) => ofServer(name, rule, naming.concerns))],
    };
    if (!usable(next, client)) continue;
    [merged, origins] = [next, known];
    for (const problem of problems) client.onerror?.(new SieveError("conflict", problem));
  }
  const silent = servers.filter(({ declaresConcerns }) => !declaresConcerns);
  const lists = (/** @type {typeof servers} */ some) => some.flatMap(({ listing }) => listing.lists);
  // Values of all servers that declare none make one range.
  const found = carried(lists(silent.filter(({ naming }) => !naming.concerns)));
  const others = silent.filter(({ naming }) => naming.concerns);
  const carriedRenamed = others.flatMap((server) => renamed(carried(lists([server])), server.naming.concerns));
  const all = { ...merged, concerns: added(merged.concerns, [...found, ...carriedRenamed]) };
  return usable(all, {}) ? all : merged;
}

/** The members that a declaration takes from the next server if it lacks them; a default only for the same values. */
const FILLED = ["title", "description", "values", "default"];
const isMissing = (value) => value === undefined || value === "";
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Takes the name of a declaration, a member that the next server declares, and whether it differs from the known one.
 * @typedef {(name: string, member: string, differs: boolean) => void} Note
 */

/**
 * Returns the known declarations with those of another server.
 * @param {any[]} known
 * @param {any[]} declared
 * @param {Note} [note]
 */
function added(known, declared, note) {
  const all = new Map(known.map((one) => [one.name, one]));
  for (const one of declared) {
    const first = all.get(one.name);
    const filled = { ...(first ?? one), ...united(first, one) };
    for (const member of FILLED.filter((member) => !isMissing(one[member]))) {
      const lacks = isMissing(first?.[member]);
      if (lacks && (member !== "default" || isSame(filled.values, one.values))) filled[member] = one[member];
      note?.(one.name, member, !lacks && !isSame(first[member], one[member]));
    }
    all.set(one.name, filled);
  }
  return [...all.values()];
}

/**
 * Returns the values of two declarations of a concern, those of the first before the others, and their order. It is lost if the
 * values differ: no server states one of all of them.
 */
function united(first, other) {
  if (!Array.isArray(first?.values) || !Array.isArray(other.values)) return {};
  if (isSame(first.values, other.values)) return { ordered: first.ordered ?? other.ordered };
  return { values: [...new Set([...first.values, ...other.values])], ordered: undefined };
}

/** The name that the host gives; `null` for one that it leaves out. */
const named = (name, names) => (Object.hasOwn(names ?? {}, name) ? names[name] : name);

const renamed = (declared, names) =>
  declared.map((one) => ({ ...one, name: named(one.name, names) })).filter(({ name }) => name !== null);

const renamedGroups = (groups, names) =>
  renamed(groups, names).map(({ parent, ...group }) => ({
    ...group,
    parent: parent.map((name) => named(name, names)).filter((name) => name !== null),
  }));

/** A rule, for what one server lists. */
function ofServer(server, { match, concerns }, names) {
  const given = Object.entries(concerns).map(([name, values]) => [named(name, names), values]);
  return {
    match: { all: [{ server: { "=": server } }, match] },
    concerns: Object.fromEntries(given.filter(([name]) => name !== null)),
  };
}

function usable(config, client) {
  try {
    Sieve.compile({ tools: [] }, config).free();
    return true;
  } catch (error) {
    client.onerror?.(error);
    return false;
  }
}
