// @ts-check
// Files of variables in the format of `.env`, read by Node's own parser.
import { parseEnv } from "node:util";
import { Unreadable } from "./cli-error.js";
import { textOf } from "./input.js";

/** The option of the commands that read variables. */
export const ENV_FILE = {
  "env-file": {
    type: "string",
    value: "FILE",
    help: "Read variables from a file such as .env. Variables of the environment win.",
  },
};

/**
 * Adds the variables of a file to those of this process, which win.
 * @param {string} path
 * @throws {Unreadable} if the file cannot be read
 */
export function loadEnvFile(path) {
  if (path === "-") throw new Unreadable("--env-file: expected a file, not standard input");
  for (const [name, value] of Object.entries(variablesIn(textOf(path, "--env-file: ")))) process.env[name] ??= value;
}

/** The variables of a file, by name. @type {(text: string) => Record<string, string>} */
export const variablesIn = (text) => /** @type {Record<string, string>} */ (parseEnv(text));

/**
 * Returns the text with another value of one variable. Everything else stays as it is.
 * @param {string} text
 * @param {string} name
 * @param {string} value a text without single quotes
 * @throws {Unreadable} if Node would read the changed text otherwise
 */
export function withVariable(text, name, value) {
  const assigned = new RegExp(
    `^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[ \\t]*)(?:'[^']*'|"[^"]*"|\`[^\`]*\`|(?:[^#\\r\\n]*[^#\\s])?)`,
    "gm",
  );
  const last = [...text.matchAll(assigned)].at(-1);
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const changed =
    last === undefined
      ? `${text}${/[^\n]$/.test(text) ? end : ""}${name}='${value}'${end}`
      : `${text.slice(0, last.index)}${last[1]}'${value}'${text.slice(last.index + last[0].length)}`;
  const expected = JSON.stringify(Object.entries({ ...variablesIn(text), [name]: value }).sort());
  if (JSON.stringify(Object.entries(variablesIn(changed)).sort()) === expected) return changed;
  throw new Unreadable(
    `the value of \`${name}\` cannot be replaced without other changes: write it as ${name}='…' first`,
  );
}
