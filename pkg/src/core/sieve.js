// The API over the raw engine: what crosses into WebAssembly is text, slots of compiled filters and
// addresses of results.
import { Engine, Inbox, Judges, Picker as Core } from "../../dist/sieve.js";
import { KINDS, SieveError, freed, place, refusal, textOf } from "./error.js";
import { Picker } from "./picker-model.js";
import { Preferences } from "./preferences.js";
import { judgesOf } from "./predicates.js";

export { Picker, Preferences, SieveError };

/** What a list result, or a response that carries one, is known by. */
const LISTED = [...KINDS, "result"];
/** More than a catalog can hold, and the most that crosses. */
const MOST = 2 ** 32 - 1;
const utf8 = new TextEncoder();
/** Length of the parts in which text goes over to the engine. */
const PART = 1 << 17;

/** The memory that results are read from; absent until a loader has instantiated the engine. */
let memory;
/** All of it as words. It is replaced when it grows, and the old one is then empty. */
let words = new Uint32Array();

export function attach(exports) {
  memory = exports.memory;
}

// Private names end at a class's brace; these reach across for the other class.
let engineOf;
let slotOf;
let countsOf;
let selectionsOf;

export class Sieve {
  #engine;
  #about;

  static { engineOf = (sieve) => sieve.#engine; }

  constructor(engine) {
    if (!(engine instanceof Engine)) throw new TypeError("a Sieve is made by `Sieve.compile`");
    this.#engine = engine;
  }

  static compile(lists, config, options) {
    initialised("Sieve.compile");
    const text = bytesOr(lists);
    const judges = judgesOf(Judges, options?.predicates);
    const settings = config === undefined || config === null ? undefined : textOf(config, "config", "a configuration, as an object or JSONC text");
    try {
      return new Sieve(new Engine(inboxOf(text), settings, judges));
    } catch (error) {
      const servers = error.code === "catalog" ? serversIn(lists) : [];
      if (servers.length > 0) throw new SieveError("catalog", `expected the lists of one server, found them under ${servers.map((name) => `\`${name}\``).join(", ")}; compile one \`Sieve\` for each server, or merge them by \`npx mcp-sieve snapshot\` or in the gateway`);
      throw refusal(error);
    }
  }

  static restore(snapshot, options) {
    initialised("Sieve.restore");
    if (snapshot?.[Symbol.toStringTag] !== "Uint8Array") throw new SieveError("snapshot", `expected the bytes of a snapshot, got ${typeof snapshot}`);
    const judges = judgesOf(Judges, options?.predicates);
    try {
      return new Sieve(Engine.restore(snapshot, judges));
    } catch (error) {
      throw refusal(error);
    }
  }

  snapshot() {
    const engine = this.#engine ?? freed("sieve");
    const length = engine.snapshot();
    return new Uint8Array(memory.buffer, engine.list_address(), length).slice();
  }

  get hash() { return this.#facts().hash; }
  get reports() { return this.#facts().reports; }
  get groups() { return this.#facts().groups; }
  get tags() { return this.#facts().tags; }
  get concerns() { return this.#facts().concerns; }

  size(kind) {
    return (this.#engine ?? freed("sieve")).count(0, place(kind));
  }

  filter(input) {
    const engine = this.#engine ?? freed("sieve");
    try {
      if (input?.[Symbol.toStringTag] === "URLSearchParams") return new Filter(this, engine.pin_query(String(input)));
      return new Filter(this, engine.pin(textOf(input ?? {}, "filter_type", "a filter, as an object or JSON text")));
    } catch (error) {
      throw refusal(error);
    }
  }

  count(filter, kind) {
    const engine = this.#engine ?? freed("sieve");
    const at = place(kind);
    if (!(filter instanceof Filter)) return engine.count(this.#slot(filter), at);
    // Neither the catalog nor the filter ever changes, so the engine counts once. Over a handful of
    // primitives the call alone would take longer than `Array.filter`.
    const counts = countsOf(filter, this);
    const known = counts[at];
    return known >= 0 ? known : (counts[at] = engine.count(slotOf(filter, this), at));
  }

  select(filter, kind) {
    const engine = this.#engine ?? freed("sieve");
    const at = place(kind);
    if (!(filter instanceof Filter)) return this.#select(engine, this.#slot(filter), at);
    // As for `count`: selected once, and the same object from then on.
    const selections = selectionsOf(filter, this);
    return (selections[at] ??= this.#select(engine, slotOf(filter, this), at));
  }

  #select(engine, slot, at) {
    const count = engine.indices(slot, at);
    const start = engine.indices_address() / Uint32Array.BYTES_PER_ELEMENT;
    if (words.length === 0) words = new Uint32Array(memory.buffer);
    // A copy: the next call writes over the original.
    return { count, indices: words.slice(start, start + count) };
  }

  list(filter, kind) {
    return this.view(filter, kind).slice();
  }

  view(filter, kind) {
    const engine = this.#engine ?? freed("sieve");
    const length = engine.list(this.#slot(filter), place(kind));
    // Read the memory only now: writing the list may have grown and replaced it.
    return new Uint8Array(memory.buffer, engine.list_address(), length);
  }

  tokens(filter, kind) {
    return (this.#engine ?? freed("sieve")).tokens(this.#slot(filter), place(kind));
  }

  names(filter, kind) {
    return (this.#engine ?? freed("sieve")).names(this.#slot(filter), place(kind));
  }

  explain(name, filter, kind) {
    const engine = this.#engine ?? freed("sieve");
    if (typeof name !== "string") throw new SieveError("name", `expected a name, uri or uriTemplate as text, got ${typeof name}`);
    return engine.explain(name, this.#slot(filter), place(kind));
  }

  search(text, options) {
    const { filter, kind, limit = 10 } = options ?? {};
    const engine = this.#engine ?? freed("sieve");
    if (typeof text !== "string") throw new SieveError("query", `expected words as text, got ${typeof text}`);
    if (!(limit >= 0 && (Number.isInteger(limit) || limit === Infinity))) throw new SieveError("limit", "expected a whole number from 0, or `Infinity`");
    return engine.search(text, this.#slot(filter), place(kind), Math.min(limit, MOST));
  }

  picker() {
    const core = new Core(this.#engine ?? freed("sieve"));
    return new Picker(core, (at, count) => {
      if (words.length === 0) words = new Uint32Array(memory.buffer);
      return words.slice(at / Uint32Array.BYTES_PER_ELEMENT, at / Uint32Array.BYTES_PER_ELEMENT + count);
    });
  }

  free() {
    this.#engine?.free();
    this.#engine = undefined;
  }

  #facts() {
    const engine = this.#engine ?? freed("sieve");
    return this.#about ??= engine.about();
  }

  #slot(filter) {
    if (filter instanceof Filter) return slotOf(filter, this);
    if (filter === undefined || filter === null) return 0;
    return this.#find(filter);
  }

  #find(filter) {
    const text = textOf(filter, "filter_type", "a filter, as an object or JSON text");
    try {
      return this.#engine.find(text);
    } catch (error) {
      throw refusal(error);
    }
  }
}

/** Gives a filter's slot back, unless all went with its sieve. */
function release({ sieve, slot }) {
  engineOf(sieve)?.release(slot);
}

// Workers with an older compatibility date have none: there only `free` gives memory back.
const forgotten = typeof FinalizationRegistry === "undefined" ? { register() {}, unregister() {} } : new FinalizationRegistry(release);

export class Filter {
  #sieve;
  #slot;
  #counts = [-1, -1, -1, -1];
  #selections = [undefined, undefined, undefined, undefined];
  #description;

  static {
    slotOf = (filter, sieve) => (filter.#sieve === sieve ? filter.#slot : stranger(filter.#sieve));
    countsOf = (filter, sieve) => (filter.#sieve === sieve ? filter.#counts : stranger(filter.#sieve));
    selectionsOf = (filter, sieve) => (filter.#sieve === sieve ? filter.#selections : stranger(filter.#sieve));
  }

  constructor(sieve, slot) {
    if (!(sieve instanceof Sieve)) throw new TypeError("a Filter is made by `sieve.filter`");
    this.#sieve = sieve;
    this.#slot = slot;
    forgotten.register(this, { sieve, slot }, this);
  }

  get hash() { return this.#facts().hash; }
  get applied() { return this.#facts().applied; }
  get ignored() { return this.#facts().ignored; }

  /** In a request's `params.filter`, and for a sieve of another copy of this package. */
  toJSON() { return this.applied; }

  free() {
    if (this.#sieve === undefined) return;
    release({ sieve: this.#sieve, slot: this.#slot });
    forgotten.unregister(this);
    this.#sieve = undefined;
  }

  #facts() {
    const sieve = this.#sieve ?? freed("filter");
    const engine = engineOf(sieve) ?? freed("sieve");
    return this.#description ??= engine.describe(this.#slot);
  }
}

if (Symbol.dispose) {
  Sieve.prototype[Symbol.dispose] = Sieve.prototype.free;
  Filter.prototype[Symbol.dispose] = Filter.prototype.free;
}

/** Refuses what is called too early. */
export function initialised(method) {
  if (memory === undefined) throw new SieveError("uninitialised", `call \`init\` or \`initSync\` before \`${method}\``);
}

/** The names under which lists of several servers are given, or of one: `{ tracker: { tools }, wiki: { tools } }`. */
function serversIn(lists) {
  if (typeof lists !== "object" || Array.isArray(lists) || ArrayBuffer.isView(lists)) return [];
  const listed = (value) => [value].flat().some((one) => LISTED.some((name) => Object(one)[name] !== undefined));
  return Object.keys(lists).filter((name) => !LISTED.includes(name) && listed(lists[name]));
}

/** Lists as the bytes they are, or as text. */
function bytesOr(lists) {
  // By tag, not by `instanceof`: bytes of another realm are bytes too.
  if (lists?.[Symbol.toStringTag] === "Uint8Array") return lists;
  return textOf(lists, "catalog", "list results, as objects, JSON text or UTF-8 bytes");
}

/** The engine's copy of lists, the only one that is made: text is encoded part by part. */
function inboxOf(lists) {
  const inbox = new Inbox(lists.length);
  const put = (part) => {
    const at = inbox.room(part.length);
    // Only now: making room may have grown the memory and replaced it.
    new Uint8Array(memory.buffer, at, part.length).set(part);
  };
  if (typeof lists !== "string") {
    put(lists);
    return inbox;
  }
  for (let at = 0, end; at < lists.length; at = end) {
    end = at + PART;
    // Both halves of a character go over together.
    if ((lists.charCodeAt(end - 1) & 0xfc00) === 0xd800) end += 1;
    put(utf8.encode(lists.slice(at, end)));
  }
  return inbox;
}

function stranger(sieve) {
  if (sieve === undefined) freed("filter");
  throw new SieveError("foreign_filter", "this filter was compiled by another sieve");
}
