// Node: no top-level await, so that `require` of this module works too.
import { readFileSync } from "node:fs";
import { initSync } from "./dist/middleware.js";

initSync({ module: readFileSync(new URL("./dist/middleware_bg.wasm", import.meta.url)) });

export { Middleware, SieveError } from "./middleware.js";
