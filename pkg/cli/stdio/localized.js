// @ts-check
// A configuration with local servers, as the gateway reads it: each has the address of its bridge in place of its command.
import { createHash } from "node:crypto";
import { dirname, resolve } from "node:path";
import { parseConfig } from "../lib/input.js";
import { UnsetVariables } from "../lib/unset-variables.js";
import { argumentsOf, environmentOf } from "./environment.js";

/** Milliseconds until a local server must answer if the file says nothing: `npx` may first fetch it. */
const TIMEOUT_MS = 30_000;
/** Maximum time, in milliseconds, for the first stateless request: some servers never answer methods that they do not know. */
const PROBE_MS = 5_000;

/** The local servers of a configuration. */
function localServers({ upstream, upstreams = [] }) {
  return [upstream, ...upstreams].filter((server) => server?.command !== undefined);
}

/** Whether a configuration has local servers. */
export const hasLocal = (config) => localServers(parseConfig(config)).length > 0;

/** Returns a warning for each local server with a variable in its `command`. Every user of the machine can read the process list. */
export const openArguments = (config) =>
  localServers(parseConfig(config))
    .filter(({ command }) => command.some((word) => /(?<!\$)\$\{[A-Za-z_]/.test(word)))
    .map(
      ({ name = "upstream" }) =>
        `the \`command\` of the server \`${name}\` refers to a variable: every user of this machine can read its value in the process list; if it is a secret, hand it over under \`env\``,
    );

/** The commands of local servers in words, by the names of the servers; that of a single server also by no name. */
export function shownPlaces(config) {
  const value = parseConfig(config);
  const shown = new Map(localServers(value).map(({ name = "upstream", command }) => [name, command.join(" ")]));
  return value.upstream === undefined ? shown : shown.set("", value.upstream.command.join(" "));
}

/**
 * Returns what starts the local servers of a configuration, in order: `{ name, command, env, cwd, probeMs }` each.
 * @param {string} config
 * @param {Record<string, string | undefined>} outer the environment that they refer to
 * @param {string} [path] the file of the configuration, whose folder they run in
 * @param {UnsetVariables} [unset] takes variables that are not set; without it they are an error
 */
export function processesOf(config, outer, path, unset) {
  const missing = unset ?? new UnsetVariables();
  const folder = path === undefined ? process.cwd() : dirname(resolve(path));
  const processes = localServers(parseConfig(config)).map(
    ({ name = "upstream", command, env = {}, cwd, timeoutMs = TIMEOUT_MS }) => ({
      name,
      command: argumentsOf({ name, command }, outer, missing),
      env: environmentOf({ name, env }, outer, missing),
      cwd: cwd ? resolve(folder, cwd) : folder,
      // The gateway waits for this answer and then for another.
      probeMs: Math.min(PROBE_MS, timeoutMs / 2),
    }),
  );
  if (!unset) missing.refuse();
  return processes;
}

/**
 * Returns what identifies a local server across restarts, in which its bridge has another address each time: the gateway
 * records the names of a server under it.
 */
const identity = (server) =>
  createHash("sha256")
    .update(JSON.stringify([server.command, server.cwd]))
    .digest("hex");

/** The beginning of the names of headers that the gateway never sends. */
const UNSET = "x-sieve-unset-";

/** Returns headers that refer to variables which are not set, so that the gateway leaves out the server. */
const unsetHeaders = (names) => Object.fromEntries(names.map((name, at) => [`${UNSET}${at}`, `\${${name}}`]));

/**
 * Returns the text of the configuration with an address for each local server, in order.
 * @param {string} config
 * @param {string[]} urls
 * @param {UnsetVariables} [unset] the variables that are not set
 */
export function localized(config, urls, unset = new UnsetVariables()) {
  if (urls.length === 0) return config;
  const value = parseConfig(config);
  for (const [at, server] of localServers(value).entries()) {
    const url = `${urls[at]}#${identity(server)}`;
    delete server.command;
    delete server.env;
    delete server.cwd;
    const headers = unsetHeaders(unset.of(server.name ?? "upstream"));
    Object.assign(server, { timeoutMs: TIMEOUT_MS, ...server, url, headers });
  }
  return JSON.stringify(value);
}
