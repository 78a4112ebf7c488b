// Functions of the application that never settle, and bodies that never arrive: every request ends.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { gateway } from "../pkg/loaders/handler-node.js";
import { MAX_WAIT_MS } from "../pkg/src/handler/ask.js";
import { MAX_BODY_MS } from "../pkg/src/handler/body.js";
import { requestOf, sessionRequest, tinyHandler, told } from "./support/tiny-handler.mjs";

const never = () => new Promise(() => {});
const turns = async () => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
};

/** Returns the response to a request, and asserts that it arrives after `ms` and not before. */
async function afterwards(t, fetch, request, ms) {
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  let answer;
  const answered = fetch(request).then((response) => {
    answer = response;
  });
  await turns();
  mock.timers.tick(ms - 1);
  await turns();
  assert.equal(answer, undefined, "answered before the time was up");
  mock.timers.tick(1);
  await answered;
  return told(answer);
}

function wrap(options) {
  const { handler, received } = tinyHandler();
  const notes = [];
  return { ...gateway(handler, {}, { note: (line) => notes.push(line), ...options }), notes, received };
}

const HANGING = {
  identify: {
    options: { identify: never },
    status: 503,
    reason: "identify_timeout",
    note: "the caller was refused: `identify` took longer than 10000 ms",
  },
  "a check": {
    options: { checks: [{ name: "own", check: never }] },
    status: 503,
    reason: "check_timeout",
    note: "check `own` took longer than 10000 ms",
  },
  "the session store": {
    options: { sessions: { get: never, put: never, delete: never } },
    status: 200,
    reason: "storage",
    note: "the session store took longer than 10000 ms",
    method: "initialize",
  },
  key: {
    options: { key: never },
    status: 500,
    reason: "internal",
    note: "the request could not be answered: `key` took longer than 10000 ms",
  },
  listHeaders: { options: { listHeaders: never }, status: 200, reason: "upstream_timeout" },
};
for (const [what, { options, status, reason, note, method }] of Object.entries(HANGING)) {
  test(`a request does not wait forever for ${what}`, async (t) => {
    const { fetch, notes } = wrap(options);
    const request = method ? sessionRequest(method) : requestOf("tools/list");
    const answer = await afterwards(t, fetch, request, MAX_WAIT_MS);
    assert.deepEqual([answer.status, answer.error.data.reason, answer.result], [status, reason, undefined]);
    assert.ok(note === undefined || notes.includes(note), notes.join("\n"));
  });
}

test("a body that does not end in time is refused, and no longer read", async (t) => {
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{")) });
  const { fetch, received } = wrap({});
  const { status, error } = await afterwards(t, fetch, requestOf("tools/list", {}, { body }), MAX_BODY_MS);
  assert.deepEqual([status, error.code, error.data.reason], [408, -32600, "body_timeout"]);
  assert.deepEqual([body.locked, received], [false, []]);
});

/** Returns the set of timers that are set from now on and not yet cleared. */
function timersOf(t) {
  const timers = new Set();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  t.after(() => Object.assign(globalThis, { setTimeout: set, clearTimeout: clear }));
  globalThis.setTimeout = (work, ms) => {
    const id = set(work, ms);
    timers.add(id);
    return id;
  };
  globalThis.clearTimeout = (id) => (timers.delete(id), clear(id));
  return timers;
}

test("a request that is answered leaves no timer behind", async (t) => {
  const timers = timersOf(t);
  const { fetch } = wrap({ identify: async () => null, checks: async () => true });
  assert.equal((await told(await fetch(requestOf("tools/call", { name: "open", arguments: {} })))).status, 200);
  assert.equal(timers.size, 0);
});

test("a stream whose request is aborted ends, and leaves no timer behind", async (t) => {
  const { fetch } = wrap({});
  const session = (await fetch(sessionRequest("initialize"))).headers.get("mcp-session-id");
  const headers = { accept: "text/event-stream", "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
  const timers = timersOf(t);
  for (const late of [true, false]) {
    const client = new AbortController();
    const response = fetch(new Request("https://shop.example/mcp", { headers, signal: client.signal }));
    if (late) await response;
    client.abort();
    const reader = (await response).body.getReader();
    while (!(await reader.read()).done);
    await turns();
    assert.equal(timers.size, 0, late ? "aborted while it was open" : "aborted before it began");
  }
});

test("a stream that its reader cancels ends at once, also while an event is awaited", async (t) => {
  const { fetch } = wrap({});
  const session = (await fetch(sessionRequest("initialize"))).headers.get("mcp-session-id");
  const headers = { accept: "text/event-stream", "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
  const timers = timersOf(t);
  const reader = (await fetch(new Request("https://shop.example/mcp", { headers }))).body.getReader();
  assert.equal((await reader.read()).done, false);
  const awaited = reader.read();
  await turns();
  assert.ok(timers.size > 0);
  await reader.cancel();
  assert.equal((await awaited).done, true);
  await turns();
  assert.equal(timers.size, 0);
});

test("a call ends for the handler when its caller gives up, unless a session lets the caller come back", async () => {
  const { handler } = tinyHandler();
  const calls = [];
  const waiting = async (request) => {
    const { method } = await request.clone().json();
    if (method !== "tools/call") return handler(request);
    return new Promise((answer) => calls.push({ signal: request.signal, answer }));
  };
  const { fetch } = gateway(waiting, {}, { note: () => {} });
  const params = { name: "open", arguments: {} };
  const session = (await fetch(sessionRequest("initialize"))).headers.get("mcp-session-id");
  const requests = [requestOf("tools/call", params), sessionRequest("tools/call", { session, params })];
  for (const [request, ends] of requests.map((request, at) => [request, at === 0])) {
    const caller = new AbortController();
    const answered = fetch(new Request(request, { signal: caller.signal }));
    while (calls.length === 0) await turns();
    const [{ signal, answer }] = calls.splice(0);
    assert.equal(signal.aborted, false);
    caller.abort();
    await turns();
    assert.equal(signal.aborted, ends, ends ? "stateless" : "in a session");
    answer(new Response(null, { status: 500 }));
    await answered;
  }
});
