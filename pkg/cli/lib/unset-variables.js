// @ts-check
// Variables that a configuration refers to and the environment does not have. One error names all of them.
import { Unreadable } from "./cli-error.js";

export class UnsetVariables {
  /** @type {Set<string>} */
  #found = new Set();

  /**
   * @param {string} name
   * @param {string} place where the configuration refers to it
   */
  add(name, place) {
    this.#found.add(`\`${name}\` (${place})`);
  }

  /** Throws if a variable was added. */
  refuse() {
    if (this.#found.size === 0) return;
    const all = [...this.#found].join(", ");
    throw new Unreadable(`the configuration refers to variables that are not set in the environment: ${all}`);
  }
}
