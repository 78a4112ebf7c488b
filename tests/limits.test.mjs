// Limits for one caller, in workerd: counted in Durable Objects, or by a rate limiter of the platform.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { events, messages, openSession, request, send } from "./support/raw-client.mjs";
import { startSessionServer } from "./support/session-server.mjs";
import { storedTables } from "./support/storage.mjs";
import { digest, tokensVariable } from "./support/tokens.mjs";
import { until } from "./support/until.mjs";
import { plainTool, startStatelessServer } from "./support/stateless-server.mjs";
import { startWorker, startWorkers } from "./support/workerd.mjs";

const people = Object.fromEntries(["alice", "bob", "carol"].map((sub) => [sub, { sub }]));
const env = { SIEVE_TOKENS: tokensVariable(people), SIEVE_OPERATOR: digest("operator") };

/** Starts an upstream server whose tool answers when the test says so. */
async function startSlow({ legacy = false } = {}) {
  const waiting = [];
  const about = { capabilities: { tools: {} }, serverInfo: { name: "slow", version: "1" } };
  const server = await startStatelessServer({
    "tools/list": { tools: [plainTool("slow")], ttlMs: 60_000 },
    "tools/call": async () => {
      await new Promise((done) => waiting.push(done));
      return { content: [] };
    },
    ...(legacy && { "server/discover": undefined, initialize: { protocolVersion: "2025-11-25", ...about } }),
  });
  return { ...server, waiting };
}

/** Starts an upstream server whose tool asks its caller. */
function startElicits() {
  const params = { message: "Which?", requestedSchema: { type: "object", properties: {} } };
  return startSessionServer({
    name: "elicits",
    tools: ["ask"],
    async call(_, { sendRequest }) {
      await sendRequest({ method: "elicitation/create", params }, z.any());
      return { content: [] };
    },
  });
}
const rpc = (message) => JSON.stringify({ jsonrpc: "2.0", ...message });

const auth = { issuer: "https://issuer.example", audience: ["sieve"], jwks: "https://issuer.example/jwks" };
let workers;
let slow;
let asking;
let elicits;
before(async () => {
  [slow, asking, elicits] = await Promise.all([startSlow(), startSlow({ legacy: true }), startElicits()]);
  const few = { limits: { rate: { requests: 3, seconds: 60 } } };
  workers = await startWorkers([
    { name: "few", config: few, env, assets: "none" },
    { name: "busy", config: { limits: { concurrent: 2 } }, upstream: slow.url, env, assets: "none" },
    { name: "single", config: { limits: { concurrent: 1 } }, upstream: elicits.url, env, assets: "none" },
    { name: "asks", upstream: elicits.url, env, assets: "none" },
    { name: "rooms", config: { limits: { concurrent: 2 } }, upstream: asking.url, env, assets: "none" },
    {
      name: "lent",
      config: { limits: { rate: { requests: 1, seconds: 10 }, concurrent: 9 } },
      limit: 4,
      env,
      assets: "none",
    },
    { name: "closed", config: { auth }, env, assets: "none" },
    { name: "open", env, assets: "none" },
    { name: "quick", config: { limits: { rate: { requests: 2, seconds: 1 } } }, env, assets: "none" },
  ]);
});
after(async () => {
  await workers?.stop();
  await Promise.all([slow?.stop(), asking?.stop(), elicits?.stop()]);
});

function sendTo(name, { token, address, method = "tools/list", params = {}, signal } = {}) {
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(address && { "cf-connecting-ip": address }),
  };
  return send(`${workers.urls[name]}/mcp`, method, params, { headers, signal });
}
const statuses = async (name, count, options) => {
  const found = [];
  for (let round = 0; round < count; round++) found.push((await sendTo(name, options)).status);
  return found;
};

test("each person has their own count, and each address of strangers", async () => {
  assert.deepEqual(await statuses("few", 4, { token: "alice", address: "203.0.113.1" }), [200, 200, 200, 429]);
  assert.deepEqual(await statuses("few", 1, { token: "bob", address: "203.0.113.1" }), [200]);
  assert.deepEqual(await statuses("few", 4, { address: "203.0.113.1" }), [200, 200, 200, 429]);
  assert.deepEqual(await statuses("few", 1, { address: "203.0.113.2" }), [200]);
  assert.deepEqual(await statuses("few", 3, { address: "2001:db8::1" }), [200, 200, 200]);
  assert.deepEqual(await statuses("few", 1, { address: "2001:db8::2" }), [429], "one network");
});

test("a refusal for the rate is plain HTTP, and stands in the audit log", async () => {
  const response = await sendTo("few", { token: "alice" });
  assert.equal(response.status, 429);
  const seconds = Number(response.headers.get("retry-after"));
  assert.ok(seconds >= 1 && seconds <= 60, `${seconds}`);
  const { error } = await response.json();
  assert.deepEqual(error, {
    code: -32603,
    message: `too many requests, ask again in ${seconds} s`,
    data: { reason: "rate_limited", retryAfter: seconds },
  });
  const page = async () =>
    (await (await fetch(`${workers.urls.few}/audit`, { headers: { authorization: "Bearer operator" } })).json())
      .operations;
  // The log is written after the responses.
  const logged = async () => (await page()).some(({ who, reason }) => who === "alice" && reason === "rate_limited");
  await until(logged, "the refusal in the audit log");
});

test("bad tokens are counted by address", async () => {
  const options = { token: "made-up", address: "203.0.113.9" };
  assert.deepEqual(await statuses("few", 4, options), [401, 401, 401, 429]);
});

test("sessions, batches and plain resources are counted like anything else", async () => {
  const headers = { "cf-connecting-ip": "203.0.113.20" };
  const list = () => fetch(`${workers.urls.few}/catalog/tools`, { headers });
  assert.deepEqual(
    [(await list()).status, (await list()).status, (await list()).status, (await list()).status],
    [200, 200, 200, 429],
  );
  const url = `${workers.urls.few}/mcp`;
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = (body, more) =>
    fetch(url, { method: "POST", headers: { ...json, ...more }, body: JSON.stringify(body) });
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const open = async (caller) => {
    const opened = await post({ jsonrpc: "2.0", id: 1, method: "initialize", params }, caller);
    assert.equal(opened.status, 200);
    return { ...caller, "mcp-session-id": opened.headers.get("mcp-session-id") };
  };
  const ping = (id) => ({ jsonrpc: "2.0", id, method: "ping" });
  const carol = await open({ authorization: "Bearer carol" });
  assert.equal((await post([ping(1), ping(2)], carol)).status, 200);
  assert.equal((await post(ping(3), carol)).status, 429, "a batch counts for its messages");
  const stranger = await open({ "cf-connecting-ip": "203.0.113.21" });
  assert.equal((await post([ping(1), ping(2), ping(3)], stranger)).status, 429, "three where two are left");
  assert.equal((await post(ping(4), stranger)).status, 200, "a refused batch counts for one request");
  assert.equal((await post(ping(5), stranger)).status, 429);
});

test("a caller that waits for Retry-After is served", async () => {
  assert.deepEqual(await statuses("quick", 2, { token: "alice" }), [200, 200]);
  const response = await sendTo("quick", { token: "alice" });
  if (response.status === 429) {
    await sleep(Number(response.headers.get("retry-after")) * 1000);
    assert.equal((await sendTo("quick", { token: "alice" })).status, 200);
  }
});

/** Starts a Worker with a limit of its own, and a folder for its storage. */
async function startStored(t, rate) {
  const persist = mkdtempSync(join(tmpdir(), "sieve-limits-"));
  const worker = await startWorker({ persist, upstream: slow.url, env, config: { limits: { rate } } });
  t.after(async () => {
    await worker.stop();
    rmSync(persist, { recursive: true, force: true });
  });
  return { worker, persist };
}

test("a counter that the platform removes from memory continues", async (t) => {
  const { worker } = await startStored(t, { requests: 2, seconds: 60 });
  const list = async () => (await send(worker.mcp, "tools/list")).status;
  const guess = async () => (await fetch(`${worker.url}/audit`, { headers: { authorization: "Bearer guess" } })).status;
  assert.deepEqual([await list(), await list()], [200, 200]);
  const guesses = await Promise.all(Array.from({ length: 30 }, guess));
  assert.deepEqual(new Set(guesses), new Set([401]));
  await worker.restart();
  assert.equal(await list(), 429);
  const more = await Promise.all(Array.from({ length: 30 }, guess));
  assert.ok(more.includes(429), "wrong tokens of the operator");
});

test("a counter stores nothing once all its requests are due", async (t) => {
  const { worker, persist } = await startStored(t, { requests: 2, seconds: 22 });
  const stored = () => storedTables(persist, "sieve-LimitsObject").length > 0;
  assert.equal((await send(worker.mcp, "server/discover")).status, 200);
  await until(stored, "a stored count");
  await until(() => !stored(), "a counter without storage");
});

test("a rate limiter of the platform's counts instead, where there is one", async () => {
  assert.deepEqual(await statuses("lent", 5, { token: "alice" }), [200, 200, 200, 200, 429]);
  assert.deepEqual(await statuses("lent", 1, { token: "bob" }), [200]);
  assert.equal((await sendTo("lent", { token: "alice" })).headers.get("retry-after"), "10");
});

test("requests of one caller under way are limited in number", async () => {
  const call = (token, signal) => sendTo("busy", { token, method: "tools/call", params: { name: "slow" }, signal });
  const under = (count) => until(() => slow.waiting.length >= count, `${count} calls at the upstream server`);
  const free = async () => (await sendTo("busy", { token: "alice" })).status === 200;
  const first = [call("alice"), call("alice")];
  await under(2);
  const third = await call("alice");
  assert.deepEqual([third.status, third.headers.get("retry-after")], [429, "1"]);
  assert.equal((await sendTo("busy", { token: "alice" })).status, 429, "lists too");
  assert.equal((await sendTo("busy", { token: "bob" })).status, 200);
  slow.waiting.splice(0).forEach((done) => done());
  for (const response of await Promise.all(first)) {
    assert.equal(response.status, 200);
    await response.text();
  }
  await until(free, "room after the calls have ended");
  // The slot of a caller that disconnected is freed when the upstream server has answered, or when the runtime ends the
  // request.
  const gone = new AbortController();
  const left = [call("alice", gone.signal), call("alice", gone.signal)].map((sent) => sent.catch(() => null));
  await under(2);
  gone.abort();
  await Promise.all(left);
  slow.waiting.splice(0).forEach((done) => done());
  await until(free, "room after the caller has gone", { every: 100 });
});

test("a call that may have to wait for its client is under way once, wherever it is handled", async () => {
  const able = { _meta: { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } } };
  const call = () => sendTo("rooms", { token: "alice", method: "tools/call", params: { name: "slow", ...able } });
  const calls = [call(), call()];
  await until(() => asking.waiting.length >= 2, "two calls at the upstream server");
  assert.equal(asking.waiting.length, 2);
  assert.equal((await call()).status, 429);
  assert.equal((await sendTo("rooms", { token: "bob" })).status, 200);
  asking.waiting.splice(0).forEach((done) => done());
  for (const response of await Promise.all(calls)) {
    assert.equal(response.status, 200);
    await response.text();
  }
  await until(
    async () => (await sendTo("rooms", { token: "alice" })).status === 200,
    "room after the calls have ended",
  );
});

test("a call of a session counts until it ends, and its client may answer and cancel it", async () => {
  const headers = await openSession(`${workers.urls.single}/mcp`, { elicitation: {} });
  const post = (message, signal) =>
    fetch(`${workers.urls.single}/mcp`, { method: "POST", headers, body: rpc(message), signal });
  const called = (id, signal) => post({ id, method: "tools/call", params: { name: "ask", arguments: {} } }, signal);
  const status = async (response) => (await response.body?.cancel(), response.status);
  const question = async (response) => {
    for await (const { message } of events(response)) if (message?.method === "elicitation/create") return message.id;
  };
  const free = async () => (await status(await post({ id: "list", method: "tools/list" }))) === 200;

  const left = new AbortController();
  const asked = await question(await called(1, left.signal));
  left.abort();
  // Longer than the runtime needs to see that the client has left.
  await sleep(1_500);
  assert.equal(await status(await called(2)), 429, "the call goes on");
  assert.equal(await status(await post({ id: 3, method: "ping" })), 200);
  assert.equal(await status(await post({ id: asked, result: { action: "decline" } })), 202);
  await until(free, "room after the answer");

  await question(await called(4));
  assert.equal(await status(await called(5)), 429);
  assert.equal(await status(await post({ method: "notifications/cancelled", params: { requestId: 4 } })), 202);
  await until(free, "room after the cancellation");
});

test("calls that wait for answers of one address take no places of others", async () => {
  const able = { _meta: { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } } };
  const call = async (address) => {
    const asked = { method: "tools/call", params: { name: "ask", ...able }, address };
    let last;
    for await (const message of messages(await sendTo("asks", asked))) last = message;
    return last.result?.resultType ?? last.error.data.reason;
  };
  const waiting = await Promise.all(Array.from({ length: 65 }, () => call("203.0.113.40")));
  assert.equal(waiting.filter((outcome) => outcome === "parked_limit").length, 1);
  assert.equal(await call("203.0.113.41"), "input_required");
});

/**
 * Sends the head of a request and part of its body over a socket. `status` resolves with the status of the response, or
 * with "reset" if the connection closes without one.
 */
function stall(name, sent, { length = 3_900_000, headers = {} } = {}) {
  const { headers: own } = request("tools/list", {});
  const socket = connect(Number(new URL(workers.urls[name]).port), "127.0.0.1");
  const lines = Object.entries({ host: "localhost", ...own, "content-length": length, ...headers });
  socket.on("error", () => {});
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.map(([key, value]) => `${key}: ${value}`).join("\r\n")}\r\n\r\n`);
  socket.write(Buffer.alloc(sent, " "));
  const status = new Promise((done) => {
    socket.once("data", (data) => done(Number(String(data).slice(9, 12))));
    // A server that closes with unread bytes of the body may reset the connection before the response is read.
    socket.once("close", () => done("reset"));
  });
  return { status, end: () => socket.destroy() };
}

test("a request that its head refuses has no body read", async () => {
  const refused = [
    ["closed", {}, 401],
    ["closed", { authorization: "Bearer made-up" }, 401],
    ["closed", { authorization: "Bearer alice", "content-type": "text/plain" }, 415],
    ["closed", { authorization: "Bearer alice", "content-length": 4 * 1024 * 1024 + 1 }, 413],
    ["closed", { authorization: "Bearer alice", host: "elsewhere.example" }, 403],
  ];
  for (const [name, headers, status] of refused) {
    const stalled = stall(name, 0, { headers });
    assert.equal(await stalled.status, status, JSON.stringify(headers));
    stalled.end();
  }
  const bob = { authorization: "Bearer bob" };
  const used = await statuses("few", 4, { token: "bob" });
  assert.equal(used.at(-1), 429);
  const stalled = stall("few", 0, { headers: bob });
  assert.equal(await stalled.status, 429);
  stalled.end();
});

test("the body of a request in a session is read under the same limits", async () => {
  const headers = await openSession(`${workers.urls.open}/mcp`);
  const stalled = Array.from({ length: 20 }, () => stall("open", 3_000_000, { headers }));
  let refused = 0;
  stalled.forEach(({ status }) =>
    status.then((found) => {
      refused += found === 503 ? 1 : 0;
    }),
  );
  await until(
    () => refused >= 18,
    () => `18 refusals of 20, not only ${refused}`,
  );
  const ping = await fetch(`${workers.urls.open}/mcp`, {
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  assert.equal(ping.status, 200);
  stalled.forEach(({ end }) => end());
});

test("bodies that arrive slowly take a bounded part of the memory, and end", async () => {
  const large = (token) => sendTo("open", { token, params: { pad: "x".repeat(1_000_000) } });
  const answered = (wanted) =>
    until(async () => {
      const response = await large();
      return response.status === wanted && response;
    }, `status ${wanted} for a large body`);
  // One caller may have at most two bodies in memory at a time.
  const held = [stall("open", 3_000_000), stall("open", 3_000_000)];
  const crowded = await answered(503);
  assert.deepEqual([crowded.status, crowded.headers.get("retry-after")], [503, "1"]);
  assert.deepEqual((await crowded.json()).error.data, { reason: "body_limit", retryAfter: 1 });
  const more = [];
  const refused = () =>
    until(async () => {
      const stalled = stall("open", 3_000_000);
      more.push(stalled);
      const status = await stalled.status;
      return status !== "reset" && status;
    }, "a response that is not lost to a reset");
  assert.deepEqual(new Set(await Promise.all(Array.from({ length: 40 }, refused))), new Set([503]));
  assert.equal((await sendTo("open")).status, 200, "a small body finds room");
  assert.equal((await large("alice")).status, 200, "another caller");
  [...held, ...more].forEach(({ end }) => end());
  assert.equal((await answered(200)).status, 200, "bodies that are gone make room");
  const late = stall("open", 1_000);
  assert.equal(await late.status, 408);
  late.end();
});

test("an open event stream does not count as a request under way", async () => {
  const over = new AbortController();
  const listen = () =>
    sendTo("busy", {
      token: "carol",
      method: "subscriptions/listen",
      params: { notifications: { toolsListChanged: true } },
      signal: over.signal,
    });
  for (let round = 0; round < 3; round++) assert.equal((await listen()).status, 200);
  assert.equal((await sendTo("busy", { token: "carol" })).status, 200);
  over.abort();
});
