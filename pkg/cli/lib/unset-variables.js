// @ts-check
// Variables that a configuration refers to and the environment does not have. One error names all of them.
import { Unreadable } from "./cli-error.js";

export class UnsetVariables {
  /** The places that refer to each variable. @type {Map<string, Set<string>>} */
  #found = new Map();
  /** The names of the variables, by the upstream server that refers to them. @type {Map<string, Set<string>>} */
  #upstreams = new Map();
  #hasOthers = false;

  /**
   * @param {string} name
   * @param {string} place where the configuration refers to it
   * @param {string} [upstream] the upstream server whose settings refer to it
   */
  add(name, place, upstream) {
    this.#found.set(name, (this.#found.get(name) ?? new Set()).add(place));
    if (upstream === undefined) this.#hasOthers = true;
    else this.#upstreams.set(upstream, (this.#upstreams.get(upstream) ?? new Set()).add(name));
  }

  /** The names of the variables of an upstream server. */
  of(upstream) {
    return [...(this.#upstreams.get(upstream) ?? [])];
  }

  /** Throws if a variable was added. */
  refuse() {
    if (this.#found.size === 0) return;
    throw Unreadable.listing(
      "the configuration refers to variables that are not set in the environment",
      [...this.#found].map(([name, places]) => `\`${name}\` (${[...places].join(", ")})`),
    );
  }

  /**
   * Throws if a variable was added, unless it is enough to leave out the servers that refer to it: one of `upstreams` must be
   * left, and what a middleware server protects stays protected only with it.
   * @param {string[]} upstreams
   */
  refuseUnlessSome(upstreams) {
    if (this.#hasOthers || upstreams.every((name) => this.#upstreams.has(name))) this.refuse();
  }
}
