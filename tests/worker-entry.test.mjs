// The Worker around its bindings: requests and Durable Objects after a panic.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Bindings that panic on demand, as wasm-bindgen generates them for a crate of Durable Objects. */
const BINDINGS = `
  export const state = { criticalError: false, instanceId: 0 };
  export const events = [];
  export const __worker_init_state = () => state;
  export const __wbg_reset_state = () => { events.push("reset"); };
  const panic = () => { throw new WebAssembly.RuntimeError("unreachable"); };
  export async function fetch(request, env, ctx) {
    if (request.url.endsWith("/hangs")) await new Promise(() => {});
    return \`\${request.url} \${env} \${ctx.name}\`;
  }
  export const calls = [];
  export function answer(head, body, arriving, unread, env, ctx) {
    calls.push({ head, body: body && new TextDecoder().decode(body), arriving, unread, env, ctx: ctx.name });
    if (head.includes("panic")) panic();
    return arriving ? arriving.then(() => "in time", () => "broken") : "at once";
  }
  export class NotesObject {
    constructor(ctx, env) { events.push(\`made for \${ctx} in \${env}\`); this.notes = []; }
    free() {}
    __destroy_into_raw() {}
    fetch(note) { if (note === "panic") panic(); if (note === "throw") throw new Error("refused"); if (note === "passed") throw new Error("Critical error", { cause: new Error("no storage") }); return this.notes.push(note); }
    alarm() { return "rang"; }
    wait() { return new Promise(() => {}); }
  }`;
const WORKER = `
  export * as bindings from "./index.js";
  export { default } from "./entry.js";
  export { durable } from "./durable.js";
  export { respond } from "./response.js";`;

let loaded = 0;

/** Loads the Worker's entry with its own copy of the bindings. */
async function load() {
  const folder = fileURLToPath(new URL("../worker", import.meta.url));
  const plugin = {
    name: "bindings",
    setup(at) {
      at.onResolve({ filter: /^\.\/index\.js$/ }, ({ path }) => ({ path, namespace: "text" }));
      at.onLoad({ filter: /.*/, namespace: "text" }, () => ({ contents: BINDINGS }));
    },
  };
  const {
    outputFiles: [{ text }],
  } = await build({
    stdin: { contents: WORKER, resolveDir: folder },
    bundle: true,
    format: "esm",
    write: false,
    plugins: [plugin],
  });
  globalThis.addEventListener ??= () => {};
  return import(`data:text/javascript,${encodeURIComponent(`${text}//${(loaded += 1)}`)}`);
}

/** Returns an entry with its own bindings, and the promises passed to `waitUntil`. */
async function enter() {
  const { default: entry, bindings } = await load();
  const awaited = [];
  const ctx = { name: "ctx", waitUntil: (promise) => awaited.push(promise) };
  return { entry: { fetch: (request) => entry.fetch(request, "env", ctx) }, calls: bindings.calls, bindings, awaited };
}

const MCP = "https://sieve.test/mcp";

/** Returns a POST request as a Worker receives it. `length` is its `Content-Length`. */
const post = (body, { url = MCP, length = String(body.length), headers = {} } = {}) =>
  new Request(url, {
    method: "POST",
    body,
    duplex: "half",
    headers: { ...(length && { "content-length": length }), ...headers },
  });

test("a small request is handed over whole, and what waits for nothing comes back at once", async () => {
  const { entry, calls, awaited } = await enter();
  assert.equal(
    await entry.fetch(post("{}", { url: `${MCP}/support?q=1`, headers: { "x-name": "\u00e9" } })),
    "at once",
  );
  const [{ head, ...rest }] = calls;
  const [first, ...headers] = head.split("\n");
  assert.equal(first, "POST https://sieve.test/mcp/support?q=1");
  assert.ok(headers.includes("content-length:2") && headers.includes("x-name:\u00e9"));
  assert.deepEqual(rest, { body: "{}", arriving: undefined, unread: undefined, env: "env", ctx: "ctx" });
  assert.deepEqual(awaited, []);
});

test("a request without a body is answered in the same turn", async () => {
  const { entry, calls } = await enter();
  for (const [method, url] of [
    ["GET", "https://sieve.test/catalog/tools?filter=x"],
    ["OPTIONS", MCP],
    ["DELETE", `${MCP}/`],
  ]) {
    assert.equal(entry.fetch(new Request(url, { method })), "at once");
    assert.equal(calls.at(-1).head.split("\n")[0], `${method} ${url}`);
  }
});

test("what the entry does not read goes to the module unread, and on to its end", async () => {
  const { entry, calls, awaited } = await enter();
  for (const request of [
    post("{}", { headers: { "mcp-session-id": "one" } }),
    post("{}", { url: "https://sieve.test/audit" }),
    post("{}", { url: "https://sieve.test/mcpx" }),
    post("{}", { url: `${MCP}/%2e%2e/x` }),
    post("{}", { url: `${MCP}/v1.2` }),
    new Request("https://sieve.test/?/mcp"),
  ]) {
    const response = entry.fetch(request);
    assert.deepEqual(awaited.splice(0), [response]);
    assert.equal(await response, `${request.url} env ctx`);
    assert.equal(request.bodyUsed, false);
  }
  assert.deepEqual(calls, []);
});

test("a body that is long or of unknown length is left to the module with its request", async () => {
  const { entry, calls } = await enter();
  const streamed = new ReadableStream({ start: (stream) => stream.close() });
  for (const request of [
    post("{}", { length: String(16_385) }),
    post("{}", { length: "two" }),
    post(streamed, { length: "" }),
  ]) {
    assert.equal(entry.fetch(request), "at once");
    const { body, arriving, unread } = calls.at(-1);
    assert.deepEqual({ body, arriving }, { body: undefined, arriving: undefined });
    assert.equal(unread, request);
    assert.equal(request.bodyUsed, false);
  }
  entry.fetch(post("{}", { length: String(16_384) }));
  while (calls.length === 3) await new Promise((done) => setTimeout(done, 1));
  assert.deepEqual([calls[3].body, calls[3].unread], ["{}", undefined]);
});

test("the module's waits go on in order, and an error in one is reported", async (t) => {
  await enter();
  const reported = [];
  globalThis.reportError = (error) => reported.push(error.message);
  t.after(() => delete globalThis.reportError);
  const ran = [];
  queueMicrotask(() => ran.push(1));
  queueMicrotask(() => {
    throw new Error("gone wrong");
  });
  queueMicrotask(() => ran.push(2));
  assert.deepEqual(ran, []);
  await new Promise((done) => setTimeout(done));
  assert.deepEqual([ran, reported], [[1, 2], ["gone wrong"]]);
});

test("a body that is late or breaks off is left to the module", async () => {
  const { entry, calls, awaited } = await enter();
  let stream;
  const slow = new ReadableStream({
    start: (controller) => {
      stream = controller;
    },
  });
  const answered = entry.fetch(post(slow, { length: "2" }));
  while (calls.length === 0) await new Promise((done) => setTimeout(done, 10));
  assert.equal(calls[0].body, undefined);
  assert.equal(awaited.length, 1);
  stream.enqueue(new TextEncoder().encode("{}"));
  stream.close();
  assert.equal(await answered, "in time");

  const broken = new ReadableStream({ start: (controller) => controller.error(new Error("gone")) });
  assert.equal(await entry.fetch(post(broken, { length: "2" })), "broken");
});

test("a panic in an answer that comes at once renews the module", async (t) => {
  const { entry, bindings } = await enter();
  for (const level of ["error", "log"]) t.mock.method(console, level, () => {});
  assert.throws(() => entry.fetch(new Request(`${MCP}/panic`)), WebAssembly.RuntimeError);
  assert.deepEqual(bindings.events, []);
  assert.equal(entry.fetch(new Request(MCP)), "at once");
  assert.deepEqual(bindings.events, ["reset"]);
});

test("a response has the status, the headers and the bytes of the answer", async () => {
  const { respond } = await load();
  const head = "content-type\napplication/json\nwww-authenticate\nBearer a:b\nwww-authenticate\nBasic";
  const response = respond(401, head, new TextEncoder().encode("{}"));
  assert.equal(response.status, 401);
  assert.deepEqual(Object.fromEntries(response.headers), {
    "content-type": "application/json",
    "www-authenticate": "Bearer a:b, Basic",
  });
  assert.equal(await response.text(), "{}");
  const empty = respond(202, "", undefined);
  assert.deepEqual([empty.status, [...empty.headers], await empty.text()], [202, [], ""]);
});

test("a response of a body that stays has a copy of it", async () => {
  const { respond } = await load();
  const body = new TextEncoder().encode('{"id":1}');
  const response = respond(200, "content-type\napplication/json", body);
  body.fill(0);
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, "application/json"]);
  assert.equal(await response.text(), '{"id":1}');
});

test("after a panic the module is taken afresh, and an object is made anew with what it was given", async (t) => {
  const { bindings, durable } = await load();
  const logged = ["error", "log"].map((level) => t.mock.method(console, level, () => {}));
  const Notes = durable(bindings.NotesObject);
  const [first, second] = [new Notes("one", "env"), new Notes("two", "env")];
  assert.deepEqual([first.fetch("a"), first.fetch("b"), second.fetch("c")], [1, 2, 1]);
  assert.throws(() => second.fetch("panic"), WebAssembly.RuntimeError);
  bindings.events.length = 0;

  // Every object loses its memory, and is created again once.
  assert.deepEqual([first.fetch("d"), first.fetch("e"), second.alarm(), second.fetch("f")], [1, 2, "rang", 1]);
  assert.deepEqual(bindings.events, ["reset", "made for one in env", "made for two in env"]);
  assert.deepEqual(
    logged.map(({ mock }) => mock.callCount()),
    [1, 1],
  );
});

test("a panic ends what its instance has under way", async (t) => {
  const { default: entry, bindings, durable } = await load();
  for (const level of ["error", "log"]) t.mock.method(console, level, () => {});
  const [waits, panics] = ["one", "two"].map((name) => new (durable(bindings.NotesObject))(name, "env"));
  const awaited = [];
  const ctx = { name: "ctx", waitUntil: (promise) => awaited.push(promise) };
  const requested = entry.fetch(new Request("https://sieve.test/hangs"), "env", ctx);
  const waited = waits.wait();
  assert.throws(() => panics.fetch("panic"), WebAssembly.RuntimeError);
  for (const ended of [requested, awaited[0], waited]) await assert.rejects(ended, WebAssembly.RuntimeError);
  assert.equal(
    await entry.fetch(new Request("https://sieve.test/audit"), "env", ctx),
    "https://sieve.test/audit env ctx",
  );
  assert.equal(waits.alarm(), "rang");
});

test("an error of the platform that passed through the module ends its instance as a panic does", async (t) => {
  for (const level of ["error", "log"]) t.mock.method(console, level, () => {});
  const { bindings, durable } = await load();
  const [waits, fails] = ["one", "two"].map((name) => new (durable(bindings.NotesObject))(name, "env"));
  const waiting = waits.wait();
  assert.throws(() => fails.fetch("passed"), /^Error: Critical error$/);
  await assert.rejects(waiting, /^Error: Critical error$/);
  assert.equal(fails.fetch("next"), 1);
  assert.deepEqual(bindings.events.slice(2), ["reset", "made for two in env"]);
});

test("an error that is no panic changes nothing", async () => {
  const { bindings, durable } = await load();
  const notes = new (durable(bindings.NotesObject))("one", "env");
  notes.fetch("a");
  assert.throws(() => notes.fetch("throw"), { message: "refused" });
  assert.equal(notes.fetch("b"), 2);
  assert.deepEqual(bindings.events, ["made for one in env"]);
});

test("a Durable Object answers what its class in the bindings does, and no more", async () => {
  const { bindings, durable } = await load();
  assert.deepEqual(Object.getOwnPropertyNames(durable(bindings.NotesObject).prototype).sort(), [
    "alarm",
    "constructor",
    "fetch",
    "wait",
  ]);
});
