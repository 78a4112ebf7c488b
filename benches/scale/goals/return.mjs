// A server that is down during the first lists, and then comes back. The delay before the next attempt depends on
// failed attempts, not on the number of waiting requests.
import { until } from "../../../tests/support/until.mjs";
import { each } from "../client.mjs";
import { settled } from "../settled.mjs";
import { staged } from "../staged.mjs";

const WAITING = 20;
const WITHIN_MS = 90_000;
const EVERY_MS = 100;
const all = { filter: { namePatterns: ["s1_*"] } };

export const comesBack = {
  name: "A server refuses while 20 first lists run, and is back",
  run: (stage, { quick = false } = {}) =>
    staged(stage, [{ tools: 10 }, { tools: 10 }], {}, async ({ client }, fleet) => {
      await fleet.behave({ name: "refusing" }, [1]);
      await each(WAITING, WAITING, () => client.ask("tools/list", all));
      await settled(fleet);
      const attempts = await fleet.total("server/discover", [1]);
      const rows = [
        {
          what: "attempts to list it while it refuses",
          measured: attempts,
          limit: 2,
          unit: "requests",
        },
      ];
      if (quick) return rows;
      await fleet.behave({ name: "healthy" }, [1]);
      const began = performance.now();
      const there = async () => JSON.parse((await client.ask("tools/list", all)).text).result.tools.length > 0;
      await until(there, "the tools of the server that is back", { within: WITHIN_MS, every: EVERY_MS });
      rows.push({
        what: "time until its tools are listed",
        measured: (performance.now() - began) / 1_000,
        limit: 3,
        unit: "s",
      });
      return rows;
    }),
};
