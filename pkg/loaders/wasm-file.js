// @ts-check
// The WebAssembly files of the package, for Node.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SieveError } from "../src/core/error.js";

/**
 * Returns the bytes of a file in `dist`. It is found by the path of this module: what bundles for a server puts an address of
 * its own in place of `new URL(…, import.meta.url)`.
 * @param {string} name
 */
export function wasmFile(name) {
  try {
    return readFileSync(join(dirname(fileURLToPath(import.meta.url)), "../dist", name));
  } catch (cause) {
    const remedy = "in a bundle for Node, declare `mcp-sieve` as external";
    throw new SieveError("load", `could not load the WebAssembly ${name}: ${cause.message}; ${remedy}`, { cause });
  }
}
