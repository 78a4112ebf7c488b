// @ts-check
import { h, rove, set, step } from "./dom.js";

const SHOWINGS = ["left", "hidden", "dropped", "all"];

/** Which rows the list holds: those that are shown to a model, those that are hidden, those that are over budget, or all (WAI-ARIA: tabs). */
export class Tabs {
  #show;
  #tabs;

  /** `show` gets the name of the tab that was chosen. */
  constructor(show) {
    this.#show = show;
    this.#tabs = SHOWINGS.map((showing) => {
      const count = h("span", { class: "count", part: "count" });
      const tab = h(
        "button",
        { type: "button", role: "tab", id: `tab-${showing}`, part: "tab", class: "tab", "aria-controls": "panel" },
        h("span"),
        count,
      );
      return { showing, tab, count };
    });
    this.element = h("div", { role: "tablist", class: "tabs", part: "tabs" }, ...this.#tabs.map(({ tab }) => tab));
    this.element.addEventListener("click", ({ target }) =>
      this.#choose(this.#tabs.findIndex(({ tab }) => tab.contains(target))),
    );
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  draw({ showing, summary: { selected, total, dropped }, filter }, labels) {
    const counts = { left: selected, hidden: total - selected, dropped, all: total };
    set(this.element, { "aria-label": labels.rows });
    for (const { showing: name, tab, count } of this.#tabs) {
      const number = labels.number(counts[name]);
      tab.hidden = name === "dropped" && filter.limit === undefined;
      tab.firstChild.textContent = labels[name];
      set(count, { "data-count": number });
      set(tab, { "aria-selected": String(name === showing), "aria-label": `${labels[name]}, ${number}` });
    }
    this.#rove(
      this.#tabs.findIndex((tab) => tab.showing === showing),
      false,
    );
  }

  #rove(at, focus) {
    rove(
      this.#tabs.map(({ tab }) => tab),
      at,
      focus,
    );
  }

  #choose(at) {
    if (at < 0) return;
    this.#show(SHOWINGS[at]);
    this.#rove(at, true);
  }

  #key(event) {
    const at = this.#tabs.findIndex(({ tab }) => tab === event.target);
    const across = step(event, this.element);
    const open = SHOWINGS.map((_, at) => at).filter((at) => !this.#tabs[at].tab.hidden);
    const { length } = open;
    const to = across ? (open.indexOf(at) + across + length) % length : { Home: 0, End: length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    this.#choose(open[to]);
  }
}
