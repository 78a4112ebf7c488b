// The operator's log, in workerd: its lines, and access to it.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ask, openSession } from "./support/raw-client.mjs";
import { digest, tokensVariable } from "./support/tokens.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";

const policies = [{ name: "reset", show: "-name:reset_tracker or claim.sub:root" }];
/** The Worker's limit for each address and minute. */
const WRONG_TOKENS = 30;
const denials = 150;
const calls = [
  { name: "list_issues", arguments: { state: "open" } },
  { name: "list_issues", arguments: {} },
  { name: "list_issues" },
];
const env = { SIEVE_OPERATOR: digest("operator"), SIEVE_TOKENS: tokensVariable({ "alice-token": { sub: "alice" } }) };
const alice = { authorization: "Bearer alice-token" };

let workers;
before(async () => {
  workers = await startWorkers([
    { name: "watched", config: { policies }, env, assets: "none" },
    { name: "unwatched", config: { policies }, assets: "none" },
    { name: "recorded", config: { policies, audit: "all" }, env, assets: "none" },
  ]);
});
after(() => workers?.stop());

const get = (name, path, token = "operator", init = {}) =>
  fetch(`${workers.urls[name]}${path}`, { headers: { authorization: `Bearer ${token}` }, ...init });
const page = async (query = "") => (await get("watched", `/audit${query}`)).json();

/**
 * Waits until `find` returns a value for the lines of the log, which are written after the responses. Returns that
 * value.
 */
async function found(find, what, read = page) {
  let log;
  const look = async () => {
    log = await read();
    return find(log.operations);
  };
  return until(look, () => `${what} in ${JSON.stringify(log)}`);
}

/** Waits until the log has `count` lines, and returns all of them. */
const lines = (count) => found((operations) => operations.length >= count && operations, `${count} lines`);

/** Waits for a line of the log that `matches`, and returns the first one. */
const lineWhere = (matches) => found((operations) => operations.find(matches), "the line");

test("a denied call is recorded with the requested name and without arguments", async () => {
  const url = `${workers.urls.watched}/mcp`;
  const secret = { name: "reset_tracker", arguments: { confirm: "a secret" } };
  const [{ message }] = await ask(url, "tools/call", secret, { headers: alice });
  assert.equal(message.error.message, "Unknown tool: reset_tracker");
  await ask(url, "tools/call", { name: "no_such_tool" });
  await ask(url, "tools/list", {}, { headers: { authorization: "Bearer made-up" } });
  const session = await openSession(url);
  await fetch(url, { method: "DELETE", headers: { ...session, ...alice } });
  await fetch(`${workers.urls.watched}/catalog/tools`, { headers: { authorization: "Bearer made-up" } });
  const operations = await lines(5);
  const told = operations.map(({ who, method, kind, reason, count, names }) => [
    who,
    method,
    kind,
    reason,
    count,
    names,
  ]);
  assert.deepEqual(told, [
    ["alice", "tools/call", "tool", "hidden", 1, ["reset_tracker"]],
    [undefined, "tools/call", "tool", "unknown", 1, ["no_such_tool"]],
    [undefined, "POST", undefined, "unauthorized", 1, undefined],
    ["alice", "DELETE", undefined, "session_stolen", 1, undefined],
    [undefined, "GET", undefined, "unauthorized", 1, undefined],
  ]);
  for (const { at } of operations) assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000, at);
  assert.ok(!JSON.stringify(operations).includes("secret"));
});

test("the log is read in pages, the oldest first", async () => {
  const all = await lines(5);
  const first = await page("?limit=3");
  assert.deepEqual([first.operations, first.next], [all.slice(0, 3), first.position]);
  const last = await page(`?limit=3&after=${first.next}`);
  assert.deepEqual(last, { operations: all.slice(3), position: last.position });
  assert.deepEqual(await page(`?after=${last.position}`), { operations: [], position: last.position });
  assert.deepEqual((await page("?limit=0")).operations.length, 1);
  // A number is a position in the first object, as it was in the only one.
  const [shard] = all[0].id.split("-");
  assert.equal((await page("?after=2")).operations.length, shard === "0" ? all.length - 2 : all.length);
});

test("a page after something else than a position is refused", async () => {
  for (const [query, message] of [
    ["?after=abc", "expected `after` as the `next` of a page"],
    ["?after=-1", "expected `after` as the `next` of a page"],
    ["?after=", "expected `after` as the `next` of a page"],
    ["?after=1..2", "expected `after` as the `next` of a page"],
    ["?after=1.2.3.4.5.6.7.8.9", "expected `after` as the `next` of a page"],
    ["?limit=all", "expected `limit` as a whole number"],
  ]) {
    const refused = await get("watched", `/audit${query}`, "operator");
    assert.equal(refused.status, 400, query);
    const { error } = await refused.json();
    assert.deepEqual([error.data.reason, error.message], ["query", message]);
  }
});

test("only the operator reads the log, and without an operator there is none", async () => {
  for (const token of ["alice-token", "operator2", ""]) {
    const refused = await get("watched", "/audit", token);
    assert.equal(refused.status, 401, token);
    assert.equal((await refused.json()).error.data.reason, "unauthorized");
  }
  assert.equal((await fetch(`${workers.urls.watched}/audit`)).status, 401);
  assert.equal((await get("unwatched", "/audit")).status, 404);
  assert.equal(
    (await get("watched", "/audit", "operator", { method: "DELETE", headers: { authorization: "Bearer operator" } }))
      .status,
    405,
  );
});

test("wrong tokens of the operator are logged, and refused for a while beyond a limit", async () => {
  const tried = [];
  for (let round = 0; round < WRONG_TOKENS + 5; round++) {
    const headers = { authorization: `Bearer guess-${round}`, "cf-connecting-ip": "203.0.113.9" };
    tried.push(await fetch(`${workers.urls.watched}/audit`, { headers }));
  }
  const statuses = tried.map(({ status }) => status);
  assert.deepEqual(statuses.slice(0, WRONG_TOKENS), Array(WRONG_TOKENS).fill(401));
  assert.ok(statuses.slice(WRONG_TOKENS).includes(429), statuses.join());
  assert.ok(Number(tried.find(({ status }) => status === 429).headers.get("retry-after")) > 0);
  const from = (address, token) =>
    fetch(`${workers.urls.watched}/audit`, {
      headers: { authorization: `Bearer ${token}`, "cf-connecting-ip": address },
    });
  assert.equal((await from("203.0.113.10", "guess")).status, 401, "others are counted for themselves");
  assert.equal((await from("203.0.113.9", "operator")).status, 200, "the right token always passes");
  const line = await lineWhere((line) => line.kind === "audit" && line.count >= WRONG_TOKENS + 5);
  assert.deepEqual([line.who, line.method, line.reason], [undefined, "GET", "unauthorized"]);
});

test("a caller that is denied a hundred times is one line with a count", async () => {
  const url = `${workers.urls.watched}/mcp`;
  const before = (await page()).operations.length;
  const headers = { authorization: "Bearer made-up" };
  const { count } = (await page()).operations.find(
    ({ method, reason }) => method === "POST" && reason === "unauthorized",
  );
  for (let round = 0; round < denials; round++) await ask(url, "tools/list", {}, { headers });
  const line = await lineWhere((line) => line.method === "POST" && line.count >= count + denials);
  assert.deepEqual([line.reason, line.count], ["unauthorized", count + denials]);
  assert.ok(Date.parse(line.last) > Date.parse(line.at), "the first and the last time");
  assert.equal((await page()).operations.length, before);
});

test("a caller that makes up names is one line with the first eight of them", async () => {
  const url = `${workers.urls.watched}/mcp`;
  const before = (await page()).operations.length;
  for (let round = 0; round < 12; round++) await ask(url, "prompts/get", { name: `made-up-${round}\u001b[2J` });
  const line = await lineWhere(
    ({ method, kind, count }) => method === "prompts/get" && kind === "prompt" && count >= 12,
  );
  assert.deepEqual(
    [line.reason, line.names],
    ["unknown", Array.from({ length: 8 }, (_, round) => `made-up-${round}\\u{1b}[2J`)],
  );
  assert.equal((await page()).operations.length, before + 1);
});

test("a session's refusals are written, from the object where it lives", async () => {
  const url = `${workers.urls.watched}/mcp`;
  const session = await openSession(url, "2025-11-25");
  const body = { jsonrpc: "2.0", id: 1, method: "prompts/get", params: { name: "no_such_prompt" } };
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", ...session };
  assert.equal((await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).status, 200);
  assert.ok(await lineWhere(({ method, reason }) => method === "prompts/get" && reason === "unknown"));
});

test("allowed calls have a log of their own, with digests in place of arguments", async () => {
  const url = `${workers.urls.recorded}/mcp`;
  for (const params of calls) {
    const [{ message }] = await ask(url, "tools/call", params, { headers: alice });
    assert.ok(message.result, JSON.stringify(message));
  }
  await ask(url, "tools/call", { name: "reset_tracker", arguments: {} }, { headers: alice });
  let recorded;
  await until(
    async () => {
      recorded = await (await get("recorded", "/audit/calls")).json();
      return recorded.calls.length >= calls.length;
    },
    () => JSON.stringify(recorded),
  );
  const digestOf = (value) => value && `sha256:${createHash("sha256").update(JSON.stringify(value)).digest("hex")}`;
  assert.deepEqual(
    recorded.calls.map(({ who, method, name, arguments: hash }) => [who, method, name, hash]),
    calls.map((params) => ["alice", "tools/call", params.name, digestOf(params.arguments)]),
  );
  for (const { at, server } of recorded.calls) {
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000, at);
    assert.equal(typeof server, "string");
  }
  const first = await (await get("recorded", "/audit/calls?limit=1")).json();
  assert.deepEqual(first, { calls: recorded.calls.slice(0, 1), position: first.next, next: first.next });
  const rest = await (await get("recorded", `/audit/calls?after=${first.next}`)).json();
  assert.deepEqual(rest, { calls: recorded.calls.slice(1), position: recorded.position });
  // The denial is in the other log, and none of the calls.
  const read = async () => (await get("recorded", "/audit")).json();
  const denied = await found((operations) => operations.length > 0 && operations, "the denial", read);
  assert.deepEqual(
    denied.map(({ reason, names }) => [reason, names]),
    [["hidden", ["reset_tracker"]]],
  );
});

test("only the operator reads the allowed calls, and there are none without the setting", async () => {
  assert.equal((await get("recorded", "/audit/calls", "alice-token")).status, 401);
  assert.equal((await get("unwatched", "/audit/calls")).status, 404);
  assert.equal((await get("recorded", "/audit/calls?after=abc")).status, 400);
  const url = `${workers.urls.watched}/mcp`;
  await ask(url, "tools/call", calls[0], { headers: alice });
  await ask(url, "tools/call", { name: "not_there_at_all" });
  await lineWhere(({ names }) => names?.includes("not_there_at_all"));
  assert.deepEqual(await (await get("watched", "/audit/calls")).json(), { calls: [], position: "0" });
});

test("isolates write to several objects, of which a page has the lines in order", async (context) => {
  const callers = Array.from({ length: 24 }, (_, at) => `caller-${at}`);
  const claims = Object.fromEntries(callers.map((sub) => [`${sub}-token`, { sub }]));
  const names = Array.from({ length: 8 }, (_, at) => `isolate-${at}`);
  const isolates = await startWorkers(
    names.map((name) => ({
      name,
      ...(name !== names[0] && { shares: names[0] }),
      config: { policies },
      env: { ...env, SIEVE_TOKENS: tokensVariable(claims) },
      assets: "none",
    })),
  );
  context.after(() => isolates.stop());
  const read = async (query, at = 0) => {
    const headers = { authorization: "Bearer operator" };
    return (await fetch(`${isolates.urls[names[at]]}/audit${query}`, { headers })).json();
  };
  /** Has callers denied one after the other, each by the next isolate, and waits for their lines. */
  const deny = async (some, position) => {
    for (const [at, sub] of some.entries()) {
      const headers = { authorization: `Bearer ${sub}-token` };
      await ask(`${isolates.urls[names[at % names.length]]}/mcp`, "tools/call", { name: "reset_tracker" }, { headers });
    }
    const written = async () => (await read(`?after=${position}`)).operations.length >= some.length;
    await until(written, () => `${some.length} lines`);
  };
  /** Reads pages of `limit` lines from a position on, each from another isolate, until one is the last. */
  const pages = async (position, limit) => {
    const lines = [];
    for (let at = 0; ; at += 1) {
      const { operations, next, position: end } = await read(`?limit=${limit}&after=${position}`, at % names.length);
      lines.push(...operations);
      position = end;
      if (next !== undefined) assert.equal(next, end);
      if (next === undefined) return { lines, position };
    }
  };
  const first = callers.slice(0, 16);
  await deny(first, "0");
  const all = await pages("0", 3);
  assert.deepEqual(all.lines.map(({ who }) => who).sort(), first.toSorted());
  assert.equal(new Set(all.lines.map(({ id }) => id)).size, first.length);
  const shards = new Set(all.lines.map(({ id }) => id.split("-")[0]));
  assert.ok(shards.size > 1, `eight isolates with shard ${[...shards]}`);
  const whole = (await read("?limit=200")).operations;
  const byId = (lines) => lines.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  assert.deepEqual(byId(whole), byId(all.lines), "whatever the length of a page");
  const times = whole.map(({ at }) => Date.parse(at));
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );

  // Half-read, the log gets further lines in all objects: the position has neither missed nor repeated one of them.
  const half = await read("?limit=8");
  await deny(callers.slice(16), all.position);
  const rest = await pages(half.next, 5);
  assert.deepEqual([...half.operations, ...rest.lines].map(({ who }) => who).sort(), callers.toSorted());
  assert.deepEqual(await read(`?after=${rest.position}`), { operations: [], position: rest.position });
});

test("a log that cannot be read is an error with a code", async (context) => {
  const persist = mkdtempSync(join(tmpdir(), "sieve-audit-"));
  context.after(() => rmSync(persist, { recursive: true, force: true }));
  const damaged = await startWorkers([{ name: "damaged", config: { policies }, env, assets: "none" }], { persist });
  context.after(() => damaged.stop());
  const paths = ["/audit", "/audit/calls"];
  const read = (path) => fetch(`${damaged.urls.damaged}${path}`, { headers: { authorization: "Bearer operator" } });
  for (const path of paths) assert.equal((await read(path)).status, 200, path);
  await damaged.stopAndEdit(() => {
    // The file of each object, and none of the runtime's own.
    const files = readdirSync(persist, { recursive: true }).filter((file) =>
      /AuditObject[/\\][0-9a-f]+\.sqlite$/.test(file),
    );
    assert.ok(files.length >= paths.length, files.join());
    for (const file of files) writeFileSync(join(persist, file), "no database".repeat(1000));
  });
  for (const path of paths) {
    const refused = await read(path);
    const { error } = await refused.json();
    assert.deepEqual(
      [refused.status, refused.headers.get("retry-after"), error.data.reason],
      [503, "10", "storage_unavailable"],
      path,
    );
  }
});

test("a log outlives the Worker", async () => {
  const before = await page();
  await workers.restart();
  assert.deepEqual(await page(), before);
});
