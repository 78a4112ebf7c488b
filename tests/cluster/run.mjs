// `make cluster`: three nodes under mixed load, with one fault after the other. Writes a section of docs/scaling.md, and exits with
// 1 if anything that a node acknowledged is lost. MINUTES is the time for all faults; ONLY, a pattern of their names, writes nothing.
import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { faults } from "./faults.mjs";
import { checkLedger, makeLedger } from "./ledger.mjs";
import { openSessions, signIn, startLoad } from "./load.mjs";
import { report, section } from "./report.mjs";
import { bucketRequests, requestsTable } from "./requests.mjs";
import { USERS } from "./servers.mjs";
import { setStage } from "./stage.mjs";

const page = new URL("../../docs/scaling.md", import.meta.url);
/** Sessions that are opened at a node before its fault. */
const SESSIONS = 3;
const minutes = Number(process.env.MINUTES || 6);
const only = process.env.ONLY ? new RegExp(process.env.ONLY, "i") : undefined;
const WORKERS = {
  "stateless lists and calls": 3,
  sessions: 2,
  "older sessions": 1,
  tasks: 1,
  "tasks of sessions": 1,
  "the log of calls": 1,
  "signed-in callers": 1,
};

const chosen = faults.filter(({ name }) => only === undefined || only.test(name));
const share = (minutes * 60_000) / chosen.length;
const stage = await setStage();
let result;
try {
  console.log("starting three nodes");
  for (const slot of stage.slots) await slot.start();
  const requests = only ? [] : await bucketRequests(stage);
  if (requests.length > 0) console.log(requestsTable(requests));
  const ledger = makeLedger();
  const users = USERS.slice(1);
  const phases = [];
  const from = Date.now();
  const load = startLoad(stage, ledger, { workers: WORKERS });
  try {
    for (const fault of chosen) {
      const user = users.shift();
      const begun = Date.now();
      const place = stage.slots.find(({ node, up }) => node && up) ?? stage.slots[0];
      const signed = await signIn(stage, place, user).catch((error) => error);
      if (!(signed instanceof Error)) ledger.signIns.push({ user });
      const hit = stage.slots.find(({ name }) => name === fault.node);
      if (hit) await openSessions(stage, hit, ledger, SESSIONS);
      const observed = await fault.run({ stage, ledger, share }).catch((error) => `FAILED: ${error.message}`);
      phases.push({ name: fault.name, node: fault.node, from: begun, to: Date.now(), observed });
      const { outcomes } = load;
      const of = outcomes.filter(({ at }) => at >= begun);
      console.log(
        `${fault.name}: ${of.length} requests, ${of.filter(({ why }) => why).length} failed; ${observed ?? ""}`,
      );
    }
  } finally {
    await load.stop();
  }
  const took = Date.now() - from;
  console.log("checking what was acknowledged");
  const checked = await checkLedger(ledger, stage.balancer);
  result = { stage, ledger, load, phases, checked, requests, took };
} finally {
  await stage.stop();
}
const { text, failures } = report(result, { cpus: os.cpus(), load: os.loadavg() });
console.log(text);
if (only === undefined && failures.length === 0) writeFileSync(page, section(readFileSync(page, "utf8"), text));
console.log(failures.length === 0 ? "nothing that was acknowledged is lost" : failures.join("\n"));
process.exit(failures.length === 0 ? 0 : 1);
