// Concurrent requests on a catalog that is cold or expired. Each server is listed once, regardless of their number: at the
// start without capabilities and with them, later only without.
import { setTimeout as sleep } from "node:timers/promises";
import { each } from "../client.mjs";
import { MIN_TTL_MS, shortLived } from "../lifetime.mjs";
import { settled } from "../settled.mjs";
import { staged } from "../staged.mjs";

const CONCURRENT = 64;
const most = (counts, method) => counts.reduce((max, count) => Math.max(max, count[method] ?? 0), 0);

export const concurrent = {
  name: "64 lists at once",
  run(stage, { quick = false } = {}) {
    const specs = Array.from({ length: quick ? 6 : 30 }, (_, at) => ({ tools: 66, ttlMs: 0, sessions: at % 3 === 2 }));
    // Servers of the older revision state no lifetime, so `ttlMs` sets one.
    const server = { ttlMs: MIN_TTL_MS, ...shortLived };
    return staged(stage, specs, { server }, async ({ client }, fleet) => {
      const ask = async () => {
        await fleet.reset();
        await each(CONCURRENT, CONCURRENT, () => client.ask("tools/list", { filter: { namePatterns: ["s0_*_7"] } }));
        await settled(fleet);
        return fleet.counts();
      };
      const cold = await ask();
      await sleep(MIN_TTL_MS);
      const expired = await ask();
      const requests = (counts) =>
        counts.flatMap((count) => Object.values(count)).reduce((sum, count) => sum + count, 0);
      return [
        {
          what: `cold: lists of one of ${specs.length} servers, the most`,
          measured: most(cold, "tools/list"),
          limit: 2,
          unit: "requests",
        },
        {
          what: `expired: lists of one of ${specs.length} servers, the most`,
          measured: most(expired, "tools/list"),
          limit: 1,
          unit: "requests",
        },
        {
          what: `expired: requests to all ${specs.length} servers`,
          measured: requests(expired),
          limit: specs.length,
          unit: "requests",
        },
        {
          what: "expired: `server/discover` of one server within its lifetime",
          measured: most(expired, "server/discover"),
          limit: 0,
          unit: "requests",
        },
      ];
    });
  },
};
