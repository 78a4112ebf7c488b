// @ts-check
// `run`: the gateway in front of servers, on this machine, for daily use.
import { CLUSTER, clusterOf } from "../lib/cluster/options.js";
import { SERVING, serveUntilSignal } from "../lib/serving.js";

export const usage = {
  summary: "Run the gateway on this machine for daily use.",
  takes: "[CONFIG]",
  about:
    "The same as `dev`, without following changes of the file: a file that is being edited never interrupts the sessions of\nclients. It starts the local servers of the file and runs in workerd, without an account, until Ctrl-C.\n\nWith --cluster, gateways on several machines that share a bucket serve the same sessions and tasks. The traffic between them is\nnot encrypted and gives access to all of it, so keep it on a private network. Their clocks must agree with the bucket's within\ntwo seconds. SIGTERM hands over what the node holds, in at most nine seconds.",
  options: { ...SERVING, ...CLUSTER },
  examples: [
    "sieve.jsonc",
    "sieve.jsonc --data .sieve/data",
    "sieve.jsonc --host 0.0.0.0 --data /data --cluster s3://my-bucket/gateway",
  ],
};

/** @param {Record<string, any>} given */
export default function run(given) {
  return serveUntilSignal(given, { watched: false, cluster: clusterOf(given, process.env) });
}
