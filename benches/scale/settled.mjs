// The end of work that continues after a response.
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds without a further request after which a refresh is over. */
const QUIET_MS = 400;

/** Waits until servers receive no more requests. */
export async function settled(fleet) {
  for (let before = -1, now; (now = await fleet.total()) !== before; before = now) await sleep(QUIET_MS);
}
