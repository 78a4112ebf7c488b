// @ts-check
// Node: no top-level await, so that `require` of this module works too.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { initSync } from "../dist/middleware.js";

// By its path: what bundles for a server puts an address of its own in place of `new URL(…, import.meta.url)`.
initSync({ module: readFileSync(join(dirname(fileURLToPath(import.meta.url)), "../dist/middleware_bg.wasm")) });

export { Middleware, SieveError } from "../src/middleware.js";
