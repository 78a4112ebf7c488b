// @ts-check
// What several servers declare, as one configuration.
import { carried } from "./server-config.js";
import { Sieve } from "../core/sieve.js";

/**
 * Merges what servers declare. The first that declares a name counts, as in the gateway. Declarations that cannot be used
 * are left out and reported to the client of their server.
 * @param {readonly import("./listed-server.js").ListedServer[]} servers
 */
export function mergedConfig(servers) {
  let merged = { groups: [], tags: [], concerns: [], rules: [] };
  for (const { name, client, listing, declaresConcerns } of servers) {
    const { declared } = listing;
    if (declared === undefined) continue;
    const next = {
      groups: added(merged.groups, declared.groups),
      tags: added(merged.tags, declared.tags),
      concerns: declaresConcerns ? added(merged.concerns, declared.concerns) : merged.concerns,
      rules: [...merged.rules, ...declared.rules.map((rule) => of(name, rule))],
    };
    if (usable(next, client)) merged = next;
  }
  // Values of all servers that declare none make one range.
  const lists = servers.filter((server) => !server.declaresConcerns).flatMap(({ listing }) => listing.lists);
  return { ...merged, concerns: added(merged.concerns, carried(lists)) };
}

function added(known, declared) {
  const names = new Set(known.map(({ name }) => name));
  return [...known, ...declared.filter(({ name }) => !names.has(name))];
}

/** A rule, for what one server lists. */
const of = (server, { match, ...rest }) => ({ match: { all: [{ server: { "=": server } }, match] }, ...rest });

function usable(config, client) {
  try {
    Sieve.compile({ tools: [] }, config).free();
    return true;
  } catch (error) {
    client.onerror?.(error);
    return false;
  }
}
