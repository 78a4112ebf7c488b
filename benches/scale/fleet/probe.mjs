// A series of small requests to one URL, from a process that does little else. The slowest of them shows for how long
// the server was busy with other work.
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const EVERY_MS = 2;
let running;

function timed(agent, url) {
  const began = performance.now();
  return new Promise((done, fail) => {
    const sent = http.get(url, { agent }, (response) => {
      response
        .resume()
        .on("end", () => done(performance.now() - began))
        .on("error", fail);
    });
    sent.on("error", fail);
  });
}

/**
 * Starts to send requests to `url`, one after the other. Without a URL it stops, and returns the milliseconds that each
 * took.
 */
export async function probe(url) {
  if (url === null || url === undefined) {
    running.over = true;
    return running.done;
  }
  const state = { over: false };
  state.done = (async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const samples = [];
    while (!state.over) {
      samples.push(await timed(agent, url));
      await sleep(EVERY_MS);
    }
    agent.destroy();
    return samples;
  })();
  running = state;
}
