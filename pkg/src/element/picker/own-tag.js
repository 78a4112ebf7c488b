// @ts-check
import { OWN } from "../../core/own-tags.js";
import { button, h, say, set } from "./dom.js";

/** The line below the tags that gives the active row an own tag of the person, or takes it. */
export class OwnTag {
  #host;
  #row;
  #labels;

  constructor(host) {
    this.#host = host;
    this.label = h("label", { for: "own-tag" });
    this.options = h("datalist", { id: "own-tags" });
    const attributes = { id: "own-tag", type: "text", list: "own-tags", spellcheck: "false", autocomplete: "off" };
    this.input = h("input", { part: "own", ...attributes });
    this.input.addEventListener("input", () => this.#say());
    this.input.addEventListener("change", (event) => event.stopPropagation());
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      // In a form, Enter would send it.
      event.preventDefault();
      this.#apply();
    });
    this.button = button("tag", () => this.#apply());
    this.element = h("div", { class: "own" }, this.label, this.input, this.options, this.button);
  }

  /** Draws the line for the row that is active in the list. */
  draw(row, labels) {
    this.#row = row;
    this.#labels = labels;
    const { taggable, disabled, picker } = this.#host;
    this.element.hidden = !taggable || !row;
    if (this.element.hidden) return;
    const own = picker.tags.filter((tag) => tag.own).map(({ title }) => title);
    if (own.join("\n") !== [...this.options.children].map(({ value }) => value).join("\n"))
      this.options.replaceChildren(...own.map((value) => h("option", { value })));
    say(this.label, labels.ownTag(row.title ?? row.name));
    set(this.input, { disabled });
    this.#say();
  }

  /** Whether the row has the tag in the field. */
  get #has() {
    return this.#row.tags.includes(OWN + this.input.value.trim());
  }

  #say() {
    const { disabled } = this.#host;
    say(this.button, this.#has ? this.#labels.removeTag : this.#labels.addTag);
    set(this.button, { disabled: disabled || this.input.value.trim() === "" });
  }

  #apply() {
    const tag = this.input.value.trim();
    if (tag !== "" && !this.#host.disabled) this.#host.retag(this.#row.name, tag, !this.#has);
  }
}
