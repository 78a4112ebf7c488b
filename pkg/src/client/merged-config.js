// @ts-check
// Merges the declarations of several servers into one configuration.
import { carried } from "./server-config.js";
import { Sieve } from "../core/sieve.js";

/**
 * Merges what servers declare, under the names that the host gives. The first that declares a name counts, as in the gateway.
 * Declarations that cannot be used are left out and reported to the client of their server.
 * @param {readonly import("./listed-server.js").ListedServer[]} servers
 */
export function mergedConfig(servers) {
  let merged = { groups: [], tags: [], concerns: [], rules: [] };
  for (const { name, client, listing, naming, declaresConcerns } of servers) {
    const { declared } = listing;
    if (declared === undefined) continue;
    const next = {
      groups: added(merged.groups, renamedGroups(declared.groups, naming.groups)),
      tags: added(merged.tags, renamed(declared.tags, naming.tags)),
      concerns: declaresConcerns
        ? added(merged.concerns, renamed(declared.concerns, naming.concerns))
        : merged.concerns,
      rules: [...merged.rules, ...declared.rules.map((rule) => ofServer(name, rule, naming.concerns))],
    };
    if (usable(next, client)) merged = next;
  }
  const silent = servers.filter(({ declaresConcerns }) => !declaresConcerns);
  const lists = (/** @type {typeof servers} */ some) => some.flatMap(({ listing }) => listing.lists);
  // Values of all servers that declare none make one range.
  const found = carried(lists(silent.filter(({ naming }) => !naming.concerns)));
  const others = silent.filter(({ naming }) => naming.concerns);
  const carriedRenamed = others.flatMap((server) => renamed(carried(lists([server])), server.naming.concerns));
  return { ...merged, concerns: added(merged.concerns, [...found, ...carriedRenamed]) };
}

function added(known, declared) {
  const all = new Map(known.map((one) => [one.name, one]));
  for (const one of declared) if (!all.has(one.name)) all.set(one.name, one);
  return [...all.values()];
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
