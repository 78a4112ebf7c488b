// Curves: how a cost grows with its number. Each curve names its sizes (`quick`: sizes for the tests) and returns costs
// by name. A cost may grow linearly, and no faster. `stage.quick` is set in the tests.
import { setTimeout as sleep } from "node:timers/promises";
import { each } from "./client.mjs";
import { shortLived } from "./lifetime.mjs";
import { openListeners } from "./listeners.mjs";
import { policiesOf, wordsOf } from "./policies.mjs";
import { refreshes } from "./refresh.mjs";
import { openSessions } from "./sessions.mjs";
import { staged } from "./staged.mjs";

const TOOLS = 66;
/** Number of requests in one measurement of a list or of a call. */
const ASKED = 200;
const REFRESHED = 2;
/** Number of sessions that are opened before the measured ones. */
const WARMED = 64;
/**
 * Number of requests after which V8 has optimised the code that they run. The CPU time of its compiler counts as the
 * gateway's, but is no cost of a request.
 */
const OPTIMISED = 1_500;
/** Number of rounds, of which the cheapest counts: background work affects some of them. */
const ROUNDS = 3;
/**
 * Wait for workerd to end the objects of idle sessions, which it does after ten seconds. At full size their end counts;
 * in the tests it does not.
 */
const ENDED_MS = 12_000;
const QUICK_MS = 500;
const WIDTH = 8;
const MB = 1024 * 1024;

const narrow = { filter: { namePatterns: ["s0_*_7"] } };
const listOf = (count, make) => Array.from({ length: count }, (_, at) => make(at));

/** Returns the CPU milliseconds of one request: the mean of `asked` requests, after as many that do not count. */
async function mean(gateway, asked, ask) {
  await each(asked, WIDTH, ask);
  return (await gateway.spent(() => each(asked, WIDTH, ask))) / asked;
}

/** Returns the costs of a refresh, of a list and of a call, and the memory of the process. */
async function usual(gateway, fleet) {
  const { client } = gateway;
  const { cpu, requests } = await refreshes(gateway, fleet, REFRESHED);
  const { tools } = JSON.parse((await client.ask("tools/list", narrow)).text).result;
  const called = { name: tools[0].name, arguments: {} };
  return {
    "refresh, CPU ms": cpu,
    "refresh, requests": requests,
    "list, CPU ms": await mean(gateway, ASKED, () => client.ask("tools/list", narrow)),
    "call, CPU ms": await mean(gateway, ASKED, () => client.ask("tools/call", called)),
    "memory, MB": gateway.memory() / MB,
  };
}

export const curves = [
  {
    name: "servers of 66 tools",
    sizes: [1, 8, 30],
    quick: [4, 16],
    measure: (stage, size) =>
      // Every third server speaks the older revision.
      staged(
        stage,
        listOf(size, (at) => ({ tools: TOOLS, sessions: at % 3 === 2 })),
        { server: shortLived },
        usual,
      ),
  },
  {
    name: "tools of one server",
    sizes: [625, 2_500, 10_000, 40_000],
    quick: [500, 2_000],
    measure: (stage, size) => staged(stage, [{ tools: size }], { server: shortLived }, usual),
  },
  {
    name: "rules over 2,000 tools",
    sizes: [16, 64, 256, 1_024],
    quick: [32, 128],
    measure(stage, size) {
      const rules = listOf(size, (at) => ({ match: `description contains "${wordsOf(at)}"`, tags: [`tag-${at}`] }));
      return staged(stage, [{ tools: 2_000 }], { config: { rules }, server: shortLived }, usual);
    },
  },
  {
    name: "policies on the descriptions of 2,000 tools",
    sizes: [8, 16, 32, 64],
    quick: [8, 32],
    measure(stage, size) {
      const callers = 12;
      const options = { config: { policies: policiesOf(size) }, callers: 2 * callers };
      return staged(stage, [{ tools: 2_000 }], options, async (gateway) => {
        const ask = (from) =>
          each(callers, 1, (at) => gateway.client.ask("tools/list", narrow, { token: `token-${from + at}` }));
        await ask(callers);
        return {
          "new caller, CPU ms": (await gateway.spent(() => ask(0))) / callers,
          "known caller, CPU ms": await mean(gateway, ASKED, () =>
            gateway.client.ask("tools/list", narrow, { token: "token-0" }),
          ),
        };
      });
    },
  },
  {
    name: "callers, under ten policies on the descriptions of 2,000 tools",
    sizes: [16, 64, 256, 1_024],
    quick: [24, 96],
    measure(stage, size) {
      const options = { config: { policies: policiesOf(10) }, callers: size };
      return staged(stage, [{ tools: 2_000 }], options, async (gateway) => {
        const round = () =>
          each(size, WIDTH, (at) => gateway.client.ask("tools/list", narrow, { token: `token-${at}` }));
        await gateway.client.ask("tools/list", narrow);
        const first = await gateway.spent(round);
        await each(OPTIMISED, WIDTH, () => gateway.client.ask("tools/list", narrow, { token: "token-0" }));
        const again = [];
        for (let number = 0; number < ROUNDS; number += 1) again.push(await gateway.spent(round));
        return { "all for the first time, CPU ms": first, "all once more, CPU ms": Math.min(...again) };
      });
    },
  },
  {
    name: "sessions",
    sizes: [64, 256, 1_024, 4_096],
    quick: [48, 192],
    measure: (stage, size) =>
      staged(stage, [{ tools: TOOLS }], {}, async (gateway) => {
        // Work that a session leaves for later counts as well.
        const open = async (count) => (await openSessions(gateway, count), sleep(stage.quick ? QUICK_MS : ENDED_MS));
        await open(WARMED);
        return { "opened, CPU ms": await gateway.spent(() => open(size)) };
      }),
  },
  {
    name: "listeners, each with a view of 500 tools",
    sizes: [16, 64, 256, 1_024],
    quick: [20, 80],
    measure(stage, size) {
      const options = { config: { policies: policiesOf(10) }, callers: size };
      return staged(stage, [{ tools: 500 }], options, async (gateway, fleet) => {
        const listeners = await openListeners(gateway, fleet, size);
        await listeners.change();
        const spent = await gateway.spent(() => listeners.change());
        listeners.close();
        return { "one change, CPU ms": spent };
      });
    },
  },
];
