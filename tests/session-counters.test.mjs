// Clients without options in front of a server that keeps a counter for each session: every client has a counter of its own, which
// counts on, whichever revision the client would rather speak.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { talkingFastMcp } from "./clients/process.mjs";
import { installCommand } from "./support/command.mjs";
import { ask } from "./support/raw-client.mjs";
import { connect } from "./support/sdk-clients.mjs";
import { startSessionServer } from "./support/session-server.mjs";
import { startWorkers } from "./support/workerd.mjs";

/** How often each client counts. */
const CALLS = 3;

const counts = new Map();
/** Counts the calls of a session. Returns `SESSION:COUNT`. */
function count(_, { sessionId }) {
  counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1);
  return { content: [{ type: "text", text: `${sessionId}:${counts.get(sessionId)}` }] };
}

let server;
let workers;
let command;
let dev;
let urls;
before(async () => {
  [server, command] = await Promise.all([
    startSessionServer({ name: "counters", tools: ["count"], call: count }),
    installCommand(),
  ]);
  command.install("workerd");
  workers = await startWorkers([{ name: "counters", upstream: server.url }]);
  dev = command.start(["dev", "--upstream", server.url, "--port", "0", "--json"]);
  const { mcp } = JSON.parse(await dev.line(/^\{"event":"ready"/));
  await dev.line(/^\{"event":"server"/);
  urls = { direct: server.url, "through the Worker": `${workers.urls.counters}/mcp`, "through `dev`": mcp };
  // That a server keeps sessions is known once it has been listed.
  for (const url of [urls["through the Worker"], mcp]) await ask(url, "tools/list");
});
after(async () => {
  await dev?.stop();
  await command?.remove();
  await workers?.stop();
  server?.stop();
});

/** The clients without options, two of each. */
const CLIENTS = {
  "TypeScript v1": (url) => connect("v1", url),
  "TypeScript v2": (url) => connect("v2", url),
  FastMCP: talkingFastMcp,
};

for (const place of ["direct", "through the Worker", "through `dev`"])
  test(`W3: six clients have six counters, ${place}`, async (t) => {
    const names = Object.keys(CLIENTS).flatMap((name) => [`${name}, first`, `${name}, second`]);
    const clients = await Promise.all(names.map((name) => CLIENTS[name.split(",")[0]](urls[place])));
    t.after(() => Promise.all(clients.map(({ close }) => close())));
    const counted = Object.fromEntries(names.map((name) => [name, []]));
    // The clients take turns, so that a shared session would show.
    for (let call = 1; call <= CALLS; call++)
      for (const [at, client] of clients.entries()) counted[names[at]].push(await client.text("count"));
    const sessions = names.map((name) => counted[name][0].split(":")[0]);
    const expected = names.map((name, at) => [name, [1, 2, 3].map((number) => `${sessions[at]}:${number}`)]);
    assert.deepEqual(counted, Object.fromEntries(expected));
    assert.equal(new Set(sessions).size, names.length, JSON.stringify(counted));
  });
