// @ts-check
// How this command can be started again, from any folder: what `import --install` writes into the file of a host.
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { Unreadable } from "./cli-error.js";
import { manifest, root } from "./own-package.js";

/** Folders of runners such as `pnpm dlx` and `bunx`, which they empty after a while. `_npx` is that of npm. */
const CACHE = /^(?:_npx|dlx(?:-.*)?|bunx-.*)$/;

/**
 * Returns the words that start the command. A command that `npx` runs lies in npm's cache, which may be emptied, so it is
 * started by `npx` again: in this version if it came from a registry, or from the same file or URL. Any other is started by its path.
 * @param {string} [folder] the folder of the package
 * @returns {string[]}
 * @throws {Unreadable} if the command lies in a cache and nothing says where it came from
 */
export function ownCommand(folder = root) {
  const project = dirname(dirname(folder));
  if (basename(dirname(project)) === "_npx") {
    const source = sourceOf(project);
    if (source !== undefined) return ["npx", "-y", source];
  }
  if (folder.split(/[\\/]/).some((name) => CACHE.test(name)))
    throw new Unreadable(
      `this command lies in a cache, ${folder}, which may be emptied: install it, \`npm install --global ${manifest.name}\`, and run \`mcp-sieve\` in place of this command`,
    );
  return [process.execPath, join(folder, "cli/main.js")];
}

/** What `npx` takes for the package of a folder in its cache; nothing if that cannot be read, or is gone. */
function sourceOf(project) {
  const { name, version } = manifest;
  let wanted;
  try {
    wanted = JSON.parse(readFileSync(join(project, "package.json"), "utf8")).dependencies?.[name];
  } catch {
    return undefined;
  }
  if (typeof wanted !== "string") return undefined;
  const [, path] = /^file:(.*)$/.exec(wanted) ?? [];
  if (path !== undefined) {
    const file = resolve(project, path);
    // `npx` would run a plain absolute path as a program.
    return existsSync(file) ? `file:${file}` : undefined;
  }
  // npm writes the range of a version, or the address that is no version of a registry.
  return /^[a-z+]+:/.test(wanted) ? wanted : `${name}@${version}`;
}
