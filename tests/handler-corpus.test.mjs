// The rows of fixtures/protocol in front of a handler in JavaScript: the packed package in workerd, one Worker for each
// world. The handler only forwards requests to the upstream server of the Rust Worker's tests.
import { after, before, test } from "node:test";
import { OBJECTS, bundle } from "./support/bundle.mjs";
import { rows, runHandler, worlds } from "./support/handler-corpus.mjs";
import { serviceOf } from "./support/protocol-worlds.mjs";
import { installTarball } from "./support/tarball.mjs";
import { startUpstream } from "./support/upstream.mjs";
import { startWorkers } from "./support/workerd.mjs";

const WORKER = `
import { behind } from "./behind.js";
${OBJECTS}
let wrapped;
export default { fetch: (request, env, ctx) => (wrapped ??= behind(env)).fetch(request, env, ctx) };
`;

/** Number of worlds in one process. */
const TOGETHER = 12;
let consumer;
let upstream;
const workers = [];
const urls = {};

before(async () => {
  consumer = await installTarball();
  upstream = await startUpstream(worlds);
  const build = await bundle(consumer, "corpus", WORKER);
  const services = Object.keys(worlds).map((name) => ({ ...serviceOf(name, worlds[name], upstream.url(name)), build }));
  // Each world compiles its own module. On a busy machine, starting all at once would exceed the timeout.
  for (let at = 0; at < services.length; at += TOGETHER)
    workers.push(await startWorkers(services.slice(at, at + TOGETHER)));
  Object.assign(urls, ...workers.map((started) => started.urls));
});
after(async () => {
  for (const started of workers) await started.stop();
  await upstream?.stop();
  await consumer?.remove();
});

for (const row of rows) test(row.name, () => runHandler(row, urls[row.world]));
