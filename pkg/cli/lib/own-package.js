// @ts-check
// The package that this command belongs to.
import { readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { isWithin } from "./files.js";

/** The folder of the package, without links. */
export const root = realpathSync(fileURLToPath(new URL("../..", import.meta.url)));
/** Its package.json. */
export const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** Whether `make package` built it. Such a build has the mark of `scripts/build-tarball`, and is not optimized. */
export const isDevelopment = manifest.sieve?.build === "development";

/**
 * Returns the message for an error that a missing file of `dist` causes; nothing for other errors. A clone has no such file until it
 * is built.
 * @param {NodeJS.ErrnoException} error
 */
export function messageOnMissing({ code, path, message }) {
  // Not every Node that is supported has the module as a member of the error.
  const missing = code === "ERR_MODULE_NOT_FOUND" ? /^Cannot find module '(.+?)'/.exec(message)?.[1] : path;
  const isMissing = code === "ENOENT" || code === "ERR_MODULE_NOT_FOUND";
  if (!isMissing || missing === undefined || !isWithin(join(root, "dist"), missing)) return undefined;
  const tarball = `${manifest.name}-${manifest.version}.tgz`;
  return `${relative(root, missing)} is not built: run \`make package\`, and then \`npx ./build/${tarball}\``;
}
