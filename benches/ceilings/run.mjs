// `make ceilings`: how many requests a second one object of each class handles. Writes a section of RESULTS.md. With an
// argument, measures for a short time and only prints the section.
import os from "node:os";
import { section } from "../results.mjs";
import { number } from "../scale/figures.mjs";
import { startFleets } from "../scale/fleet.mjs";
import { listeners } from "./listeners.mjs";
import { TOOLS, measurements } from "./objects.mjs";

const quick = process.argv.length > 2;
const MS = 8_000;
const QUICK_MS = 800;

const fleets = startFleets();
const load = os.loadavg()[0];
const rows = [];
let listening;
try {
  const { servers } = await fleets.fleet([{ tools: TOOLS }]);
  for (const [name, measure] of Object.entries(measurements)) {
    console.log(name);
    rows.push(...(await measure({ server: servers[0], ms: quick ? QUICK_MS : MS, quick })));
  }
  console.log("listeners");
  listening = await listeners({ fleets, quick });
} finally {
  fleets.stop();
}

const text = `Written by \`make ceilings\`. The built Worker in workerd on this machine, whose ${os.cpus().length} cores (${os.cpus()[0].model.trim()}) the clients share; the
load was ${load.toFixed(1)} when it began. workerd runs all objects of a process on one thread, so the limit of an object is that of the thread.
CPU time is the whole process's, with that of the Worker that sends the requests. A load lowers the rate far more than it raises the
CPU time, from which the requests a second of a whole core follow.

Requests to one object. Those of \`SESSIONS\` and \`TASKS\` come from clients of the gateway, the others from a Worker beside it. \`TASKS\`
are those of the tracker, a development build.

| object | request | CPU ms each | a second of a core | a second, measured |
|---|---|--:|--:|--:|
${rows.map(({ binding, request, rate, cpuMs }) => `| \`${binding}\` | ${request} | ${number(cpuMs)} | ${number(1_000 / cpuMs)} | ${number(rate)} |`).join("\n")}

Listeners, each of a caller with a view of its own of 500 tools, and one change of the list for all of them. 2,500 need a second object.
Memory is that of the process, with the connection of each listener.

| listeners | open one, ms | CPU ms | memory each, KB | one change, ms | CPU ms |
|--:|--:|--:|--:|--:|--:|
${listening.map(({ count, openMs, openCpuMs, eachKb, changeMs, cpuMs }) => `| ${count.toLocaleString("en")} | ${[openMs, openCpuMs, eachKb, changeMs, cpuMs].map(number).join(" | ")} |`).join("\n")}
`;
if (quick) console.log(text);
else section("Requests to one object", text);
