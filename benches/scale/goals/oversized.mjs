// A server whose list exceeds what the gateway reads. The list is fetched only once without capabilities and once with
// them in its lifetime, regardless of requests.
import { setTimeout as sleep } from "node:timers/promises";
import { settled } from "../settled.mjs";
import { staged } from "../staged.mjs";

/** Bytes of padding: more than the gateway reads of one response. */
const PADDING = 17 * 1024 * 1024;
const EVERY_MS = 100;
const KEPT_MS = 60_000;

export const oversized = {
  name: "The only server's list is too large",
  run(stage, { quick = false } = {}) {
    const asked = quick ? 50 : 150;
    const options = { server: { minTtlMs: KEPT_MS } };
    return staged(stage, [{ tools: 2, padding: PADDING }], options, async ({ client }, fleet) => {
      for (let turn = 0; turn < asked; turn += 1) {
        await client.send("tools/list");
        await sleep(EVERY_MS);
      }
      await settled(fleet);
      const measured = await fleet.total("tools/list");
      const what = `how often ${asked} requests in its lifetime have it fetched`;
      return [{ what, measured, limit: 2, unit: "requests" }];
    });
  },
};
