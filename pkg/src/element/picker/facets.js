// @ts-check
import { Concerns } from "./concerns.js";
import { button, h, say, set } from "./dom.js";
import { Tree } from "./tree.js";
import { Tags } from "./values.js";

/** The groups, tags and concerns to choose from, and the button that folds them where the element is narrow. */
export class Facets {
  #sections;

  constructor(host) {
    this.tags = new Tags(host);
    this.#sections = [new Tree(host), this.tags, new Concerns(host)];
    this.button = button("filters", () => this.#unfold());
    set(this.button, { "aria-expanded": "false", "aria-controls": "facets" });
    const sections = this.#sections.map(({ element }) => element);
    this.element = h("div", { id: "facets", class: "facets", part: "facets" }, ...sections);
  }

  draw(picker, labels) {
    const { filter, summary } = picker;
    for (const section of this.#sections) section.draw(picker, labels);
    say(this.button, labels.filters(chosen(filter)));
    const none = summary.total === 0 || this.#sections.every(({ element }) => element.hidden);
    for (const part of [this.button, this.element]) part.hidden = none;
  }

  #unfold() {
    const open = this.button.getAttribute("aria-expanded") !== "true";
    set(this.button, { "aria-expanded": String(open) });
    set(this.element, { "data-open": open });
  }
}

/**
 * Returns the number of groups, tags and concerns in a filter.
 * @param {import("../../../types/index.js").AppliedFilter} filter
 */
function chosen({
  groups = [],
  tags = [],
  not = /** @type {import("../../../types/index.js").AppliedFilter["not"]} */ ({}),
  concerns = {},
}) {
  return [groups, tags, not.groups ?? [], not.tags ?? [], Object.keys(concerns)].flat().length;
}
