// Two servers whose lists expire together, and one of which stops answering. Requests to the other do not wait for it.
import { setTimeout as sleep } from "node:timers/promises";
import { spread } from "../figures.mjs";
import { MIN_TTL_MS, shortLived } from "../lifetime.mjs";
import { staged } from "../staged.mjs";

const ASKED = 3;
const ROUTE_MS = 5_100;
const list = { filter: { namePatterns: ["s0_*_7"] } };

const SPECS = [
  { tools: 10, ttlMs: 0 },
  { tools: 10, ttlMs: 0 },
];

export const hanging = {
  name: "One of two servers hangs",
  run: (stage, { quick = false } = {}) =>
    staged(stage, SPECS, { server: shortLived }, async ({ client }, fleet) => {
      const { tools } = JSON.parse((await client.ask("tools/list", list)).text).result;
      const requests = [
        ["tools/call", { name: tools[0].name, arguments: {} }],
        ["tools/list", list],
      ];
      await fleet.behave({ name: "hanging" }, [1]);
      const [took, waited] = [[], []];
      for (let turn = 0; turn < (quick ? 1 : ASKED); turn += 1) {
        for (const [method, params] of requests) {
          // Routes last for at least five seconds. After that, a call also makes the gateway list the servers.
          await sleep(Math.max(MIN_TTL_MS, ROUTE_MS));
          const [before] = await fleet.abandoned([1]);
          const { ms } = await client.ask(method, params);
          took.push(ms);
          // If the gateway gave up the hanging server by then, the request waited for it.
          const [after] = await fleet.abandoned([1]);
          if (after > before) waited.push(ms);
        }
      }
      const what = "requests about the other";
      const rows = [{ what: `${what} that had to wait for it`, measured: waited.length, limit: 0, unit: "requests" }];
      if (!quick) rows.push({ what: `${what}, the slowest`, measured: spread(took).max, limit: 100, unit: "ms" });
      return rows;
    }),
};
