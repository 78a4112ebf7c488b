// Cloudflare Workers: the runtime hands over a compiled module.
import wasm from "./dist/handler_bg.wasm";
import { attach } from "./handler.js";

attach(wasm);

export { sieve } from "./handler.js";
export { SieveError } from "./error.js";
