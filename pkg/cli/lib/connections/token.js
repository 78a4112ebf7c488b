// @ts-check
// The tokens with which the command itself asks servers to which this user has signed in.
import { Unreadable } from "../cli-error.js";
import { parseConfig } from "../input.js";
import { warn } from "../print.js";
import { step } from "./oauth.js";
import { opened, sealed } from "./record.js";
import { signInServers } from "./servers.js";
import { keep, presentKey, sealedOf } from "./store.js";

/** Minimum time, in milliseconds, for which a token must be valid. */
const LEFT_MS = 30_000;

/**
 * Returns the tokens of the servers of a configuration to which this user has signed in, by name. Those that end are renewed.
 * @param {string} rules
 * @returns {Promise<Map<string, string>>}
 */
export async function ownTokens(rules) {
  const tokens = new Map();
  for (const server of signInServers(rules)) {
    const token = await tokenOf(server).catch((error) => {
      if (!(error instanceof Unreadable)) throw error;
      warn(error.message);
    });
    if (token !== undefined) tokens.set(server.name, token);
  }
  return tokens;
}

/**
 * Returns the configuration without the sign-in of users, for requests with a token of the user.
 * @param {string} rules
 */
export function withoutSignIns(rules) {
  if (signInServers(rules).length === 0) return rules;
  const config = parseConfig(rules);
  for (const server of [config.upstream, ...(config.upstreams ?? [])])
    if ((server?.auth?.type ?? server?.auth) === "user") delete server.auth;
  return JSON.stringify(config);
}

/** Returns the token for a server; nothing without a connection. @param {import("./store.js").Place} place */
async function tokenOf(place) {
  const [key, text] = [presentKey(), sealedOf(place)];
  const connection =
    key === undefined || text === undefined
      ? undefined
      : opened(key, { server: place.name, url: place.url, sealed: text });
  if (key === undefined || connection === undefined) return undefined;
  const { refresh, ...others } = connection;
  const now = Date.now();
  if ((connection.expires ?? Infinity) > now + LEFT_MS || refresh === undefined) return connection.access;
  // As the gateway does: the refresh token is not kept while it may be used up, and only one process sends it.
  const mark = sealed(key, place.name, { ...others, refreshing: now });
  if (!(await keep(place, mark, (present) => present === text))) return connection.access;
  const { asServer, client, resource } = connection;
  const tokens = await step(place.name, "refresh", { server: asServer, client, resource, refresh });
  const obtained = Date.now();
  const renewed = {
    ...others,
    access: tokens.access,
    expires: tokens.expiresIn === undefined ? undefined : obtained + tokens.expiresIn * 1000,
    refresh: tokens.refresh ?? refresh,
    scope: tokens.scope ?? others.scope,
    obtained,
  };
  await keep(place, sealed(key, place.name, renewed), (present) => present === mark);
  return tokens.access;
}
