// The Worker around its bindings: what becomes of requests and Durable Objects after a panic.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Bindings that panic where they are asked to, as wasm-bindgen writes them for a crate of Durable Objects. */
const BINDINGS = `
  export const state = { criticalError: false, instanceId: 0 };
  export const events = [];
  export const __worker_init_state = () => state;
  export const __wbg_reset_state = () => { events.push("reset"); };
  const panic = () => { throw new WebAssembly.RuntimeError("unreachable"); };
  export async function fetch(request, env, ctx) { return \`\${request} \${env} \${ctx.name}\`; }
  export class NotesObject {
    constructor(ctx, env) { events.push(\`made for \${ctx} in \${env}\`); this.notes = []; }
    free() {}
    __destroy_into_raw() {}
    fetch(note) { if (note === "panic") panic(); if (note === "throw") throw new Error("refused"); return this.notes.push(note); }
    alarm() { return "rang"; }
  }`;
const RUNTIME = "export class WorkerEntrypoint { constructor(ctx, env) { this.ctx = ctx; this.env = env; } }";
const WORKER = 'export * as bindings from "./index.js"; export { default, durable } from "./entry.js";';

let loaded = 0;

/** Bindings of their own and what is around them. */
async function load() {
  const folder = fileURLToPath(new URL("../worker", import.meta.url));
  const texts = { "./index.js": BINDINGS, "cloudflare:workers": RUNTIME };
  const plugin = {
    name: "bindings",
    setup(at) {
      at.onResolve({ filter: /^(\.\/index\.js|cloudflare:workers)$/ }, ({ path }) => ({ path, namespace: "text" }));
      at.onLoad({ filter: /.*/, namespace: "text" }, ({ path }) => ({ contents: texts[path] }));
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

test("a request goes on to its end, whether or not its client waits", async () => {
  const { default: Entry } = await load();
  const awaited = [];
  const entry = new Entry({ name: "ctx", waitUntil: (promise) => awaited.push(promise) }, "env");
  const response = entry.fetch("request");
  assert.deepEqual(awaited, [response]);
  assert.equal(await response, "request env ctx");
});

test("after a panic the module is taken afresh, and an object is made anew with what it was given", async (t) => {
  const { bindings, durable } = await load();
  const logged = ["error", "log"].map((level) => t.mock.method(console, level, () => {}));
  const Notes = durable(bindings.NotesObject);
  const [first, second] = [new Notes("one", "env"), new Notes("two", "env")];
  assert.deepEqual([first.fetch("a"), first.fetch("b"), second.fetch("c")], [1, 2, 1]);
  assert.throws(() => second.fetch("panic"), WebAssembly.RuntimeError);
  bindings.events.length = 0;

  // What was in memory is gone for every object, and each is made once.
  assert.deepEqual([first.fetch("d"), first.fetch("e"), second.alarm(), second.fetch("f")], [1, 2, "rang", 1]);
  assert.deepEqual(bindings.events, ["reset", "made for one in env", "made for two in env"]);
  assert.deepEqual(
    logged.map(({ mock }) => mock.callCount()),
    [1, 1],
  );
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
  ]);
});
