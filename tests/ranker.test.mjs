// A model that scores tools for the searches of the Worker, in workerd: another Worker at the binding SIEVE_RANKER.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { send, session } from "./support/raw-client.mjs";
import { startStatelessServer } from "./support/stateless-server.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";
import { CONFIG, TOOLS } from "./support/ranked-tools.mjs";

const answering = (body) => `export default { async fetch(request) { ${body} } };`;
/** Logs its request, and scores a tool if the query and its name begin with the same five letters. */
const SCORING = answering(`
  const { query, tools } = await request.json();
  const { pathname } = new URL(request.url);
  console.log("asked " + JSON.stringify([request.method, pathname, request.headers.get("content-type"), query, tools]));
  const scores = tools.map(({ name }) => (name.slice(0, 5) === query.slice(0, 5) ? 0.9 : null));
  return Response.json({ scores });`);
const FAILING = {
  failing: ["return new Response('no', { status: 500 });", "SIEVE_RANKER: it answered with status 500"],
  throwing: ["throw new Error('out of memory');", "SIEVE_RANKER: Error: out of memory"],
  garbled: ["return new Response('[1, 2]');", "SIEVE_RANKER: expected `"],
  short: ["return Response.json({ scores: [1] });", "expected 2 scores, one for each tool, got 1"],
  long: [
    "return new Response(' '.repeat(160_001) + JSON.stringify({ scores: [1, 2] }));",
    "SIEVE_RANKER: its answer has more than 160000 bytes",
  ],
  hanging: ["await new Promise((done) => setTimeout(done, 20_000));", "it took longer than 2000 ms"],
};

let server;
let workers;
before(async () => {
  server = await startStatelessServer({ "tools/list": { tools: TOOLS, ttlMs: 60_000 } });
  const service = (name, ranker) => ({
    name,
    ranker,
    upstream: server.url,
    config: CONFIG,
  });
  workers = await startWorkers([
    service("words"),
    service("scoring", SCORING),
    service("broken", answering("throw new Error('broken');")),
    ...Object.entries(FAILING).map(([name, [body]]) => service(name, answering(body))),
  ]);
});
after(async () => {
  await workers?.stop();
  await server?.stop();
});

/** Returns the names that a client without a session finds. */
async function search(name, query) {
  const params = { name: "search_tools", arguments: { query } };
  const { result } = await (await send(`${workers.urls[name]}/mcp`, "tools/call", params)).json();
  return result.structuredContent.tools.map(({ name }) => name);
}

/** Waits for a text in the log. */
const logged = (text) =>
  until(
    () => workers.log().includes(text),
    () => `${text} in ${workers.log()}`,
  );

test("without a binding the words decide", async () => {
  assert.deepEqual(await search("words", "thermostats"), []);
  assert.deepEqual(await search("words", "mail"), ["send_mail"]);
});

test("a ranker finds tools that share no word, and gets only tools that the caller can find", async () => {
  assert.deepEqual(await search("scoring", " thermostats "), ["thermometer"]);
  const tools = [
    { name: "thermometer", description: "Reads a sensor." },
    { name: "send_mail", description: "" },
  ];
  await logged(`asked ${JSON.stringify(["POST", "/rank", "application/json", "thermostats", tools])}`);
  assert.deepEqual(await search("scoring", "thermostats for the mail"), ["send_mail", "thermometer"]);
  assert.ok(!workers.log().includes("Thermostats of others"), "a hidden tool was given to the ranker");
});

test("a session, which an object serves, asks the ranker too", async () => {
  const ask = await session(`${workers.urls.scoring}/mcp`);
  const { message } = (await ask("tools/call", { name: "search_tools", arguments: { query: "thermostats" } })).at(-1);
  assert.deepEqual(
    message.result.structuredContent.tools.map(({ name }) => name),
    ["thermometer"],
  );
});

for (const [name, [, why]] of Object.entries(FAILING)) {
  test(`a ${name} ranker leaves the search to the words, and the log says why`, async () => {
    assert.deepEqual(await search(name, "mail"), ["send_mail"]);
    await logged(`a search was made by words alone: ranker: ${why}`);
  });
}

test("a ranker that fails five times in a row is not called for a second", async () => {
  for (let times = 0; times < 5; times += 1) assert.deepEqual(await search("broken", "mail"), ["send_mail"]);
  await logged("SIEVE_RANKER: Error: broken; it is not called for 1000 ms");
});
