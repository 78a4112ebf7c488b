// @ts-check
// The record of a connection, as the gateway seals it (`crates/gateway/src/sign_in/connection.rs`).
import { openConnection, sealConnection } from "../engine.js";

/** The holder of connections where one person alone reaches the gateway. */
const HOLDER = "local";

/**
 * Times are in milliseconds since 1970.
 * @typedef {object} Connection
 * @property {string} serverUrl
 * @property {string} issuer
 * @property {Record<string, any>} asServer
 * @property {Record<string, any>} client
 * @property {string} [resource]
 * @property {string} access
 * @property {number} [expires]
 * @property {string} [refresh]
 * @property {string} [scope]
 * @property {number} since
 * @property {number} obtained
 * @property {number} [refreshing]
 */

/**
 * Seals a connection to a server.
 * @param {string} key
 * @param {string} server
 * @param {Connection} connection
 * @returns {string}
 */
export function sealed(key, server, connection) {
  const text = sealConnection(key, HOLDER, server, JSON.stringify(connection));
  if (text === undefined) throw new Error("the connection cannot be sealed");
  return text;
}

/**
 * Opens the connection of an entry. Returns nothing if it was sealed under another key, or for another server.
 * @param {string | undefined} key
 * @param {import("./store.js").Entry} entry
 * @returns {Connection | undefined}
 */
export function opened(key, { server, url, sealed: text }) {
  if (key === undefined) return undefined;
  const json = openConnection(key, HOLDER, server, text);
  if (json === undefined) return undefined;
  const connection = JSON.parse(json);
  return connection.serverUrl === url ? connection : undefined;
}

/**
 * The state of a connection: `connected`; `refreshable`, with an access token that has ended and a refresh token; `ended`; or
 * `unreadable`, under another key. Users sign in again to the last two.
 * @param {Connection | undefined} connection
 * @param {number} now
 */
export function stateOf(connection, now) {
  if (connection === undefined) return "unreadable";
  if (connection.expires === undefined || connection.expires > now) return "connected";
  return connection.refresh === undefined || connection.refreshing !== undefined ? "ended" : "refreshable";
}
