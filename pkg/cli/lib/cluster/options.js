// @ts-check
// The options that make a gateway a node of a cluster.
import { networkInterfaces } from "node:os";
import { Unreadable } from "../cli-error.js";

/** The variable with the secret that all nodes of a cluster share. */
export const KEY = "SIEVE_CLUSTER_KEY";
/** Minimum length, in bytes, of the key. The runtime takes no shorter one. */
const MIN_KEY_BYTES = 32;
/** The default port for the other nodes. */
const PORT = 8788;
const BUCKET = /^(s3|gs):\/\/[a-z0-9][a-z0-9._-]{1,61}[a-z0-9](?:\/[\w!.*'()-]+)*\/?$/;
/** `host:port`, with IPv6 addresses in brackets. */
const ADDRESS = /^(?:[\w.-]+|\[[\da-f:.]+\]):(\d{1,5})$/i;
/** The private IPv4 addresses: RFC 1918, and the shared ones of RFC 6598 that overlay networks use. */
const PRIVATE = /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;

/** The options of the command. */
export const CLUSTER = {
  cluster: {
    type: "string",
    value: "BUCKET",
    help: `Be a node of the cluster in s3://BUCKET/PREFIX or gs://… ${KEY} is its key.`,
  },
  "cluster-address": {
    type: "string",
    value: "HOST:PORT",
    help: `Where this node listens for the others (default: its private address, port ${PORT}).`,
  },
  "cluster-advertise": {
    type: "string",
    value: "HOST:PORT",
    help: "Where the others reach this node, if it is another address than that.",
  },
};

/**
 * A node's place in a cluster. `advertise` is the address for the other nodes, if it is not `address`.
 * @typedef {{ bucket: string, address: string, advertise?: string, key: string }} Cluster
 */

/**
 * Returns the cluster that the options name, if they name one.
 * @param {Record<string, any>} given
 * @param {Record<string, string | undefined>} environment
 * @returns {Cluster | undefined}
 */
export function clusterOf(given, environment) {
  const { cluster: bucket, "cluster-address": address, "cluster-advertise": advertise } = given;
  if (bucket === undefined) {
    for (const name of ["cluster-address", "cluster-advertise"])
      if (given[name] !== undefined) throw new Unreadable(`--${name} belongs to --cluster BUCKET, which is missing`);
    return undefined;
  }
  // The value is not repeated: credentials may stand in it.
  if (!BUCKET.test(bucket))
    throw new Unreadable(
      "--cluster: expected `s3://BUCKET/PREFIX` or `gs://BUCKET/PREFIX`; credentials and the endpoint of an S3-compatible store are the variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_ENDPOINT_URL",
    );
  const own = address === undefined ? privateAddress() : checked("cluster-address", address);
  return {
    bucket: bucket.replace(/\/$/, ""),
    address: own,
    ...(advertise !== undefined && { advertise: checked("cluster-advertise", advertise) }),
    key: keyOf(environment[KEY]),
  };
}

/** @param {string | undefined} key */
function keyOf(key) {
  const length = Buffer.byteLength(key ?? "");
  if (length >= MIN_KEY_BYTES) return /** @type {string} */ (key);
  const found = length === 0 ? "it is not set" : `got ${length}`;
  throw new Unreadable(
    `${KEY}: expected at least ${MIN_KEY_BYTES} bytes, the same at every node, such as the output of \`openssl rand -hex 32\`; ${found}`,
  );
}

function checked(option, address) {
  const port = Number(ADDRESS.exec(address)?.[1] ?? 0);
  if (port < 1 || port > 65_535) throw new Unreadable(`--${option}: expected HOST:PORT, such as 10.0.0.4:${PORT}`);
  return address;
}

/** Returns the address of this machine in its private network, if it has exactly one. */
function privateAddress() {
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal, address }) => family === "IPv4" && !internal && PRIVATE.test(address))
    .map(({ address }) => address);
  if (found.length === 1) return `${found[0]}:${PORT}`;
  throw new Unreadable(
    `--cluster-address: expected HOST:PORT, where the other nodes reach this one on a private network; this machine has ${
      found.length === 0 ? "no private address" : `several private addresses: ${found.join(", ")}`
    }`,
  );
}
