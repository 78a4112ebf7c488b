import { h, rove, say, set, step } from "./dom.js";

const NEXT = { any: "must", must: "not", not: "any" };
const KEYS = { "+": "must", "-": "not", Delete: "any", Backspace: "any" };

/** Tags as chips of three states in a toolbar with one tab stop. */
export class Chips {
  #host;
  #items = [];
  #shape;
  #at = 0;

  constructor(host) {
    this.#host = host;
    this.title = h("span", { id: "tags", class: "title", part: "title" });
    this.root = h("div", { role: "toolbar", class: "chips", part: "chips", "aria-labelledby": "tags" });
    this.element = h("section", { part: "tags", class: "facet" }, this.title, this.root);
    this.root.addEventListener("click", (event) => this.#click(event));
    this.root.addEventListener("keydown", (event) => this.#key(event));
    this.root.addEventListener("focusin", ({ target }) => {
      const at = this.#items.findIndex(({ element }) => element === target);
      if (at < 0) return;
      this.#at = at;
      rove(this.#items.map(({ element }) => element), at, false);
    });
  }

  draw({ tags }, labels) {
    this.element.hidden = tags.length === 0;
    say(this.title, labels.tags);
    set(this.root, { "aria-description": labels.tagsHint });
    const shape = JSON.stringify(tags.map(({ name }) => name));
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#items = tags.map(({ name, description }) => {
        const count = h("span", { class: "count", part: "count" });
        const element = h("button", { type: "button", part: "tag", class: "chip", title: description || undefined, "data-name": name }, name, count);
        return { name, count, element };
      });
      this.root.replaceChildren(...this.#items.map(({ element }) => element));
    }
    for (const [at, { name, mark, left }] of tags.entries()) {
      const { element, count } = this.#items[at];
      const said = [name, mark !== "any" && labels[mark], labels.count(left, this.#host.kindWords)].filter(Boolean).join(", ");
      set(element, { "aria-pressed": String(mark !== "any"), "aria-label": said, "data-mark": mark, disabled: this.#host.disabled });
      set(count, { "data-count": labels.number(left) });
    }
    this.#at = Math.min(this.#at, Math.max(0, this.#items.length - 1));
    rove(this.#items.map(({ element }) => element), this.#at, false);
  }

  #mark(at, change) {
    const { name } = this.#items[at];
    this.#host.act((picker) => picker.mark(name, change(picker.tags[at].mark)));
  }

  #click(event) {
    const at = this.#items.findIndex(({ element }) => element.contains(event.target));
    if (at < 0) return;
    this.#at = at;
    this.#mark(at, (mark) => NEXT[mark]);
    rove(this.#items.map(({ element }) => element), at);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const across = step(event, this.root);
    if (across !== 0) this.#at = (this.#at + across + this.#items.length) % this.#items.length;
    else if (event.key === "Home") this.#at = 0;
    else if (event.key === "End") this.#at = this.#items.length - 1;
    else if (event.key in KEYS) this.#mark(this.#at, () => KEYS[event.key]);
    else return;
    event.preventDefault();
    rove(this.#items.map(({ element }) => element), this.#at);
  }
}
