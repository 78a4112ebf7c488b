// @ts-check
// Presets that keep the servers of several hosts apart: each host that starts Sieve is served what its own file had.
import { basename, dirname, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Unreadable } from "../../lib/cli-error.js";

/** @typedef {{ name: string, filter: { where: string } }} Preset */

/**
 * Returns a preset for each file, in order, or nothing for a file that had no server or all of them.
 * @param {{ path: string, taken: { as: string }[] }[]} reports what each file had
 * @param {number} servers the number of all servers
 * @returns {(Preset | undefined)[]}
 */
export function presetsOf(reports, servers) {
  const used = new Set();
  return reports.map(({ path, taken }) => {
    if (taken.length === 0 || taken.length === servers) return undefined;
    const plain = nameOf(path);
    let name = plain;
    for (let number = 2; used.has(name); number += 1) name = `${plain}-${number}`;
    used.add(name);
    return { name, filter: { where: taken.map(({ as }) => `server=${quoted(as)}`).join(" or ") } };
  });
}

/**
 * Returns the presets of files in a configuration that is kept: the one with the filter of a file, or else the one with its name,
 * whose filter was edited. A file may lack one if all files had the same servers: its operator added others to the configuration.
 * @param {string} path the path of the configuration
 * @param {Record<string, any>} config
 * @param {Parameters<typeof presetsOf>[0]} reports
 * @param {(Preset | undefined)[]} needed the presets without which hosts get servers of each other
 */
export function presetsIn(path, { upstream, upstreams = [], presets = [] }, reports, needed) {
  const servers = [upstream, ...upstreams].filter(Boolean).length;
  return presetsOf(reports, servers).map((wanted, at) => {
    if (wanted === undefined) return undefined;
    const found =
      presets.find(({ filter }) => isDeepStrictEqual(filter, wanted.filter)) ??
      presets.find(({ name }) => name === wanted.name);
    if (found === undefined && needed[at] !== undefined)
      throw new Unreadable(
        `${path} exists already and has no preset \`${wanted.name}\`, without which each host would get the servers of all: add --force to replace it, or add ${JSON.stringify(wanted)} to its \`presets\``,
      );
    return found;
  });
}

/** The name of a preset for a file: `cursor`, `vscode`, `claude-desktop`, or what the file is called. */
function nameOf(path) {
  const [file, folder] = [basename(path), basename(dirname(resolve(path)))];
  const telling = /^\.(?:cursor|vscode)$/.test(folder) ? folder : file.replace(/(?:_config)?\.jsonc?$/, "");
  const plain = telling.replaceAll(/[^A-Za-z0-9-]+/g, "-").replaceAll(/^-+|-+$/g, "");
  return plain.slice(0, 32) || "host";
}

/** The name of a server in an expression. */
const quoted = (name) => (/^[\w-]+$/.test(name) ? name : `"${name.replaceAll(/["\\]/g, "\\$&")}"`);
