// One change of a list to which a thousand callers listen, each with its own view.
import { setTimeout as sleep } from "node:timers/promises";
import { spread } from "../figures.mjs";
import { openListeners } from "../listeners.mjs";
import { policiesOf } from "../policies.mjs";
import { staged } from "../staged.mjs";

const LISTENERS = 1_000;
const IDLE_MS = 2_000;

export const listening = {
  name: "One change for 1,000 listeners, each with a view of 2,000 tools",
  run: (stage) =>
    staged(
      stage,
      [{ tools: 2_000 }],
      { config: { policies: policiesOf(10) }, callers: LISTENERS },
      async (gateway, fleet) => {
        const { fleets } = stage;
        /** Measures the duration of other requests while `work` runs. */
        const beside = async (work) => {
          await fleets.probe(`${gateway.url}/health`);
          const result = await work();
          return { result, ...spread(await fleets.probe()) };
        };
        const listeners = await openListeners(gateway, fleet, LISTENERS);
        await listeners.change();
        await sleep(IDLE_MS);
        const idle = await beside(() => sleep(IDLE_MS));
        const busy = await beside(() => gateway.spent(() => listeners.change()));
        listeners.close();
        return [
          { what: "CPU", measured: busy.result, limit: 1_000, unit: "ms" },
          {
            what: "the longest wait of another request",
            measured: busy.max,
            limit: idle.median + 20,
            unit: "ms",
          },
        ];
      },
    ),
};
