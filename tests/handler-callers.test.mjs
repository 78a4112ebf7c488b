// Values that `identify` and checks return or throw, and promises that never settle: no caller gains access by them,
// and none reads the reason.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway } from "../pkg/loaders/handler-node.js";
import { requestOf, sessionRequest, tinyHandler, told } from "./support/tiny-handler.mjs";

/** A policy that hides tools from callers with a claim. A caller whose claims were lost would pass it. */
const UNBANNED = { policies: [{ name: "unbanned", show: "-claim.banned:true" }] };

/** Returns a wrapped handler, the notes for its operator, and `list`, which sends one `tools/list` of a caller. */
function wrap(options, config = UNBANNED) {
  const { handler, called, received } = tinyHandler();
  const notes = [];
  const { fetch } = gateway(handler, config, { note: (line) => notes.push(line), ...options });
  return { fetch, called, received, notes, list: async (init) => told(await fetch(requestOf("tools/list", {}, init))) };
}
const names = ({ result }) => result?.tools.map(({ name }) => name);
function deep(levels) {
  let profile = {};
  for (let level = 0; level < levels; level += 1) profile = { profile };
  return profile;
}
const cycle = { sub: "c" };
cycle.self = cycle;
const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error("a trap");
    },
    getPrototypeOf() {
      throw new Error("a trap");
    },
    ownKeys() {
      throw new Error("a trap");
    },
  },
);

const UNREADABLE = {
  "a lone surrogate in a value": { sub: "m", banned: true, name: "\ud800" },
  "a lone surrogate in a name": { sub: "m", banned: true, "\udfff": 1 },
  "claims of many levels": { sub: "m", banned: true, profile: deep(200) },
  "claims of very many levels": { sub: "m", banned: true, profile: deep(20_000) },
  "claims in a cycle": cycle,
  "a BigInt": { sub: "m", banned: true, id: 1n },
  "a text": "admin",
  "an empty text": "",
  "a list": [{ sub: "m" }],
  "a number": 7,
  zero: 0,
  true: true,
  false: false,
  "a function": () => ({ sub: "m" }),
  "a symbol": Symbol("m"),
  "a Map": new Map([["banned", true]]),
  "a Map within": { sub: "m", flags: new Map([["banned", true]]) },
  "a Set": new Set(["m"]),
  "an object of a class": new (class Claims {
    #banned = true;
    get banned() {
      return this.#banned;
    }
  })(),
  "an infinite number": { sub: "m", level: Infinity },
  "a claim that is a function": { sub: "m", banned: () => true },
  "a subject that is a number": { sub: 7, banned: true },
  "a Response": new Response("no"),
  "a getter that throws": {
    sub: "m",
    get banned() {
      throw new Error("gone");
    },
  },
  "a proxy that throws": { claims: hostile },
  "a toJSON that gives a text": { toJSON: () => "m" },
};
for (const [what, claims] of Object.entries(UNREADABLE)) {
  test(`claims that cannot be read refuse the caller: ${what}`, async () => {
    const { list, notes, received } = wrap({ identify: () => claims });
    const { status, error, result } = await list();
    assert.deepEqual(
      [status, error, result],
      [500, { code: -32603, message: "the caller's claims cannot be read", data: { reason: "claims" } }, undefined],
    );
    assert.match(notes.join("\n"), /^the caller was refused: .*`identify` returned [^\n]+$/);
    assert.deepEqual(received, []);
  });
}

test("claims that can be read decide, and nothing is a stranger", async () => {
  for (const claims of [
    undefined,
    null,
    {},
    { sub: "a", banned: undefined },
    Object.assign(Object.create(null), { sub: "a" }),
    { sub: "a", since: new Date(0) },
    { sub: "\u{1f600}", roles: ["a"], about: { age: 3 } },
  ]) {
    assert.deepEqual(names(await wrap({ identify: async () => claims }).list()), ["open", "secret"]);
  }
  assert.deepEqual(names(await wrap({ identify: () => ({ sub: "a", banned: true }) }).list()), []);
  assert.deepEqual(names(await wrap({ identify: () => ({ toJSON: () => ({ banned: true }) }) }).list()), []);
});

const THROWN = {
  "an error": new Error("postgres://user:secret@db"),
  "an error whose message is an object": { message: { text: "postgres" } },
  "an error whose message is a number": Object.assign(new Error(), { message: 5 }),
  "an error whose name is an object": Object.assign(new Error("postgres"), { name: { of: 1 } }),
  "an error named after one of ours": Object.assign(new Error("postgres"), { name: "TimeoutError" }),
  "a text": "postgres",
  "a number": 5,
  undefined: undefined,
  null: null,
  "a symbol": Symbol("postgres"),
  "an object without a prototype": Object.create(null),
  "a getter that throws": Object.defineProperty({}, "message", {
    get() {
      throw new Error("again");
    },
  }),
  "a proxy that throws": hostile,
  "a lone surrogate": new Error("\ud800"),
};
for (const [what, thrown] of Object.entries(THROWN)) {
  test(`what \`identify\` throws is for the operator alone: ${what}`, async () => {
    const { list, notes, received } = wrap({
      identify() {
        throw thrown;
      },
    });
    for (let times = 0; times < 20; times += 1) {
      assert.deepEqual(await list(), {
        status: 401,
        result: undefined,
        error: {
          code: -32600,
          message: "the caller's credentials were not accepted",
          data: { reason: "unauthorized" },
        },
      });
    }
    assert.equal(notes.length, 20);
    assert.match(notes[0], /^the caller was refused: `identify` failed: ./);
    assert.deepEqual(received, []);
  });

  test(`an error of a check is only for the operator: ${what}`, async () => {
    const { list, notes } = wrap({
      checks: async () => {
        throw thrown;
      },
    });
    assert.deepEqual(await list(), {
      status: 500,
      result: undefined,
      error: { code: -32603, message: "a check could not be made", data: { reason: "check" } },
    });
    assert.match(notes.join("\n"), /^check `0` failed: ./);
  });

  test(`a check that throws opens no session, in a function and in a promise (Q-44): ${what}`, async () => {
    const failing = [
      () => {
        throw thrown;
      },
      () => Promise.reject(thrown),
    ];
    for (const checks of failing) {
      const response = await wrap({ checks }).fetch(sessionRequest("initialize"));
      assert.deepEqual([response.status, response.headers.get("mcp-session-id")], [500, null]);
      const { error } = await told(response);
      assert.deepEqual(error, { code: -32603, message: "a check could not be made", data: { reason: "check" } });
    }
  });

  test(`an error of a handler is only for the operator: ${what}`, async () => {
    const notes = [];
    const { fetch } = gateway(
      () => {
        throw thrown;
      },
      {},
      { note: (line) => notes.push(line) },
    );
    const { error } = await told(await fetch(requestOf("tools/list")));
    assert.deepEqual([error.code, error.data.reason], [-32603, "upstream_unreachable"]);
    assert.match(notes.join("\n"), /the handler failed: ./);
  });
}

test("a note is one printable line, and one that fails harms no request", async () => {
  const { list, notes } = wrap({
    identify() {
      throw new Error("a\nsieve: all clear\u001b[31m\u202e");
    },
  });
  await list();
  assert.deepEqual(notes, ["the caller was refused: `identify` failed: a\\u{a}sieve: all clear\\u{1b}[31m\\u{202e}"]);
  for (const note of [
    () => {
      throw new Error("disk");
    },
    async () => {
      throw new Error("disk");
    },
  ]) {
    assert.equal(
      (
        await wrap({
          identify() {
            throw new Error("no");
          },
          note,
        }).list()
      ).status,
      401,
    );
  }
});

const REFUSING = { false: [false, "refused"], "a text": ["not today", "not today"], "an empty text": ["", "refused"] };
const ODD = {
  "a Response": new Response("no", { status: 403 }),
  "an error": new Error("no"),
  null: null,
  zero: 0,
  one: 1,
  "an object": {},
  "a list": [],
  "a Text": new String("no"),
  "a True": new Boolean(true),
  "a symbol": Symbol("no"),
  "a BigInt": 0n,
  "a function": () => true,
};
for (const [what, [given, message]] of [
  ...Object.entries(REFUSING),
  ...Object.entries(ODD).map(([what, given]) => [what, [given, "refused"]]),
]) {
  test(`a check that returns ${what} refuses the caller`, async () => {
    const { list, notes, received, fetch } = wrap({ checks: [{ name: "own", check: async () => given }] });
    const error = { code: -32603, message, data: { reason: "check" } };
    assert.deepEqual(await list(), { status: 200, result: undefined, error });
    assert.deepEqual((await told(await fetch(sessionRequest("initialize")))).error, error);
    assert.deepEqual(received, []);
    const odd = Object.hasOwn(ODD, what);
    assert.equal(
      notes.filter((line) =>
        /^check `own` returned .+, expected undefined, true, false or a text; the caller was refused$/.test(line),
      ).length,
      odd ? 2 : 0,
    );
  });
}

test("a check that returns undefined or true lets the caller in, and the next check decides", async () => {
  assert.deepEqual(names(await wrap({ checks: [() => undefined, async () => true, () => {}] }).list()), [
    "open",
    "secret",
  ]);
  const { error } = await wrap({ checks: [() => true, () => "the second"] }).list();
  assert.equal(error.message, "the second");
});

test("checks run by priority; of equal ones functions in their order, then the others by name", async () => {
  const ran = [];
  const note = (name) => () => void ran.push(name);
  const functions = Array.from({ length: 12 }, (_, at) => note(at));
  const named = (name, priority) => ({ name, priority, check: note(name) });
  await wrap({ checks: [named("b"), ...functions, named("0"), named("late", -1), named("first", 1)] }).list();
  assert.deepEqual(ran, ["first", ...functions.keys(), "0", "b", "late"]);
  assert.throws(
    () => gateway(tinyHandler().handler, {}, { checks: [{ check: () => true }] }),
    (error) => error.code === "handler" && /^checks\[0\]: expected a function, or an object/.test(error.message),
  );
});

test("a handler hears of no tasks, whose results could not be fetched", async () => {
  const { handler, received } = tinyHandler();
  const { fetch } = gateway(handler, {}, { key: "a key of the tests" });
  const capabilities = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {}, "com.example/a": {} } };
  const _meta = { "io.modelcontextprotocol/clientCapabilities": capabilities };
  const { result } = await told(await fetch(requestOf("tools/call", { name: "open", arguments: {}, _meta })));
  assert.equal(result.content[0].text, "open was called");
  assert.deepEqual(received.at(-1).capabilities, { elicitation: {}, extensions: { "com.example/a": {} } });
});

test("a handler that returns no response, and a body that was read before, are notes that name the mistake", async () => {
  const { handler } = tinyHandler();
  const returns = (value) => async (request) =>
    (await request.clone().json()).method === "tools/call" ? value : handler(request);
  const found = [
    [undefined, "undefined"],
    [null, "null"],
    ["done", "a string"],
    [{ content: [] }, "an object (Object)"],
    [{ status: 200, headers: {} }, "an object (Object)"],
  ];
  for (const [value, kind] of found) {
    const notes = [];
    const { fetch } = gateway(returns(value), {}, { note: (line) => notes.push(line) });
    const { error } = await told(await fetch(requestOf("tools/call", { name: "open", arguments: {} })));
    assert.equal(error.data.reason, "upstream_unreachable");
    assert.deepEqual(notes, [`the handler failed: it returned ${kind}, expected a Response`]);
  }

  const reads = { identify: async (request) => void (await request.json()) };
  const copies = { identify: async (request) => void (await request.clone().json()) };
  for (const [options, status] of [
    [reads, 400],
    [copies, 200],
  ]) {
    const notes = [];
    const { fetch } = gateway(handler, {}, { ...options, note: (line) => notes.push(line) });
    assert.equal((await fetch(requestOf("tools/list"))).status, status);
    const note = /^the body of the request was read before the gateway could: .*`clone\(\)`$/;
    assert.deepEqual(
      notes.map((line) => note.test(line)),
      status === 400 ? [true] : [],
    );
  }
});

test("a call has what an authenticating wrapper left in its request, and lists do not", async () => {
  const { handler } = tinyHandler();
  const seen = [];
  const watched = async (request) => {
    seen.push([(await request.clone().json()).method, request.auth]);
    return handler(request);
  };
  const { fetch } = gateway(watched, {}, { identify: ({ auth }) => ({ sub: auth.clientId }) });
  const request = Object.assign(requestOf("tools/call", { name: "open", arguments: {} }), {
    auth: { clientId: "ann" },
  });
  assert.equal((await fetch(request)).status, 200);
  assert.deepEqual(seen.at(-1), ["tools/call", { clientId: "ann" }]);
  assert.ok(seen.length > 1 && seen.slice(0, -1).every(([, auth]) => auth === undefined));
});

test("a handler that wants other credentials is not about those of a gateway, which has none", async () => {
  const { handler } = tinyHandler();
  const guarded = async (request) =>
    (await request.clone().json()).method === "tools/call" ? new Response("no", { status: 401 }) : handler(request);
  const { fetch } = gateway(guarded);
  const { error } = await told(await fetch(requestOf("tools/call", { name: "open", arguments: {} })));
  assert.deepEqual(error.data, { reason: "upstream_unauthorized" });
  assert.match(error.message, /HTTP 401, the request's credentials do not suffice$/);
});
