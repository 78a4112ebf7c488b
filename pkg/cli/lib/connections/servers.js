// @ts-check
// The servers of a configuration to which users sign in, `"auth": "user"`.
import { serversOf } from "../environment.js";
import { served } from "../gateway-inputs.js";
import { Unreadable, parseConfig } from "../input.js";
import { nearest } from "../suggest.js";

/**
 * A server to which users sign in, with the settings of its `auth`.
 * @typedef {{ name: string, url: string, auth: Record<string, any> }} SignInServer
 */

/**
 * Returns the servers of a configuration to which users sign in.
 * @param {string} config
 * @param {string} [address] the URL of the server, if the configuration names none
 * @param {string} [label] the name of the configuration in messages
 * @returns {SignInServer[]}
 */
export function signInServers(config, address, label = "the configuration") {
  const auths = new Map(serversOf(config).map(({ name, auth }) => [name, auth]));
  // A mistake in other servers is reported where they are used.
  if (![...auths.values()].some((auth) => auth?.type === "user")) return [];
  return served(config, address, label).flatMap(({ name, url }) => {
    const auth = auths.get(name);
    return auth?.type === "user" && url !== undefined ? [{ name, url, auth }] : [];
  });
}

/** Returns whether callers of a gateway with this configuration are one person, if only this machine reaches it. */
export const isOfOneUser = (/** @type {string} */ config) => parseConfig(config).auth === undefined;

/**
 * Returns the server with a name; without one, the only server to which users sign in.
 * @param {SignInServer[]} servers
 * @param {string | undefined} name
 * @param {{ label: string, names: string[] }} config its name in messages, and the names of all servers
 * @throws {Unreadable} if there is no such server, or a choice
 */
export function serverNamed(servers, name, { label, names }) {
  const known = servers.map((server) => server.name);
  const all = known.map((one) => `\`${one}\``).join(", ");
  if (name === undefined && servers.length === 1) return servers[0];
  if (servers.length === 0 && (name === undefined || names.includes(name)))
    throw new Unreadable(
      `${label}: ${name === undefined ? "no server signs users in" : `the server \`${name}\` does not sign users in`}, expected one with \`"auth": "user"\``,
    );
  if (name === undefined) throw new Unreadable(`${label}: expected the name of a server, one of ${all}`);
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  if (names.includes(name))
    throw new Unreadable(`${label}: the server \`${name}\` does not sign users in, expected one of ${all}`);
  const meant = nearest(name, known);
  throw new Unreadable(
    `${label}: there is no server \`${name}\`${meant === undefined ? "" : ` (did you mean \`${meant}\`?)`}${known.length === 0 ? "" : `, expected one of ${all}`}`,
  );
}
