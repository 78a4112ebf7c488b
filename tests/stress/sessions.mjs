// Measures the cost of sessions for the process that serves them. `node tests/stress/sessions.mjs [SESSIONS] [OPEN
// FILES]` opens them in five rounds, leaves them idle, and prints the memory and the open files of workerd.
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ask } from "../support/raw-client.mjs";
import { open } from "../support/session-client.mjs";
import { startWorker } from "../support/workerd.mjs";
import { startVices } from "./upstream.mjs";
import { descriptors, memory } from "../support/process.mjs";

const AT_ONCE = 16;
const ROUNDS = 5;
const KB = 1024;
/** Pauses before each measurement after the last session, in seconds. workerd closes files after ten. */
const PAUSES_S = [5, 10, 30];

/** Opens `count` sessions, a few at a time. Returns the result of `open` for each. */
export async function fill(url, count) {
  const sessions = [];
  let left = count;
  const one = async () => {
    while (left-- > 0) sessions.push(await open(url));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return sessions;
}

/** Returns whether all of these sessions were opened. */
export const allDone = (sessions) => sessions.every(({ headers }) => headers !== undefined);

async function main(count, files) {
  const vices = await startVices();
  const worker = await startWorker({ upstream: vices.url, files });
  try {
    await ask(worker.mcp, "tools/list");
    const idle = memory(worker.pid);
    const show = (when) => {
      const added = Math.round((memory(worker.pid) - idle) / KB / KB);
      console.log(`${when}: ${added} MB more than idle, ${descriptors(worker.pid)} open files`);
    };
    console.log(`an idle Worker: ${Math.round(idle / KB / KB)} MB, ${descriptors(worker.pid)} open files`);
    for (let round = 1; round <= ROUNDS; round += 1) {
      const sessions = await fill(worker.mcp, count / ROUNDS);
      show(`${(round * count) / ROUNDS} sessions`);
      if (!allDone(sessions)) console.log("refused:", sessions.find(({ headers }) => headers === undefined).text);
    }
    for (const pause of PAUSES_S) {
      await sleep(pause * 1_000);
      show(`${pause} s later`);
    }
    console.log(`${((memory(worker.pid) - idle) / count / KB).toFixed(1)} KB a session`);
  } finally {
    await worker.stop();
    await vices.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(Number(process.argv[2] ?? 5_000), process.argv[3] && Number(process.argv[3]));
}
