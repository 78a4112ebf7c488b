// The requests that nodes send to the bucket: of idle nodes, of nodes with little traffic, and beyond that for each kind of call.
import { setTimeout as sleep } from "node:timers/promises";
import { openSession } from "../support/raw-client.mjs";
import { EXTENSION } from "../support/tasks.mjs";
import { ask, bearer, getTask, inSession } from "./ledger.mjs";
import { signIn } from "./load.mjs";

const METHODS = ["GET", "PUT", "DELETE"];
/** Time in which a node writes what it has acknowledged, and an isolate its entries of the log, in milliseconds. */
const SETTLE_MS = 5_000;
const BASE_MS = 30_000;
const EACH_MS = 12_000;
const AT_ONCE = 4;
const MINUTE_MS = 60_000;
const USER = "user-39";
const CAPABILITIES = { elicitation: {}, extensions: { [EXTENSION]: {} } };
const PAUSE_MS = 250;
const list = { id: 1, method: "tools/list", params: {} };
let serial = 0;

const call = (via, name, args, user = "alice") =>
  ask(via, "tools/call", { name, arguments: args }, bearer(user), CAPABILITIES);
const long = (via) => call(via, "report_issues", { batch: 4, pause_ms: 1_000 });

/** The kinds of calls: what they are, `open`, which makes what all of them use, and `send`. */
const KINDS = [
  { what: "stateless lists", send: (via) => ask(via, "tools/list", {}, bearer("alice")) },
  { what: "stateless calls", send: (via) => call(via, "echo", { message: `${(serial += 1)}` }) },
  {
    what: "lists in a session",
    open: ({ slots: [{ node }] }) => openSession(node.mcp),
    send: (via, headers) => inSession(via, headers, list),
  },
  { what: "new sessions", send: (via, _, { slots }) => openSession(slots[(serial += 1) % slots.length].node.mcp) },
  { what: "tasks of three steps, from the call to the result", send: taskToItsEnd },
  {
    what: "calls of a caller that has signed in",
    open: (stage) => signIn(stage, stage.slots[0], USER),
    send: (via) => call(via, "home_whoami", {}, USER),
  },
];

/** Calls a tool whose call becomes a task, and asks for the task until it has ended. */
async function taskToItsEnd(via) {
  const { message } = await long(via);
  const { taskId: id } = message.result;
  for (;;) {
    const { message: got } = await getTask(via, { owner: "alice", id });
    if (got.result.status !== "working") return;
    await sleep(PAUSE_MS);
  }
}

const counted = ({ slots }) =>
  METHODS.map((method) => slots.reduce((sum, { proxy }) => sum + (proxy.counts[method] ?? 0), 0));
const minus = (after, before) => after.map((count, at) => count - before[at]);

/** Runs `during` and returns the requests of all nodes meanwhile, and how long it took. */
async function requestsOf(stage, during) {
  await sleep(SETTLE_MS);
  const before = counted(stage);
  const from = Date.now();
  await during();
  await sleep(SETTLE_MS);
  return { requests: minus(counted(stage), before), ms: Date.now() - from };
}

/** Sends requests for a time, a few at once, and returns how many were answered. */
async function send(stage, kind, kept) {
  const late = Date.now() + EACH_MS;
  let answered = 0;
  const one = async () => {
    const via = stage.balancer.client();
    while (Date.now() < late) {
      await kind.send(via, kept, stage);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return answered;
}

/** Returns rows `[what, unit, ...requests by method]`. */
export async function bucketRequests(stage) {
  const perMinute = ({ requests, ms }) => requests.map((count) => (count * MINUTE_MS) / ms / stage.slots.length);
  const idle = perMinute(await requestsOf(stage, () => sleep(BASE_MS)));
  const quiet = perMinute(
    await requestsOf(stage, async () => {
      const via = stage.balancer.client();
      for (const late = Date.now() + BASE_MS; Date.now() < late; await sleep(1_000)) await KINDS[0].send(via);
    }),
  );
  const rows = [
    ["a node without traffic, in a minute", ...idle.map(Math.round)],
    ["a node with one list in three seconds, in a minute", ...quiet.map(Math.round)],
  ];
  for (const kind of KINDS) {
    let answered;
    const kept = await kind.open?.(stage);
    const { requests, ms } = await requestsOf(stage, async () => {
      answered = await send(stage, kind, kept);
    });
    // What the nodes send anyway is no part of a call.
    const minutes = (ms / MINUTE_MS) * stage.slots.length;
    const own = requests.map((count, at) =>
      Math.max(0, Math.round(((count - quiet[at] * minutes) * 1_000) / answered)),
    );
    rows.push([`1,000 ${kind.what} (measured: ${answered} in ${Math.round(ms / 1000)} s)`, ...own]);
  }
  return rows;
}

/** Returns the rows as a table. */
export const requestsTable = (rows) =>
  [
    `| requests to the bucket | ${METHODS.join(" | ")} |`,
    `|---|${METHODS.map(() => "--:|").join("")}`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
