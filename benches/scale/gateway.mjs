// The built Worker in front of a fleet.
import { memory, cpu, descriptors } from "../../tests/support/process.mjs";
import { tokensVariable } from "../../tests/support/tokens.mjs";
import { startWorker } from "../../tests/support/workerd.mjs";
import { Client } from "./client.mjs";
import { claimsOf } from "./policies.mjs";

/** The gateway's default `listWaitMs`. The test support uses a longer one. */
export const LIST_WAIT_MS = 1_500;

/**
 * Starts the Worker. `config` is merged over the list of servers, and `server` into the settings of each. `callers` is
 * the number of tokens that it knows, from `token-0` on.
 */
export async function startGateway(fleet, { config = {}, server = {}, callers = 0, ...service } = {}) {
  const upstreams = fleet.servers.map(({ name, url }) => ({ name, url, listWaitMs: LIST_WAIT_MS, ...server }));
  const claims = Object.fromEntries(Array.from({ length: callers }, (_, at) => [`token-${at}`, claimsOf(at)]));
  const worker = await startWorker({
    build: process.env.SCALE_BUILD,
    config: { upstreams, ...config },
    ...(callers > 0 && { env: { SIEVE_TOKENS: tokensVariable(claims) } }),
    ...service,
  });
  const client = new Client(worker.mcp);
  return Object.assign(worker, {
    client,
    cpu: () => cpu(worker.pid),
    memory: () => memory(worker.pid),
    descriptors: () => descriptors(worker.pid),
    /** Returns the CPU milliseconds of the process while `work` runs. */
    async spent(work) {
      const before = cpu(worker.pid);
      await work();
      return cpu(worker.pid) - before;
    },
    async close() {
      client.close();
      await worker.stop();
    },
  });
}
