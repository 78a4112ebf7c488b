// Browsers and their bundlers: fetches the WebAssembly beside this file.
import init from "./dist/middleware.js";

await init();

export { Middleware, SieveError } from "./middleware.js";
