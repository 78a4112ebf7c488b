// The worlds of the protocol's rows, from both files, and each as a Worker with a server behind it.
import { readFileSync, readdirSync } from "node:fs";
import { tokensVariable } from "./tokens.mjs";

export const fixture = (name) => JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), "utf8"));
/** The rows of the protocol, from every file of their folder. */
export const protocolRows = () =>
  readdirSync(new URL("../fixtures/protocol/", import.meta.url))
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) => fixture(`protocol/${file.slice(0, -".json".length)}`));
/** The version that a server has which says nothing of itself. */
export const version = /^version = "(.*)"$/m.exec(
  readFileSync(new URL("../../Cargo.toml", import.meta.url), "utf8"),
)[1];
const own = fixture("protocol-worlds");
const common = fixture("worlds");

/** A world by name; one that is like another has its lists and its configuration, its own members first. */
export function world(name) {
  const found = own[name] ?? common[name];
  if (!found) throw new Error(`no world is called ${name}`);
  if (!found.like) return found;
  const { lists, config, says } = world(found.like);
  return { says, ...found, lists, config: { ...config, ...found.config } };
}

/** `serverInfo` as callers of a world receive it: that of its server, unless the configuration gives a name. */
export function serverInfoOf({ config, says }) {
  if (config?.server?.name === undefined && says?.serverInfo) return says.serverInfo;
  const { instructions, ...server } = { name: "mcp-sieve", version, ...config?.server };
  return server;
}

/** The service of `startWorkers` that puts a Worker before the server at `upstream`. */
export function serviceOf(name, { config = {}, tokens = {}, says }, upstream) {
  // No page is asked for here, and rows call the server by names of their own.
  if (!says?.serverInfo) config = { ...config, server: { name: "mcp-sieve", version, ...config.server } };
  return { name, upstream, config, hosts: null, assets: "none", env: { SIEVE_TOKENS: tokensVariable(tokens) } };
}
