// Three nodes in front of the servers, each with its own way to the bucket, and a supervisor that starts a node again.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startBucketProxy } from "../support/bucket-proxy.mjs";
import { startNode } from "../support/cluster-node.mjs";
import { startStore } from "../support/object-store.mjs";
import { freePort } from "../support/port.mjs";
import { installCommand } from "../support/command.mjs";
import { startBalancer } from "./balancer.mjs";
import { startServers } from "./servers.mjs";

const NODES = 3;
/** Pause of the supervisor before it starts a node again. */
const RESTART_MS = 1_000;

export async function setStage() {
  const [consumer, store, servers] = await Promise.all([installCommand(), startStore(), startServers()]);
  consumer.install("workerd");
  const config = join(consumer.folder, "sieve.json");
  writeFileSync(config, JSON.stringify(servers.config));
  /** What was observed: unexpected ends and refused starts of nodes. */
  const log = [];
  const slots = [];
  for (let at = 0; at < NODES; at += 1) slots.push(await slotOf(`node ${at + 1}`));

  async function slotOf(name) {
    const proxy = await startBucketProxy(store);
    const [port, clusterPort] = [await freePort(), await freePort()];
    const slot = { name, proxy, node: undefined, up: false, supervised: false, port, clusterPort, lines: [] };
    const env = { ...servers.env };

    /** Starts the node, and resolves once it serves. From then on the supervisor starts it again if it ends by itself. */
    slot.start = async (more = {}) => {
      const node = await startNode({ consumer, config, store: proxy, port, clusterPort, env, ...more });
      slot.node = node;
      node.ended.then(() => slot.lines.push(...node.lines));
      await node.ready;
      slot.supervised = true;
      supervise(node);
      return node;
    };
    /** Takes the node away by `end`, `term` or `kill`, without a new start. */
    slot.end = async (end) => {
      slot.supervised = false;
      const { node } = slot;
      const ended = await node[end]();
      slot.node = undefined;
      slot.up = false;
      return ended;
    };
    async function supervise(node) {
      const { status, signal } = await node.ended;
      if (slot.node !== node || !slot.supervised) return;
      slot.up = false;
      note(node, status ?? signal);
      for (;;) {
        await sleep(RESTART_MS);
        if (!slot.supervised) return;
        try {
          await slot.start();
          return;
        } catch {
          note(slot.node, "no start");
        }
      }
    }
    const note = (node, how) => log.push({ node: name, at: Date.now(), how, why: node.lines.slice(-3) });
    return slot;
  }

  const balancer = startBalancer(slots);
  return {
    consumer,
    store,
    servers,
    config,
    slots,
    balancer,
    log,
    /** Every line that a node has printed. */
    lines: () => slots.flatMap(({ lines, node }) => [...lines, ...(node?.lines ?? [])]),
    async stop() {
      await balancer.stop();
      for (const slot of slots) slot.supervised = false;
      await Promise.all(slots.map(({ node }) => node?.kill()));
      await Promise.all(slots.map(({ proxy }) => proxy.stop()));
      await Promise.all([store.stop(), servers.stop()]);
      consumer.remove();
    },
  };
}
