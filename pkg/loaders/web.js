// @ts-check
// Browsers and their bundlers: fetches the WebAssembly beside this file.
import init from "./init.js";

await init();

export * from "../src/core/index.js";
