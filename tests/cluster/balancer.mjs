// What a balancer in front of the nodes does: it asks each node whether it is ready, sends requests to those that are, and sends
// a request to another node if the first accepts no connection. It runs inside the clients, so that a failed request is known by
// its node.
import { setTimeout as sleep } from "node:timers/promises";

const EVERY_MS = 500;
const CHECK_MS = 2_000;
const REFUSED = ["ECONNREFUSED", "UND_ERR_CONNECT_TIMEOUT"];

/** Returns whether a node reports that it takes requests. */
export const isReady = (node) =>
  fetch(`${node.peer}/ready`, { signal: AbortSignal.timeout(CHECK_MS) }).then(
    async (response) => (await response.body?.cancel(), response.status === 200),
    () => false,
  );

/** Starts the checks of `slots`, each of which has the current `node`, if there is one. */
export function startBalancer(slots) {
  let turn = 0;
  let running = true;
  const check = async (slot) => {
    while (running) {
      const { node } = slot;
      const ready = node?.running() === true && (await isReady(node));
      if (slot.node === node) slot.up = ready;
      await sleep(EVERY_MS);
    }
  };
  const checks = slots.map(check);

  /** Returns the nodes in the order in which a request tries them. */
  const order = () => {
    turn += 1;
    const up = slots.filter((slot) => slot.up && slot.node);
    const chosen = up.length > 0 ? up : slots.filter((slot) => slot.node);
    return chosen.map((_, at) => chosen[(turn + at) % chosen.length]);
  };

  /** Returns a `fetch` for one client, and the node and the status of its last request. */
  function client({ only } = {}) {
    const via = {
      node: undefined,
      status: undefined,
      async fetch(input, init) {
        const { pathname, search } = new URL(input);
        let problem = new Error("no node is ready");
        for (const slot of only ? [only] : order()) {
          if (!slot.node) continue;
          via.node = slot.name;
          via.status = undefined;
          try {
            const response = await fetch(`${slot.node.url}${pathname}${search}`, init);
            via.status = response.status;
            return response;
          } catch (error) {
            problem = error;
            if (!REFUSED.includes(error.cause?.code)) throw error;
          }
        }
        throw problem;
      },
    };
    return via;
  }
  return {
    client,
    async stop() {
      running = false;
      await Promise.all(checks);
    },
  };
}
