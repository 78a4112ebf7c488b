// @ts-check
// Cloudflare Workers: code may not be compiled at run time, so the runtime hands over a compiled module.
// @ts-expect-error TypeScript has no types for WebAssembly modules.
import wasm from "../dist/middleware_bg.wasm";
import { initSync } from "../dist/middleware.js";

initSync({ module: wasm });

export { Middleware, SieveError } from "../src/middleware.js";
