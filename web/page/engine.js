// @ts-check
// The engine of the page. It is one module beside the page: a page that shows the picker needs nearly all of it.
import init from "mcp-sieve/init";

/** @type {Promise<unknown> | undefined} */
let loading;

/** Loads the engine. A load that failed is tried again by the next call. */
export function engine() {
  loading ??= init(new URL("./dist/sieve_bg.wasm", document.baseURI)).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
