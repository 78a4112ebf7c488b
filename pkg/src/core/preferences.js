// @ts-check
// What a person keeps of their choice, for each server and user.
import { keep, recall } from "../../dist/sieve.js";
import { SieveError } from "./error.js";

/** The browser's own storage, by way of the engine; where a page has none, or may not use it, this throws. */
const own = {
  getItem: (key) => recall(local(key)) ?? null,
  setItem: (key, text) => keep(local(key), text),
  removeItem: (key) => keep(local(key)),
};

/** Reading the property is what a browser forbids; an error thrown further in would pass through the engine. */
function local(key) {
  if (!globalThis.localStorage) throw new Error("no storage here");
  return key;
}

export class Preferences {
  #key;
  #storage;
  #problem;

  constructor(server, { user = "", storage = own } = {}) {
    if (typeof server !== "string")
      throw new SieveError("invalid_name", `expected the name or address of a server, got ${typeof server}`);
    // Encoded, so that no server and user together are another's key.
    this.#key = `mcp-sieve:${encodeURIComponent(user)}:${encodeURIComponent(server)}`;
    this.#storage = storage;
  }

  get key() {
    return this.#key;
  }

  /** Why the last access came to nothing: `full`, `forbidden`, or a code of what is kept. */
  get problem() {
    return this.#problem;
  }

  /** Lets a choice begin with what is kept. */
  apply(picker) {
    const text = this.export();
    if (text === undefined) return false;
    try {
      return picker.prefer(text);
    } catch (error) {
      if (!(error instanceof SieveError)) throw error;
      this.#problem = error.code;
      return false;
    }
  }

  /** What a filter becomes under what is kept. */
  filter(sieve, filter) {
    const picker = sieve.picker();
    try {
      picker.set(filter ?? {});
      this.apply(picker);
      return picker.filter;
    } finally {
      picker.free();
    }
  }

  /** Keeps what of a choice is a person's own; `false` where that is not possible, and nothing else is lost. */
  save(picker) {
    // What this version could not read is another's, and is left to it.
    if (this.#problem === "preferences") return false;
    return this.#access(() => this.#storage.setItem(this.#key, picker.preferences)) !== FAILED;
  }

  export() {
    const text = this.#access(() => this.#storage.getItem(this.#key));
    return typeof text === "string" ? text : undefined;
  }

  /** Takes what was exported elsewhere, once it has been read: `picker` says whether it can be. */
  import(text, picker) {
    picker.prefer(text);
    this.#problem = undefined;
    return this.save(picker);
  }

  forget() {
    return this.#access(() => this.#storage.removeItem(this.#key)) !== FAILED;
  }

  #access(access) {
    try {
      const result = access();
      if (this.#problem === "full" || this.#problem === "forbidden") this.#problem = undefined;
      return result;
    } catch (error) {
      this.#problem = /quota/i.test(`${error?.name} ${error?.message}`) ? "full" : "forbidden";
      return FAILED;
    }
  }
}

const FAILED = Symbol("failed");
