// @ts-check
// The API without its WebAssembly, for pages and hosts that decide themselves when and from where it is loaded.
import load, { initSync as instantiate } from "../dist/sieve.js";
import { check, compile, guarded, refused } from "../src/core/load.js";
import { attach, awaiting } from "../src/core/memory.js";
import { divide } from "../src/core/parts.js";

export * from "../src/core/index.js";

let ready = false;
/** The load that is under way, if there is one. */
let loading;

export default function init(source, parts) {
  if (ready) return Promise.resolve();
  // A load that failed is forgotten, so that the next call tries again.
  loading ??= start(source, parts).finally(() => {
    loading = undefined;
  });
  awaiting(loading);
  return loading;
}

export function initSync(source, parts) {
  if (ready) return;
  try {
    const module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source);
    check(module);
    finish(instantiate({ module }), parts);
  } catch (cause) {
    throw refused(cause);
  }
}

async function start(source = new URL("../dist/parts/engine.wasm", import.meta.url), parts) {
  const { module, facts } = await compile(source);
  check(module, facts);
  // `initSync` may have come first.
  if (!ready) finish(await guarded(() => load({ module_or_path: module }), facts), parts);
}

function finish(exports, parts) {
  ready = true;
  attach(exports);
  divide(exports, parts);
}
