// @ts-check
// `mcp-sieve login`: signs this user in to a server, for `run`, `dev` and `stdio`.
import { Unreadable } from "../lib/cli-error.js";
import { openBrowser } from "../lib/connections/browser.js";
import { clientOf } from "../lib/connections/client.js";
import { CONFIGURATION, configured } from "../lib/connections/configured.js";
import { sealed } from "../lib/connections/record.js";
import { serverNamed } from "../lib/connections/servers.js";
import { signIn } from "../lib/connections/sign-in.js";
import { connectionsKey, keep } from "../lib/connections/store.js";
import { ENV_FILE } from "../lib/env-file.js";
import { print } from "../lib/print.js";

/** Default for the longest time, in seconds, until the browser comes back. */
const LIMIT_S = 300;
/** Maximum of `--timeout`: one day. */
const MAX_LIMIT_S = 86_400;
const MAX_PORT = 65_535;

export const usage = {
  summary: 'Sign in to a server with `"auth": "user"`, in your browser.',
  takes: "[NAME]",
  about:
    "NAME is the server in the configuration; it may be left out if only one server signs users in. The tokens are encrypted and\nkept in your own folder, for `run`, `dev` and `stdio`, which renew them. They go to this server alone.",
  options: {
    config: CONFIGURATION,
    "no-browser": { type: "boolean", help: "Print the address, and open no browser." },
    port: { type: "string", value: "PORT", help: "The port that the browser comes back to (default: any free port)." },
    timeout: { type: "string", value: "SECONDS", help: `Give up after this time (default: ${LIMIT_S}).` },
    ...ENV_FILE,
  },
  examples: ["", "tracker --config sieve.jsonc"],
};

/** @param {Record<string, any>} given */
export default async function login({ subject, config, "no-browser": silent, port, timeout }) {
  const limitMs = 1000 * (number("timeout", timeout, 1, MAX_LIMIT_S) ?? LIMIT_S);
  const chosen = number("port", port, 0, MAX_PORT);
  const found = configured(config);
  if (found === undefined)
    throw new Unreadable("expected a configuration with the server: `npx mcp-sieve login NAME --config sieve.jsonc`");
  const server = serverNamed(found.servers, subject, found);
  const { name } = server;
  const client = clientOf(server, process.env);
  // A key that cannot be kept is an error before the user signs in.
  const key = await connectionsKey();
  const connection = await signIn(server, {
    client,
    limitMs,
    port: chosen,
    begun: (url) => {
      print(`Open this address in a browser to sign in to ${name}:`, `  ${url}`);
      if (!silent) void openBrowser(url);
    },
  });
  await keep(server, sealed(key, name, connection));
  print(
    `${name}: signed in${connection.scope ? ` with ${connection.scope}` : ""}; \`npx mcp-sieve connections\` lists what you are signed in to`,
  );
  return 0;
}

/** The number of an option. @type {(option: string, text: string | undefined, least: number, most: number) => number | undefined} */
function number(option, text, least, most) {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new Unreadable(`--${option}: expected a number from ${least} to ${most}, got \`${text}\``);
  return value;
}
