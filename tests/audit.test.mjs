// The operator's log, in workerd: what is written to it, who reads it, and how.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, openSession } from "./support/raw-client.mjs";
import { startWorkers } from "./support/workerd.mjs";

const digest = (token) => createHash("sha256").update(token).digest("hex");
const policies = [{ name: "reset", show: "-name:reset_tracker or claim.sub:root" }];
const env = { SIEVE_OPERATOR: digest("operator"), SIEVE_TOKENS: JSON.stringify({ [digest("alice-token")]: { sub: "alice" } }) };
const alice = { authorization: "Bearer alice-token" };

let workers;
before(async () => {
  workers = await startWorkers([
    { name: "watched", config: { policies }, env, assets: "none" },
    { name: "unwatched", config: { policies }, assets: "none" },
  ]);
});
after(() => workers?.stop());

const get = (name, path, token = "operator", init = {}) =>
  fetch(`${workers.urls[name]}${path}`, { headers: { authorization: `Bearer ${token}` }, ...init });
const page = async (query = "") => (await get("watched", `/audit${query}`)).json();

/** The page once it holds `count` lines: no reply waits for the log. */
async function lines(count) {
  for (let round = 0; ; round++) {
    const { operations } = await page();
    if (operations.length >= count || round === 50) return operations;
    await sleep(100);
  }
}

test("what is denied is written down, and nothing of what was asked (Q-26 M-49)", async () => {
  const url = `${workers.urls.watched}/mcp`;
  const secret = { name: "reset_tracker", arguments: { confirm: "a secret" } };
  const [{ message }] = await ask(url, "tools/call", secret, { headers: alice });
  assert.equal(message.error.message, "Unknown tool: reset_tracker");
  await ask(url, "tools/call", { name: "no_such_tool" });
  await ask(url, "tools/list", {}, { headers: { authorization: "Bearer made-up" } });
  const session = await openSession(url);
  await fetch(url, { method: "DELETE", headers: { ...session, ...alice } });
  const operations = await lines(3);
  const told = operations.map(({ who, method, kind, reason }) => [who, method, kind, reason]);
  assert.deepEqual(told.toSorted(), [
    ["alice", "DELETE", undefined, "session_stolen"],
    ["alice", "tools/call", "tool", "hidden"],
    [undefined, "POST", undefined, "unauthorized"],
  ].toSorted());
  for (const { at } of operations) assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000, at);
  assert.ok(!JSON.stringify(operations).includes("secret"));
});

test("the log is read in pages, the oldest first", async () => {
  const all = await lines(3);
  const first = await page("?limit=2");
  assert.deepEqual([first.operations, first.next], [all.slice(0, 2), all[1].id]);
  assert.deepEqual(await page(`?limit=2&after=${first.next}`), { operations: all.slice(2) });
  assert.deepEqual((await page("?limit=0")).operations.length, 1);
});

test("nobody reads the log but the operator, and without one there is none", async () => {
  for (const token of ["alice-token", "operator2", ""]) {
    const refused = await get("watched", "/audit", token);
    assert.equal(refused.status, 401, token);
    assert.equal((await refused.json()).error.data.reason, "unauthorized");
  }
  assert.equal((await fetch(`${workers.urls.watched}/audit`)).status, 401);
  assert.equal((await get("unwatched", "/audit")).status, 404);
  assert.equal((await get("watched", "/audit", "operator", { method: "DELETE", headers: { authorization: "Bearer operator" } })).status, 405);
});

test("who is denied a hundred times fills no log", async () => {
  const url = `${workers.urls.watched}/mcp`;
  const before = (await lines(3)).length;
  const headers = { authorization: "Bearer made-up" };
  for (let round = 0; round < 150; round++) await ask(url, "tools/list", {}, { headers });
  await sleep(1100);
  await ask(url, "tools/list", {}, { headers });
  await sleep(500);
  const operations = (await page()).operations.slice(before);
  const kept = operations.filter(({ reason }) => reason === "unauthorized").length;
  const missing = operations.filter(({ reason }) => reason === "not_kept").reduce((sum, { method }) => sum + Number(method), 0);
  assert.equal(kept + missing, 151);
});

test("a log outlives the Worker", async () => {
  const before = await page();
  await workers.restart();
  assert.deepEqual(await page(), before);
});
