// The requests that nodes send to the bucket, for each kind of call and for an idle node. One client alone, so that no other
// request is counted.
import { setTimeout as sleep } from "node:timers/promises";
import { startLoad } from "./load.mjs";
import { makeLedger } from "./ledger.mjs";

const METHODS = ["GET", "PUT", "DELETE", "POST", "HEAD"];
/** Time in which a node writes what it has acknowledged, and an isolate its entries of the log. */
const SETTLE_MS = 4_000;
const IDLE_MS = 30_000;
/** What is measured: the name, and the kind of load. */
const KINDS = [
  ["stateless lists and calls", '1,000 stateless requests, half of them calls that `"audit": "all"` records'],
  ["sessions", "1,000 requests of sessions, a new session after 25"],
  ["tasks", "1,000 requests about tasks, a third of them begins one"],
  ["signed-in callers", "1,000 calls of signed-in callers"],
];

const counted = ({ slots }) =>
  Object.fromEntries(
    METHODS.map((method) => [method, slots.reduce((sum, { proxy }) => sum + (proxy.counts[method] ?? 0), 0)]),
  );
const between = (before, after, factor) =>
  METHODS.map((method) => Math.round((after[method] - before[method]) * factor));

/** Returns rows `[what, GET, PUT, DELETE, POST, HEAD]`. */
export async function bucketRequests(stage, ms, ledger = makeLedger()) {
  const rows = [];
  await sleep(SETTLE_MS);
  let before = counted(stage);
  await sleep(IDLE_MS);
  const idle = between(before, counted(stage), 60_000 / IDLE_MS / stage.slots.length);
  rows.push(["an idle node, a minute", ...idle]);
  for (const [kind, what] of KINDS) {
    before = counted(stage);
    const from = Date.now();
    const load = startLoad(stage, ledger, { workers: { [kind]: 2 }, listeners: false, thinkMs: 0 });
    await sleep(ms);
    await load.stop();
    await sleep(SETTLE_MS);
    const answered = load.outcomes.filter(({ why }) => why === undefined).length;
    const after = counted(stage);
    // What idle nodes send meanwhile is no part of a call.
    const minutes = ((Date.now() - from) / 60_000) * stage.slots.length;
    const own = METHODS.map((method, at) =>
      Math.max(0, Math.round(((after[method] - before[method] - idle[at] * minutes) * 1_000) / Math.max(1, answered))),
    );
    rows.push([`${what} (${answered} measured)`, ...own]);
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
