// @ts-check
// Folders that the command makes.
import { lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder, and those above it that are missing, for this user alone. Node's own recursive `mkdir` tries for ever where
 * nothing can be made, such as below `/proc`.
 * @param {string} path
 */
export function makeFolder(path) {
  const folder = resolve(path);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found !== undefined) throw new Error(`ENOTDIR: ${folder} is a file, expected a folder`);
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined)
    throw new Error(`ENOENT: ${folder} is a link to nothing, expected a folder`);
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
