// @ts-check
// The record of a node: digests of what all nodes of a cluster have to share.
import { createHmac, hkdfSync } from "node:crypto";
import { manifest } from "../own-package.js";

/** The variables that differ between nodes by intent. */
const OF_ONE_NODE = ["SIEVE_DEV"];
const SEAL_BYTES = 32;

/**
 * Returns the key that seals the sessions and cursors of a cluster. It is derived from the key of the cluster, so that there is
 * one secret to hand out.
 * @param {string} key
 */
export const sealingKey = (key) =>
  Buffer.from(hkdfSync("sha256", key, "", "mcp-sieve sessions and cursors", SEAL_BYTES)).toString("hex");

/**
 * Returns the record of a node. Digests are keyed by the key of the cluster: those who read the bucket cannot guess values.
 * @param {import("./options.js").Cluster} cluster
 * @param {string} config the text of the configuration
 * @param {Record<string, string | undefined>} variables
 * @param {number} now
 */
export function recordOf({ key, address, advertise }, config, variables, now) {
  const digest = (/** @type {string} */ name, /** @type {string} */ value) =>
    createHmac("sha256", key).update(`${name}\n${value}`).digest("hex");
  const shared = Object.entries(variables).filter(
    ([name, value]) => value !== undefined && !OF_ONE_NODE.includes(name),
  );
  return {
    node: advertise ?? address,
    since: new Date(now).toISOString(),
    key: digest("key", ""),
    version: manifest.version,
    config: digest("config", config),
    variables: Object.fromEntries(shared.map(([name, value]) => [name, digest(name, String(value))])),
  };
}
