// @ts-check
import { h, isVisible, say, set, step } from "./dom.js";
import { Empty } from "./empty.js";

const COLUMNS = ["use", "name", "groups", "tokens", "favorite"];
/** Number of rows that are drawn above and below those in sight. */
const BEYOND = 6;

/**
 * The primitives as a grid of which only the rows in sight exist (WAI-ARIA: grid, `aria-activedescendant`). It is as high as its rows,
 * and scrolls with the page. Where the page sets a height for it, it scrolls by itself.
 */
export class List {
  #host;
  #picker;
  #labels;
  #rows = [];
  /** The rows that are on the page. */
  #shown = [];
  #titles = new Map();
  #count = 0;
  #height = 52;
  #at = 0;
  #column = 1;
  #waiting = false;

  #activated;

  /** `activated` gets the row that the keyboard is on, each time it is drawn. */
  constructor(host, activated) {
    this.#host = host;
    this.#activated = activated;
    this.header = h(
      "div",
      { role: "row", class: "row header", "aria-rowindex": "1" },
      ...COLUMNS.map((column) => h("span", { role: "columnheader", class: column })),
    );
    this.body = h("div", { role: "rowgroup", class: "body" });
    this.root = h(
      "div",
      { role: "grid", class: "grid", part: "list", tabindex: "0", "aria-readonly": "true" },
      h("div", { role: "rowgroup", class: "head" }, this.header),
      this.body,
    );
    this.empty = new Empty(() => {
      host.clear();
      this.root.focus();
    });
    this.element = h("div", { class: "list" }, this.root, this.empty.element);
    this.root.addEventListener("keydown", (event) => this.#key(event));
    this.body.addEventListener("click", (event) => this.#click(event));
    if (globalThis.ResizeObserver) new ResizeObserver(() => this.#soon()).observe(this.root);
  }

  /** Follows everything that may scroll the list, or ends that. A scroll event does not leave its shadow root. */
  follow(on) {
    const change = on ? "addEventListener" : "removeEventListener";
    globalThis[change]("resize", this.#soon);
    for (let node = this.root; node; node = node.getRootNode().host)
      node.getRootNode()[change]("scroll", this.#soon, { capture: true, passive: true });
  }

  draw(picker, labels) {
    this.#picker = picker;
    this.#labels = labels;
    this.#count = picker.summary.rows;
    COLUMNS.forEach((column, at) => say(this.header.children[at], labels.columns[column]));
    this.#titles = titles(picker.groups);
    set(this.element, {
      "data-grouped": picker.groups.some(({ isServer, members }) => !isServer && members > 0),
      "data-scrolls": getComputedStyle(this.#host).getPropertyValue("--mcp-sieve-list-height") !== "",
    });
    set(this.root, {
      "aria-rowcount": this.#count + 1,
      "aria-label": labels.list(this.#host.kindWords),
      hidden: this.#count === 0,
    });
    this.empty.draw(picker, this.#host.kindWords, labels);
    this.#at = Math.max(0, Math.min(this.#at, this.#count - 1));
    this.#window();
  }

  /** Scrolls to the first row, because the rows have changed. */
  rewind() {
    this.root.scrollTop = 0;
    this.#at = 0;
    if (this.root.getBoundingClientRect().top < 0) this.root.scrollIntoView();
  }

  #soon = () => {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      // The picker may have been replaced and freed meanwhile.
      if (this.#picker && this.#picker === this.#host.picker) this.#window();
    });
  };

  /** Returns the part of the rows that is in sight, in pixels from the first one. */
  #sight() {
    const [grid, { top }] = [this.root, this.body].map((element) => element.getBoundingClientRect());
    const from = Math.max(0, grid.top, top) - top;
    return [from, Math.max(from, Math.min(innerHeight, grid.bottom) - top)];
  }

  #window() {
    const height = this.#rows[0]?.element.offsetHeight;
    if (height) this.#height = height;
    this.body.style.blockSize = `${this.#count * this.#height}px`;
    const [top, bottom] = this.#sight();
    const from = Math.max(0, Math.min(this.#count, Math.floor(top / this.#height)) - BEYOND);
    const to = Math.min(this.#count, Math.ceil(bottom / this.#height) + BEYOND);
    const places = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
    const rows = this.#picker.rows(from, to);
    // The active row stays, even when it is scrolled out: a screen reader may be on it.
    if (this.#count > 0 && !places.includes(this.#at)) {
      places.push(this.#at);
      rows.push(...this.#picker.rows(this.#at, this.#at + 1));
    }
    while (this.#rows.length < places.length) this.#rows.push(this.#row());
    this.#shown = this.#rows.slice(0, places.length);
    this.#shown.forEach((row, at) => this.#fill(row, places[at], rows[at]));
    const elements = this.#shown.map(({ element }) => element);
    if (this.body.children.length !== elements.length) this.body.replaceChildren(...elements);
    this.#mark();
    if (!height && this.#rows[0]?.element.offsetHeight) this.#soon();
  }

  #row() {
    const use = h("span", { role: "checkbox", class: "widget box", part: "box", "data-do": "use" });
    const title = h("span", { class: "label" });
    const server = h("span", { class: "server", part: "server" });
    const name = h("code", { part: "code" });
    const note = h("span", { class: "note", part: "note" });
    const star = h("span", { role: "button", class: "widget star", part: "favorite", "data-do": "favorite" });
    const cells = [[use], [title, h("span", { class: "about" }, server, name, note)], [], [], [star]].map(
      (children, at) => h("span", { role: "gridcell", class: COLUMNS[at] }, ...children),
    );
    return {
      element: h("div", { role: "row", class: "row", part: "row" }, ...cells),
      cells,
      use,
      title,
      server,
      name,
      note,
      star,
    };
  }

  #fill(row, at, item) {
    if (!item) return;
    const { element, cells, use, title, server, name, note, star } = row;
    const labels = this.#labels;
    row.at = at;
    row.item = item;
    set(element, { "aria-rowindex": at + 2, "data-shown": String(item.shown) });
    element.style.transform = `translateY(${at * this.#height}px)`;
    // A tick means that a tool is used. The filter hides this one, and a tick would not show it again.
    set(use, {
      "aria-checked": String(item.shown),
      "aria-label": labels.enabled(item.name),
      "aria-disabled": String(this.#host.disabled || !switchable(item)),
    });
    say(title, item.title ?? item.name);
    say(server, item.server ?? "");
    say(name, item.title && letters(item.title) !== letters(item.name) ? item.name : "");
    const about = [item.pinned && labels.pinned, item.description].filter(Boolean).join(" · ");
    say(note, item.shown ? about : this.#why(item));
    const why = !item.shown && note.textContent;
    set(cells[1], { title: [item.title && item.name, item.description, why].filter(Boolean).join("\n") || undefined });
    const groups = this.#innermost(item.groups).join(", ");
    say(cells[2], groups);
    set(cells[2], { title: groups || undefined });
    say(cells[3], labels.number(item.tokens));
    set(star, { "aria-pressed": String(item.favorite), "aria-label": labels.favorite(item.name) });
    say(star, item.favorite ? "★" : "☆");
  }

  #why(item) {
    const title = (name) => this.#titles.get(name)?.title ?? name;
    return item.reasons.map((reason) => this.#labels.why(reason, title, item)).join(". ");
  }

  /** Returns the titles of groups, without groups that are above another one of them. */
  #innermost(names) {
    const above = new Set(names.flatMap((name) => this.#titles.get(name)?.above ?? []));
    return names.filter((name) => !above.has(name)).map((name) => this.#titles.get(name)?.title ?? name);
  }

  /** Marks the cell that the keyboard is on. */
  #mark() {
    for (const { at, cells, use, star } of this.#shown) {
      [use, cells[1], cells[2], cells[3], star].forEach((part, column) => {
        const active = at === this.#at && column === this.#column;
        set(part, { id: active ? "active" : undefined, "data-active": active });
      });
    }
    set(this.root, { "aria-activedescendant": this.#count > 0 ? "active" : undefined });
    this.#activated(this.#shown.find(({ at }) => at === this.#at)?.item);
  }

  #do(row, what) {
    if (this.#host.disabled) return;
    const { name, shown, rank, favorite } = row.item;
    // Where there is a limit, what is used is pinned, so that there is room for it.
    if (what === "use" && switchable(row.item))
      this.#host.act((picker) =>
        rank || picker.filter.limit ? picker.setUsed(name, !shown) : picker.setDisabled(name, shown),
      );
    if (what === "favorite") this.#host.act((picker) => picker.setFavorite(name, !favorite));
  }

  #click(event) {
    const row = this.#shown.find(({ element }) => element.contains(event.target));
    if (!row) return;
    this.#at = row.at;
    const cell = row.cells.findIndex((cell) => cell.contains(event.target));
    if (cell >= 0) this.#column = cell;
    this.#mark();
    this.#do(row, event.target.dataset.do);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.#count === 0) return;
    const [top, bottom] = this.#sight();
    const page = Math.max(1, Math.floor((bottom - top) / this.#height) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.#count, End: this.#count };
    const across = step(event, this.root);
    if (event.key in moves) this.#at = Math.max(0, Math.min(this.#at + moves[event.key], this.#count - 1));
    else if (across !== 0) this.#cross(across);
    else if (event.key === " " || event.key === "Enter") {
      const row = this.#shown.find(({ at }) => at === this.#at);
      if (row) this.#do(row, this.#column === COLUMNS.length - 1 ? "favorite" : "use");
    } else return;
    event.preventDefault();
    this.#window();
    this.#shown.find(({ at }) => at === this.#at)?.element.scrollIntoView({ block: "nearest" });
    this.#window();
  }

  /** Moves to the next column that is shown: narrow pickers hide one. */
  #cross(across) {
    const row = this.#shown.find(({ at }) => at === this.#at);
    for (let column = this.#column + across; row?.cells[column] !== undefined; column += across) {
      if (!isVisible(row.cells[column])) continue;
      this.#column = column;
      return;
    }
  }
}

/** Returns whether the tick of a row can be changed. It has no effect on a row that a filter hides. */
const switchable = ({ shown, off, rank }) => shown || off || rank !== null;

/** Returns the letters and digits of a text in lowercase, which are equal for a title and a name such as `list_issues`. */
const letters = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Returns the title of each group, and the names of the groups above it. */
function titles(groups) {
  const known = new Map();
  for (const { name, title = name, above } of groups) {
    const parent = groups[above];
    // A group is listed below each of its parents.
    const before = known.get(name)?.above ?? [];
    known.set(name, { title, above: parent ? [...before, parent.name, ...known.get(parent.name).above] : before });
  }
  return known;
}
