// For whoever decides alone when and from where the WebAssembly is loaded.
import load, { initSync as instantiate } from "./dist/sieve.js";
import { attach } from "./sieve.js";

export * from "./api.js";

export default async function init(source) {
  attach(await load({ module_or_path: source }));
}

export function initSync(source) {
  attach(instantiate({ module: source }));
}
