// The packed package, a server that ignores filters, and the same lists behind gateways, which filter them.
import { after, before } from "node:test";
import { serviceOf } from "./protocol-worlds.mjs";
import { installTarball } from "./tarball.mjs";
import { startUpstream } from "./upstream.mjs";
import { startWorkers } from "./workerd.mjs";

/** The objects of the current test file, as live bindings. */
export let consumer, api, upstream, workers;

/** Returns a world whose gateway offers the stateless revision, although its server keeps sessions. */
const stateless = (world) => ({
  ...world,
  config: { ...world.config, upstream: { sessions: "shared", ...world.config?.upstream } },
});

/** Serves `worlds` for the tests of a file, those of `gated` also behind a gateway. */
export function wrappedWorlds(worlds, gated) {
  before(async () => {
    consumer = await installTarball();
    api = await consumer.load();
    upstream = await startUpstream(worlds);
    workers = await startWorkers(gated.map((name) => serviceOf(name, stateless(worlds[name]), upstream.url(name))));
  });
  after(async () => {
    await workers?.stop();
    await upstream?.stop();
    await consumer?.remove();
  });
}
