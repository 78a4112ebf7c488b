// A series of small requests to one address, from a process that does little else: the longest of them shows for how
// long the other side was busy with something else.
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

/** Begins to ask `url`, one request after the other. Without a URL it ends, and returns how long each took, in ms. */
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
