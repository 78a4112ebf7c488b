// @ts-check
// Sieve in a host's file in place of its servers.
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { find } from "../../stdio/json-text.js";
import { Unreadable } from "../../lib/cli-error.js";
import { hasBackup, replaceAndKeep, undo } from "./backups.js";
import { blanked } from "./host-files.js";

/** The name of the entry that starts Sieve, unless an entry that stays has it. */
const NAME = "sieve";

/**
 * Refuses to write secrets of one file into another, because a project's file may be shared.
 * @param {string[]} paths
 * @param {import("./variables.js").Variable[]} variables
 */
export function checkSecrets(paths, variables) {
  const stored = variables.filter((variable) => !isInherited(variable));
  for (const path of paths) {
    const foreign = stored.find((variable) => !variable.paths.includes(path));
    if (foreign !== undefined)
      throw new Unreadable(
        `${path} would get the value of \`${foreign.name}\`, which stands in ${foreign.paths[0]}: install one file at a time, each with a configuration of its own, such as \`npx mcp-sieve import ${path} --install -o other.jsonc\``,
      );
  }
}

/**
 * Returns what starts Sieve in a host's file: the `command`, its arguments and the environment.
 * @param {string[]} own the words that start this command
 * @param {string} config the path of the configuration
 * @param {{ preset?: string, query?: string }} selection what the host is served of it
 * @param {import("./variables.js").Variable[]} variables
 */
export function entryOf([command, ...words], config, selection, variables) {
  // Sieve passes to each server what the host's file had for it, or what the host fills in.
  const passed = variables.filter((variable) => !isInherited(variable));
  return {
    command,
    args: [...words, "stdio", resolve(config), "--yes", ...optionsOf(selection)],
    ...(passed.length > 0 && { env: Object.fromEntries(passed.map(({ name, value }) => [name, value])) }),
  };
}

/** The options of `stdio` for a selection. */
const optionsOf = (selection) =>
  ["preset", "query"].flatMap((name) => (selection[name] === undefined ? [] : [`--${name}`, selection[name]]));

/** Whether a variable is one of the host's environment, which Sieve inherits. */
const isInherited = ({ name, value }) => value === `\${${name}}`;

/**
 * Installs Sieve in all files, or in none if one of them cannot be changed.
 * @param {(Parameters<typeof install>[1] & { file: Parameters<typeof install>[0] })[]} files
 */
export function installAll(files) {
  /** @type {string[]} */
  const begun = [];
  try {
    for (const { file, ...what } of files) {
      begun.push(file.path);
      install(file, what);
    }
  } catch (error) {
    for (const path of begun) if (hasBackup(path)) undo(path, true);
    if (error.code === undefined) throw error;
    throw new Unreadable(`Sieve is installed in no file: ${begun.at(-1)} cannot be changed (${error.message})`);
  }
}

/**
 * Replaces the servers that were taken from a file by one entry that starts Sieve. Everything else in the file keeps its bytes.
 * @param {ReturnType<typeof import("./host-files.js").readHostFile>} file
 * @param {{ taken: string[], entry: ReturnType<typeof entryOf> }} what
 */
function install({ path, text, holder, servers }, { taken, entry }) {
  const left = Object.fromEntries(Object.entries(servers).filter(([name]) => !taken.includes(name)));
  let own = NAME;
  for (let number = 2; Object.hasOwn(left, own); number += 1) own = `${NAME}-${number}`;
  const typed = holder.at(-1) === "servers" ? { type: "stdio", ...entry } : entry;
  const place = find(blanked(text), holder);
  if (place === undefined) throw new Unreadable(`${path}: its servers cannot be found`);
  const indent = " ".repeat(2 * holder.length);
  const written = JSON.stringify({ ...left, [own]: typed }, undefined, 2).replaceAll("\n", `\n${indent}`);
  const whole = text.slice(0, place.start) + written + text.slice(place.end);
  replaceAndKeep(path, whole);
}

/**
 * Returns whether a file is in the work tree of a git repository.
 * @param {string} path
 */
export function isInWorkTree(path) {
  for (let folder = dirname(realpathSync(path)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return true;
    if (folder === dirname(folder)) return false;
  }
}
