// The first list of an isolate: with a server that hangs, and where another isolate has left a copy of the catalog.
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { number, spread } from "../figures.mjs";
import { Client } from "../client.mjs";
import { staged } from "../staged.mjs";
import { startModules } from "../../../tests/support/plain-worker.mjs";

const RESTARTS = 5;
/** Until the copy is written. */
const STORED_MS = 1_000;
const EMPTY = new URL("../empty-worker.js", import.meta.url);
const COMPATIBILITY_DATE = "2026-04-26";
const SPECS = Array.from({ length: 30 }, (_, at) => ({ tools: 66, sessions: at % 3 === 2 }));
const list = { filter: { namePatterns: ["*_7"] } };

/** How long the first request takes after each of several starts, in ms: the median. */
async function first(start) {
  const took = [];
  for (let turn = 0; turn < RESTARTS; turn += 1) {
    const { url, stop } = await start();
    const client = new Client(url);
    took.push((await client.send("tools/list", list)).ms);
    client.close();
    await stop?.();
  }
  return spread(took).median;
}

const empty = () => startModules({ "worker.js": fileURLToPath(EMPTY) }, COMPATIBILITY_DATE);

export const cold = {
  name: "The first list of a cold isolate, of 30 servers",
  async run(stage) {
    const alone = await staged(stage, SPECS, { catalog: false }, async ({ client }, fleet) => {
      await fleet.behave({ name: "hanging" }, [0]);
      return (await client.ask("tools/list", list)).ms;
    });
    const without = await first(empty);
    const shared = await staged(stage, SPECS, {}, async (gateway) => {
      await gateway.client.ask("tools/list", list);
      await sleep(STORED_MS);
      return first(async () => (await gateway.restart(), { url: gateway.mcp }));
    });
    return [
      {
        what: "without a shared copy, one server hanging",
        measured: alone,
        limit: 1_600,
        unit: "ms",
      },
      {
        what: `with a shared copy; an empty Worker takes ${number(without)} ms`,
        measured: shared,
        limit: without + 50,
        unit: "ms",
      },
    ];
  },
};
