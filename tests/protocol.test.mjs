// The rows of fixtures/protocol over HTTP: the Worker in workerd, one for each world, in front of a server on the
// official SDK. The same rows run natively in tests/protocol.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checkReply } from "./support/protocol-check.mjs";
import { Talk } from "./support/protocol-talk.mjs";
import { protocolRows, serverInfoOf, serviceOf, world } from "./support/protocol-worlds.mjs";
import { send } from "./support/raw-client.mjs";
import { startUpstream } from "./support/upstream.mjs";
import { startWorkers } from "./support/workerd.mjs";

const rows = protocolRows();
const worlds = Object.fromEntries(rows.map((row) => [row.world, world(row.world)]));
let upstream;
let workers;

before(async () => {
  upstream = await startUpstream(worlds);
  workers = await startWorkers(Object.keys(worlds).map((name) => serviceOf(name, worlds[name], upstream.url(name))));
});
after(async () => {
  await workers?.stop();
  await upstream?.stop();
});

for (const { name, world: place, steps } of rows) {
  test(name, async () => {
    const server = serverInfoOf(worlds[place]);
    const talk = new Talk(workers.urls[place]);
    for (const [index, step] of steps.entries()) {
      try {
        checkReply(step, await talk.send(step), server, talk);
      } catch (error) {
        error.message = `step ${index}: ${error.message}`;
        throw error;
      }
    }
  });
}

/** Returns whether a step is a list of the stateless revision without a literal body. */
const lists = ({ era, method, raw }) =>
  era === "2026-07-28" && raw === undefined && /^[a-z/]+\/list$/.test(method ?? "");

test("lists are answered the same when they are sent again, among those of other callers", async () => {
  const again = rows.filter(({ steps }) => steps.every(lists));
  assert.ok(again.length > 0);
  for (let round = 0; round < 3; round += 1) {
    for (const { name, world: place, steps } of again) {
      const talk = new Talk(workers.urls[place]);
      for (const step of steps) {
        const answered = await talk.send(step);
        try {
          checkReply(step, answered, serverInfoOf(worlds[place]), talk);
        } catch (error) {
          error.message = `${name}, round ${round}: ${error.message}`;
          throw error;
        }
      }
    }
  }
});

/** Lists the tools of a Worker, in the stateless revision. */
async function listTools(url, headers = {}) {
  const response = await send(`${url}/mcp`, "tools/list", {}, { headers });
  return { status: response.status, headers: response.headers, ...(await response.json()) };
}

test("a token that was not handed out is refused, and is not taken for none", async () => {
  const refused = { code: -32600, message: "the bearer token is not known here", data: { reason: "unauthorized" } };
  for (const authorization of ["Bearer nobody-token", "Bearer ", "Basic YWxpY2U6", "alice-token"]) {
    const origin = "http://localhost:5173"; // a page must be able to read the reason
    const { status, error, headers } = await listTools(workers.urls.insiders, { authorization, origin });
    assert.deepEqual([status, error], [401, refused], authorization);
    assert.equal(headers.get("www-authenticate"), 'Bearer error="invalid_token"');
    assert.equal(headers.get("access-control-allow-origin"), origin);
  }
  const { status, result } = await listTools(workers.urls.insiders, { authorization: "bearer alice-token" });
  assert.deepEqual([status, result?.tools.length], [200, 10]);
});

test("C-4: a concern declared twice is refused when the Worker starts, and every request is told", async () => {
  const config = {
    concerns: [
      { name: "cost", values: ["low"] },
      { name: "cost", values: ["high"] },
    ],
  };
  const broken = await startWorkers([serviceOf("twice", { config }, upstream.url("plain"))]);
  try {
    const error = {
      code: -32603,
      message: "SIEVE_CONFIG: concerns[1]: concern `cost` is declared twice",
      data: { reason: "config" },
    };
    for (let round = 0; round < 2; round++) assert.deepEqual((await listTools(broken.urls.twice)).error, error);
  } finally {
    await broken.stop();
  }
});
