// @ts-check
// The stored preferences of a user, for each server.
import { keep, recall } from "../../dist/sieve.js";
import { SieveError } from "./error.js";
import { mergedPreferences, withdraw } from "./merged-preferences.js";
import { checkedOptions } from "./options.js";
import { checkedTags, retagged } from "./own-tags.js";

/** The version of what is kept, as the engine writes it. */
const VERSION = 1;
const NOTHING = JSON.stringify({ version: VERSION });

/** What was stored, under which key, when a choice was last read or stored. @type {WeakMap<object, { key: string, text: string }>} */
const known = new WeakMap();

/** The browser's own storage, by way of the engine; where a page has none, or may not use it, this throws. */
const own = {
  getItem: (key) => recall(local(key)) ?? null,
  setItem: (key, text) => keep(local(key), text),
  removeItem: (key) => keep(local(key)),
};

/** Throws if the browser forbids `localStorage`. It is read here, because an error within the engine could not be told apart. */
function local(key) {
  if (!globalThis.localStorage) throw new Error("no storage here");
  return key;
}

export class Preferences {
  #key;
  #storage;
  #problem;
  /** Whether the last access that failed was to write. Reading afterwards says nothing about writing. */
  #failedToWrite = false;
  /** Own tags that could not be kept. */
  #unkept;

  constructor(server, options = {}) {
    const { user = "", storage = own } = checkedOptions(options, ["user", "storage"]);
    if (typeof server !== "string")
      throw new SieveError("invalid_name", `expected the name or address of a server, got ${typeof server}`);
    // Encoded, so that no server and user together are another's key.
    this.#key = `mcp-sieve:${encodeURIComponent(user)}:${encodeURIComponent(server)}`;
    this.#storage = storage;
  }

  get key() {
    return this.#key;
  }

  /** Why the last access failed: `full`, `forbidden`, or a code of what is stored. */
  get problem() {
    return this.#problem;
  }

  /** Applies what is stored to a choice, also what another tab has stored. Returns whether it changed. */
  apply(picker) {
    const text = this.export();
    try {
      const { rest } = split(text ?? NOTHING);
      // Without a stored text, what was stored before has been removed since, by `forget` of another tab.
      const changed = (text !== undefined || known.get(picker)?.key === this.#key) && this.#follow(picker, rest);
      known.set(picker, { key: this.#key, text: rest });
      if (this.#refused()) this.#problem = undefined;
      return changed;
    } catch (error) {
      if (!(error instanceof SieveError)) throw error;
      this.#problem = error.code;
      return false;
    }
  }

  /** Records a choice that the program has set. `save` stores what a person changes in it. */
  begun(picker) {
    if (picker && known.get(picker)?.key === this.#key) known.set(picker, { key: this.#key, text: picker.preferences });
  }

  #follow(picker, stored) {
    const before = known.get(picker);
    const withdrawn = before?.key === this.#key && withdraw(picker, before.text, stored);
    return picker.prefer(stored) || withdrawn;
  }

  /** The person's own tags, by name: the primitives of each kind that have it. */
  get tags() {
    const text = this.#unkept === undefined ? this.export() : undefined;
    if (text === undefined) return this.#unkept ?? {};
    try {
      return split(text).tags;
    } catch (error) {
      this.#problem = error.code;
      return {};
    }
  }

  tag(name, tags, { kind = "tools" } = {}) {
    return this.#retag(retagged(this.tags, name, tags, kind, true));
  }

  untag(name, tags, { kind = "tools" } = {}) {
    return this.#retag(retagged(this.tags, name, tags, kind, false));
  }

  #retag(tags) {
    if (this.#refused()) return false;
    const text = this.#problem === "json" ? undefined : this.export();
    return this.#keep(text === undefined ? NOTHING : split(text).rest, tags);
  }

  /** Returns a filter under the preferences. */
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

  /** Stores the user's part of a choice. Returns `false` if it cannot be stored; stored data then stays unchanged. */
  save(picker) {
    const { tags } = this;
    if (this.#refused()) return false;
    const merged = this.#merged(picker);
    if (merged === undefined) {
      this.#problem = TOO_MANY;
      return false;
    }
    if (this.#problem === TOO_MANY) this.#problem = undefined;
    return this.#store(picker, merged, tags);
  }

  /** The preferences of a choice, with what another tab has stored since the choice was last read or stored. */
  #merged(picker) {
    const now = picker.preferences;
    const before = known.get(picker);
    const text = this.export();
    if (text === undefined || before?.key !== this.#key) return now;
    try {
      const { rest } = split(text);
      const isCurrent = [before.text, rest].every((one) => JSON.parse(one).version === VERSION);
      return isCurrent ? mergedPreferences(before.text, now, rest) : now;
    } catch {
      // What is damaged is written anew.
      return now;
    }
  }

  #store(picker, rest, tags) {
    const kept = this.#keep(rest, tags);
    if (kept) known.set(picker, { key: this.#key, text: picker.preferences });
    return kept;
  }

  export() {
    const text = this.#access(() => this.#storage.getItem(this.#key));
    return typeof text === "string" ? text : undefined;
  }

  /** Replaces the preferences with an exported text. Throws if `picker` cannot read it. */
  import(text, picker) {
    const { rest, tags } = split(text);
    picker.prefer(rest);
    this.#problem = undefined;
    return this.#store(picker, picker.preferences, tags);
  }

  forget() {
    this.#unkept = undefined;
    const removed = this.#access(() => this.#storage.removeItem(this.#key), true) !== FAILED;
    // What could not be read is gone with it.
    if (removed) this.#problem = undefined;
    return removed;
  }

  /** Returns whether the stored text could not be used. It is not overwritten, unless it is damaged. */
  #refused() {
    return this.#problem !== undefined && !OVERWRITABLE.includes(this.#problem);
  }

  #keep(rest, tags) {
    const text = Object.keys(tags).length > 0 ? JSON.stringify({ ...JSON.parse(rest), tags }) : rest;
    const kept = this.#access(() => this.#storage.setItem(this.#key, text), true) !== FAILED;
    this.#unkept = kept ? undefined : tags;
    return kept;
  }

  #access(access, writes = false) {
    try {
      const result = access();
      const isOfAccess = this.#problem === "full" || this.#problem === "forbidden";
      if (isOfAccess && (writes || !this.#failedToWrite)) this.#problem = undefined;
      return result;
    } catch (error) {
      this.#failedToWrite = writes;
      this.#problem = /quota/i.test(`${error?.name} ${error?.message}`) ? "full" : "forbidden";
      return FAILED;
    }
  }
}

const FAILED = Symbol("failed");
/** The problem if the changes of two tabs together are too many. */
const TOO_MANY = "filter_limit";
/** The problems after which nothing readable is overwritten. */
const OVERWRITABLE = ["json", "full", "forbidden", TOO_MANY];

/**
 * Splits stored preferences into the part that the engine reads and the user's own tags.
 * @throws {SieveError} `preferences` for tags of another shape, and for a later version
 */
function split(text) {
  let kept;
  try {
    kept = JSON.parse(text);
  } catch (cause) {
    throw new SieveError("json", `preferences cannot be read: ${cause.message}`, { cause });
  }
  if (kept?.version > VERSION)
    throw new SieveError("preferences", `preferences of version ${kept.version}, expected at most ${VERSION}`);
  if (kept?.tags === undefined) return { rest: text, tags: {} };
  const { tags, ...rest } = kept;
  return { rest: JSON.stringify(rest), tags: checkedTags(tags) };
}
