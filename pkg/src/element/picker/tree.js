// @ts-check
import { h, rove, say, set, step } from "./dom.js";
import { signs } from "./values.js";

const CHECKED = { on: "true", off: "false", mixed: "mixed", excluded: "false" };

/** The section of groups: below their servers if there are several, as a tree (WAI-ARIA: tree view, with checked items), with a button to exclude and to include each. */
export class Tree {
  #host;
  #items = [];
  #closed = new Set();
  #shape;
  #at = 0;
  #typed = { text: "", until: 0 };

  constructor(host) {
    this.#host = host;
    this.title = h("span", { id: "groups", class: "title", part: "title" });
    this.root = h("div", { role: "tree", class: "tree", part: "tree", "aria-labelledby": "groups" });
    this.element = h("section", { part: "groups", class: "facet" }, this.title, this.root);
    this.root.addEventListener("click", (event) => this.#click(event));
    this.root.addEventListener("keydown", (event) => this.#key(event));
    this.root.addEventListener("focusin", ({ target }) => {
      const at = this.#items.findIndex(({ element }) => element === target);
      if (at < 0) return;
      this.#at = at;
      this.#tab();
    });
  }

  draw(picker, labels) {
    const { groups } = picker;
    this.element.hidden = groups.length === 0;
    say(this.title, groups.some(({ isServer }) => isServer) ? labels.servers : labels.groups);
    const shape = JSON.stringify(groups.map(({ name, above, isServer }) => [name, above, isServer]));
    if (shape !== this.#shape) this.#build(groups, shape);
    for (const [at, group] of groups.entries()) this.#update(at, group, groups, labels);
    this.#tab();
  }

  #build(groups, shape) {
    this.#shape = shape;
    const siblings = (above) => groups.filter((group) => group.above === above);
    this.#items = groups.map((group, at) => {
      const around = siblings(group.above);
      const parent = groups.some(({ above }) => above === at);
      const parts = {
        twisty: h("span", { class: "twisty", "aria-hidden": "true", "data-do": "twist" }),
        text: h("span", { class: "text" }, group.title ?? group.name),
        count: h("span", { class: "count", part: "count" }),
        ...signs(),
      };
      const { twisty, text, count, not, must } = parts;
      const element = h(
        "div",
        {
          role: "treeitem",
          part: "group",
          class: "value",
          tabindex: "-1",
          title: group.description,
          "aria-level": group.level + 1,
          "aria-setsize": around.length,
          "aria-posinset": around.indexOf(group) + 1,
          "aria-keyshortcuts": "Space + -",
          "data-name": group.name,
        },
        twisty,
        text,
        count,
        h("span", { class: "signs" }, not, must),
      );
      element.style.setProperty("--_level", group.level);
      const key = JSON.stringify([group.server, group.isServer, group.name]);
      return { element, parent, above: group.above, key, title: group.title ?? group.name, ...parts };
    });
    this.root.replaceChildren(...this.#items.map(({ element }) => element));
    this.#at = Math.min(this.#at, Math.max(0, this.#items.length - 1));
  }

  #update(at, { name, title = name, isServer, state, members, left }, groups, labels) {
    const item = this.#items[at];
    const open = !this.#closed.has(item.key);
    const facet = isServer ? labels.server : labels.group;
    const kind = this.#host.kindWords;
    set(item.element, {
      "aria-checked": CHECKED[state],
      "aria-expanded": item.parent ? String(open) : undefined,
      "aria-label": [
        title,
        labels.of(labels.number(left), labels.count(members, kind)),
        state === "excluded" && labels.excluded,
      ]
        .filter(Boolean)
        .join(", "),
      "data-mark": { on: "must", excluded: "not" }[state] ?? "any",
      "data-none": left === 0,
      hidden: this.#folded(at),
    });
    set(item.count, { "data-count": labels.number(left) });
    const { disabled } = this.#host;
    set(item.not, {
      "aria-pressed": String(state === "excluded"),
      "aria-label": labels.exclude(facet, title),
      disabled,
    });
    set(item.must, { "aria-pressed": CHECKED[state], "aria-label": labels.include(facet, title), disabled });
  }

  #folded(at) {
    for (let above = this.#items[at].above; above !== undefined; above = this.#items[above].above) {
      if (this.#closed.has(this.#items[above].key)) return true;
    }
    return false;
  }

  #tab(focus = false) {
    rove(
      this.#items.map(({ element }) => element),
      this.#at,
      focus,
    );
  }

  #fold(at, closed) {
    const { key } = this.#items[at];
    if (closed) this.#closed.add(key);
    else this.#closed.delete(key);
    this.#host.redraw();
  }

  #click(event) {
    const at = this.#items.findIndex(({ element }) => element.contains(event.target));
    if (at < 0 || this.#host.disabled) return;
    this.#at = at;
    const { key, parent } = this.#items[at];
    const wanted = event.target.dataset.do;
    if (wanted === "twist" && parent) this.#fold(at, !this.#closed.has(key));
    else if (wanted === "not") this.#host.act((picker) => picker.exclude(picker.groups[at]));
    else this.#host.act((picker) => picker.toggle(picker.groups[at]));
    this.#tab(true);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.#host.disabled) return;
    const item = this.#items[this.#at];
    if (!item) return;
    const shown = this.#items.flatMap((_, at) => (this.#folded(at) ? [] : [at]));
    const place = shown.indexOf(this.#at);
    const go = (to) => {
      this.#at = shown[Math.max(0, Math.min(to, shown.length - 1))] ?? this.#at;
    };
    const open = item.parent && !this.#closed.has(item.key);
    const at = this.#at;
    const across = step(event, this.root);
    if (across > 0 && item.parent && !open) this.#fold(this.#at, false);
    else if (across > 0 && open) go(place + 1);
    else if (across < 0 && open) this.#fold(this.#at, true);
    else if (across < 0) this.#at = item.above ?? this.#at;
    else if (event.key === "ArrowDown") go(place + 1);
    else if (event.key === "ArrowUp") go(place - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(shown.length - 1);
    else if (event.key === " " || event.key === "Enter") this.#host.act((picker) => picker.toggle(picker.groups[at]));
    else if (event.key === "-") this.#host.act((picker) => picker.exclude(picker.groups[at]));
    else if (event.key === "+") this.#host.act((picker) => picker.toggle(picker.groups[at]));
    else if (event.key === "Delete" || event.key === "Backspace")
      this.#host.act((picker) => drop(picker, picker.groups[at]));
    else if (event.key === "*")
      this.#items.forEach((other, at) => {
        if (other.above === item.above && other.parent) this.#fold(at, false);
      });
    else if (event.key.length === 1) this.#type(event.key, shown, place);
    else return;
    event.preventDefault();
    this.#tab(true);
  }

  /** To the next group that begins with what was typed within a second. */
  #type(letter, shown, place) {
    const now = performance.now();
    const text = (now < this.#typed.until ? this.#typed.text : "") + letter.toLowerCase();
    this.#typed = { text, until: now + 1000 };
    const from = text.length > 1 ? place : place + 1;
    const turned = [...shown.slice(from), ...shown.slice(0, from)];
    this.#at = turned.find((at) => this.#items[at].title.toLowerCase().startsWith(text)) ?? this.#at;
  }
}

/** Takes a group out of the choice, whether it is included or excluded. */
function drop(picker, group) {
  if (group.state === "on") return picker.toggle(group);
  return group.state === "excluded" && picker.exclude(group);
}
