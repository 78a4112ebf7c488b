// @ts-check
// `mcp-sieve logout`: ends the connection of this user to a server.
import { Unreadable } from "../lib/cli-error.js";
import { CONFIGURATION, configured } from "../lib/connections/configured.js";
import { opened } from "../lib/connections/record.js";
import { revoke } from "../lib/connections/sign-in.js";
import { allConnections, keep, presentKey } from "../lib/connections/store.js";
import { ENV_FILE } from "../lib/env-file.js";
import { print, warn } from "../lib/print.js";
import { nearest } from "../lib/suggest.js";

export const usage = {
  summary: "Sign out of a server: revoke its tokens and delete them.",
  takes: "NAME",
  about:
    "NAME is a server of `npx mcp-sieve connections`. If the configuration has a server of this name, only the connection to its\naddress ends; otherwise all connections of the name end. They end here even if the tokens cannot be revoked.",
  options: { config: CONFIGURATION, ...ENV_FILE },
  examples: ["tracker"],
};

/** @param {Record<string, any>} given */
export default async function logout({ subject, config }) {
  if (subject === undefined) throw new Unreadable("expected the name of a server: `npx mcp-sieve logout NAME`");
  const all = allConnections();
  const named = all.filter(({ server }) => server === subject);
  const urls = (configured(config)?.servers ?? []).filter(({ name }) => name === subject).map(({ url }) => url);
  const ending = urls.length === 0 ? named : named.filter(({ url }) => urls.includes(url));
  if (ending.length === 0) throw new Unreadable(missing(subject, all, named));
  const key = presentKey();
  for (const entry of ending) {
    const { server: name, url } = entry;
    const connection = opened(key, entry);
    // The tokens are deleted first: what the server does must not keep them here.
    await keep({ name, url }, undefined, (present) => present === undefined || present === entry.sealed);
    const problem =
      connection === undefined ? `${name}: the key of the connection is lost` : await revoke(name, connection);
    print(`${name}: signed out${problem === undefined ? ", and the tokens are revoked" : ""}`);
    if (problem !== undefined)
      warn(
        `${problem}: the tokens are deleted here, and not revoked; the server's own page may list and end the access`,
      );
  }
  return 0;
}

/**
 * The message for a name without a connection to end.
 * @param {string} name
 * @param {import("../lib/connections/store.js").Entry[]} all
 * @param {import("../lib/connections/store.js").Entry[]} named
 */
function missing(name, all, named) {
  if (named.length > 0)
    return `\`${name}\`: you are not signed in to the address of the configuration, but to ${named.map(({ url }) => url).join(", ")}`;
  const meant = nearest(
    name,
    all.map(({ server }) => server),
  );
  return `you are not signed in to \`${name}\`${meant === undefined ? "" : ` (did you mean \`${meant}\`?)`}; \`npx mcp-sieve connections\` lists what you are signed in to`;
}
