// @ts-check
// Cloudflare Workers: code may not be compiled at run time, so the runtime hands over a compiled module.
// @ts-expect-error TypeScript has no types for WebAssembly modules.
import wasm from "../dist/sieve_bg.wasm";
import { initSync } from "./init.js";

initSync(wasm);

export * from "../src/core/index.js";
