// Browsers and their bundlers: fetches the WebAssembly beside this file.
import init from "./init.js";

await init();

export { pick, wrapClient } from "./client.js";
export { Filter, Sieve, SieveError } from "./sieve.js";
