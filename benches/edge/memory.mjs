// Memory of a Worker while many long results pass through it at once, to readers that are fast or slow.
import { readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { memory as resident } from "../../tests/support/process.mjs";
import { catalog } from "../generate.mjs";
import { contenders } from "./calls.mjs";
import { calling, open, send } from "./load.mjs";
import { startServer } from "./server.mjs";
import { table } from "./table.mjs";
import { running } from "./workers.mjs";

const RESULTS = 40;
const LENGTH = 15_000_000;
/** Milliseconds for which a slow reader waits after each piece that it reads. */
const PAUSES = { fast: 0, slow: 15 };
/** Maximum time for all results, in milliseconds. */
const PATIENCE_MS = 90_000;
const FORMS = { JSON: false, events: true };
const MB = 1_000_000;
/** Written to `clear_refs` of a process, this makes the kernel count its peak of resident memory anew. */
const RESET_PEAK = "5";

/** Returns the peak of resident memory of a process, in bytes. */
const peak = (pid) => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;

/** Reads a result to its end. Returns whether it arrived whole. */
async function read(agent, url, request, pause) {
  try {
    const response = await open(agent, url, request);
    let length = 0;
    for await (const piece of response) {
      length += piece.length;
      if (pause > 0) await sleep(pause);
    }
    return response.statusCode === 200 && length > LENGTH;
  } catch {
    return false;
  }
}

/** Returns the memory before and at the peak, in bytes, and the number of results that arrived. */
async function measure({ pid, url }, name, events, pause) {
  // The first call lists the server, and sets up what every later one shares.
  await send(new http.Agent(), url, calling(name, { length: 1_000, events }));
  writeFileSync(`/proc/${pid}/clear_refs`, RESET_PEAK);
  const before = resident(pid);
  const agent = new http.Agent({ maxSockets: RESULTS });
  const late = setTimeout(() => agent.destroy(), PATIENCE_MS);
  const request = calling(name, { length: LENGTH, events });
  const arrived = await Promise.all(Array.from({ length: RESULTS }, () => read(agent, url, request, pause)));
  clearTimeout(late);
  agent.destroy();
  return { before, peak: peak(pid), whole: arrived.filter(Boolean).length };
}

/** Measures memory. Returns the text about it. */
export async function memory(folder) {
  const list = catalog(24);
  const server = await startServer(list);
  const rows = [];
  try {
    for (const [form, events] of Object.entries(FORMS)) {
      for (const [reader, pause] of Object.entries(PAUSES)) {
        // A process of its own for each, because the runtime does not return memory.
        for (const [name, service] of contenders(folder, server.url)) {
          await running(new Map([[name, service]]), async (started) => {
            const found = await measure(started.get(name), list.tools[0].name, events, pause);
            const mb = (bytes) => Math.round(bytes / MB);
            rows.push([`${form}, ${reader} readers`, name, mb(found.before), mb(found.peak), found.whole]);
          });
        }
      }
    }
  } finally {
    server.stop();
  }
  return `${RESULTS} results of ${LENGTH / MB} MB at once through one process: resident memory in MB before and at the peak, and the results that arrived whole.
A slow reader waits ${PAUSES.slow} ms after each piece:

${table(["results", "Worker", "before", "peak", "arrived"], rows)}
`;
}
