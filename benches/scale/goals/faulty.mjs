// Thirty servers, four of them faulty, compared with thirty healthy ones: the effect on requests to the healthy
// servers.
import { setTimeout as sleep } from "node:timers/promises";
import { number, spread } from "../figures.mjs";
import { startGateway } from "../gateway.mjs";
import { openListeners } from "../listeners.mjs";
import { steady } from "../load.mjs";

const SERVERS = 30;
const SPECS = Array.from({ length: SERVERS }, (_, at) => ({ tools: 66, ttlMs: 1_000, sessions: at % 3 === 2 }));
const FAULTY = [
  { name: "hanging" },
  { name: "dead" },
  { name: "slow", delayMs: 800 },
  { name: "flapping", everyMs: 3_000 },
];
/** The load lasts for several lifetimes of the lists, and longer than the gateway waits for a server. */
const LOAD = { seconds: 30, everyMs: 8 };
const SETTLE_MS = 500;
const MB = 1024 * 1024;

const list = { filter: { namePatterns: ["*_7"] } };
/** Returns the requests of one gateway: lists, and calls to the servers that stay healthy. */
function requests({ client }, names) {
  let next = 0;
  return {
    lists: () => client.ask("tools/list", list),
    calls: () => client.ask("tools/call", { name: names[next++ % names.length], arguments: {} }),
  };
}

async function namesOf({ client }, from) {
  const { text } = await client.ask("tools/list", list);
  const healthy = (name) => Number(/^s(\d+)_/.exec(name)[1]) >= from;
  return JSON.parse(text)
    .result.tools.map(({ name }) => name)
    .filter(healthy);
}

/** Returns the rows of one kind of request: its p95 and maximum, with limits from the run without faulty servers. */
function rowsOf(what, without, faulty) {
  const [before, after] = [spread(without), spread(faulty)];
  return [
    { what: `${what}, median, ${number(before.median)} ms without`, measured: after.median, unit: "ms" },
    { what: `${what}, p95`, measured: after.p95, limit: before.p95 * 1.2, unit: "ms" },
    { what: `${what}, maximum`, measured: after.max, limit: before.max + 100, unit: "ms" },
  ];
}

/**
 * Measures two gateways in front of two fleets under one load. In one fleet, servers have the given behaviours. With
 * `listen`, a caller listens at each gateway, so that servers notify it of changes.
 */
async function compare({ fleets }, behaviours, { listen = false } = {}) {
  const pair = [await fleets.fleet(SPECS), await fleets.fleet(SPECS)];
  const gateways = [];
  try {
    for (const fleet of pair) gateways.push(await startGateway(fleet, { callers: 1 }));
    const [without, faulty] = await Promise.all(
      gateways.map(async (gateway) => requests(gateway, await namesOf(gateway, behaviours.length))),
    );
    if (listen) await Promise.all(gateways.map((gateway, at) => openListeners(gateway, pair[at], 1)));
    for (const [place, behaviour] of behaviours.entries()) await pair[1].behave(behaviour, [place]);
    await sleep(SETTLE_MS);
    for (const fleet of pair) await fleet.reset();
    const before = gateways.map((gateway) => gateway.cpu());
    const targets = { a: without.lists, b: faulty.lists, c: without.calls, d: faulty.calls };
    const { a, b, c, d } = await steady(targets, LOAD);
    const [idle, spent] = gateways.map((gateway, at) => (gateway.cpu() - before[at]) / 1_000);
    const [fewer, asked] = await Promise.all(pair.map((fleet) => fleet.total()));
    const [small, large] = gateways.map((gateway) => gateway.memory() / MB);
    return [
      ...rowsOf("lists", a, b),
      ...rowsOf("calls of healthy servers", c, d),
      { what: `CPU of the gateway in ${LOAD.seconds} s, ${number(idle)} s without`, measured: spent, unit: "s" },
      { what: `memory of the gateway, ${number(small)} MB without`, measured: large, unit: "MB" },
      { what: `requests to the servers, ${number(fewer)} without`, measured: asked, unit: "requests" },
    ];
  } finally {
    for (const gateway of gateways) await gateway.close();
    for (const fleet of pair) await fleet.behave({ name: "dead" });
  }
}

export const faulty = {
  name: "One of 30 servers hangs, one is dead, one slow and one flapping",
  run: (stage) => compare(stage, FAULTY),
};

export const changing = {
  name: "One of 30 servers changes every second",
  run: (stage) => compare(stage, [{ name: "changing", everyMs: 1_000 }], { listen: true }),
};
