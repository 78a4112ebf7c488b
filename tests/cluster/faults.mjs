// The faults, one phase for each. `run` brings the fault about while the load runs, and returns what was observed beside it.
import { setTimeout as sleep } from "node:timers/promises";
import { startNode } from "../support/cluster-node.mjs";
import { freePort } from "../support/port.mjs";
import { until } from "../support/until.mjs";
import { ask, bearer, inSession } from "./ledger.mjs";

/** A key that the other nodes do not have. */
const OTHER_KEY = "another-key-that-the-others-do-not-have";
const CLOCK_MS = 20_000;
/** Longest wait for the objects of a killed node, in milliseconds. Its lease lasts 20 s. */
const TAKEOVER_MS = 60_000;
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** Sets a fault at the proxies of all nodes for a time. */
async function everywhere({ slots }, faults, ms) {
  for (const { proxy } of slots) proxy.faults = faults;
  await sleep(ms);
  for (const { proxy } of slots) proxy.faults = {};
}

/** Starts a node beside the others, and returns what it said if it did not start. */
async function beside(stage, options) {
  const { consumer, config, servers, slots } = stage;
  const [{ proxy }] = slots;
  const [port, clusterPort] = [await freePort(), await freePort()];
  return startNode({ consumer, config, store: proxy, port, clusterPort, env: servers.env, ...options });
}

/**
 * Waits until every session and task in the ledger answers again, and returns how long that took. Only those that the fault hit
 * are slow to answer.
 */
export async function takeover({ balancer }, ledger, from) {
  const via = balancer.client();
  const sessions = ledger.sessions.slice(-40);
  const answers = async ({ headers }) =>
    (await inSession(via, headers, { id: 1, method: "ping" }).catch(() => ({ status: 0 }))).status === 200;
  const rest = new Set(sessions);
  await until(
    async () => {
      await Promise.all([...rest].map(async (session) => (await answers(session)) && rest.delete(session)));
      return rest.size === 0;
    },
    "every session answers again",
    { within: TAKEOVER_MS, every: 250 },
  );
  return Date.now() - from;
}

/**
 * `name`: what the table says; `run({ stage, ledger, share })`: `share` is the length of the phase in milliseconds. `node` is the
 * node at which stateless requests may be lost.
 */
export const faults = [
  { name: "none", run: ({ share }) => sleep(share) },
  {
    name: "SIGTERM of a node, and a new start",
    async run({ stage, share }) {
      const [slot] = stage.slots;
      const from = Date.now();
      const { status } = await slot.end("term");
      const took = Date.now() - from;
      await sleep(share / 2);
      await slot.start();
      await sleep(share / 4);
      return `it ended with ${status} after ${seconds(took)}`;
    },
  },
  {
    name: "SIGKILL of a node",
    node: "node 2",
    async run({ stage, ledger, share }) {
      const slot = stage.slots[1];
      const from = Date.now();
      await slot.end("kill");
      const took = await takeover(stage, ledger, from);
      await sleep(Math.max(0, share - (Date.now() - from)));
      await slot.start();
      return `its sessions answered again after ${seconds(took)}`;
    },
  },
  {
    name: "SIGKILL of a node that starts again at once",
    node: "node 3",
    async run({ stage, ledger, share }) {
      const slot = stage.slots[2];
      const from = Date.now();
      await slot.end("kill");
      await slot.start();
      const took = await takeover(stage, ledger, from);
      await sleep(Math.max(0, share - (Date.now() - from)));
      return `its sessions answered again after ${seconds(took)}`;
    },
  },
  { name: "a bucket that answers after 300 ms", run: ({ stage, share }) => everywhere(stage, { slow: 300 }, share) },
  { name: "a bucket that answers after 2 s", run: ({ stage, share }) => everywhere(stage, { slow: 2_000 }, share) },
  {
    name: "a bucket that refuses every third request with 503",
    run: ({ stage, share }) => everywhere(stage, { refuse: "busy", rate: 1 / 3 }, share),
  },
  {
    name: "a bucket that refuses every request with 503 for 8 s",
    async run({ stage, share }) {
      await everywhere(stage, { refuse: "busy" }, 8_000);
      await sleep(Math.max(0, share - 8_000));
    },
  },
  {
    name: "a bucket that refuses every tenth conditional write with 412",
    run: ({ stage, share }) => everywhere(stage, { lose: true, rate: 0.1 }, share),
  },
  {
    name: "a node cut from the bucket",
    node: "node 1",
    async run({ stage, ledger, share }) {
      const [slot] = stage.slots;
      const from = Date.now();
      slot.proxy.cut();
      const { node } = slot;
      const ended = await Promise.race([node.ended, sleep(45_000)]);
      const after = Date.now() - from;
      const took = await takeover(stage, ledger, from).catch(() => undefined);
      slot.proxy.faults = {};
      await until(() => slot.node?.running() && slot.up, "the node serves again", { within: 60_000 });
      await sleep(Math.max(0, share - (Date.now() - from)));
      const end = ended ? `the node ended with ${ended.status} after ${seconds(after)}` : "the node went on";
      return `${end}; all sessions answered ${took === undefined ? "only after its return" : `after ${seconds(took)}`}`;
    },
  },
  {
    name: "two nodes that end and start at once",
    async run({ stage, share }) {
      const two = stage.slots.slice(0, 2);
      await Promise.all(two.map((slot) => slot.end("term")));
      await Promise.all(two.map((slot) => slot.start()));
      await sleep(share / 2);
    },
  },
  {
    name: "a clock that is off by 20 s when a node starts",
    async run({ stage, share }) {
      const slot = stage.slots[2];
      await slot.end("term");
      slot.proxy.faults = { dateMs: CLOCK_MS };
      const refused = await slot.start().then(
        () => "it started",
        async () => `it ended with ${(await slot.node.ended).status}: ${reasonOf(slot.node)}`,
      );
      slot.proxy.faults = {};
      if (!slot.supervised) await slot.start();
      await sleep(share / 2);
      return refused;
    },
  },
  {
    name: "a clock that goes off by 20 s at a running node",
    async run({ stage, share }) {
      const slot = stage.slots[2];
      slot.proxy.faults = { dateMs: CLOCK_MS };
      const ended = await Promise.race([slot.node.ended, sleep(share)]);
      slot.proxy.faults = {};
      await until(() => slot.node?.running() && slot.up, "the node serves", { within: 60_000 });
      return ended ? `the node ended with ${ended.status}` : "the node went on";
    },
  },
  {
    name: "a further node with another key",
    async run({ stage, share }) {
      const node = await beside(stage, { key: OTHER_KEY });
      const refused = await node.ready.then(
        () => "it started",
        () => "it did not start",
      );
      if (refused === "it started") await node.kill();
      const { status } = await node.ended;
      await sleep(share / 2);
      return `${refused} (${status}): ${reasonOf(node)}`;
    },
  },
  {
    name: "a further node with another configuration, which then ends",
    async run({ stage, share }) {
      const { servers, consumer } = stage;
      const config = consumer.write("other.json", JSON.stringify({ ...servers.config, server: { name: "other" } }));
      const node = await beside(stage, { config });
      await node.ready;
      await ask(
        { fetch: (input, init) => fetch(`${node.url}${new URL(input).pathname}`, init) },
        "tools/list",
        {},
        bearer("alice"),
      );
      await sleep(share / 2);
      await node.term();
      return `it said: ${reasonOf(node)}`;
    },
  },
  {
    name: "a rolling restart of all nodes",
    async run({ stage }) {
      for (const slot of stage.slots) {
        await slot.end("term");
        await slot.start();
        await until(() => slot.up, "the node is ready", { within: 60_000 });
      }
    },
  },
];

/** Returns the reason that a node gives, without what differs between runs and without the remedy. */
function reasonOf({ lines }) {
  const line = lines.filter((line) => /clock|differs/.test(line)).at(-1) ?? lines.at(-1);
  return line
    .replace(/^cluster: /, "")
    .replaceAll(/127\.0\.0\.1:\d+/g, "another node")
    .replace(/, which (?:joined|started).*?\d{2}\.\d+Z/, "")
    .replace(/: (?:give|synchronize).*/, "")
    .replace(/;.*/, "");
}
