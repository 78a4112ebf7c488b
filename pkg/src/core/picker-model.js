// @ts-check
// The model of the picker: it takes names, and returns numbers, and rows only for the visible window.
import { SieveError, freed, place, refusal, textOf } from "./error.js";
import { titled } from "./own-tags.js";

const STATES = ["off", "on", "mixed", "excluded"];
const MARKS = ["any", "must", "not"];
const SHOWINGS = ["left", "hidden", "all", "dropped"];
/** The members that distinguish the places of a group in the tree. */
const PLACE = ["name", "server", "isServer", "above"];
/** The largest bound of a limit. */
const MOST = 2 ** 32 - 1;
/** Maximum number of pins that preferences hold. */
const MAX_PINS = 1000;
/** Numbers of the engine for each group, tag and value. */
const EACH = 3;

export class Picker {
  #core;
  #read;
  #kind = "tools";
  #showing = "left";
  #words = "";
  /** Results that are valid until the next change. */
  #known = {};

  constructor(core, read) {
    if (typeof read !== "function") throw new TypeError("a Picker is made by `sieve.picker`");
    this.#core = core;
    this.#read = read;
  }

  get groups() {
    return this.#facets().groups;
  }
  get tags() {
    return this.#facets().tags;
  }
  get concerns() {
    return this.#facets().concerns;
  }

  toggle(group) {
    return this.#change((core) => core.toggle(this.#group(group)));
  }

  exclude(group) {
    return this.#change((core) => core.exclude(this.#group(group)));
  }

  mark(tag, mark) {
    return this.#change((core) => core.mark(name(tag), choice(MARKS, mark, "mark")));
  }

  setConcern(concern, value) {
    const values = value === null || value === undefined ? [] : [value].flat().map(String);
    return this.#change((core) => core.set_concern(name(concern), JSON.stringify(values)));
  }

  setQuery(words) {
    return this.#change((core) => core.set_query(name(words)));
  }

  setLimit(limit) {
    const { count, tokens, ...others } = limit ?? {};
    const [unknown] = Object.keys(others);
    if (unknown !== undefined)
      throw new SieveError("invalid_option", `unknown bound \`${unknown}\`, expected \`count\` or \`tokens\``);
    return this.#change((core) => core.limit(bound(count, "count"), bound(tokens, "tokens")));
  }

  setDisabled(of, off = true, { kind = this.#kind } = {}) {
    return this.#change((core) => core.disable(place(kind), name(of), off));
  }

  setUsed(of, used = true, { kind = this.#kind } = {}) {
    if (!used) return this.setDisabled(of, true, { kind });
    return this.#change((core) => core.pin(place(kind), name(of)));
  }

  setFavorite(of, on = true, { kind = this.#kind } = {}) {
    return this.#change((core) => core.set_favorite(place(kind), name(of), on));
  }

  setOnlyFavorites(on = true) {
    return this.#change((core) => core.set_only_favorites(on));
  }

  set(filter) {
    return this.#change((core) => core.set(asked(filter)));
  }

  begin(filter) {
    const text = asked(filter);
    const before = JSON.stringify(this.filter);
    if (text === before) return false;
    const changed = this.#change((core) => core.begin(text));
    this.#adopt(() => false);
    return changed && JSON.stringify(this.filter) !== before;
  }

  prefer(preferences) {
    const text = textOf(preferences, "preferences", "preferences, as an object or JSON text");
    const prefer = () => this.#change((core) => core.prefer(text));
    return this.#adopt(prefer) ?? prefer();
  }

  /**
   * A stored filter may name what its limit keeps, at the end of `where`. Where the limit of the choice keeps the same without these
   * names, they are no condition: another limit then keeps others. `change` is made after each try. Returns what it returned.
   */
  #adopt(change) {
    const { where, ...others } = this.filter;
    if (others.limit === undefined || typeof where !== "string") return undefined;
    const begin = (left) =>
      this.#change((core) => core.begin(JSON.stringify({ ...others, ...(left && { where: left }) })));
    const whole = JSON.stringify(this.filter);
    for (const { index } of [...where.matchAll(/\(?-kind:/g)].reverse()) {
      try {
        begin(where.slice(0, index).trim());
        const changed = change();
        if (JSON.stringify(this.filter) === whole) return changed;
      } catch (error) {
        // It was cut within a quoted name.
        if (!(error instanceof SieveError)) throw error;
      }
    }
    begin(where);
    return undefined;
  }

  get preferences() {
    const { disabled, favorites, pins } = this.summary;
    const { concerns = {}, limit } = this.filter;
    return JSON.stringify({
      version: 1,
      disabled: byKind(disabled),
      favorites: byKind(favorites),
      ...(pins.length > 0 && { pins: byKind(pins.slice(0, MAX_PINS)) }),
      concerns,
      limit,
    });
  }

  clear() {
    return this.set({});
  }
  undo() {
    return this.#change((core) => core.undo());
  }
  redo() {
    return this.#change((core) => core.redo());
  }

  get kind() {
    return this.#kind;
  }
  set kind(kind) {
    this.#change((core) => core.show_kind(place(kind)));
    this.#kind = kind;
  }

  get showing() {
    return this.#showing;
  }
  set showing(showing) {
    this.#look((core) => core.show(choice(SHOWINGS, showing, "showing")));
    this.#showing = showing;
  }

  get words() {
    return this.#words;
  }
  set words(words) {
    this.#look((core) => core.find(name(words)));
    this.#words = words;
  }

  prepare() {
    this.#open().prepare();
  }

  get summary() {
    return (this.#known.summary ??= this.#open().summary());
  }

  get hits() {
    return (this.#known.hits ??= this.#found());
  }

  get disclosure() {
    return (this.#known.disclosure ??= this.#open().disclosure());
  }

  get filter() {
    return (this.#known.filter ??= JSON.parse(this.#open().filter(false)));
  }

  get plainFilter() {
    return JSON.parse(this.#open().filter(true));
  }

  toJSON() {
    return this.filter;
  }

  order() {
    const core = this.#open();
    const count = core.order();
    return this.#read(core.address(), count);
  }

  rows(from, to) {
    // The engine takes whole numbers of 32 bits; `Infinity` would be none of them.
    const bound = (/** @type {number} */ at) => Math.min(Math.max(0, at), MOST);
    const rows = this.#open().rows(bound(from), bound(to));
    const pins = this.#pinned;
    for (const row of rows) {
      row.pinned = pins.has(row.name);
      row.shown = row.reasons.length === 0;
      row.reason = row.reasons[0] ?? null;
      row.rank ??= null;
    }
    return rows;
  }

  get #pinned() {
    const pins = this.summary.pins.filter(([kind]) => kind === this.#kind);
    return (this.#known.pins ??= new Set(pins.map(([, name]) => name)));
  }

  free() {
    this.#core?.free();
    this.#core = undefined;
  }

  #open() {
    return this.#core ?? freed("picker");
  }

  #change(step) {
    const core = this.#open();
    try {
      return step(core) ?? false;
    } catch (error) {
      throw refusal(error);
    } finally {
      this.#known = {};
    }
  }

  /** Applies a change that affects rows only, so that facets and the filter stay valid. */
  #look(step) {
    step(this.#open());
    this.#known.summary = this.#known.hits = undefined;
  }

  /** Counts the rows that the words find in each list. */
  #found() {
    const core = this.#open();
    const hits = { left: 0, hidden: 0, dropped: 0 };
    if (this.#words.trim() === "") return hits;
    for (const showing of Object.keys(hits)) {
      core.show(SHOWINGS.indexOf(showing));
      hits[showing] = core.order();
    }
    core.show(SHOWINGS.indexOf(this.#showing));
    return hits;
  }

  /** Returns the index of a group or server: one of `groups`, or the first of a name. */
  #group(group) {
    const { groups } = this;
    const called = (name, server) => (other) => other.name === name && Boolean(other.isServer) === server;
    const at =
      typeof group === "object"
        ? groups.findIndex((other) => PLACE.every((key) => other[key] === group?.[key]))
        : [false, true].map((server) => groups.findIndex(called(group, server))).find((at) => at >= 0);
    if (at === undefined || at < 0)
      throw new SieveError("invalid_name", `no group is called \`${group?.name ?? group}\``);
    return at;
  }

  #facets() {
    return (this.#known.facets ??= this.#counted(this.#open()));
  }

  #counted(core) {
    const { groups, tags, concerns } = core.facets();
    const length = core.counts();
    const numbers = this.#read(core.address(), length);
    let at = -EACH;
    const next = () => numbers.subarray((at += EACH), at + EACH);
    const counted = (facet, key, names) => {
      const [state, members, left] = next();
      return { ...facet, [key]: names[state], members, left };
    };
    return {
      groups: groups.map((group) => counted(group, "state", STATES)),
      tags: tags.map((tag) => counted(titled(tag), "mark", MARKS)),
      concerns: concerns.map((concern) => ({ ...concern, options: this.#options(concern, counted) })),
    };
  }

  #options({ values }, counted) {
    return Array.isArray(values) ? values.map((value) => counted({ value }, "chosen", [false, true])) : [];
  }
}

if (Symbol.dispose) Picker.prototype[Symbol.dispose] = Picker.prototype.free;

/** Returns names by kind, in the order of kinds. */
function byKind(named) {
  const kinds = [...new Set(named.map(([kind]) => kind))].sort((one, other) => place(one) - place(other));
  const names = (kind) => named.filter(([of]) => of === kind).map(([, name]) => name);
  return Object.fromEntries(kinds.map((kind) => [kind, names(kind)]));
}

const asked = (filter) => textOf(filter ?? {}, "filter_type", "a filter, as an object or JSON text");

function name(text) {
  if (typeof text !== "string") throw new SieveError("invalid_name", `expected text, got ${typeof text}`);
  return text;
}

function bound(most, name) {
  if (most === undefined || most === null) return undefined;
  if (!(Number.isInteger(most) && most > 0 && most <= MOST))
    throw new SieveError("filter_type", `\`limit.${name}\` has to be a whole number from 1`);
  return most;
}

function choice(names, wanted, what) {
  const at = names.indexOf(wanted);
  if (at < 0)
    throw new SieveError(
      "invalid_name",
      `unknown ${what} \`${wanted}\`, expected one of ${names.map((known) => `\`${known}\``).join(", ")}`,
    );
  return at;
}
