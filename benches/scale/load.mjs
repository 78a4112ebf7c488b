// A steady load: requests at a fixed rate, regardless of whether earlier ones were answered.
import { setTimeout as sleep } from "node:timers/promises";

/** Maximum number of unanswered requests to a target. Beyond it, no further request is sent. */
const MAX_OPEN = 400;

/**
 * Sends requests to each of the targets in turn. `targets` maps names to functions that send one request. The result
 * maps them to the milliseconds that each response took.
 */
export async function steady(targets, { seconds, everyMs }) {
  const lanes = Object.entries(targets).map(([name, send]) => ({ name, send, open: new Set(), samples: [] }));
  const until = performance.now() + seconds * 1_000;
  for (let turn = 0; performance.now() < until; turn += 1) {
    const lane = lanes[turn % lanes.length];
    if (lane.open.size < MAX_OPEN) {
      const asked = lane.send().then(({ ms }) => lane.samples.push(ms));
      lane.open.add(asked);
      asked.finally(() => lane.open.delete(asked)).catch(() => {});
    }
    await sleep(everyMs);
  }
  for (const { open } of lanes) await Promise.all(open);
  return Object.fromEntries(lanes.map(({ name, samples }) => [name, samples]));
}
