// The rows of fixtures/protocol.json before a handler in JavaScript: the packed package in workerd, one Worker for each
// world. The handler is as thin as can be, and passes on to the server that the Worker in Rust stands before.
import { after, before, test } from "node:test";
import { OBJECTS, bundle } from "./support/bundle.mjs";
import { checkReply } from "./support/protocol-check.mjs";
import { Talk } from "./support/protocol-talk.mjs";
import { fixture, serviceOf, version, world } from "./support/protocol-worlds.mjs";
import { installTarball } from "./support/tarball.mjs";
import { startUpstream } from "./support/upstream.mjs";
import { startWorkers } from "./support/workerd.mjs";

const WORKER = `
import { sieve } from "mcp-sieve/handler";
${OBJECTS}
const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

async function identify(request, env) {
  const tokens = JSON.parse(env.SIEVE_TOKENS);
  const authorization = request.headers.get("authorization");
  if (Object.keys(tokens).length === 0 || authorization === null) return null;
  const token = /^bearer (.*)$/i.exec(authorization)?.[1].trim();
  const claims = token && tokens[hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token)))];
  if (!claims) throw new Error("the bearer token is not known here");
  return claims;
}

let wrapped;
export default {
  fetch(request, env, ctx) {
    // The token is for us, and none of the server's business.
    const handler = (request) => { const passed = new Request(env.UPSTREAM_URL, request); passed.headers.delete("authorization"); return fetch(passed); };
    wrapped ??= sieve(handler, env.SIEVE_CONFIG, { identify, catalog: "/catalog" });
    return wrapped.fetch(request, env, ctx);
  },
};
`;

/** Worlds that share a process. */
const TOGETHER = 12;
/** What goes through functions of context middleware is not for a handler: it has none, and says so when it is made. */
const rows = fixture("protocol").filter((row) => world(row.world).config?.middleware === undefined);
/** The same of tasks: a handler keeps none, so none of their capabilities is told. */
const TASKS = ["tasks", "io.modelcontextprotocol/tasks", "dev.mcpsieve/tasks"];
const withoutTasks = (step) => JSON.parse(JSON.stringify(step, (key, value) => (TASKS.includes(key) ? undefined : value)));
const worlds = Object.fromEntries(rows.map((row) => [row.world, world(row.world)]));
let consumer;
let upstream;
const workers = [];
const urls = {};

before(async () => {
  consumer = await installTarball();
  upstream = await startUpstream(worlds);
  const build = await bundle(consumer, "corpus", WORKER);
  const services = Object.keys(worlds).map((name) => ({ ...serviceOf(name, worlds[name], upstream.url(name)), build }));
  // Each has a module of its own to compile, and on a busy machine all at once take longer than one may wait.
  for (let at = 0; at < services.length; at += TOGETHER) workers.push(await startWorkers(services.slice(at, at + TOGETHER)));
  Object.assign(urls, ...workers.map((started) => started.urls));
});
after(async () => {
  for (const started of workers) await started.stop();
  await upstream?.stop();
  await consumer?.remove();
});

for (const { name, world: place, steps } of rows) {
  test(name, async () => {
    const { instructions, ...server } = { name: "mcp-sieve", version, ...worlds[place].config?.server };
    const talk = new Talk(urls[place]);
    for (const [index, step] of steps.entries()) {
      try {
        checkReply(withoutTasks(step), await talk.send(step), server, talk);
      } catch (error) {
        error.message = `step ${index}: ${error.message}`;
        throw error;
      }
    }
  });
}
