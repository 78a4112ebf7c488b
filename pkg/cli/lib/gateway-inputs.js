// @ts-check
// The sources of configuration and server for `dev` and `deploy`. Two sources of the same setting are an error: one would be
// ignored, and with it the primitives that it hides.
import { existsSync } from "node:fs";
import { withoutSecrets } from "./addresses.js";
import { placeOf } from "./live-server.js";
import { CONFIG, USUAL } from "./options.js";
import { Unreadable } from "./cli-error.js";
import { serversOf } from "./environment.js";

/** Maximum number of upstream servers, as in the engine (`crates/gateway/src/config/upstream.rs`). */
export const MAX_SERVERS = 500;

/** The options of both commands. */
export const SOURCES = {
  upstream: {
    type: "string",
    multiple: true,
    value: "URL",
    help: "The upstream MCP server, if the file names none.",
  },
  config: { ...CONFIG, help: "The same as CONFIG." },
};

/**
 * The path of the configuration file: the one that is given, or `sieve.jsonc` in this folder if there is one.
 * @param {Record<string, any>} given
 * @param {Record<string, any>} [environment]
 */
export function pathOf({ subject, config }, environment = {}) {
  if (subject !== undefined && config !== undefined)
    throw twice(`\`${subject}\``, `\`--config ${config}\``, "set the configuration");
  const path = subject ?? config ?? (existsSync(USUAL) ? USUAL : undefined);
  if (path !== undefined && environment.SIEVE_CONFIG)
    throw twice(`\`${path}\``, "the environment variable SIEVE_CONFIG", "set the configuration");
  return path;
}

/** The address of the one server that is given beside the configuration, if any. */
export function addressOf({ upstream = [] }, environment = {}) {
  if (upstream.length > 1)
    throw new Unreadable(
      "--upstream: expected one server; name several as `upstreams` in a configuration file, which `npx mcp-sieve init` writes",
    );
  const [given] = upstream;
  const variable = environment.UPSTREAM_URL || undefined;
  if (given !== undefined && variable !== undefined)
    throw twice(
      `\`--upstream ${withoutSecrets(given)}\``,
      "the environment variable UPSTREAM_URL",
      "name the upstream server",
    );
  const address = given ?? variable;
  if (address === undefined) return undefined;
  const source = given === undefined ? "UPSTREAM_URL" : "--upstream";
  const { server, url } = placeOf(address, source);
  if (server !== "")
    throw new Unreadable(
      `${source}: expected an address alone, got the name \`${server}\` too; a configuration file gives servers their names`,
    );
  return url;
}

/** The servers that are served, `{ name, url, headers }` or `{ name, command }` each; `label` is what messages call the configuration. */
export function served(config, address, label) {
  const servers = serversOf(config);
  const named = servers.filter(({ url, command }) => url !== undefined || command !== undefined);
  if (address !== undefined && named.length > 0) {
    throw twice(
      `\`${label}\` (${named.map(({ name }) => `\`${name}\``).join(", ")})`,
      `--upstream or UPSTREAM_URL (${withoutSecrets(address)})`,
      "name the upstream server",
    );
  }
  const remote = named.filter(({ command }) => command === undefined);
  const broken = remote.find(({ url }) => !/^https?:\/\//.test(url) || !URL.canParse(url));
  if (broken !== undefined)
    throw new Unreadable(
      `${label}: the address of the server \`${broken.name}\` is \`${withoutSecrets(broken.url)}\`, expected one such as https://example.com/mcp`,
    );
  if (address === undefined) return named;
  const [{ name, headers } = { name: "upstream", headers: {} }] = servers;
  return [{ name, url: address, headers }];
}

/** Two sources of one thing. */
export const twice = (one, other, what) => new Unreadable(`${one} and ${other} both ${what}: leave one of them out`);
