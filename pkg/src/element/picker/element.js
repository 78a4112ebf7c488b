// @ts-check
import { Bar } from "./bar.js";
import { BOUNDS, bounded, boundOf, limited, same } from "./bounds.js";
import { Budget } from "./budget.js";
import { focusKept, h, say, set } from "./dom.js";
import { takeEarly } from "./early.js";
import { bones } from "./empty.js";
import { Facets } from "./facets.js";
import { LABELS } from "./labels.js";
import { List } from "./list.js";
import { Presets } from "./presets.js";
import { schemeAround } from "./scheme.js";
import { Search } from "./search.js";
import { sheet } from "./style.js";
import { Tabs } from "./tabs.js";

const KINDS = ["tools", "resources", "resourceTemplates", "prompts", "skills"];
/** Maximum numbers of tools that widely used hosts accept. */
const THRESHOLDS = [40, 64, 128];
/** The base class. On servers that render pages there are no elements, and the class is never constructed. */
const Element = globalThis.HTMLElement ?? /** @type {typeof HTMLElement} */ (/** @type {unknown} */ (class {}));

/** The JSON of a filter that selects everything. */
const NO_FILTER = "{}";
/** The JSON of no tags. */
const NO_TAGS = "{}";

const later = globalThis.requestIdleCallback ?? setTimeout;
const nextFrame = globalThis.requestAnimationFrame ?? setTimeout;

export class SievePickerElement extends Element {
  static formAssociated = true;
  static observedAttributes = ["kind", "aria-label", "error", "budget", "max-tools", "max-tokens"];

  #sieve;
  #picker;
  #owned = false;
  /** The sieve with the person's last tags, if the element made it. */
  #tagged;
  /** The user's tags that the sieve was compiled with, as JSON. */
  #compiledTags = NO_TAGS;
  #initial = {};
  /** The filter when it was last drawn, which is kept while there is no sieve. */
  #drawn = {};
  /** The choice of the last sieve, if the page has set no filter since: another catalog may keep other names within a limit. */
  #carried;
  /** The filter that the page knows, as JSON: the one that it has set, or that of the last `change`. */
  #known = NO_FILTER;
  #telling = false;
  /** Whether the color scheme is taken before the next frame. */
  #adapting = false;
  #labels = LABELS;
  #presets = [];
  #thresholds = THRESHOLDS;
  #preferences;
  /** Whether the error says that the engine's picker could not be loaded. */
  #partFailed = false;
  /** The message about the last choice, if it was refused. */
  #refusal;
  #internals;
  #parts;
  #disabled = false;
  #removed = false;
  #scheme = globalThis.matchMedia?.("(prefers-color-scheme: dark)");
  /** Pages switch their theme by an attribute of these elements. */
  #themes = globalThis.MutationObserver && new MutationObserver(() => this.#adapt());

  constructor() {
    super();
    this.#internals = this.attachInternals?.() ?? {};
    this.#internals.role = "group";
    const root = this.attachShadow({ mode: "open", delegatesFocus: true });
    root.adoptedStyleSheets = [sheet()];
    this.#parts = this.#build();
    root.append(this.#parts.root);
    Object.assign(this, takeEarly(this, SievePickerElement));
    this.redraw();
  }

  connectedCallback() {
    globalThis.addEventListener("storage", this.#stored);
    this.#parts.list.follow(true);
    // Another tab may have stored something while the element was in no page.
    if (this.#removed) this.#follow();
    this.#removed = false;
    this.#adapt();
    this.#scheme?.addEventListener("change", this.#adapt);
    this.#themes?.observe(document.documentElement, { attributes: true });
    if (document.body) this.#themes?.observe(document.body, { attributes: true });
  }
  disconnectedCallback() {
    this.#removed = true;
    this.#parts.list.follow(false);
    this.#scheme?.removeEventListener("change", this.#adapt);
    this.#themes?.disconnect();
    globalThis.removeEventListener("storage", this.#stored);
  }

  /** The sieve to choose from. A new one keeps the choice, as far as it has the same names. */
  get sieve() {
    return this.#sieve;
  }
  set sieve(sieve) {
    const filter = this.#drawn;
    const { showing, words } = this.#picker ?? {};
    if (this.#owned) {
      const { plainFilter, preferences } = this.#picker;
      this.#carried = { filter: plainFilter, preferences };
      this.#picker.free();
    }
    if (this.#tagged !== sieve) {
      this.#tagged?.free();
      this.#tagged = undefined;
    }
    this.#compiledTags = this.#tagsNow;
    [this.#sieve, this.#picker, this.#owned] = [sieve ?? undefined, undefined, false];
    if (this.#partFailed) this.error = undefined;
    this.#partFailed = false;
    if (sieve) this.#choose(sieve, filter);
    if (this.#picker && showing !== undefined) {
      this.#picker.showing = showing;
      this.#picker.words = words;
    }
    this.redraw();
    this.#prepare();
  }

  /** Begins a choice with a filter. If the engine's part `picker` is not loaded, the choice begins once it is. */
  #choose(sieve, filter) {
    try {
      this.#picker = sieve.picker();
    } catch (error) {
      if (error.code !== "part") throw error;
      const isCurrent = () => this.#sieve === sieve && !this.#picker;
      sieve
        .ready("picker")
        .then(() => {
          if (isCurrent()) this.sieve = sieve;
        })
        .catch((error) => {
          if (!isCurrent()) return;
          this.error = error;
          this.#partFailed = true;
        });
      return;
    }
    this.#owned = true;
    this.#picker.kind = this.kind;
    try {
      if (this.#carried) this.#picker.prefer(this.#carried.preferences);
      this.#picker.begin(this.#carried?.filter ?? filter);
    } catch (error) {
      if (typeof error.code !== "string") throw error;
      // A filter that was set before there was a sieve to refuse it. The choice begins with everything.
      this.#refusal = this.#labels.refused(error);
      this.#initial = {};
    }
    this.#carried = undefined;
    this.#prefer();
  }

  /** Begins the choice with the stored preferences. */
  #prefer() {
    this.#preferences?.apply(this.#picker);
    this.#tell();
  }

  /**
   * Fires `change` if the filter is not the one that the page knows: preferences, bounds and the shares of a budget change it.
   * It is fired later, since the page may add its listener after it has set a property.
   */
  #tell() {
    if (this.#telling) return;
    this.#telling = true;
    queueMicrotask(() => {
      this.#telling = false;
      if (this.#picker && !same(JSON.parse(this.#known), this.filter)) this.#announce();
    });
  }

  /** The model of the element. An existing one may be set instead of a sieve. */
  get picker() {
    return this.#picker;
  }
  set picker(picker) {
    if (this.#owned) this.#picker.free();
    this.#tagged?.free();
    this.#tagged = undefined;
    this.#carried = undefined;
    [this.#sieve, this.#picker, this.#owned] = [undefined, picker ?? undefined, false];
    if (picker && this.hasAttribute("kind")) picker.kind = this.kind;
    if (picker) this.#known = this.value;
    if (picker) this.#prefer();
    this.redraw();
    this.#prepare();
  }

  get filter() {
    return this.#picker?.filter ?? this.#drawn;
  }
  set filter(filter) {
    const given = typeof filter === "string" ? JSON.parse(filter) : (filter ?? {});
    const initial = bounded(this, given);
    this.#begin(initial);
    this.#initial = initial;
    this.#known = JSON.stringify(given);
    this.#tell();
  }

  /** Begins the choice again with a filter of the program. A filter that is refused changes nothing. */
  #begin(filter) {
    if (this.#picker) {
      this.#picker.begin(filter);
      this.#preferences?.begun(this.#picker);
    }
    this.#carried = undefined;
    this.#drawn = filter;
    this.redraw();
  }

  /** Whether the section of the budget is shown. It is also shown if the filter has a limit. */
  get budget() {
    return this.hasAttribute("budget");
  }
  set budget(budget) {
    this.toggleAttribute("budget", Boolean(budget));
  }

  /** The bounds of the filter; as attributes, those to begin with. */
  get maxTools() {
    return this.filter.limit?.count ?? null;
  }
  set maxTools(most) {
    this.#setBound("count", most);
  }
  get maxTokens() {
    return this.filter.limit?.tokens ?? null;
  }
  set maxTokens(most) {
    this.#setBound("tokens", most);
  }

  /** Maximum numbers of tools of hosts, in ascending order. */
  get thresholds() {
    return this.#thresholds;
  }
  set thresholds(thresholds) {
    this.#thresholds = [...(thresholds ?? THRESHOLDS)].sort((a, b) => a - b);
    this.redraw();
  }

  get value() {
    return JSON.stringify(this.filter);
  }
  set value(text) {
    this.filter = text === "" ? {} : text;
  }

  get kind() {
    return KINDS.includes(this.getAttribute("kind")) ? this.getAttribute("kind") : "tools";
  }
  set kind(kind) {
    set(this, { kind: kind ?? undefined });
  }

  get presets() {
    return this.#presets;
  }
  set presets(presets) {
    this.#presets = [...(presets ?? [])];
    this.redraw();
  }

  /** The stored preferences of the user. The choice begins with them, and each change is stored. */
  get preferences() {
    return this.#preferences;
  }
  set preferences(preferences) {
    this.#preferences = preferences ?? undefined;
    this.#compiledTags = this.#tagsNow;
    if (this.#picker) this.#prefer();
    this.redraw();
  }

  get labels() {
    return this.#labels;
  }
  set labels(labels) {
    this.#labels = { ...LABELS, ...labels };
    this.redraw();
  }

  get disabled() {
    return this.#disabled;
  }
  set disabled(disabled) {
    this.toggleAttribute("disabled", Boolean(disabled));
  }

  /** The error of a page that could not create a sieve: a message, or an object that has one. */
  get error() {
    return this.getAttribute("error") ?? undefined;
  }
  set error(/** @type {any} */ error) {
    if (error === undefined || error === null) this.removeAttribute("error");
    else this.setAttribute("error", error.message ?? error);
  }

  /** `"light"` or `"dark"`; by default the color scheme of the page around it. */
  get theme() {
    return this.getAttribute("theme") ?? "auto";
  }
  set theme(theme) {
    set(this, { theme: theme ?? undefined });
  }

  get name() {
    return this.getAttribute("name") ?? "";
  }
  set name(name) {
    set(this, { name: name ?? undefined });
  }
  get form() {
    return this.#internals.form;
  }
  get kindWords() {
    return this.#labels.kinds[this.#picker?.kind ?? this.kind];
  }

  attributeChangedCallback(attribute, before, now) {
    if (before === now) return;
    if (attribute === "kind" && this.#picker) this.#picker.kind = this.kind;
    const bound = Object.keys(BOUNDS).find((bound) => BOUNDS[bound] === attribute);
    if (bound) this.#limit(bound);
    this.redraw();
    this.#prepare();
  }

  formDisabledCallback(disabled) {
    this.#disabled = disabled;
    this.redraw();
  }

  formResetCallback() {
    this.#begin(this.#initial);
  }

  /** The browser restores what a person chose before. It is not the value to which the form is reset. */
  formStateRestoreCallback(state) {
    try {
      this.#begin(JSON.parse(state));
      this.#tell();
    } catch (error) {
      // A filter of another catalog, or of another version. The choice stays as it is.
      if (typeof error.code !== "string" && !(error instanceof SyntaxError)) throw error;
    }
  }

  /** Makes a person's change, and fires `change` if there is one. A choice that makes no filter is refused in words. */
  act(change) {
    if (!this.#picker || this.#disabled) return;
    let changed = false;
    this.#refusal = undefined;
    try {
      changed = change(this.#picker);
    } catch (error) {
      if (typeof error.code !== "string") throw error;
      this.#refusal = this.#labels.refused(error);
    }
    this.redraw();
    if (!changed) return;
    this.#preferences?.save(this.#picker);
    this.#announce();
  }

  #setBound(bound, most) {
    const attribute = BOUNDS[bound];
    if (most === null || most === undefined) this.removeAttribute(attribute);
    else this.setAttribute(attribute, most);
    // The attribute may stay the same where a person has changed the filter since.
    this.#limit(bound);
  }

  /** Sets a bound to that of its attribute, in the filter and in the one to which the form is reset. */
  #limit(bound) {
    const most = boundOf(this, bound);
    this.#initial = limited(this.#initial, bound, most);
    if (most === this.filter.limit?.[bound]) return;
    if (this.#picker) {
      this.#picker.setLimit(limited(this.filter, bound, most).limit);
      this.#preferences?.begun(this.#picker);
      this.#tell();
    } else {
      this.#drawn = limited(this.#drawn, bound, most);
      if (this.#carried) this.#carried.filter = limited(this.#carried.filter, bound, most);
    }
    this.redraw();
  }

  /** Shows other rows. */
  show(showing) {
    this.#look((picker) => {
      picker.showing = showing;
    });
  }

  #look(change) {
    if (!this.#picker) return;
    change(this.#picker);
    this.#parts.list.rewind();
    this.redraw();
  }

  /** Whether the person can tag what is listed: tags are kept in `preferences`, and compiled from the sieve's lists. */
  get taggable() {
    return Boolean(this.#preferences && this.#sieve?.taggable);
  }

  /** Gives a primitive an own tag of the person (`on`), or takes it; the choice stays. */
  retag(name, tag, on) {
    const preferences = this.#preferences;
    const before = this.#tagsNow;
    this.#refusal = undefined;
    try {
      preferences[on ? "tag" : "untag"](name, tag, { kind: this.#picker.kind });
      this.#tagAnew();
    } catch (error) {
      if (typeof error.code !== "string") throw error;
      this.#refusal = this.#labels.refused(error);
    }
    if (preferences.problem !== undefined) this.#refusal ??= this.#labels.notStored(preferences.problem);
    this.redraw();
    if (this.#tagsNow !== before) this.#announce();
  }

  /** Compiles the catalog again with the person's tags, unless it has them already. The choice stays, without its steps of undo. */
  #tagAnew() {
    if (this.#tagsNow === this.#compiledTags) return;
    const next = this.#sieve.tagged(this.#preferences.tags);
    this.sieve = next;
    this.#tagged = next;
  }

  get #tagsNow() {
    return this.#preferences ? JSON.stringify(this.#preferences.tags) : NO_TAGS;
  }

  /** Takes over what another tab has stored. */
  #stored = ({ key }) => {
    // `clear` of a storage has no key.
    if (key === null || key === this.#preferences?.key) this.#follow();
  };

  #follow() {
    if (!this.#picker || !this.#preferences) return;
    this.#preferences.apply(this.#picker);
    this.redraw();
    if (this.taggable) this.#tagAnew();
    this.#tell();
  }

  /** Fires `change`, and `budget` if the limit differs from the one that the page knows. */
  #announce() {
    const { filter, maxTools, maxTokens } = this;
    const { limit } = JSON.parse(this.#known);
    this.#known = this.value;
    this.#fire("change", { filter });
    if ((limit?.count ?? null) === maxTools && (limit?.tokens ?? null) === maxTokens) return;
    const { selected, tokens, dropped } = this.#picker.summary;
    this.#fire("budget", { maxTools, maxTokens, selected, tokens, dropped });
  }

  #fire(/** @type {string} */ name, /** @type {object} */ detail) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }));
  }

  undo() {
    this.act((picker) => picker.undo());
  }
  redo() {
    this.act((picker) => picker.redo());
  }
  clear() {
    this.act((picker) => picker.clear());
  }

  /** Takes the color scheme of the background, in a page that sets none. */
  #adapt = () => set(this.#parts.root, { "data-scheme": schemeAround(this) });

  /** Does so before the next frame: computed styles are read once for it, however often the picker is drawn until then. */
  #adaptSoon() {
    if (this.#adapting) return;
    this.#adapting = true;
    nextFrame(() => {
      this.#adapting = false;
      this.#adapt();
    });
  }

  /** Draws the picker. A host that changed a picker of its own calls it. */
  redraw() {
    if (!this.#parts) return;
    this.#adaptSoon();
    focusKept(this.shadowRoot, () => this.#draw(this.#parts));
  }

  #draw({ root, alert, bar, columns, bones, presets, budget, panel }) {
    const [labels, picker] = [this.#labels, this.#picker];
    // A `<label>` of the page names the element, unless it has a name of its own.
    const [label] = this.#internals.labels ?? [];
    this.#internals.ariaLabel = this.getAttribute("aria-label") ?? (label?.textContent?.trim() || labels.picker);
    if (picker) {
      this.#drawn = picker.filter;
      if (picker.showing === "dropped" && this.#drawn.limit === undefined) picker.showing = "left";
    }
    this.#internals.setFormValue?.(this.value, this.value);
    const { error } = this;
    const loading = !picker && error === undefined;
    this.#internals.ariaBusy = String(loading);
    set(root, { "aria-busy": String(loading) });
    const problem = this.#refusal ?? error;
    alert.hidden = problem === undefined;
    say(alert, problem ?? "");
    bones.hidden = !loading;
    columns.hidden = !picker;
    if (!picker) {
      for (const { element } of [presets, budget]) element.hidden = true;
      return bar.drawEmpty(loading ? labels.loading : labels.failed);
    }
    for (const part of ["bar", "budget", "facets", "tabs", "search", "list"]) this.#parts[part].draw(picker, labels);
    presets.draw(picker, this.#presets, labels);
    set(panel, { "aria-labelledby": `tab-${picker.showing}` });
  }

  /** Prepares the search, so that the first key press is as fast as later ones. */
  #prepare() {
    const picker = this.#picker;
    if (picker)
      later(() => {
        if (this.#picker === picker) picker.prepare();
      });
  }

  #build() {
    const parts = {
      bar: new Bar(this),
      alert: h("p", { role: "alert", class: "alert", part: "alert", hidden: true }),
      presets: new Presets(this),
      facets: new Facets(this),
      budget: new Budget(this),
      tabs: new Tabs((showing) => this.show(showing)),
      search: new Search(this, (words) =>
        this.#look((picker) => {
          picker.words = words;
        }),
      ),
      list: new List(this, (row) => this.#parts?.facets.tags.own.draw(row, this.#labels)),
      bones: h("div", { class: "columns" }, h("div", { class: "side" }, bones()), h("div", { class: "list" }, bones())),
    };
    const { bar, alert, presets, facets, budget, tabs, search, list } = parts;
    parts.panel = h("div", { id: "panel", role: "tabpanel", class: "panel" }, list.element);
    const results = h("div", { class: "results", part: "results" }, tabs.element, search.element, parts.panel);
    parts.columns = h("div", { class: "columns" }, facets.button, facets.element, results);
    const above = [bar, presets, budget].map(({ element }) => element);
    parts.root = h("div", { class: "root", part: "root" }, ...above, alert, parts.columns, parts.bones);
    parts.root.addEventListener("keydown", (event) => this.#shortcut(event));
    return parts;
  }

  /** Handles Ctrl+Z and Ctrl+Y, unless the focus is in a text field. */
  #shortcut(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.localName === "input") return;
    const key = event.key.toLowerCase();
    if (key === "y" || (key === "z" && event.shiftKey)) this.redo();
    else if (key === "z") this.undo();
    else return;
    event.preventDefault();
  }
}
