// @ts-check
// The connections of this user to servers: sealed texts in one file, and the key that opens them beside it.
import { randomBytes } from "node:crypto";
import { Unreadable } from "../cli-error.js";
import { locked, pathOf, privateText, writePrivate } from "./folder.js";

/**
 * A connection. A server of another URL under the same name has a connection of its own.
 * @typedef {{ server: string, url: string, sealed: string }} Entry
 * @typedef {{ name: string, url: string }} Place the server of a configuration
 */

const CONNECTIONS = "connections.json";
const KEY = "connections.key";
/** Length of the key, in bytes. */
const KEY_BYTES = 32;
/** Maximum number of connections of one user. */
const MAX_CONNECTIONS = 1000;
/** The version of the file. A later one has another meaning, and is refused. */
const VERSION = 1;

/** The path of the file, for messages. */
export const connectionsPath = () => pathOf(CONNECTIONS);

const isOf =
  ({ name, url }) =>
  (/** @type {Entry} */ entry) =>
    entry.server === name && entry.url === url;

/**
 * Returns all connections, in the order of the file.
 * @returns {Entry[]}
 * @throws {Unreadable} if the file cannot be read
 */
export function allConnections() {
  const text = privateText(CONNECTIONS);
  if (text === undefined) return [];
  try {
    const { version, connections } = JSON.parse(text);
    if (version === VERSION && Array.isArray(connections) && connections.every(isEntry)) return connections;
  } catch {
    // The text may have secrets, so the error is not repeated.
  }
  throw new Unreadable(
    `${connectionsPath()}: expected the connections that this version of \`npx mcp-sieve login\` writes; move the file away and sign in again`,
  );
}

const isEntry = (entry) => ["server", "url", "sealed"].every((member) => typeof entry?.[member] === "string");

/** Returns the sealed text of the connection to a server; nothing if there is none. */
export const sealedOf = (/** @type {Place} */ place) => allConnections().find(isOf(place))?.sealed;

/**
 * Writes the connection to a server, or removes it. `known`, if given, returns whether the present text is the expected one.
 * Returns whether it was written.
 * @param {Place} place
 * @param {string | undefined} sealed
 * @param {(present: string | undefined) => boolean} [known]
 * @returns {Promise<boolean>}
 */
export function keep(place, sealed, known = () => true) {
  return locked(() => {
    const all = allConnections();
    const at = all.findIndex(isOf(place));
    if (!known(all[at]?.sealed)) return false;
    if (at < 0 && sealed === undefined) return true;
    const others = all.filter((_, other) => other !== at);
    if (sealed !== undefined && others.length >= MAX_CONNECTIONS)
      throw new Unreadable(`${connectionsPath()} has ${MAX_CONNECTIONS} connections: sign out of some first`);
    write(sealed === undefined ? others : [...others, { server: place.name, url: place.url, sealed }]);
    return true;
  });
}

const write = (connections) =>
  writePrivate(CONNECTIONS, `${JSON.stringify({ version: VERSION, connections }, undefined, 1)}\n`);

/**
 * Returns the key of the connections; nothing if there is none.
 * @returns {string | undefined}
 */
export const presentKey = () => privateText(KEY)?.trim() || undefined;

/**
 * Returns the key of the connections, which is made once.
 * @returns {Promise<string>}
 */
export function connectionsKey() {
  return locked(() => {
    const present = presentKey();
    if (present !== undefined) return present;
    const made = randomBytes(KEY_BYTES).toString("base64url");
    writePrivate(KEY, `${made}\n`);
    return made;
  });
}
