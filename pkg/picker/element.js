import { Chips } from "./chips.js";
import { Concerns } from "./concerns.js";
import { h, say, set } from "./dom.js";
import { LABELS } from "./labels.js";
import { List } from "./list.js";
import { sheet } from "./style.js";
import { Tree } from "./tree.js";

const KINDS = ["tools", "resources", "resourceTemplates", "prompts"];
const SHOWINGS = ["left", "hidden", "all"];
/** Where there are no elements (a server that renders), this is a class all the same. */
const Element = globalThis.HTMLElement ?? class {};

const later = globalThis.requestIdleCallback ?? setTimeout;

export class SievePickerElement extends Element {
  static formAssociated = true;
  static observedAttributes = ["kind", "aria-label"];

  #sieve;
  #picker;
  #owned = false;
  #initial = {};
  /** The filter when it was last drawn: it stays while there is nothing to choose from. */
  #drawn = {};
  #labels = LABELS;
  #presets = [];
  #preferences;
  #preset;
  #internals;
  #parts;
  #disabled = false;

  constructor() {
    super();
    this.#internals = this.attachInternals();
    this.#internals.role = "group";
    const root = this.attachShadow({ mode: "open", delegatesFocus: true });
    root.adoptedStyleSheets = [sheet()];
    this.#parts = this.#build();
    root.append(...this.#parts.all);
    this.redraw();
  }

  /** The sieve to choose from. The choice stays, as far as the new one goes. */
  get sieve() { return this.#sieve; }
  set sieve(sieve) {
    const filter = this.#drawn;
    if (this.#owned) this.#picker.free();
    this.#sieve = sieve ?? undefined;
    this.#picker = sieve?.picker();
    this.#owned = Boolean(sieve);
    if (this.#picker) {
      this.#picker.kind = this.kind;
      this.#picker.begin(filter);
      this.#preferences?.apply(this.#picker);
    }
    this.redraw();
    this.#prepare();
  }

  /** The choice behind the element; one that was made elsewhere may be set instead of a sieve. */
  get picker() { return this.#picker; }
  set picker(picker) {
    if (this.#owned) this.#picker.free();
    [this.#sieve, this.#picker, this.#owned] = [undefined, picker ?? undefined, false];
    this.redraw();
    this.#prepare();
  }

  get filter() { return this.#picker?.filter ?? this.#drawn; }
  set filter(filter) {
    this.#initial = typeof filter === "string" ? JSON.parse(filter) : (filter ?? {});
    this.#drawn = this.#initial;
    this.#picker?.begin(this.#initial);
    this.redraw();
  }

  get value() { return JSON.stringify(this.filter); }
  set value(text) { this.filter = text === "" ? {} : text; }

  get kind() { return KINDS.includes(this.getAttribute("kind")) ? this.getAttribute("kind") : "tools"; }
  set kind(kind) { this.setAttribute("kind", kind); }

  get presets() { return this.#presets; }
  set presets(presets) {
    this.#presets = [...(presets ?? [])];
    this.redraw();
  }

  /** Where a person's own part of the choice is kept: it begins with that, and each change is kept. */
  get preferences() { return this.#preferences; }
  set preferences(preferences) {
    this.#preferences = preferences ?? undefined;
    if (this.#picker) this.#preferences?.apply(this.#picker);
    this.redraw();
  }

  get labels() { return this.#labels; }
  set labels(labels) {
    this.#labels = { ...LABELS, ...labels };
    this.redraw();
  }

  get disabled() { return this.#disabled; }
  set disabled(disabled) { this.toggleAttribute("disabled", Boolean(disabled)); }

  get name() { return this.getAttribute("name") ?? ""; }
  set name(name) { this.setAttribute("name", name); }
  get form() { return this.#internals.form; }
  get kindWords() { return this.#labels.kinds[this.kind]; }

  attributeChangedCallback(attribute, before, now) {
    if (before === now) return;
    if (attribute === "kind" && this.#picker) this.#picker.kind = this.kind;
    this.redraw();
    this.#prepare();
  }

  formDisabledCallback(disabled) {
    this.#disabled = disabled;
    this.redraw();
  }

  formResetCallback() {
    this.#drawn = this.#initial;
    this.#picker?.begin(this.#initial);
    this.redraw();
  }

  formStateRestoreCallback(state) {
    this.filter = state;
  }

  /** Makes a person's change, and says so if it was one. */
  act(change) {
    if (!this.#picker || this.#disabled) return;
    let changed = false;
    try {
      changed = change(this.#picker);
      this.#refuse();
    } catch (error) {
      if (typeof error.code !== "string") throw error;
      this.#refuse(error.message);
    }
    this.redraw();
    if (!changed) return;
    this.#preferences?.save(this.#picker);
    this.#parts.list.rewind();
    this.redraw();
    this.dispatchEvent(new CustomEvent("change", { bubbles: true, composed: true, detail: { filter: this.filter } }));
  }

  undo() { this.act((picker) => picker.undo()); }
  redo() { this.act((picker) => picker.redo()); }
  clear() { this.act((picker) => picker.clear()); }

  /** Draws what the picker says; for whoever changed a picker that was made elsewhere. */
  redraw() {
    const { all, status } = this.#parts ?? {};
    if (!all) return;
    const labels = this.#labels;
    this.#internals.ariaLabel = this.getAttribute("aria-label") ?? labels.picker;
    const picker = this.#picker;
    if (picker) this.#drawn = picker.filter;
    this.#internals.setFormValue(this.value, this.value);
    for (const part of all) part.hidden = !picker;
    if (!picker) return;
    for (const part of ["tree", "chips", "concerns", "list"]) this.#parts[part].draw(picker, labels);
    this.#drawBar(picker, labels);
    say(status, labels.selected(picker.summary, this.kindWords));
  }

  /** So that the first letter typed finds as soon as any other. */
  #prepare() {
    const picker = this.#picker;
    if (picker) later(() => { if (this.#picker === picker) picker.prepare(); });
  }

  /** A choice that makes no filter is told, and is none. */
  #refuse(message) {
    this.#parts.alert.hidden = message === undefined;
    say(this.#parts.alert, message ?? "");
  }

  #build() {
    const button = (action, part) => {
      const element = h("button", { type: "button", part: `button ${part}`, class: "quiet" });
      element.addEventListener("click", action);
      return element;
    };
    const parts = {
      undo: button(() => this.undo(), "undo"),
      redo: button(() => this.redo(), "redo"),
      clear: button(() => this.clear(), "clear"),
      presets: h("div", { role: "group", class: "presets", part: "presets" }),
      tree: new Tree(this),
      chips: new Chips(this),
      concerns: new Concerns(this),
      find: h("input", { type: "search", class: "find", part: "find", spellcheck: "false", autocomplete: "off" }),
      keep: button(() => this.act((picker) => picker.about(picker.words)), "keep"),
      about: button(() => this.act((picker) => picker.about("")), "about"),
      favourites: button(() => this.act((picker) => picker.onlyFavourites(!picker.summary.onlyFavourites)), "favourites"),
      rows: h("div", { role: "group", class: "segments", part: "rows" }),
      status: h("output", { role: "status", class: "status", part: "status" }),
      alert: h("p", { role: "alert", class: "alert", part: "alert", hidden: true }),
      list: new List(this),
    };
    parts.showings = SHOWINGS.map((showing) => {
      const element = button(() => this.#look((picker) => { picker.showing = showing; }), "showing");
      parts.rows.append(element);
      return element;
    });
    parts.find.addEventListener("input", () => this.#look((picker) => { picker.words = parts.find.value; }));
    parts.find.addEventListener("change", (event) => event.stopPropagation());
    const bar = h("div", { class: "bar", part: "bar" }, parts.status, h("span", { class: "space" }), parts.undo, parts.redo, parts.clear);
    const facets = h("div", { class: "facets", part: "facets" }, parts.tree.element, parts.chips.element, parts.concerns.element);
    const tools = h("div", { class: "bar", part: "tools" }, parts.rows, parts.find, parts.keep, parts.about, parts.favourites);
    const results = h("div", { class: "results", part: "results" }, tools, parts.alert, parts.list.element);
    return { ...parts, all: [bar, parts.presets, h("div", { class: "columns" }, facets, results)] };
  }

  /** Other rows of the same choice. */
  #look(change) {
    if (!this.#picker) return;
    change(this.#picker);
    this.#parts.list.rewind();
    this.redraw();
  }

  #drawBar(picker, labels) {
    const { undo, redo, clear, keep, about, favourites, find, showings, rows, presets } = this.#parts;
    const { summary, filter, words } = picker;
    const button = (element, label, enabled, pressed) => {
      say(element, label);
      set(element, { disabled: this.#disabled || !enabled, "aria-pressed": pressed === undefined ? undefined : String(pressed) });
    };
    button(undo, labels.undo, summary.undo > 0);
    button(redo, labels.redo, summary.redo > 0);
    button(clear, labels.clear, Object.keys(filter).length > 0);
    button(keep, labels.keep, words.trim() !== "");
    button(favourites, labels.onlyFavourites, summary.favourites.length > 0, summary.onlyFavourites);
    about.hidden = filter.query === undefined;
    button(about, `${labels.about(filter.query ?? "")} ✕`, true);
    set(find, { "aria-label": labels.find, placeholder: labels.find });
    if (find.value !== words) find.value = words;
    set(rows, { "aria-label": labels.rows });
    SHOWINGS.forEach((showing, at) => button(showings[at], labels[showing], true, picker.showing === showing));
    this.#drawPresets(presets, filter, labels);
  }

  #drawPresets(group, filter, labels) {
    set(group, { "aria-label": labels.presets });
    group.hidden = this.#presets.length === 0;
    while (group.children.length > this.#presets.length) group.lastChild.remove();
    this.#presets.forEach((preset, at) => {
      const element = group.children[at] ?? group.appendChild(h("button", { type: "button", class: "chip", part: "preset" }));
      element.onclick = () => this.act((picker) => {
        const changed = picker.set(preset.filter);
        this.#preset = { name: preset.name, filter: JSON.stringify(picker.filter) };
        return changed;
      });
      const pressed = this.#preset?.name === preset.name && this.#preset.filter === JSON.stringify(filter);
      say(element, preset.title ?? preset.name);
      set(element, { "aria-pressed": String(pressed), disabled: this.#disabled });
    });
  }
}
