// Cost of a caller's view under many policies: for a new caller, and for one whose view is cached.
import { each } from "../client.mjs";
import { policiesOf } from "../policies.mjs";
import { staged } from "../staged.mjs";

const TOOLS = 2_000;
const CALLERS = 40;
const ASKED = 1_000;
const WIDTH = 8;
const narrow = { filter: { namePatterns: ["s0_*_7"] } };

/** Returns the CPU milliseconds of a request of a new caller (`fresh`), and of a known one (`known`). */
const costs = (stage, policies) =>
  staged(stage, [{ tools: TOOLS }], { config: { policies }, callers: 2 * CALLERS }, async (gateway) => {
    const ask = (at) => gateway.client.ask("tools/list", narrow, { token: `token-${at}` });
    await each(CALLERS, 1, (at) => ask(CALLERS + at));
    const fresh = (await gateway.spent(() => each(CALLERS, 1, ask))) / CALLERS;
    await each(ASKED, WIDTH, () => ask(0));
    const known = (await gateway.spent(() => each(ASKED, WIDTH, () => ask(0)))) / ASKED;
    return { fresh, known };
  });

export const callers = {
  name: "50 policies on the descriptions of 2,000 tools",
  async run(stage) {
    const [none, many] = [await costs(stage, []), await costs(stage, policiesOf(50))];
    return [
      {
        what: "CPU of a new caller's list",
        measured: many.fresh,
        limit: 10,
        unit: "ms",
      },
      {
        what: "CPU of a known caller's list, beyond no policies",
        measured: many.known - none.known,
        limit: 0.3,
        unit: "ms",
      },
    ];
  },
};
