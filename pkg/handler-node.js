// Node: the WebAssembly is beside this file.
import { readFileSync } from "node:fs";
import { attach } from "./handler.js";

attach(readFileSync(new URL("./dist/handler_bg.wasm", import.meta.url)));

export { sieve } from "./handler.js";
export { SieveError } from "./error.js";
