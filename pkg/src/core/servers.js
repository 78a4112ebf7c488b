// @ts-check
// The lists of several servers, each under its name.
import { SieveError } from "./error.js";
import { listed } from "./options.js";

const MEMBERS = ["server", "lists", "prefix", "prefixAll", "groups", "tags", "concerns"];

const invalid = (/** @type {string} */ place, /** @type {string} */ message) =>
  Object.assign(new SieveError("catalog", `${place}: ${message}`), { path: place });

/**
 * The servers that `lists` names; `undefined` for the lists of one server.
 * @param {any} lists
 * @returns {import("../../types/index.js").ServerLists[] | undefined}
 */
export function serversOf(lists) {
  if (!Array.isArray(lists) || !lists.some((entry) => Object(entry).server !== undefined)) return undefined;
  for (const [at, entry] of lists.entries()) {
    if (Object(entry) !== entry) throw invalid(`[${at}]`, "expected `{ server, lists }`");
    if (typeof entry.server !== "string" || entry.server === "")
      throw invalid(`[${at}].server`, "expected the name of a server");
    if (entry.lists === undefined || entry.lists === null) throw invalid(`[${at}].lists`, "expected list results");
    const unknown = Object.keys(entry).find((name) => !MEMBERS.includes(name));
    if (unknown !== undefined) throw invalid(`[${at}].${unknown}`, `expected one of ${listed(MEMBERS)}`);
  }
  return lists;
}

/**
 * Returns the settings of the servers for the engine.
 * @param {readonly import("../../types/index.js").ServerLists[]} servers
 */
export const settingsOf = (servers) =>
  JSON.stringify(servers.map(({ server, lists: _, ...settings }) => ({ name: server, ...settings })));
