// @ts-check
// Links and commands that add a server to a client by its URL.
import { tokenFor } from "./tokens.js";

const DEFAULT_NAME = "mcp-sieve";

/** A name that every client takes for a server: letters, digits and hyphens. */
function nameOf(server) {
  const { title, name } = server?.info ?? {};
  return (
    (name ?? title ?? "")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || DEFAULT_NAME
  );
}

const link = (page, server, config) => `${page}?${new URLSearchParams({ name: nameOf(server), config })}`;

export const vscode = (server, url) =>
  link("https://vscode.dev/redirect/mcp/install", server, JSON.stringify({ type: "http", url }));

// `btoa` takes bytes: a URL that `URL` has written is ASCII.
export const cursor = (server, url) => link("https://cursor.com/en/install-mcp", server, btoa(JSON.stringify({ url })));

/** Quotes a URL for a shell. */
const quoted = (url) => `'${url.replaceAll("'", "%27")}'`;

/** Commands name the variable with a token, not the token: they would keep it in the history of a shell. */
const needsToken = (server) => server !== undefined && tokenFor(server.url) !== undefined;

export const claude = (server, url) =>
  `claude mcp add --transport http ${nameOf(server)} ${quoted(url)}${needsToken(server) ? ' --header "Authorization: Bearer $TOKEN"' : ""}`;

export const codex = (server, url) =>
  `codex mcp add ${nameOf(server)} --url ${quoted(url)}${needsToken(server) ? " --bearer-token-env-var TOKEN" : ""}`;
