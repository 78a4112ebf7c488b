// Node: no top-level await, so that `require` of this module works too.
import { readFileSync } from "node:fs";
import { initSync } from "./init.js";

initSync(readFileSync(new URL("./dist/sieve_bg.wasm", import.meta.url)));

export * from "./api.js";
