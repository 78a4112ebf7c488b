// Context middleware of the packed package, installed for the current test file.
import { after } from "node:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installTarball } from "./tarball.mjs";

export const consumer = await installTarball();
after(() => consumer.remove());

/** Returns the exports of `mcp-sieve/middleware`. */
export function loadMiddleware() {
  consumer.write("middleware.mjs", 'export * from "mcp-sieve/middleware";');
  return import(pathToFileURL(join(consumer.folder, "middleware.mjs")).href);
}
