// The worlds of the protocol's rows, from both files, and each as a Worker with an upstream server.
import { readFileSync, readdirSync } from "node:fs";
import { tokensVariable } from "./tokens.mjs";

export const fixture = (name) => JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), "utf8"));
/** Returns the rows of the protocol, from every file of their folder. */
export const protocolRows = () =>
  readdirSync(new URL("../fixtures/protocol/", import.meta.url))
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) => fixture(`protocol/${file.slice(0, -".json".length)}`));
/** The version of a server without a configured name or version. */
export const version = /^version = "(.*)"$/m.exec(
  readFileSync(new URL("../../Cargo.toml", import.meta.url), "utf8"),
)[1];
const own = fixture("protocol-worlds");
const common = fixture("worlds");

/**
 * Returns a world by name. A world with `like` inherits the lists and the configuration of another; its own members
 * take precedence.
 */
export function world(name) {
  const found = own[name] ?? common[name];
  if (!found) throw new Error(`no world is called ${name}`);
  if (!found.like) return found;
  const { lists, config, says } = world(found.like);
  return { says, ...found, lists, config: { ...config, ...found.config } };
}

/** Returns the `serverInfo` that callers of a world receive: its server's, unless the configuration has a name. */
export function serverInfoOf({ config, says }) {
  if (config?.server?.name === undefined && says?.serverInfo) return says.serverInfo;
  const { instructions, ...server } = { name: "mcp-sieve", version, ...config?.server };
  return server;
}

/** Returns the service of `startWorkers` that puts a Worker in front of the server at `upstream`. */
export function serviceOf(name, { config = {}, tokens = {}, says }, upstream) {
  // The page is not tested here, and rows address the server by various hosts.
  if (!says?.serverInfo) config = { ...config, server: { name: "mcp-sieve", version, ...config.server } };
  return { name, upstream, config, hosts: null, assets: "none", env: { SIEVE_TOKENS: tokensVariable(tokens) } };
}
