import { h, set } from "./dom.js";

/** Concerns as segmented radio buttons; a range as a number. */
export class Concerns {
  #host;
  #shape;
  #fields = [];

  constructor(host) {
    this.#host = host;
    this.element = h("section", { part: "concerns", class: "facet concerns" });
    this.element.addEventListener("change", (event) => {
      event.stopPropagation(); // the element says itself what has changed
      const { concern, value } = { concern: event.target.dataset.concern, value: event.target.value };
      this.#host.act((picker) => picker.wish(concern, value === "" ? null : value));
    });
  }

  draw({ concerns, filter }, labels) {
    this.element.hidden = concerns.length === 0;
    const shape = JSON.stringify(concerns.map(({ options, ...declared }) => declared));
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#fields = concerns.map((concern) => (Array.isArray(concern.values) ? choices(concern, labels) : range(concern, labels)));
      this.element.replaceChildren(...this.#fields.map(({ element }) => element));
    }
    for (const [at, { name, options }] of concerns.entries()) {
      const { radios, counts, number, element } = this.#fields[at];
      element.disabled = this.#host.disabled;
      if (number) {
        const wanted = [filter.concerns?.[name] ?? ""].flat()[0];
        if (number.value !== wanted) number.value = wanted;
        continue;
      }
      const [any, ...rest] = radios;
      const chosen = options.map((option) => option.chosen);
      any.checked = !chosen.includes(true);
      rest.forEach((radio, index) => {
        radio.checked = chosen[index] === true;
        set(counts[index], { "data-count": labels.number(options[index].left) });
        set(radio.closest("label"), { "data-none": options[index].left === 0 });
      });
    }
  }
}

function legend({ name, description }) {
  return h("legend", { class: "title", part: "title" }, name, description ? h("small", {}, description) : "");
}

function choices(concern, labels) {
  const radio = (value) => h("input", { type: "radio", name: `concern.${concern.name}`, value, "data-concern": concern.name });
  const counts = concern.values.map(() => h("span", { class: "count", part: "count" }));
  const radios = ["", ...concern.values].map(radio);
  const options = radios.map((radio, at) => h("label", { part: "choice" }, radio, h("span", {},
    at === 0 ? labels.anything : concern.values[at - 1],
    at > 0 && concern.values[at - 1] === concern.default ? h("small", { class: "default", part: "default" }, ` (${labels.default})`) : "",
    at > 0 ? counts[at - 1] : "")));
  return { radios, counts, element: h("fieldset", { part: "concern" }, legend(concern), h("div", { class: "segments" }, ...options)) };
}

function range(concern, labels) {
  const { min, max, step = "any" } = concern.values;
  const number = h("input", { type: "number", min, max, step, placeholder: labels.anything, "data-concern": concern.name, part: "number" });
  const said = concern.default === undefined ? `${min} – ${max}` : `${min} – ${max} (${labels.default} ${concern.default})`;
  return { number, element: h("fieldset", { part: "concern" }, legend(concern), h("label", { class: "number" }, number, said)) };
}
