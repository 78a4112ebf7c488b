// Lists of several sizes: CPU time from a catalog in memory, and of the first list of a process.
import { mkdtempSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { cpu } from "../../tests/support/process.mjs";
import { CONCERNS, catalog, filters } from "../generate.mjs";
import { median } from "../measure.mjs";
import { CONNECTIONS, listing, race, send } from "./load.mjs";
import { startServer } from "./server.mjs";
import { count, rowOf, table } from "./table.mjs";
import { BEFORE, EMPTY, emptyRust, expert, older, plain, running, script, start } from "./workers.mjs";

const SIZES = [24, 1_000, 10_000];
/** The declarations of the concerns, without which a filter on them is ignored. */
const DECLARED = Object.entries(CONCERNS).map(([name, values]) => ({ name, values }));
/** Number of process starts, of which the median counts. */
const STARTS = 3;
const COLUMNS = ["empty JavaScript", "empty Rust", "`Array.filter`", "expert", "ours"];
/** Label of Sieve without response caching: every request differs from those before. */
const UNSEEN = "ours, not kept";
/** Labels of Sieve in a process that finds its catalog in the storage, of this build and the older one. */
const STORED = "ours, stored";
const STORED_BEFORE = "before, stored";
const WARM_COLUMNS = [...COLUMNS, UNSEEN];
const COLD_COLUMNS = [...COLUMNS, ...(BEFORE ? [STORED_BEFORE] : []), STORED];

/** Starts the Worker once, so that its catalog is stored. Returns the service whose next processes find it. */
async function withStoredCatalog(service, request, folder) {
  const stored = { key: "0".repeat(64), ...service, persist: mkdtempSync(join(folder, "stored-")) };
  const one = await start(stored);
  await send(new http.Agent(), one.url, request);
  await one.stop();
  return stored;
}

/**
 * Returns the CPU milliseconds of each contender from the start of its process to its first response: the median of
 * starts.
 */
async function startCold(services, request) {
  const samples = new Map([...services.keys()].map((name) => [name, []]));
  for (let turn = 0; turn < STARTS; turn += 1) {
    for (const [name, service] of services) {
      const one = await start(service);
      try {
        await send(new http.Agent(), one.url, request);
        samples.get(name).push(cpu(one.pid));
      } finally {
        await one.stop();
      }
    }
  }
  return new Map([...samples].map(([name, taken]) => [name, median(taken)]));
}

/** Returns the rows of warm lists, one for each filter. */
const warm = (services, size) =>
  running(services, async (started) => {
    const rows = [];
    for (const [shape, filter] of Object.entries(filters)) {
      const request = listing(filter);
      const found = new Set();
      for (const name of COLUMNS.slice(2)) {
        const answer = JSON.parse(await send(new http.Agent(), started.get(name).url, request));
        found.add(answer.result.tools.map((tool) => tool.name).join(" "));
      }
      if (found.size !== 1) throw new Error(`${size} tools, ${shape}: the contenders list different tools`);
      const tools = [...found][0].split(" ").filter(Boolean).length;
      const taken = await race(new Map([...started, [UNSEEN, { ...started.get("ours"), unseen: true }]]), request);
      rows.push(rowOf(`${count(size)}, ${shape} (${count(tools)})`, taken, WARM_COLUMNS));
    }
    return rows;
  });

/** Measures one size. Returns the rows of warm lists and of cold starts. */
async function measure(size, folder) {
  const list = catalog(size);
  const server = await startServer(list);
  const ours = { upstream: server.url, config: { pageSize: size, concerns: DECLARED } };
  const services = new Map([
    ["empty JavaScript", { build: script(folder, "empty", EMPTY) }],
    ["empty Rust", { build: emptyRust(folder), path: "/" }],
    ["`Array.filter`", { build: script(folder, "naive", plain(list)) }],
    ["expert", { build: script(folder, "expert", expert(list)) }],
    ["ours", ours],
  ]);
  try {
    const warmed = await warm(services, size);
    const request = listing(filters.narrow);
    const stored = [[STORED, await withStoredCatalog(ours, request, folder)]];
    if (BEFORE)
      stored.unshift([STORED_BEFORE, await withStoredCatalog({ ...ours, bundle: older(folder) }, request, folder)]);
    const taken = await startCold(new Map([...services, ...stored]), request);
    return { warm: warmed, cold: [rowOf(count(size), taken, COLD_COLUMNS)] };
  } finally {
    server.stop();
  }
}

/** Measures lists of these numbers of tools. Returns the text of the section. */
export async function lists(folder, sizes = SIZES) {
  const rows = { warm: [], cold: [] };
  for (const size of sizes) {
    const measured = await measure(size, folder);
    for (const [name, found] of Object.entries(measured)) rows[name].push(...found);
  }
  return `Workers in workerd on this machine, ${CONNECTIONS} connections, the load from the same machine. CPU time is the whole
process's, with the runtime's own for HTTP. The expert keeps a bitset for each facet and every tool as the bytes it is sent as.

CPU µs for one \`tools/list\`, from a catalog in memory. The same list is sent again and again, under another id each time; in the last
column every request has a header that none before had, so that its answer is not kept:

${table(["tools, filter (found)", ...WARM_COLUMNS], rows.warm)}

CPU ms from the start of the process to its first list, narrow. Ours lists the server in it; where the catalog is stored, another
process has stored it:

${table(["tools", ...COLD_COLUMNS], rows.cold)}
`;
}
