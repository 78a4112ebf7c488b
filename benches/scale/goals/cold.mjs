// The first list of an isolate: with a server that hangs, and after another isolate has stored a copy of the catalog.
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { number, spread } from "../figures.mjs";
import { Client } from "../client.mjs";
import { staged } from "../staged.mjs";
import { startWorkers } from "../../../tests/support/workerd.mjs";
import { startModules } from "../../../tests/support/plain-worker.mjs";

const TIMES = 5;
/** Wait until the copy is stored, in milliseconds. */
const STORED_MS = 1_000;
const EMPTY = new URL("../empty-worker.js", import.meta.url);
const COMPATIBILITY_DATE = "2026-04-26";
const SPECS = Array.from({ length: 30 }, (_, at) => ({ tools: 66, sessions: at % 3 === 2 }));
const list = { filter: { namePatterns: ["*_7"] } };

const firstOf = async (url) => {
  const client = new Client(url);
  try {
    return (await client.send("tools/list", list)).ms;
  } finally {
    client.close();
  }
};

/** Returns the median time of the first request after each of several starts, in milliseconds. */
async function afterStart(start) {
  const took = [];
  for (let turn = 0; turn < TIMES; turn += 1) {
    const { url, stop } = await start();
    took.push(await firstOf(url));
    await stop?.();
  }
  return spread(took).median;
}

const empty = () => startModules({ "worker.js": fileURLToPath(EMPTY) }, COMPATIBILITY_DATE);

/**
 * Returns the median time of the first list in isolates that start after another one for the same servers, in
 * milliseconds.
 */
async function besideAnother({ fleets }) {
  const fleet = await fleets.fleet(SPECS);
  const config = { upstreams: fleet.servers };
  const copies = Array.from({ length: TIMES }, (_, at) => ({ name: `copy-${at}`, config, catalog: "first" }));
  const workers = await startWorkers([{ name: "first", config }, ...copies]);
  try {
    await firstOf(`${workers.urls.first}/mcp`);
    await sleep(STORED_MS);
    const took = [];
    for (const { name } of copies) took.push(await firstOf(`${workers.urls[name]}/mcp`));
    return spread(took).median;
  } finally {
    await workers.stop();
    await fleet.behave({ name: "dead" });
  }
}

export const cold = {
  name: "The first list of a cold isolate, of 30 servers",
  async run(stage) {
    const alone = await staged(stage, SPECS, { catalog: false }, async ({ client }, fleet) => {
      await fleet.behave({ name: "hanging" }, [0]);
      return (await client.ask("tools/list", list)).ms;
    });
    const without = await afterStart(empty);
    const beside = await besideAnother(stage);
    const restarted = await staged(stage, SPECS, {}, async (gateway) => {
      await gateway.client.ask("tools/list", list);
      await sleep(STORED_MS);
      return afterStart(async () => (await gateway.restart(), { url: gateway.mcp }));
    });
    const limit = without + 50;
    return [
      { what: "without a shared copy, one server hanging", measured: alone, limit: 1_600, unit: "ms" },
      { what: `with a shared copy; an empty Worker takes ${number(without)} ms`, measured: beside, limit, unit: "ms" },
      { what: "with a shared copy on disk, when all has started anew", measured: restarted, unit: "ms" },
    ];
  },
};
