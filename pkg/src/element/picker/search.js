// @ts-check
import { button, h, icon, say, set } from "./dom.js";

const STAR = "M8 1.9l1.9 3.9 4.3.6-3.1 3 .7 4.3L8 11.7l-3.8 2 .7-4.3-3.1-3 4.3-.6z";

/** The bar over the list: words to find rows by, the numbers of rows found here and under other tabs, and favorites. */
export class Search {
  /** `find` gets the words; `host` makes the choices. */
  constructor(host, find) {
    this.input = h("input", { type: "search", class: "find", part: "find", spellcheck: "false", autocomplete: "off" });
    this.input.addEventListener("input", () => find(this.input.value));
    this.input.addEventListener("change", (event) => event.stopPropagation());
    this.hits = h("span", { class: "hits", part: "hits", "aria-live": "polite" });
    this.more = ["left", "dropped", "hidden"].map((showing) => ({
      showing,
      element: button("more", () => host.show(showing)),
    }));
    this.keep = button("keep", () => host.act((picker) => picker.setQuery(picker.words)));
    this.star = h("span");
    this.favorites = button(
      "favorites",
      () => host.act((picker) => picker.setOnlyFavorites(!picker.summary.onlyFavorites)),
      icon(STAR),
      this.star,
    );
    this.query = button("query", () => {
      host.act((picker) => picker.setQuery(""));
      this.input.focus(); // the button is gone
    });
    this.element = h(
      "div",
      { class: "buttons", part: "tools" },
      h("span", { class: "field" }, this.input, this.hits),
      ...this.more.map(({ element }) => element),
      this.keep,
      this.favorites,
      this.query,
    );
    this.host = host;
  }

  draw({ summary, filter, words, showing, hits }, labels) {
    const { disabled, kindWords } = this.host;
    const searching = words.trim() !== "";
    const label = labels.find(kindWords);
    set(this.input, { "aria-label": label, placeholder: label });
    if (this.input.value !== words) this.input.value = words;
    const elsewhere = outside(showing, hits);
    const found = Object.values(elsewhere).reduce((all, n) => all + n, 0);
    say(this.hits, searching ? labels.hits(summary.rows, found) : "");
    for (const { showing, element } of this.more) {
      const n = elsewhere[showing] ?? 0;
      element.hidden = n === 0;
      say(element, labels.more(n, showing));
    }
    say(this.keep, labels.keep);
    this.keep.hidden = !searching;
    set(this.keep, { disabled: disabled || summary.rows === 0 });
    say(this.star, labels.onlyFavorites);
    set(this.favorites, {
      disabled: disabled || summary.favorites.length === 0,
      "aria-pressed": String(summary.onlyFavorites),
    });
    this.query.hidden = filter.query === undefined;
    say(this.query, `${labels.about(filter.query ?? "")} ✕`);
    set(this.query, { disabled });
  }
}

/** Returns the number of rows that the words find under each tab besides the one that is shown. */
function outside(showing, { left, hidden, dropped }) {
  if (showing === "all") return {};
  // What is over budget is hidden, too.
  return showing === "left" ? { dropped, hidden: Math.max(0, hidden - dropped) } : { left };
}
