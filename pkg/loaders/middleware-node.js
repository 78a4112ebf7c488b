// @ts-check
// Node: no top-level await, so that `require` of this module works too.
import { initSync } from "../dist/middleware.js";
import { wasmFile } from "./wasm-file.js";

initSync({ module: wasmFile("middleware_bg.wasm") });

export { Middleware, SieveError } from "../src/middleware.js";
