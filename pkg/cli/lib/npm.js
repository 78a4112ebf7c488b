// @ts-check
// npm, as this user has configured it: neither the current folder nor a project chooses the program, its registry or its shell.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";

/** Options of every installation. Scripts of packages do not run: none of the packages needs them. */
const OPTIONS = ["--prefix", ".", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/**
 * Installs a package, `name@version`, into a folder.
 * @param {string} folder
 * @param {string} wanted
 */
export async function install(folder, wanted) {
  // The folder is not among the arguments: a shell, which Windows needs for npm, would split it at spaces.
  await promisify(execFile)("npm", ["install", ...OPTIONS, wanted], {
    cwd: folder,
    env: environmentOf(process.env, process.cwd()),
    shell: process.platform === "win32",
  });
}

/**
 * Returns the environment for npm. `npx` and scripts put the folders of a project's programs on the path and its `.npmrc` into
 * variables. Where a project has such a file, these variables are left out, and npm reads the files of the user.
 * @param {Record<string, string | undefined>} outer
 * @param {string} folder the current folder
 */
export function environmentOf(outer, folder) {
  const isStartedByNpm = outer.npm_config_user_agent !== undefined;
  const projects = [outer.npm_config_local_prefix, outer.INIT_CWD, folder].filter((path) => path !== undefined);
  const isConfigured = isStartedByNpm && projects.some((path) => isProject(path, outer));
  const kept = Object.entries(outer).filter(([name]) => !isConfigured || !/^npm_config_/i.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, /^path$/i.test(name) ? ownPrograms(value) : value]));
}

/**
 * Returns whether a folder has an `.npmrc` that is not the user's own.
 * @param {string} path
 * @param {Record<string, string | undefined>} outer
 */
const isProject = (path, outer) => existsSync(join(path, ".npmrc")) && ![outer.HOME, outer.USERPROFILE].includes(path);

/** The folders of programs without those of projects: relative ones, and those in `node_modules`. */
const ownPrograms = (/** @type {string} */ path) =>
  path
    .split(delimiter)
    .filter((place) => isAbsolute(place) && !/[\\/]node_modules(?:[\\/]|$)/.test(place))
    .join(delimiter);
