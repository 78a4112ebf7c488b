// The delay of the first event of a stream behind the server.
import http from "node:http";
import { catalog } from "../generate.mjs";
import { median } from "../measure.mjs";
import { contenders } from "./calls.mjs";
import { calling, open } from "./load.mjs";
import { startServer } from "./server.mjs";
import { table } from "./table.mjs";
import { running } from "./workers.mjs";

const STREAMS = 200;
/** Milliseconds between the first event and the result. */
const WAIT_MS = 20;

/** Returns the milliseconds from the server's first event to its arrival here. */
async function first(agent, url, name, server, token) {
  const request = calling(name, { length: 100, events: true, wait: WAIT_MS }, { progressToken: token });
  const response = await open(agent, url, request);
  let arrived;
  let text = "";
  for await (const piece of response) {
    text += piece;
    if (arrived === undefined && text.includes("notifications/progress")) arrived = performance.now();
  }
  if (arrived === undefined) throw new Error(`${url}: no progress in ${text.slice(0, 300)}`);
  return arrived - server.began.get(token);
}

/** Measures the delay. Returns the text about it. */
export async function delay(folder) {
  const list = catalog(24);
  const server = await startServer(list);
  try {
    const taken = new Map();
    await running(contenders(folder, server.url), async (started) => {
      for (let turn = 0; turn < STREAMS; turn += 1) {
        for (const [name, { url }] of started) {
          if (turn === 0) taken.set(name, []);
          const agent = new http.Agent();
          taken.get(name).push(await first(agent, url, list.tools[0].name, server, `${name} ${turn}`));
          agent.destroy();
        }
      }
    });
    const rows = [...taken].map(([name, samples]) => {
      const sorted = [...samples].sort((a, b) => a - b);
      return [name, median(samples).toFixed(2), sorted[Math.floor(sorted.length * 0.95)].toFixed(2)];
    });
    return `Milliseconds from the first event of a stream at the server to its arrival at the client, of ${STREAMS} streams one after the other:

${table(["Worker", "median", "95th percentile"], rows)}
`;
  } finally {
    server.stop();
  }
}
