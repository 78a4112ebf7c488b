// @ts-check
// The variables that stand in the configuration for secrets and for what a host fills in.
import { homedir } from "node:os";
import { basename, resolve } from "node:path";

const REFERENCE = /\$\{([^}]*)\}/g;
/** The parts of a reference: `${input:token}`, `${env:HOME}`, `${workspaceFolder}`, `${NAME}` or `${NAME:-default}`. */
const PARTS = /^(?:(\w+):(?!-))?(.*?)(:-.*)?$/s;
/** What hosts fill in themselves. */
const FILLED = {
  workspaceFolder: (workspace) => workspace,
  workspaceFolderBasename: (workspace) => basename(workspace),
  userHome: () => homedir(),
  pathSeparator: () => resolve("/").slice(-1),
  "/": () => resolve("/").slice(-1),
};
/** Variables of the gateway have these names; a secret must not be called so. */
const RESERVED = /^(SIEVE_|UPSTREAM_URL$)/;

/**
 * A variable: its value in a host's file, a server and a place that refer to it, and the files with this value.
 * @typedef {{ name: string, value: string, server: string, place: string, paths: string[] }} Variable
 * The server of a value: its file, the folder that it runs in, the names of variables that its own `env` sets, and the `notes`
 * on what is not taken over as it is.
 * @typedef {{ name: string, path: string, workspace: string, own: string[], notes: string[] }} Context
 */

/** The variables of one configuration. */
export class Variables {
  /** @type {Variable[]} */
  all = [];
  /** The names that stand for variables of the environment, with the reference to each. @type {Map<string, string>} */
  #environment = new Map();

  /** @param {unknown[]} entries all servers: no secret gets the name of a variable that one of them takes from the environment */
  constructor(entries) {
    for (const { whole, form, name, fallback } of textsOf(entries).flatMap(referencesIn))
      if (form !== "input" && (fallback === undefined || !this.#environment.has(name)))
        this.#environment.set(name, fallback === undefined ? `\${${name}}` : whole);
  }

  /** Returns the reference to a variable with this value, whose name is `wanted` if that is free. */
  refer(wanted, value, place, context) {
    const plain = wanted
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, "_")
      .replaceAll(/^_+|_+$/g, "");
    return this.#note(/^[A-Z]/.test(plain) && !RESERVED.test(plain) ? plain : `SERVER_${plain}`, value, place, context);
  }

  /**
   * Converts the references of a host in a value to those of a configuration. Returns nothing if there are none. `literal` writes
   * the text between references.
   * @param {string} value
   * @param {string} place
   * @param {(text: string) => string} literal
   * @param {Context} context
   */
  translated(value, place, literal, context) {
    const references = referencesIn(value);
    if (references.length === 0) return undefined;
    let end = 0;
    let text = "";
    for (const reference of references) {
      text += literal(value.slice(end, reference.at)) + this.#one(reference, place, literal, context);
      end = reference.at + reference.whole.length;
    }
    return text + literal(value.slice(end));
  }

  #one({ whole, form, name, fallback }, place, literal, context) {
    if (form === "input") return this.refer(name, whole, place, context);
    if (form === undefined && Object.hasOwn(FILLED, name)) return literal(FILLED[name](context.workspace));
    if ((form ?? "env") !== "env" || !/^[A-Za-z_]\w*$/.test(name)) {
      context.notes.push(`\`${whole}\` (${place}) is left as it is: Sieve does not know what a host puts there`);
      return literal(whole);
    }
    if (form === undefined && context.own.includes(name)) {
      context.notes.push(`\`${whole}\` (${place}) is left to the program, whose \`env\` sets \`${name}\``);
      return literal(whole);
    }
    // The environment has it already, under this name.
    if (fallback === undefined) return this.#note(name, `\${${name}}`, place, context);
    const reference = this.#note(name, whole, place, context);
    context.notes.push(
      `the default of \`${name}\` (${place}) stays in the host's file: set \`${reference.slice(2, -1)}\` in the environment of \`npx mcp-sieve run\``,
    );
    return reference;
  }

  /** Adds a variable, unless it is known, and returns its reference. A number is appended if another value has the name. */
  #note(wanted, value, place, { name: server, path }) {
    const isTaken = (name) =>
      (this.#environment.get(name) ?? value) !== value ||
      this.all.some((known) => known.name === name && !isSame(known, value, path));
    let name = wanted;
    for (let number = 2; isTaken(name); number += 1) name = `${wanted}_${number}`;
    const known = this.all.find((variable) => variable.name === name);
    if (known === undefined) this.all.push({ name, value, server, place, paths: [path] });
    else known.paths.push(path);
    return `\${${name}}`;
  }
}

/** Whether a variable has this value. Inputs of the same name in two files are different variables. */
const isSame = ({ value, paths }, other, path) =>
  value === other && (!value.startsWith("${input:") || paths.includes(path));

/**
 * Returns the environment in which a host starts Sieve, as far as it is known here: a value that the host asks for stays the
 * reference to it.
 * @param {Variable[]} variables
 * @param {Record<string, string | undefined>} outer
 * @returns {Record<string, string | undefined>}
 */
export function environmentWith(variables, outer) {
  const known = (value) => {
    const [{ whole = "", form = "", name = "", fallback = "" } = {}] = referencesIn(value);
    if (whole === "" || whole !== value || form === "input") return value;
    return outer[name] || fallback.slice(":-".length);
  };
  return { ...outer, ...Object.fromEntries(variables.map(({ name, value }) => [name, known(value)])) };
}

/** The references in a text. */
export const referencesIn = (text) =>
  [...text.matchAll(REFERENCE)].map(({ 0: whole, 1: inner, index: at }) => {
    const [, form, name, fallback] = PARTS.exec(inner) ?? [];
    return { whole, at, form, name, fallback };
  });

/** All strings in a value. @type {(value: unknown) => string[]} */
function textsOf(value) {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
