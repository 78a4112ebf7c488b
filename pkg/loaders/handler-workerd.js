// @ts-check
// Cloudflare Workers: the runtime hands over a compiled module.
// @ts-expect-error TypeScript has no types for WebAssembly modules.
import wasm from "../dist/handler_bg.wasm";
import { attach } from "../src/handler/gateway.js";

attach(wasm);

export { CheckResult } from "../src/handler/check-result.js";
export { gateway } from "../src/handler/gateway.js";
export { SieveError } from "../src/core/error.js";
