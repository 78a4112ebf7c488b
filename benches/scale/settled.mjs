// The end of what goes on behind a response.
import { setTimeout as sleep } from "node:timers/promises";

/** No further request for so long means that a refresh is over. */
const QUIET_MS = 400;

/** Waits until servers get no more requests. */
export async function settled(fleet) {
  for (let before = -1, now; (now = await fleet.total()) !== before; before = now) await sleep(QUIET_MS);
}
