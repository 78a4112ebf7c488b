// @ts-check
import { button, h, icon, say, set } from "./dom.js";

const UNDO = "M6.5 3 3 6.5 6.5 10M3 6.5h6.2a3.3 3.3 0 0 1 0 6.6H6";
const REDO = "M9.5 3 13 6.5 9.5 10M13 6.5H6.8a3.3 3.3 0 0 0 0 6.6H10";

/** The bar at the top: how much is selected, and the buttons that undo, redo and clear the choice. */
export class Bar {
  #host;
  #status = h("output", { role: "status", "aria-live": "polite", class: "status", part: "status" });
  #undo;
  #redo;
  #clear;

  constructor(host) {
    const step = (part, action, path) => button(part, action, icon(path), h("span"));
    this.#host = host;
    this.#undo = step("undo", () => host.undo(), UNDO);
    this.#redo = step("redo", () => host.redo(), REDO);
    this.#clear = button("clear", () => host.clear());
    const steps = h("span", { class: "steps" }, ...this.#steps);
    this.element = h("div", { class: "bar", part: "bar" }, this.#status, steps);
  }

  get #steps() {
    return [this.#undo, this.#redo, this.#clear];
  }

  /** Shows a text and no buttons, while there is nothing to choose from. */
  drawEmpty(text) {
    for (const step of this.#steps) step.hidden = true;
    say(this.#status, text);
  }

  draw({ summary, filter }, labels) {
    const { disabled, kindWords } = this.#host;
    for (const step of this.#steps) step.hidden = false;
    say(this.#status, labels.selected(summary, kindWords));
    for (const [element, label, steps] of [
      [this.#undo, labels.undo, summary.undo],
      [this.#redo, labels.redo, summary.redo],
    ]) {
      say(element.lastChild, label);
      set(element, { title: label, disabled, "aria-disabled": String(steps === 0) });
    }
    say(this.#clear, labels.clear);
    // Not `disabled`: the button that was just pressed keeps the focus.
    set(this.#clear, { disabled, "aria-disabled": String(Object.keys(filter).length === 0) });
  }
}
