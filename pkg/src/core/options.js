// @ts-check
// Options of the API. An unknown one is refused: a misspelt policy, chain or filter would otherwise have no effect, and
// everything would be shown.
import { SieveError, isCollection } from "./error.js";

/** Names as a sentence has them. */
export const listed = (/** @type {Iterable<string>} */ names) => [...names].map((name) => `\`${name}\``).join(", ");

/**
 * Returns the options, `{}` if there are none. An instance of a class may have members of its own, so its names are not checked.
 * @param {any} options
 * @param {Iterable<string>} known the names that options may have
 * @param {{ code?: string, place?: string }} [error] the code of the error, and the place that it names
 * @throws {SieveError} for a value that is no object, and for an unknown option
 */
export function checkedOptions(options, known, { code = "invalid_option", place = "" } = {}) {
  if (options === undefined || options === null) return {};
  const at = place && `${place}: `;
  if (typeof options !== "object" || Array.isArray(options))
    throw new SieveError(
      code,
      `${at}expected an object with options, got ${Array.isArray(options) ? "an array" : typeof options}`,
    );
  if (typeof options.then === "function" || isCollection(options))
    throw new SieveError(code, `${at}expected an object with options, got a \`${options[Symbol.toStringTag]}\``);
  const names = new Set(known);
  for (const name of isPlain(options) ? Object.keys(options) : []) {
    if (!names.has(name)) throw new SieveError(code, `${at}unknown option \`${name}\`, expected ${listed(names)}`);
  }
  return options;
}

/** Whether an object is no instance of a class; in any realm. */
function isPlain(/** @type {object} */ value) {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
