// @ts-check
// The variables that stand in the configuration for secrets and for what a host fills in.
import { homedir } from "node:os";
import { resolve } from "node:path";

/** The references that hosts resolve: `${input:token}`, `${env:HOME}`, `${workspaceFolder}`, `${NAME}` and `${NAME:-default}`. */
const REFERENCE = /\$\{(?:(input|env):)?([^}:]+)(?::-[^}]*)?\}/g;
/** Variables of the gateway have these names; a secret must not be called so. */
const RESERVED = /^(SIEVE_|UPSTREAM_URL$)/;

/**
 * A variable: its value in a host's file, a server and a place that refer to it, the files with this value, and whether the
 * host asks its user for it.
 * @typedef {{ name: string, value: string, server: string, place: string, paths: string[], asked: boolean }} Variable
 */

/** The variables of one configuration. */
export class Variables {
  /** @type {Variable[]} */
  all = [];

  /** Returns the reference to a variable with this value, whose name is `wanted` if that is free. */
  refer(wanted, value, { server, path, place }, asked = false) {
    const plain = wanted
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, "_")
      .replaceAll(/^_+|_+$/g, "");
    const base = /^[A-Z]/.test(plain) && !RESERVED.test(plain) ? plain : `SERVER_${plain}`;
    let name = base;
    for (let number = 2; this.all.some((known) => known.name === name && known.value !== value); number += 1)
      name = `${base}_${number}`;
    return this.#note({ name, value, server, place, paths: [path], asked });
  }

  /**
   * Converts the references of a host in a value to those of a configuration. Returns nothing if there are none. `literal` writes
   * the text between references.
   */
  translated(value, { server, path, place, workspace, literal }) {
    if (!new RegExp(REFERENCE).test(value)) return undefined;
    let end = 0;
    let text = "";
    for (const found of value.matchAll(REFERENCE)) {
      const [whole, form, name] = found;
      text +=
        literal(value.slice(end, found.index)) +
        this.#one(whole, form, name, { server, path, place, workspace, literal });
      end = found.index + whole.length;
    }
    return text + literal(value.slice(end));
  }

  #one(whole, form, name, { server, path, place, workspace, literal }) {
    if (form === "input") return this.refer(name, whole, { server, path, place }, true);
    if (form === undefined && name === "workspaceFolder") return literal(workspace);
    if (form === undefined && name === "userHome") return literal(homedir());
    if (form === undefined && name === "pathSeparator") return literal(resolve("/").slice(-1));
    // The environment has it already, under this name.
    return this.#note({ name, value: whole, server, place, paths: [path], asked: false });
  }

  /** Keeps a variable once. Returns the reference to it. */
  #note(variable) {
    const known = this.all.find(({ name }) => name === variable.name);
    if (known === undefined) this.all.push(variable);
    else known.paths.push(...variable.paths);
    return `\${${variable.name}}`;
  }
}
