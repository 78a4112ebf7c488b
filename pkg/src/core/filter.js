// @ts-check
// A filter compiled for one sieve: a slot in its engine.
import { SieveError, freed } from "./error.js";

/** @typedef {import("../../dist/sieve.js").Engine} Engine */

/** The engine of a sieve, which its filters share: `free` empties it for all of them. */
export class Owner {
  /** @type {Engine | undefined} */
  engine;

  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
  }

  /** The engine, unless the sieve was freed. */
  open() {
    return this.engine ?? freed("sieve");
  }
}

/**
 * A compiled filter: its slot in the engine, and its counts and selections by kind, once they were made.
 * @typedef {{ slot: number, counts: number[], selections: (import("../../types/index.js").Selection | undefined)[] }} Compiled
 */

/**
 * Returns what is known of a filter that `owner` compiled. Throws for a filter of another sieve, and for one that was freed.
 * @type {(filter: Filter, owner: Owner) => Compiled}
 */
export let compiledOf;

/** Gives a filter's slot back, unless all went with its sieve. */
function release(/** @type {{ owner: Owner, slot: number }} */ { owner, slot }) {
  owner.engine?.release(slot);
}

// Workers with an older compatibility date have none: there only `free` gives memory back.
const forgotten =
  typeof FinalizationRegistry === "undefined" ? { register() {}, unregister() {} } : new FinalizationRegistry(release);

export class Filter {
  /** @type {Owner | undefined} */
  #owner;
  /** @type {Compiled} */
  #compiled;
  /** @type {{ hash: string, applied: object, ignored: readonly object[], unknown?: readonly object[] } | undefined} */
  #description;

  static {
    compiledOf = (filter, owner) => (filter.#owner === owner ? filter.#compiled : stranger(filter.#owner));
  }

  /**
   * @param {Owner} owner
   * @param {number} slot
   */
  constructor(owner, slot) {
    if (!(owner instanceof Owner)) throw new TypeError("a Filter is made by `sieve.filter`");
    this.#owner = owner;
    this.#compiled = { slot, counts: [-1, -1, -1, -1], selections: [undefined, undefined, undefined, undefined] };
    forgotten.register(this, { owner, slot }, this);
  }

  get hash() {
    return this.#facts().hash;
  }
  get applied() {
    return this.#facts().applied;
  }
  get ignored() {
    return this.#facts().ignored;
  }
  get unknown() {
    return this.#facts().unknown ?? [];
  }

  /** In a request's `params.filter`, and for a sieve of another copy of this package. */
  toJSON() {
    return this.applied;
  }

  free() {
    if (this.#owner === undefined) return;
    release({ owner: this.#owner, slot: this.#compiled.slot });
    forgotten.unregister(this);
    this.#owner = undefined;
  }

  #facts() {
    const owner = this.#owner ?? freed("filter");
    return (this.#description ??= owner.open().describe(this.#compiled.slot));
  }
}

if (Symbol.dispose) Filter.prototype[Symbol.dispose] = Filter.prototype.free;

/**
 * @param {Owner | undefined} owner
 * @returns {never}
 */
function stranger(owner) {
  if (owner === undefined) freed("filter");
  throw new SieveError("foreign_filter", "this filter was compiled by another sieve");
}
