// @ts-check
import { h, say, set } from "./dom.js";

/** The section of presets: a button for each filter that has a name. */
export class Presets {
  #host;
  #pressed;

  constructor(host) {
    this.#host = host;
    this.title = h("span", { id: "presets", class: "title", part: "title" });
    this.group = h("div", { role: "group", class: "buttons", "aria-labelledby": "presets" });
    this.element = h("section", { class: "presets", part: "presets" }, this.title, this.group);
  }

  draw({ filter, summary }, presets, labels) {
    this.element.hidden = presets.length === 0 || summary.total === 0;
    say(this.title, labels.presets);
    while (this.group.children.length > presets.length) this.group.lastChild.remove();
    presets.forEach((preset, at) => {
      const element =
        this.group.children[at] ?? this.group.appendChild(h("button", { type: "button", part: "preset" }));
      const pressed = this.#pressed?.name === preset.name && this.#pressed.filter === JSON.stringify(filter);
      element.onclick = () =>
        this.#host.act((picker) => {
          // A second press takes the preset back.
          const changed = picker.set(pressed ? {} : preset.filter);
          this.#pressed = pressed ? undefined : { name: preset.name, filter: JSON.stringify(picker.filter) };
          return changed;
        });
      say(element, preset.title ?? preset.name);
      set(element, { "aria-pressed": String(pressed), disabled: this.#host.disabled });
    });
  }
}
