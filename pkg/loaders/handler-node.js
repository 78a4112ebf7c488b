// @ts-check
// Node: the WebAssembly is beside this file.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { attach } from "../src/handler/gateway.js";

// By its path: what bundles for a server puts an address of its own in place of `new URL(…, import.meta.url)`.
attach(readFileSync(join(dirname(fileURLToPath(import.meta.url)), "../dist/handler_bg.wasm")));

export { CheckResult } from "../src/handler/check-result.js";
export { gateway } from "../src/handler/gateway.js";
export { SieveError } from "../src/core/error.js";
