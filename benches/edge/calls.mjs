// Calls through the Worker, beside a Worker that forwards every request: CPU time by the length and form of results, and by
// whether the gateway has to look at them.
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { catalog } from "../generate.mjs";
import { CONNECTIONS, calling, race, send } from "./load.mjs";
import { startServer } from "./server.mjs";
import { count, rowOf, table } from "./table.mjs";
import { BEFORE, PROXY, older, running, script } from "./workers.mjs";

const TOOLS = 24;
/** The results: their lengths, in characters, and whether the tool returns its argument or makes a text of that length. */
const RESULTS = [
  { length: 1_000, echoed: true },
  { length: 100_000, echoed: true },
  { length: 100_000 },
  { length: 10_000_000 },
];
/** Length from which results are long, and their connections. More would exceed the memory that an isolate has for replies. */
const LONG = 1_000_000;
const LONG_CONNECTIONS = 1;
/** Number of further tries until a Worker must answer, and the wait between two. */
const TRIES = 20;
const PAUSE_MS = 200;
const FORMS = { JSON: false, events: true };
/** The ways of a result. Each states the server and the configuration, and the longest result. */
const WAYS = {
  "passed on": { config: {} },
  "looked at: a server with sessions": { config: {}, sessions: true },
  "looked at: redacted": {
    config: { middleware: { chains: [{ on: ["tools/call"], response: ["pii_redaction"] }] } },
    longest: LONG,
  },
};
const COLUMNS = ["JavaScript", ...(BEFORE ? ["before"] : []), "ours"];

/** Returns the contenders for a way: a map of services by name. */
export function contenders(folder, upstream, config = {}) {
  return new Map([
    ["JavaScript", { build: script(folder, "proxy", PROXY), upstream }],
    ...(BEFORE ? [["before", { bundle: older(folder), upstream, config }]] : []),
    ["ours", { upstream, config }],
  ]);
}

/** Waits until every contender returns a result of that length. A new process lists the server first. */
async function check(started, request, length) {
  for (const [name, { url }] of started) {
    for (let left = TRIES; ; left -= 1) {
      const text = String(await send(new http.Agent(), url, request));
      if (text.length >= length && text.includes('"content"')) break;
      if (left === 0) throw new Error(`${name}: ${text.slice(0, 300)}`);
      await sleep(PAUSE_MS);
    }
  }
}

/** Measures calls. Returns the text about them. */
export async function calls(folder) {
  const list = catalog(TOOLS);
  const [{ name }] = list.tools;
  const rows = [];
  for (const [way, { config, sessions, longest = Infinity }] of Object.entries(WAYS)) {
    const server = await startServer(list, { sessions });
    try {
      await running(contenders(folder, server.url, config), async (started) => {
        for (const { length, echoed } of RESULTS.filter(({ length }) => length <= longest)) {
          for (const [form, events] of Object.entries(FORMS)) {
            const request = calling(name, echoed ? { text: "x".repeat(length), events } : { length, events });
            await check(started, request, length);
            const taken = await race(started, request, length > LONG ? LONG_CONNECTIONS : CONNECTIONS);
            const share = (taken.get("ours") / taken.get("JavaScript")).toFixed(2);
            const label = [count(length), ...(echoed ? ["echoed"] : []), form, way].join(", ");
            rows.push([...rowOf(label, taken, COLUMNS), share]);
          }
        }
      });
    } finally {
      server.stop();
    }
  }
  return `Workers in workerd on this machine, ${CONNECTIONS} connections (${LONG_CONNECTIONS} for the longest results), the load from the same
machine. CPU time is the whole process's. *JavaScript* is a Worker that forwards every request as it is${BEFORE ? "; *before* is an older build" : ""}. The
server writes \`resultType\` and its \`serverInfo\` into each result, as servers on the official SDKs do.

CPU µs for one \`tools/call\`, by the number of characters of the result, the form in which the server sends it, and whether the gateway
has to look at it. An echoed result is the argument of the call, so that the request is as long:

${table(["result", ...COLUMNS, "ours ÷ JavaScript"], rows)}
`;
}
