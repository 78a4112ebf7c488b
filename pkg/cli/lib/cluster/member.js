// @ts-check
// A node of a cluster, in workerd, in front of the Worker. Before a node serves its first request, it compares its record with
// that of the node that started last. Nodes with different keys cannot reach each other's objects, so such a node serves nothing.

/** The binding to the folder of the cluster's bucket that has the record. */
export const RECORDS = "CLUSTER_RECORDS";
const RECORD = "http://bucket/cluster.json";
const INTERNAL_ERROR = -32603;
/** Seconds after which a client may try again. */
const RETRY_AFTER_S = 5;

/** @typedef {{ fetch: (request: Request, env: any, ctx: any) => Response | Promise<Response> }} Worker */
/** @typedef {{ node: string, since: string, key: string, version: string, config: string, variables: Record<string, string> }} Node */

/**
 * Returns a Worker that serves once the record of this node was compared.
 * @type {(worker: Worker, record: Node) => Worker}
 */
export function member(worker, record) {
  /** @type {Promise<string | undefined> | undefined} */
  let compared;
  return {
    async fetch(request, env, ctx) {
      compared ??= compare(env[RECORDS], record);
      try {
        const refusal = await compared;
        return refusal === undefined ? await worker.fetch(request, env, ctx) : refuse("cluster_key", refusal);
      } catch (error) {
        if (!(error instanceof BucketError)) throw error;
        compared = undefined;
        return refuse("cluster_bucket", error.message);
      }
    },
  };
}

class BucketError extends Error {}

/**
 * Compares the record with the stored one and replaces it. Returns the reason why this node may not serve, if there is one.
 * @type {(records: { fetch: typeof fetch }, record: Node) => Promise<string | undefined>}
 */
async function compare(records, record) {
  const stored = await read(records);
  if (stored !== undefined && stored.key !== record.key)
    return `SIEVE_CLUSTER_KEY differs from that of ${stored.node}, which joined this cluster on ${stored.since}: give all nodes the same key; to change it, stop all nodes and delete v1/services/sieve/cluster.json below the prefix of the bucket`;
  const others = stored === undefined ? [] : differences(stored, record);
  if (stored !== undefined && others.length > 0)
    console.warn(
      `cluster: this node differs from ${stored.node}, which started on ${stored.since}: ${others.join(", ")}; that is expected only while you change the nodes one after the other`,
    );
  const written = await records.fetch(RECORD, { method: "PUT", body: JSON.stringify(record) }).catch(failed);
  if (!written.ok) throw new BucketError(`the bucket did not take the record of this node (HTTP ${written.status})`);
  return undefined;
}

/** @type {(records: { fetch: typeof fetch }) => Promise<Node | undefined>} */
async function read(records) {
  const found = await records.fetch(RECORD).catch(failed);
  if (found.status === 404) return undefined;
  if (!found.ok) throw new BucketError(`the bucket did not return the record of its nodes (HTTP ${found.status})`);
  const text = await found.text();
  try {
    const { node, since, key, version, config, variables } = JSON.parse(text);
    const texts = [node, since, key, version, config];
    if (texts.every((member) => typeof member === "string")) return { node, since, key, version, config, variables };
  } catch {
    // It is reported below.
  }
  console.warn("cluster: the record v1/services/sieve/cluster.json in the bucket cannot be read; it is replaced");
  return undefined;
}

/** @type {(error: Error) => never} */
function failed(error) {
  throw new BucketError(`the bucket cannot be reached: ${error.message}`);
}

/**
 * Returns in what two nodes differ, in words.
 * @type {(stored: Node, record: Node) => string[]}
 */
function differences(stored, record) {
  const names = [...new Set([...Object.keys(stored.variables ?? {}), ...Object.keys(record.variables)])].sort();
  return [
    ...(stored.version === record.version ? [] : [`version ${record.version} of the package (${stored.version})`]),
    ...(stored.config === record.config ? [] : ["the configuration"]),
    ...names
      .filter((name) => stored.variables?.[name] !== record.variables[name])
      .map((name) => `the variable ${name}`),
  ];
}

/** @type {(reason: string, message: string) => Response} */
const refuse = (reason, message) =>
  Response.json(
    { jsonrpc: "2.0", id: null, error: { code: INTERNAL_ERROR, message, data: { reason, retryAfter: RETRY_AFTER_S } } },
    { status: 503, headers: { "cache-control": "no-store", "retry-after": String(RETRY_AFTER_S) } },
  );
