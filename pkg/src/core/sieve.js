// @ts-check
// The API over the raw engine: what crosses into WebAssembly is text, slots of compiled filters and
// addresses of results.
import { Engine, Judges, Picker as Core } from "../../dist/sieve.js";
import { KINDS, SieveError, jsonOf, place, refusal, textOf } from "./error.js";
import { callerOf, isCaller } from "./caller.js";
import { Filter, Owner, compiledOf } from "./filter.js";
import { bytesAt, inboxOf, initialised, numbersAt } from "./memory.js";
import { checkedOptions, listed } from "./options.js";
import { checkedTags, titled } from "./own-tags.js";
import { isReady, need, ready } from "./parts.js";
import { Picker } from "./picker-model.js";
import { judgesOf } from "./predicates.js";
import { serversOf, settingsOf } from "./servers.js";
import { intruded, withTags, withoutIntruders } from "./tagged-lists.js";

/** Members of which a list result, or a response with one, has at least one. */
const LISTED = [...KINDS, "result"];
/** The largest number that the engine accepts. No catalog has as many items. */
const MOST = 2 ** 32 - 1;
/** The options of `Sieve.compile` and `Sieve.restore`. */
const COMPILE = new Set(["predicates", "caller", "tags", "lock"]);
const RESTORE = new Set(["predicates", "caller"]);
/** The options of queries and searches. */
const QUERY = new Set(["filter", "kind"]);
const KIND = new Set(["kind"]);
const SEARCH = new Set([...QUERY, "limit", "ranker"]);

/**
 * Returns the engine of a sieve and a function that returns the slot of a filter, for `discovery`.
 * @type {(sieve: any) => { engine: Engine, slotOf: (filter: any) => number }}
 */
export let insideOf;

export class Sieve {
  #owner;
  #about;
  /** The lists and configuration that the sieve was compiled from, if it may be tagged or updated; `tags` only if it may be tagged. */
  #source;
  /** The predicates, for views of callers. */
  #predicates;
  /** Whether this is the view of a caller. */
  #isView = false;

  static {
    insideOf = (sieve) => {
      if (!(sieve instanceof Sieve)) throw new SieveError("invalid_option", "expected a `Sieve`");
      return { engine: sieve.#owner.open(), slotOf: (filter) => sieve.#slot(filter) };
    };
  }

  constructor(engine) {
    if (!(engine instanceof Engine)) throw new TypeError("a Sieve is made by `Sieve.compile`");
    this.#owner = new Owner(engine);
  }

  static compile(lists, config, options) {
    const { tags, ...others } = checkedOptions(options, COMPILE);
    if (tags === undefined) {
      const sieve = Sieve.#compiled(lists, config, others);
      const servers = serversOf(lists);
      if (servers) sieve.#source = { lists: [...servers], config, options: others };
      return sieve;
    }
    initialised("Sieve.compile");
    const own = checkedTags(tags);
    const plain = serversOf(lists) && Sieve.#compiled(lists, config, others);
    const settings = withTags(config, own, plain && ((name, kind) => plain.origin(name, { kind })));
    plain?.free();
    let sieve = Sieve.#compiled(lists, settings, others);
    if (intruded(sieve, own)) {
      sieve.free();
      const clean = serversOf(lists)?.map((one) => ({ ...one, lists: withoutIntruders(one.lists) }));
      sieve = Sieve.#compiled(clean ?? withoutIntruders(lists), settings, others);
    }
    sieve.#source = { lists, config, options: others, tags: own };
    return sieve;
  }

  static #compiled(lists, config, options) {
    initialised("Sieve.compile");
    const servers = serversOf(lists);
    const texts = servers?.map((server) => bytesOr(server.lists)) ?? [bytesOr(lists)];
    const judges = judgesOf(Judges, options);
    const made = (/** @type {Engine} */ engine) => Sieve.#over(engine, options);
    const plain =
      config === undefined || config === null
        ? undefined
        : textOf(config, "config", "a configuration, as an object or JSONC text");
    const { lock } = options;
    try {
      const settings =
        lock === undefined || lock === null
          ? plain
          : Engine.locked(plain ?? "{}", textOf(lock, "config", "a lock, as an object or text"));
      if (servers) return made(Engine.several(texts.map(inboxOf), settingsOf(servers), settings, judges));
      return made(new Engine(inboxOf(texts[0]), settings, judges));
    } catch (error) {
      const names = error.code === "catalog" && !servers ? serversIn(lists) : [];
      if (names.length > 0)
        throw new SieveError(
          "catalog",
          `expected the lists of one server, found them under ${names.map((name) => `\`${name}\``).join(", ")}; name the server of each: \`Sieve.compile([{ server: "${names[0]}", lists }, …])\``,
        );
      throw refusal(error);
    }
  }

  static restore(snapshot, options) {
    initialised("Sieve.restore");
    if (snapshot?.[Symbol.toStringTag] !== "Uint8Array")
      throw new SieveError("snapshot", `expected the bytes of a snapshot, got ${typeof snapshot}`);
    const checked = checkedOptions(options, RESTORE);
    const judges = judgesOf(Judges, checked);
    try {
      return Sieve.#over(Engine.restore(snapshot, judges), checked);
    } catch (error) {
      throw refusal(error);
    }
  }

  static #over(engine, { predicates }) {
    const sieve = new Sieve(engine);
    sieve.#predicates = predicates;
    return sieve;
  }

  get taggable() {
    return this.#source?.tags !== undefined;
  }

  tagged(tags) {
    this.#owner.open();
    if (this.#source?.tags === undefined)
      throw new SieveError("invalid_option", "only a sieve that was compiled with the option `tags` can be tagged");
    const { lists, config, options } = this.#source;
    return Sieve.compile(lists, config, { ...options, tags: tags ?? {} });
  }

  update(server, lists) {
    this.#owner.open();
    const { lists: all, config, options, tags } = this.#source ?? {};
    const servers = all && serversOf(all);
    if (servers === undefined)
      throw new SieveError(
        "invalid_option",
        "only a sieve that was compiled from the lists of several servers can be updated",
      );
    if (!servers.some((one) => one.server === server)) {
      const known = servers.map((one) => `\`${one.server}\``).join(", ");
      throw new SieveError("invalid_option", `unknown server \`${server}\`, expected one of ${known}`);
    }
    const updated = servers.map((one) => (one.server === server ? { ...one, lists } : one));
    return Sieve.compile(updated, config, { ...options, tags });
  }

  snapshot() {
    if (this.#isView)
      throw new SieveError("invalid_option", "the view of a caller has no snapshot, the sieve that it is of has one");
    if (Object.keys(this.#source?.tags ?? {}).length > 0) {
      // Own tags stay with the person: a snapshot may go anywhere.
      const plain = this.tagged({});
      try {
        return plain.snapshot();
      } finally {
        plain.free();
      }
    }
    const engine = this.#owner.open();
    const length = engine.snapshot();
    return bytesAt(engine.list_address(), length).slice();
  }

  get hash() {
    return this.#facts().hash;
  }
  get changes() {
    return this.#facts().changes;
  }

  get reports() {
    return this.#facts().reports;
  }
  get groups() {
    return this.#facts().groups;
  }
  get tags() {
    return this.#facts().tags;
  }
  get concerns() {
    return this.#facts().concerns;
  }

  filter(input) {
    const engine = this.#owner.open();
    let slot;
    try {
      if (input?.[Symbol.toStringTag] === "URLSearchParams") slot = engine.pin_query(String(input));
      else slot = engine.pin(textOf(input ?? {}, "filter_type", "a filter, as an object or JSON text"));
    } catch (error) {
      throw refusal(error);
    }
    const filter = new Filter(this.#owner, slot);
    try {
      return searchable(engine, slot) && filter;
    } catch (error) {
      filter.free();
      throw error;
    }
  }

  count(options) {
    const engine = this.#owner.open();
    const { filter, kind } = query(options);
    const at = place(kind);
    if (!(filter instanceof Filter)) return engine.count(this.#slot(filter), at);
    // Neither the catalog nor the filter ever changes, so the engine counts once. Over a handful of
    // primitives the call alone would take longer than `Array.filter`.
    const { slot, counts } = compiledOf(filter, this.#owner);
    const known = counts[at];
    return known >= 0 ? known : (counts[at] = engine.count(slot, at));
  }

  select(options) {
    const engine = this.#owner.open();
    const { filter, kind } = query(options);
    const at = place(kind);
    if (!(filter instanceof Filter)) return selected(engine, this.#slot(filter), at);
    // As for `count`: selected once, and the same object from then on.
    const { slot, selections } = compiledOf(filter, this.#owner);
    return (selections[at] ??= selected(engine, slot, at));
  }

  list(options) {
    return this.#written(options).slice();
  }

  /** @returns {any} bytes for a query, and a sieve for a caller */
  view(options) {
    return isCaller(options) ? this.#seenBy(options) : this.#written(options);
  }

  #written(options) {
    const engine = this.#owner.open();
    const { filter, kind } = query(options);
    const length = engine.list(this.#slot(filter), place(kind));
    return bytesAt(engine.list_address(), length);
  }

  #seenBy(options) {
    const engine = this.#owner.open();
    const caller = callerOf(options);
    const text = jsonOf(caller, "invalid_option", "a caller as a JSON object");
    const predicates = this.#predicates;
    try {
      const seen = engine.seen_by(text, judgesOf(Judges, { predicates, caller }));
      const sieve = Sieve.#over(seen, { predicates });
      sieve.#isView = true;
      return sieve;
    } catch (error) {
      const isForm = error.code === "config" || error.code === "json";
      throw isForm ? new SieveError("invalid_option", error.message, error) : refusal(error);
    }
  }

  tokens(options) {
    const engine = this.#owner.open();
    const { filter, kind } = query(options);
    return engine.tokens(this.#slot(filter), place(kind));
  }

  names(options) {
    const engine = this.#owner.open();
    const { filter, kind } = query(options);
    return engine.names(this.#slot(filter), place(kind));
  }

  explain(name, options) {
    const engine = this.#owner.open();
    const { filter, kind } = query(options);
    if (typeof name !== "string")
      throw new SieveError("invalid_name", `expected a name, uri or uriTemplate as text, got ${typeof name}`);
    return engine.explain(name, this.#slot(filter), place(kind));
  }

  origin(name, options) {
    const engine = this.#owner.open();
    const { kind } = query(options, KIND);
    if (typeof name !== "string")
      throw new SieveError("invalid_name", `expected a name, uri or uriTemplate as text, got ${typeof name}`);
    return engine.origin(name, place(kind));
  }

  async ready(...parts) {
    this.#owner.open();
    await ready(parts);
  }

  search(text, options) {
    this.#owner.open();
    need("search", "`search`");
    const { filter, kind, limit = 10, ranker } = query(options, SEARCH);
    if (typeof text !== "string") throw new SieveError("query", `expected words as text, got ${typeof text}`);
    if (!(limit >= 0 && (Number.isInteger(limit) || limit === Infinity)))
      throw new SieveError("limit", "expected a whole number from 0, or `Infinity`");
    // The ranker may use the sieve, or free it, so the engine is looked up after it.
    const scores = ranker === undefined || ranker === null ? null : ranked(ranker, text, this.names({ filter, kind }));
    const engine = this.#owner.open();
    const asked = [text, this.#slot(filter), place(kind), Math.min(limit, MOST)];
    return scores ? engine.search_ranked(...asked, scores) : engine.search(...asked);
  }

  picker() {
    const engine = this.#owner.open();
    need("picker", "`picker`");
    return new Picker(new Core(engine), numbersAt);
  }

  free() {
    this.#owner.engine?.free();
    this.#owner.engine = undefined;
  }

  #facts() {
    const engine = this.#owner.open();
    if (this.#about === undefined) {
      const about = engine.about();
      this.#about = { ...about, tags: about.tags.map(titled) };
    }
    return this.#about;
  }

  #slot(filter) {
    if (filter instanceof Filter) return compiledOf(filter, this.#owner).slot;
    if (filter === undefined || filter === null) return 0;
    const text = textOf(filter, "filter_type", "a filter, as an object or JSON text");
    const engine = this.#owner.open();
    let slot;
    try {
      slot = engine.find(text);
    } catch (error) {
      throw refusal(error);
    }
    searchable(engine, slot);
    return slot;
  }
}

if (Symbol.dispose) Sieve.prototype[Symbol.dispose] = Sieve.prototype.free;

const badRanker = (expected) => new SieveError("ranker", `expected ${expected}`);

/** Refuses a ranker that is no function. */
export function checkRanker(ranker) {
  if (typeof ranker !== "function")
    throw badRanker(`a function from a query and names to scores, got ${typeof ranker}`);
}

/** Returns the scores of a ranker, one for each name. */
export function scoresOf(scores, names) {
  /** @type {ArrayLike<number> | undefined} */
  const list = Array.isArray(scores) || ArrayBuffer.isView(scores) ? /** @type {any} */ (scores) : undefined;
  if (list?.length !== names.length) throw badRanker(`an array of ${names.length} scores, one for each name`);
  return Float32Array.from(list, Number);
}

/** Returns the scores of a ranker for names. */
function ranked(ranker, text, names) {
  checkRanker(ranker);
  const scores = ranker(text, names);
  if (typeof scores?.then === "function")
    throw badRanker("scores, got a promise: wait for the model before the search, and return its scores");
  return scoresOf(scores, names);
}

/** Returns the options of a query. A filter in their place would have no effect, so it is refused. */
function query(options, known = QUERY) {
  if (options === undefined || options === null) return {};
  const isArray = Array.isArray(options);
  if (typeof options !== "object" || isArray || options instanceof Filter) {
    const got = isArray ? "an array" : options instanceof Filter ? "a filter" : typeof options;
    throw new SieveError("invalid_option", `expected options, such as \`{ filter }\`, got ${got}`);
  }
  for (const name in options) {
    if (!known.has(name))
      throw new SieveError("invalid_option", `unknown option \`${name}\`, expected ${listed(known)}`);
  }
  return options;
}

/** Returns `true`. Throws for a filter with a `query` if the part `search` is not loaded. */
function searchable(engine, slot) {
  if (!isReady("search") && engine.searches(slot)) need("search", "a filter with `query`");
  return true;
}

function selected(engine, slot, at) {
  const count = engine.indices(slot, at);
  return { count, indices: numbersAt(engine.indices_address(), count) };
}

/** Returns the names of servers in an object that has their lists by name: `{ tracker: { tools }, wiki: { tools } }`. */
function serversIn(lists) {
  if (typeof lists !== "object" || lists === null || Array.isArray(lists) || ArrayBuffer.isView(lists)) return [];
  const listed = (value) => [value].flat().some((one) => LISTED.some((name) => Object(one)[name] !== undefined));
  return Object.keys(lists).filter((name) => !LISTED.includes(name) && listed(lists[name]));
}

/** Returns lists unchanged if they are bytes, otherwise as text. */
function bytesOr(lists) {
  // By tag, not by `instanceof`: bytes of another realm are bytes too.
  if (lists?.[Symbol.toStringTag] === "Uint8Array") return lists;
  return textOf(lists, "catalog", "list results, as objects, JSON text or UTF-8 bytes");
}
