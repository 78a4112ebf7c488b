// @ts-check
// Node: the WebAssembly is beside this file.
import { attach } from "../src/handler/gateway.js";
import { wasmFile } from "./wasm-file.js";

attach(wasmFile("handler_bg.wasm"));

export { CheckResult } from "../src/handler/check-result.js";
export { gateway } from "../src/handler/gateway.js";
export { SieveError } from "../src/core/error.js";
