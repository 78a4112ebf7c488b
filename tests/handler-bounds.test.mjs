// Limits of what `gateway(handler, config)` reads and stores.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { SieveError, gateway } from "../pkg/loaders/handler-node.js";
import { Bodies, MAX_BODIES, MAX_BODY, MAX_HELD_MS, SMALL_BODY } from "../pkg/src/handler/body.js";
import { MIN_KEY_BYTES } from "../pkg/src/handler/keys.js";
import { MAX_SESSIONS, MAX_SESSION_CHARACTERS, MemorySessions, SESSION_SECONDS } from "../pkg/src/handler/sessions.js";
import { bodyOf, requestOf, sessionRequest, tinyHandler, told } from "./support/tiny-handler.mjs";

const PIECE = 64 * 1024;

/** Returns a body of unknown length that counts the bytes read from it. It is endless unless `text` is given. */
function counted(text, size = PIECE) {
  const bytes = text === undefined ? undefined : new TextEncoder().encode(text);
  const state = { sent: 0 };
  state.body = new ReadableStream(
    {
      pull(controller) {
        if (bytes && state.sent >= bytes.length) return controller.close();
        const piece = bytes ? bytes.slice(state.sent, state.sent + size) : new Uint8Array(size).fill(32);
        state.sent += piece.length;
        controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
  return state;
}

function wrap(options = {}, config = {}) {
  const { handler, received, called } = tinyHandler();
  return { ...gateway(handler, config, { note() {}, ...options }), received, called };
}
const TOO_LARGE = {
  code: -32600,
  message: `the body is larger than ${MAX_BODY} bytes`,
  data: { reason: "body_too_large" },
};

test("a body without a length is read no further than the bound", async () => {
  const { fetch, received } = wrap();
  const endless = counted();
  assert.deepEqual(await told(await fetch(requestOf("tools/list", {}, { body: endless.body }))), {
    status: 413,
    result: undefined,
    error: TOO_LARGE,
  });
  assert.ok(endless.sent <= MAX_BODY + 2 * PIECE, `${endless.sent} bytes were read`);
  const { sent } = endless;
  await new Promise(setImmediate);
  assert.deepEqual([endless.sent, endless.body.locked, received], [sent, false, []]);
});

test("the stated length of a body changes nothing", async () => {
  for (const length of ["10", `${MAX_BODY + 1}`, "600000000"]) {
    const { fetch } = wrap();
    const endless = counted();
    assert.equal(
      (await fetch(requestOf("tools/list", {}, { body: endless.body, headers: { "content-length": length } }))).status,
      413,
    );
    assert.ok(endless.sent <= MAX_BODY + 2 * PIECE, `${endless.sent} bytes were read`);
  }
});

for (const [what, identify] of Object.entries({
  "that is refused": () => {
    throw new Error("no");
  },
  "whose claims cannot be read": () => "admin",
})) {
  test(`the body of a caller ${what} is not read`, async () => {
    const { fetch } = wrap({ identify });
    const endless = counted();
    const { status } = await fetch(requestOf("tools/list", {}, { body: endless.body }));
    assert.ok(status === 401 || status === 500);
    assert.equal(endless.sent, 0);
  });
}

test("a caller is identified before its body is read", async () => {
  const order = [];
  const { body } = counted(bodyOf("tools/list"));
  const watched = new ReadableStream(
    {
      pull: async (controller) => {
        order.push("body");
        for await (const piece of body) controller.enqueue(piece);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const { fetch } = wrap({
    identify: () => {
      order.push("identify");
      return null;
    },
    checks: () => void order.push("check"),
  });
  assert.equal((await fetch(requestOf("tools/list", {}, { body: watched }))).status, 200);
  assert.deepEqual(order, ["identify", "body", "check"]);
});

test("only POST has a body that is read", async () => {
  const { fetch } = wrap({ catalog: "/catalog" });
  for (const [method, url] of [
    ["DELETE", "https://shop.example/mcp"],
    ["PUT", "https://shop.example/mcp"],
    ["POST", "https://shop.example/catalog/tools"],
  ]) {
    const endless = counted();
    await fetch(new Request(url, { method, body: endless.body, duplex: "half" }));
    assert.equal(endless.sent, 0, method);
  }
});

test("a body of any number of pieces is the same body", async () => {
  const text = bodyOf("tools/call", { name: "open", arguments: { text: "\u{1f600}".repeat(20_000) } });
  for (const size of [1_000, 16_384, 16_385, 100_000_000]) {
    const { fetch, called } = wrap();
    const request = requestOf("tools/call", { name: "open" }, { body: counted(text, size).body });
    assert.equal((await told(await fetch(request))).result.content[0].text, "open was called", `pieces of ${size}`);
    assert.deepEqual(called(), ["open"]);
  }
  const { fetch } = wrap();
  const full = bodyOf("tools/list").padEnd(MAX_BODY);
  assert.equal((await fetch(requestOf("tools/list", {}, { body: counted(full).body }))).status, 200);
  assert.equal((await fetch(requestOf("tools/list", {}, { body: counted(`${full} `).body }))).status, 413);
});

test("large bodies at one time are bounded, and keep no ordinary request out", async () => {
  const { fetch, called } = wrap();
  const [open, slow] = [[], MAX_BODIES / MAX_BODY];
  const full = new TextEncoder().encode(bodyOf("tools/call", { name: "open", arguments: {} }).padEnd(MAX_BODY));
  const held = Array.from({ length: slow }, () => {
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(full);
        open.push(controller);
      },
    });
    return fetch(requestOf("tools/call", { name: "open", arguments: {} }, { body }));
  });
  await new Promise(setImmediate);
  const refused = await fetch(
    requestOf("tools/list", {}, { body: counted(bodyOf("tools/list").padEnd(SMALL_BODY + 1)).body }),
  );
  assert.deepEqual(
    [refused.headers.get("retry-after"), await told(refused)],
    [
      "1",
      {
        status: 503,
        result: undefined,
        error: {
          code: -32603,
          message: "too many large requests at one time",
          data: { reason: "body_limit", retryAfter: 1 },
        },
      },
    ],
  );
  assert.equal(
    (await fetch(requestOf("tools/list", {}, { body: counted(bodyOf("tools/list").padEnd(SMALL_BODY)).body }))).status,
    200,
  );
  // Each request frees its memory when it has been answered or rejected.
  open[0].error(new Error("gone"));
  for (const controller of open.slice(1)) controller.close();
  assert.deepEqual(
    (await Promise.all(held)).map(({ status }) => status),
    [400, ...Array(slow - 1).fill(200)],
  );
  assert.equal(called().length, slow - 1);
  assert.equal(
    (await fetch(requestOf("tools/list", {}, { body: counted(bodyOf("tools/list").padEnd(MAX_BODY)).body }))).status,
    200,
  );
});

test("the body of a request that was taken away counts no longer than five minutes", async (t) => {
  mock.timers.enable({ apis: ["Date"], now: 1e12 });
  t.after(() => mock.timers.reset());
  const full = new Uint8Array(MAX_BODY);
  const bodies = new Bodies();
  const read = (piece) =>
    bodies.read({
      request: {
        body: new ReadableStream({
          start: (controller) => {
            controller.enqueue(piece);
            controller.close();
          },
        }),
      },
    });
  const crowded = { name: "CrowdedError" };
  for (let taken = 0; taken < MAX_BODIES / MAX_BODY; taken += 1) await read(full);
  mock.timers.tick(MAX_HELD_MS - 1);
  await assert.rejects(read(full), crowded);
  mock.timers.tick(1);
  await read(full);
});

test("a body that breaks off is refused without a detail", async () => {
  const { fetch } = wrap();
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error("socket 10.0.0.7 closed")) });
  assert.deepEqual(await told(await fetch(requestOf("tools/list", {}, { body }))), {
    status: 400,
    result: undefined,
    error: { code: -32600, message: "the body cannot be read", data: { reason: "body" } },
  });
});

test("sessions in memory are bounded in number; the least recently used goes first", () => {
  const sessions = new MemorySessions();
  for (let id = 0; id < MAX_SESSIONS; id += 1) sessions.put(`${id}`, "{}");
  assert.equal(sessions.get("0"), "{}");
  sessions.put("one more", "{}");
  assert.deepEqual(
    ["0", "1", "2", "one more"].map((id) => sessions.get(id)),
    ["{}", undefined, "{}", "{}"],
  );
});

test("sessions in memory are bounded in size", () => {
  const sessions = new MemorySessions();
  const half = "x".repeat(MAX_SESSION_CHARACTERS / 2);
  for (const id of ["a", "b", "b", "a"]) sessions.put(id, half);
  assert.deepEqual([sessions.get("a"), sessions.get("b")], [half, half]);
  sessions.put("c", "{}");
  assert.deepEqual([sessions.get("a"), sessions.get("b"), sessions.get("c")], [undefined, half, "{}"]);
  sessions.delete("b");
  sessions.delete("b");
  sessions.put("a", half);
  sessions.put("c", "x");
  assert.deepEqual([sessions.get("a"), sessions.get("c")], [half, "x"]);
});

/** A handler of the handshake revisions whose tool sends eight notifications of 900,000 bytes before its result. */
async function flooding(request) {
  const { method, id, params } = await request.clone().json();
  if (method !== "tools/call") return tinyHandler({ legacy: true }).handler(request);
  const progress = { progressToken: params._meta.progressToken, message: "x".repeat(900_000) };
  const notice = { method: "notifications/progress", params: { ...progress, progress: 1 } };
  const messages = [...Array(8).fill(notice), { id, result: { content: [] } }];
  const text = messages.map((message) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
}

test("the events of a session in memory are bounded in size, and a connected client gets them all", async () => {
  const { fetch } = gateway(flooding, {}, { note() {}, sessions: "memory" });
  const session = (await fetch(sessionRequest("initialize"))).headers.get("mcp-session-id");
  const headers = { "mcp-protocol-version": "2025-11-25" };
  const params = { name: "open", arguments: {}, _meta: { progressToken: 1 } };
  const called = await fetch(sessionRequest("tools/call", { session, params, headers }));
  const messages = (text) => text.split("\n\n").filter((part) => part.includes("data: {"));
  const text = await called.text();
  assert.equal(messages(text).length, 9);
  const resume = new Request("https://shop.example/mcp", {
    headers: {
      ...headers,
      accept: "text/event-stream",
      "mcp-session-id": session,
      "last-event-id": /^id: (.*)$/m.exec(text)[1],
    },
  });
  const resumed = await (await fetch(resume)).text();
  assert.equal(messages(resumed).length, 5, "four notifications have 3.6 MB, the fifth would exceed 4 MiB");
  assert.equal(messages(resumed).at(-1), messages(text).at(-1));
});

test("a session in memory ends when it has gone unused for a day", async (t) => {
  mock.timers.enable({ apis: ["Date"], now: 1e12 });
  t.after(() => mock.timers.reset());
  const { fetch } = wrap();
  const session = (await fetch(sessionRequest("initialize"))).headers.get("mcp-session-id");
  const list = async () => (await fetch(sessionRequest("tools/list", { session }))).status;
  for (let days = 0; days < 3; days += 1) {
    mock.timers.tick(SESSION_SECONDS * 1_000 - 1);
    assert.equal(await list(), 200);
  }
  mock.timers.tick(SESSION_SECONDS * 1_000);
  assert.equal(await list(), 404);
});

test("a thousand sessions have a running side; the stream of the least recently used ends first", async () => {
  const { fetch } = wrap();
  const open = async () => (await fetch(sessionRequest("initialize"))).headers.get("mcp-session-id");
  // A response to a question that was never asked uses a session and has no other effect.
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const use = (session) =>
    fetch(
      new Request("https://shop.example/mcp", {
        method: "POST",
        headers: { ...headers, "mcp-session-id": session },
        body: '{"jsonrpc":"2.0","id":1,"result":{}}',
      }),
    );
  const feed = async (session) => {
    const { body } = await fetch(
      new Request("https://shop.example/mcp", { headers: { accept: "text/event-stream", "mcp-session-id": session } }),
    );
    const state = { reader: body.getReader(), ended: false };
    state.reader.read().then(function next({ done }) {
      return done ? (state.ended = true) : state.reader.read().then(next);
    });
    return state;
  };
  const [used, unused] = [await open(), await open()];
  const feeds = [await feed(used), await feed(unused)];
  for (let others = 0; others < 998; others += 1) await use(await open());
  await use(used);
  await new Promise(setImmediate);
  assert.deepEqual(
    feeds.map(({ ended }) => ended),
    [false, false],
  );
  await use(await open());
  await new Promise(setImmediate);
  assert.deepEqual(
    feeds.map(({ ended }) => ended),
    [false, true],
  );
  await feeds[0].reader.cancel();
});

test("a session store gets the lifetime of a session, and its errors are only for the operator", async () => {
  const put = [];
  const { fetch } = wrap({ sessions: { get: () => null, put: (...given) => void put.push(given), delete() {} } });
  assert.equal((await fetch(sessionRequest("initialize"))).status, 200);
  assert.deepEqual(
    put.map(([, text, options]) => [typeof JSON.parse(text), options]),
    [["object", { expirationTtl: SESSION_SECONDS }]],
  );

  const stores = {
    get: {
      get() {
        throw new Error("kv down");
      },
    },
    "no session": { get: () => "kv down" },
    put: {
      put() {
        throw { message: { text: "kv down" } };
      },
    },
    delete: {
      delete() {
        throw "kv down";
      },
    },
  };
  for (const [what, broken] of Object.entries(stores)) {
    const [kept, notes] = [new Map(), []];
    const store = {
      get: (id) => kept.get(id),
      put: (id, text) => void kept.set(id, text),
      delete: (id) => void kept.delete(id),
    };
    const { fetch } = wrap({ sessions: () => store, note: (line) => notes.push(line) });
    const session = (await fetch(sessionRequest("initialize"))).headers.get("mcp-session-id");
    Object.assign(store, broken);
    const request =
      what === "put"
        ? sessionRequest("initialize")
        : what === "delete"
          ? new Request("https://shop.example/mcp", { method: "DELETE", headers: { "mcp-session-id": session } })
          : sessionRequest("tools/list", { session });
    const { error } = await told(await fetch(request));
    assert.deepEqual(
      [error.code, error.message, error.data],
      [-32603, "the session store failed", { reason: "storage" }],
      what,
    );
    assert.match(notes.join("\n"), /the session store/);
  }
});

test("a session that another version stored in another form has ended", async () => {
  const [kept, notes] = [new Map(), []];
  const store = { get: (id) => kept.get(id), put: (id, text) => void kept.set(id, text), delete() {} };
  const { fetch } = wrap({ sessions: () => store, note: (line) => notes.push(line) });
  const session = (await fetch(sessionRequest("initialize"))).headers.get("mcp-session-id");
  for (const id of kept.keys()) kept.set(id, '{"of":"another version"}');
  assert.equal((await fetch(sessionRequest("tools/list", { session }))).status, 404);
  assert.match(notes.join("\n"), /a session in another form has ended/);
});

test("a key has sixteen bytes at least, and so has each of several", async () => {
  const fit = "x".repeat(MIN_KEY_BYTES);
  const { handler } = tinyHandler();
  for (const key of [
    "a",
    "",
    fit.slice(1),
    `${fit.slice(1)}\n`,
    new Uint8Array(MIN_KEY_BYTES - 1),
    [fit, "old"],
    JSON.stringify([fit, "old"]),
    `[${fit}`,
    7,
    null,
    [],
    {},
    [null],
    Array(9).fill(fit),
  ]) {
    assert.throws(
      () => gateway(handler, {}, { key }),
      (error) => error instanceof SieveError && error.message.startsWith("key: expected"),
      JSON.stringify(key),
    );
  }
  const opened = async (key, env, options = { key }) =>
    (await wrap(options).fetch(sessionRequest("initialize"), env)).status;
  for (const key of [
    fit,
    "ä".repeat(MIN_KEY_BYTES / 2),
    new Uint8Array(MIN_KEY_BYTES),
    [fit, new Uint8Array(32)],
    JSON.stringify([fit, `${fit}2`]),
    ` ${JSON.stringify([fit, `${fit}2`])}\n`,
    () => fit,
    async () => [fit],
  ])
    assert.equal(await opened(key), 200);
  assert.equal(await opened(undefined, { SIEVE_KEY: fit }, {}), 200);
  // Values that are known only with a request are rejected then, for every caller.
  for (const [options, env] of [
    [{}, { SIEVE_KEY: "short" }],
    [{ key: () => "short" }],
    [
      {
        key: () => {
          throw new Error("vault 10.0.0.7");
        },
      },
    ],
  ]) {
    const notes = [];
    const response = await wrap({ ...options, note: (line) => notes.push(line) }).fetch(requestOf("tools/list"), env);
    assert.deepEqual(await told(response), {
      status: 500,
      result: undefined,
      error: { code: -32603, message: "the request could not be answered", data: { reason: "internal" } },
    });
    assert.match(notes.join("\n"), /key/);
  }
});

test("a session that an older key sealed opens while the key is kept", async () => {
  const kept = new Map();
  const sessions = {
    get: (id) => kept.get(id),
    put: (id, text) => void kept.set(id, text),
    delete: (id) => void kept.delete(id),
  };
  const [before, after] = ["the key before 16", "the key behind 16"];
  const session = (await wrap({ key: before, sessions }).fetch(sessionRequest("initialize"))).headers.get(
    "mcp-session-id",
  );
  const status = async (key) => (await wrap({ key, sessions }).fetch(sessionRequest("tools/list", { session }))).status;
  assert.deepEqual(
    [
      await status(before),
      await status([after, before]),
      await status(JSON.stringify([after, before])),
      await status(after),
    ],
    [200, 200, 200, 404],
  );
});

test("requests that come together at first use one key", async () => {
  const { fetch } = wrap({ key: async () => crypto.getRandomValues(new Uint8Array(32)) });
  const opened = await Promise.all(Array.from({ length: 10 }, () => fetch(sessionRequest("initialize"))));
  for (const response of opened)
    assert.equal(
      (await fetch(sessionRequest("tools/list", { session: response.headers.get("mcp-session-id") }))).status,
      200,
    );
});
