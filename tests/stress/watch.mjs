// The effect of a load on others: the duration of an ordinary request, and the memory of the process.
import { setTimeout as sleep } from "node:timers/promises";
import { memory } from "../support/process.mjs";
import { ask } from "../support/raw-client.mjs";

const EVERY_MS = 20;
const MB = 1024 * 1024;

/** Runs `work` and measures meanwhile. Resolves with its result and the measurements. */
export async function watch({ pid, mcp }, work) {
  const before = memory(pid);
  const latencies = [];
  const refused = [];
  let peak = before;
  let over = false;
  const watching = (async () => {
    while (!over) {
      const begun = performance.now();
      const [{ message }] = await ask(mcp, "tools/list");
      latencies.push(performance.now() - begun);
      if (!message.result) refused.push(message.error);
      peak = Math.max(peak, memory(pid));
      await sleep(EVERY_MS);
    }
  })();
  const begun = performance.now();
  try {
    const outcome = await work();
    const seconds = (performance.now() - begun) / 1_000;
    over = true;
    await watching;
    latencies.sort((one, other) => one - other);
    const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
    return {
      outcome,
      refused,
      seconds,
      others: { count: latencies.length, median: at(0.5), late: at(0.99), worst: latencies.at(-1) },
      memory: { before: before / MB, peak: peak / MB },
    };
  } finally {
    over = true;
    await watching.catch(() => {});
  }
}
