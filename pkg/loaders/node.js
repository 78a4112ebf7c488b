// @ts-check
// Node: the WebAssembly is beside this file. No top-level await, so that `require` of this module works too.
import { initSync } from "./init.js";
import { wasmFile } from "./wasm-file.js";

initSync(wasmFile("sieve_bg.wasm"));

export * from "../src/core/index.js";
