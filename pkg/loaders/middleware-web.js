// @ts-check
// Browsers and their bundlers: fetches the WebAssembly beside this file.
import init from "../dist/middleware.js";
import { check, compile } from "../src/core/load.js";

const { module, facts } = await compile(new URL("../dist/middleware_bg.wasm", import.meta.url));
check(module, facts);
await init({ module_or_path: module });

export { Middleware, SieveError } from "../src/middleware.js";
