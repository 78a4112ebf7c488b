// Repeated lists, which the Worker answers from memory if every caller receives the same. A response never belongs to
// another caller or to an earlier catalog.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { request } from "./support/raw-client.mjs";
import { startRawServer } from "./support/raw-server.mjs";
import { startWorkers } from "./support/workerd.mjs";

const TIMES = 4;
const tool = (name) => ({ name, inputSchema: { type: "object" } });
let server;
let workers;

before(async () => {
  server = await startRawServer({ lists: { tools: [tool("read"), tool("write")] } });
  const named = (name, config) => ({ name, assets: "none", upstream: server.url, config });
  const policies = [{ name: "readers", show: "name:read or header.x-role:writer" }];
  workers = await startWorkers([
    named("open", { rules: [{ match: "name:read", groups: ["reading"] }] }),
    named("guarded", { policies }),
    named("logged", { log: true }),
    named("limited", { limits: { rate: { requests: 5, seconds: 60 } } }),
    named("checked", { checks: [{ name: "agent", require: "header.user-agent:known", message: "not you" }] }),
    named("page", { origins: ["https://a.example", "https://b.example"] }),
  ]);
});
after(async () => {
  await workers?.stop();
  server?.stop();
});

/** Lists tools with a given id, and resolves with the response and its message. */
async function list(name, { id = 1, headers = {}, query = "" } = {}) {
  const { body, ...sent } = request("tools/list", {});
  const message = JSON.stringify({ ...JSON.parse(body), id });
  const response = await fetch(`${workers.urls[name]}/mcp${query}`, {
    ...sent,
    headers: { ...sent.headers, ...headers },
    body: message,
  });
  return { response, message: await response.json() };
}

const namesOf = ({ result }) => result?.tools.map(({ name }) => name);

test("a list that is sent again has the id of its request and the same result", async () => {
  const first = (await list("open")).message;
  assert.deepEqual(namesOf(first), ["read", "write"]);
  for (const id of [2, "three", 2, 4_000_000, "", "\u00fc", 'a"b', 0]) {
    assert.deepEqual((await list("open", { id })).message, { ...first, id }, JSON.stringify(id));
  }
});

test("a list that differs in its address is another one", async () => {
  for (let time = 0; time < TIMES; time += 1) {
    assert.deepEqual(namesOf((await list("open")).message), ["read", "write"]);
    assert.deepEqual(namesOf((await list("open", { query: "?groups=reading" })).message), ["read"]);
    assert.deepEqual(namesOf((await list("open", { headers: { "x-mcp-tools": "write" } })).message), ["write"]);
  }
});

test("callers whom a policy tells apart are never given each other's list", async () => {
  for (let time = 0; time < TIMES; time += 1) {
    assert.deepEqual(namesOf((await list("guarded")).message), ["read"]);
    const writer = await list("guarded", { headers: { "x-role": "writer" } });
    assert.deepEqual(namesOf(writer.message), ["read", "write"]);
  }
});

test("a check runs for every request, for any header that it reads", async () => {
  for (let time = 0; time < TIMES; time += 1) {
    const known = await list("checked", { headers: { "user-agent": "known" } });
    assert.deepEqual(namesOf(known.message), ["read", "write"]);
    const other = await list("checked", { headers: { "user-agent": "other" } });
    assert.equal(other.message.error?.message, "not you");
  }
});

test("each page is granted its own origin", async () => {
  for (let time = 0; time < TIMES; time += 1) {
    for (const origin of ["https://a.example", "https://b.example"]) {
      const { response } = await list("page", { headers: { origin } });
      assert.equal(response.headers.get("access-control-allow-origin"), origin);
    }
    const { response } = await list("page", { headers: { origin: "https://c.example" } });
    assert.equal(response.status, 403);
  }
});

test("each list is a line of the log", async () => {
  for (let time = 0; time < TIMES; time += 1) await list("logged");
  const lines = workers.log().split("\n");
  assert.equal(lines.filter((line) => line.startsWith("{") && line.includes("tools/list")).length, TIMES);
});

test("each list is counted where requests are", async () => {
  const statuses = [];
  for (let time = 0; time < 6; time += 1) statuses.push((await list("limited")).response.status);
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
});
