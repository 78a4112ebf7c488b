// @ts-check
import { h, rove, say, set, step } from "./dom.js";
import { OwnTag } from "./own-tag.js";

const KEYS = { "+": "must", "-": "not", Delete: "any", Backspace: "any" };

/** The button that excludes something, and the one that requires it. */
export function signs() {
  const sign = (mark, part) =>
    h("button", { type: "button", class: `sign ${mark}`, part: `sign ${part}`, tabindex: "-1", "data-do": mark });
  return { not: sign("not", "exclude"), must: sign("must", "require") };
}

/**
 * Tags, or the values of a concern: a row each, with a button to exclude it and one to require it. The buttons are a
 * toolbar with one tab stop: arrows go from one to the next, `+`, `-` and `Delete` set the value that the focus is on.
 */
export class Values {
  #host;
  #mark;
  #rows = [];
  #buttons = [];
  #shape;
  #at = 0;

  /** `mark` makes a choice: it gets the picker, the name of a value, and `any`, `must` or `not`. */
  constructor(host, part, attributes, mark) {
    this.#host = host;
    this.#mark = mark;
    this.element = h("div", { role: "toolbar", class: "values", part, ...attributes });
    this.element.addEventListener("click", (event) => this.#click(event));
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("focusin", ({ target }) => {
      const at = this.#buttons.indexOf(target);
      if (at < 0) return;
      this.#at = at;
      rove(this.#buttons, at, false);
    });
  }

  /** Draws `values`, each `{name, title?, description?, note?, mark, left}`; `facet` is what they are values of. */
  draw(facet, values, labels) {
    const shape = JSON.stringify(values.map(({ name, title, note }) => [name, title, note]));
    if (shape !== this.#shape) this.#build(values, shape);
    values.forEach(({ name, title = name, mark, left }, at) => {
      const { element, count, not, must } = this.#rows[at];
      const { disabled, kindWords } = this.#host;
      this.#rows[at].now = mark;
      set(element, { "data-mark": mark, "data-none": left === 0 });
      set(count, { "data-count": labels.number(left) });
      set(not, { "aria-pressed": String(mark === "not"), "aria-label": labels.exclude(facet, title), disabled });
      set(must, {
        "aria-pressed": String(mark === "must"),
        "aria-label": `${labels.require(facet, title)}, ${labels.count(left, kindWords)}`,
        disabled,
      });
    });
    this.#at = Math.min(this.#at, Math.max(0, this.#buttons.length - 1));
    rove(this.#buttons, this.#at, false);
  }

  #build(values, shape) {
    this.#shape = shape;
    this.#rows = values.map(({ name, title = name, description, note }) => {
      const count = h("span", { class: "count", part: "count" });
      const text = h("span", { class: "text" }, title, note ? h("small", { part: "default" }, ` ${note}`) : "");
      const { not, must } = signs();
      const element = h(
        "div",
        { class: "value", part: "value", title: description || undefined, "data-name": name },
        text,
        count,
        h("span", { class: "signs" }, not, must),
      );
      return { name, element, count, not, must };
    });
    this.#buttons = this.#rows.flatMap(({ not, must }) => [not, must]);
    this.element.replaceChildren(...this.#rows.map(({ element }) => element));
  }

  #choose(at, mark) {
    this.#host.act((picker) => this.#mark(picker, this.#rows[at].name, mark));
  }

  #click({ target }) {
    const at = this.#rows.findIndex(({ element }) => element.contains(target));
    if (at < 0) return;
    const { now, not } = this.#rows[at];
    const mark = target === not ? "not" : "must";
    this.#at = 2 * at + (mark === "not" ? 0 : 1);
    this.#choose(at, mark === now ? "any" : mark);
    rove(this.#buttons, this.#at);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { length } = this.#buttons;
    const across = step(event, this.element) || { ArrowDown: 2, ArrowUp: -2 }[event.key];
    if (across) this.#at = (this.#at + across + length) % length;
    else if (event.key === "Home") this.#at = 0;
    else if (event.key === "End") this.#at = length - 1;
    else if (event.key in KEYS) this.#choose(this.#at >> 1, KEYS[event.key]);
    else return;
    event.preventDefault();
    rove(this.#buttons, this.#at);
  }
}

/** The section of tags. */
export class Tags {
  #host;
  #values;

  constructor(host) {
    this.title = h("span", { id: "tags", class: "title", part: "title" });
    this.#values = new Values(host, "values", { "aria-labelledby": "tags" }, (picker, tag, mark) =>
      picker.mark(tag, mark),
    );
    this.#host = host;
    this.own = new OwnTag(host);
    this.element = h("section", { part: "tags", class: "facet" }, this.title, this.#values.element, this.own.element);
  }

  draw({ tags }, labels) {
    this.element.hidden = tags.length === 0 && !this.#host.taggable;
    say(this.title, labels.tags);
    const noted = tags.map((tag) => (tag.own ? { ...tag, note: labels.own } : tag));
    this.#values.draw(labels.tag, noted, labels);
  }
}
