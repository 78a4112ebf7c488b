// @ts-check
// `mcp-sieve connections`: the servers that this user is signed in to.
import { withoutSecrets } from "../lib/addresses.js";
import { opened, stateOf } from "../lib/connections/record.js";
import { allConnections, connectionsPath, presentKey } from "../lib/connections/store.js";
import { JSON_LINE } from "../lib/options.js";
import { print, printJson } from "../lib/print.js";

export const usage = {
  summary: "List the servers that you are signed in to.",
  most: 0,
  about: "Prints since when, with which scopes and until when the access token is good. Tokens are never printed.",
  options: { json: JSON_LINE },
  examples: ["", "--json"],
};

/** States in words. */
const STATES = {
  connected: () => "connected",
  refreshable: () => "connected; the access token is renewed when it is needed",
  ended: (server) => `ended: sign in again, \`npx mcp-sieve login ${server}\``,
  unreadable: (server) => `its key is lost: sign in again, \`npx mcp-sieve login ${server}\``,
};

/** @param {Record<string, any>} given */
export default function connections({ json }) {
  const now = Date.now();
  const key = presentKey();
  const rows = allConnections().map((entry) => {
    const connection = opened(key, entry);
    return {
      server: entry.server,
      url: withoutSecrets(entry.url),
      state: stateOf(connection, now),
      issuer: connection?.issuer,
      since: time(connection?.since),
      scopes: connection?.scope?.split(" ").filter(Boolean),
      expires: time(connection?.expires),
    };
  });
  if (json) printJson({ file: connectionsPath(), connections: rows });
  else if (rows.length === 0) print("You are signed in to no server: `npx mcp-sieve login NAME` signs in.");
  else print(...rows.flatMap(lines));
  return 0;
}

const time = (/** @type {number | undefined} */ ms) => (ms === undefined ? undefined : new Date(ms).toISOString());

/** A connection in words. */
function lines({ server, url, state, issuer, since, scopes, expires }) {
  const facts = [
    ["issuer", issuer],
    ["since", since],
    ["scopes", scopes?.join(" ")],
    ["access until", expires],
  ].filter(([, value]) => value);
  return [
    `${server}  ${url}`,
    `  ${STATES[state](server)}`,
    ...facts.map(([label, value]) => `  ${label.padEnd(12)}  ${value}`),
  ];
}
