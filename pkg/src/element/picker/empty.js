// @ts-check
import { button, h, say } from "./dom.js";

/** Rows drawn while there is nothing to show yet. */
const BONES = 12;

/** Grey bars in the place of what is loaded. */
export const bones = () =>
  h("div", { class: "bones", part: "skeleton", "aria-hidden": "true" }, ...Array.from({ length: BONES }, () => h("i")));

/** The replacement of an empty list: the reason, and a button that resolves it. */
export class Empty {
  #text = h("span");

  /** `clear` is called for the button that clears the filters. */
  constructor(clear) {
    this.clear = button("clear-filters", clear);
    this.element = h("p", { class: "none", part: "none" }, this.#text, this.clear);
  }

  draw({ showing, words, summary: { rows, total, selected } }, kind, labels) {
    this.element.hidden = rows > 0;
    const searching = words.trim() !== "";
    const unmatched = searching
      ? labels.notFound(words, kind)
      : ({ hidden: labels.noneHidden, dropped: labels.noneDropped }[showing] ?? labels.noMatch)(kind);
    say(this.#text, rows > 0 ? "" : total === 0 ? labels.nothing(kind) : unmatched);
    this.clear.hidden = selected > 0 || total === 0 || searching || showing === "dropped";
    say(this.clear, labels.clear);
  }
}
