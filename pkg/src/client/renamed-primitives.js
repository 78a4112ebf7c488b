// @ts-check
// The names that a configuration gives to primitives, and those that their server knows them by.
import { IDS } from "./server-lists.js";

export class RenamedPrimitives {
  /** Own names by the names that were given, for each kind whose list was read. @type {Map<string, Map<string, string>>} */
  #kinds = new Map();

  /** Reads the names of a list from its catalog. */
  learn(kind, items, sieve) {
    const names = this.#kinds.get(kind) ?? new Map();
    this.#kinds.set(kind, names);
    const own = items.map((item) => item?.[IDS[kind]]);
    // In the order of the list: only names that differ have to be looked up.
    const given = sieve.names({ kind });
    const isWhole = given.length === own.length;
    for (const [at, name] of given.entries()) {
      if (isWhole && own[at] === name) names.delete(name);
      else names.set(name, sieve.origin(name, { kind }).name);
    }
  }

  /** The server's own name of a primitive. */
  own(kind, name) {
    return this.#kinds.get(kind)?.get(name) ?? name;
  }
}
