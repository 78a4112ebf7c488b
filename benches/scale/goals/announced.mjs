// A server announces a change while a caller listens. The caller is notified, and the next list shows the change.
import { spread } from "../figures.mjs";
import { openListeners } from "../listeners.mjs";
import { staged } from "../staged.mjs";

const CHANGES = 5;
/**
 * Milliseconds after which a notification counts as lost: longer than any work of the gateway, shorter than its
 * deadlines.
 */
const LOST_MS = 5_000;
const SPECS = [{ tools: 66 }, { tools: 66 }, { tools: 66, sessions: true }];
const first = { filter: { namePatterns: ["s0_*_0"] } };

export const announced = {
  name: "A server announces a change",
  run: (stage, { quick = false } = {}) =>
    staged(stage, SPECS, { callers: 1 }, async ({ client, ...gateway }, fleet) => {
      await client.ask("tools/list", first);
      const listeners = await openListeners(gateway, fleet, 1);
      const took = [];
      for (let version = 1; version <= (quick ? 2 : CHANGES); version += 1) {
        const began = performance.now();
        await listeners.change();
        const { text } = await client.ask("tools/list", first);
        if (!text.includes(`Version ${version}.`)) throw new Error(`the list after change ${version} does not show it`);
        took.push(performance.now() - began);
      }
      listeners.close();
      const late = took.filter((ms) => ms > LOST_MS).length;
      const rows = [{ what: "changes that are late by a deadline", measured: late, limit: 0, unit: "changes" }];
      if (!quick)
        rows.push({
          what: "from the change to the list, the slowest",
          measured: spread(took).max,
          limit: 500,
          unit: "ms",
        });
      return rows;
    }),
};
