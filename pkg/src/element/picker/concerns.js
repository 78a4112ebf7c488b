// @ts-check
import { h, say, set } from "./dom.js";
import { Values } from "./values.js";

/** The section of concerns: listed values as rows, a range as a number. */
export class Concerns {
  #host;
  #shape;
  #fields = [];

  constructor(host) {
    this.#host = host;
    this.title = h("span", { id: "concerns", class: "title", part: "title" });
    this.body = h("div", { role: "group", class: "concerns", "aria-labelledby": "concerns" });
    this.element = h("section", { part: "concerns", class: "facet" }, this.title, this.body);
  }

  draw({ concerns, filter }, labels) {
    this.element.hidden = concerns.length === 0;
    say(this.title, labels.concerns);
    const shape = JSON.stringify(concerns.map(({ options, ...declared }) => declared));
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#fields = concerns.map((concern, at) =>
        Array.isArray(concern.values) ? this.#listed(concern, at) : this.#range(concern, at),
      );
      this.body.replaceChildren(...this.#fields.map(({ element }) => element));
    }
    this.#fields.forEach((field, at) => field.draw(concerns[at], filter, labels));
  }

  #listed({ name }, at) {
    const values = new Values(this.#host, "values", { "aria-labelledby": `concern-${at}` }, (picker, value, mark) => {
      const { options } = picker.concerns.find((concern) => concern.name === name);
      return picker.setConcern(name, wanted(options, value, mark));
    });
    const legend = title(at);
    const draw = (concern, _, labels) => {
      legend.draw(concern);
      const marks = marked(concern.options);
      const note = (value) => (value === concern.default ? `(${labels.default})` : undefined);
      values.draw(
        name,
        concern.options.map(({ value, left }, at) => ({ name: value, note: note(value), mark: marks[at], left })),
        labels,
      );
    };
    return { element: h("section", { part: "concern" }, legend.element, values.element), draw };
  }

  #range({ name, values: { min, max, step = "any" } }, at) {
    const number = h("input", {
      type: "number",
      min,
      max,
      step,
      part: "number",
      "aria-labelledby": `concern-${at}`,
      "aria-describedby": `range-${at}`,
    });
    number.addEventListener("change", (event) => {
      event.stopPropagation(); // the element fires a `change` of its own
      this.#host.act((picker) => picker.setConcern(name, number.value === "" ? null : number.value));
    });
    const bounds = h("span", { id: `range-${at}` });
    const legend = title(at);
    const draw = (concern, filter, labels) => {
      legend.draw(concern);
      set(number, { placeholder: labels.anything, disabled: this.#host.disabled });
      say(
        bounds,
        concern.default === undefined ? `${min} – ${max}` : `${min} – ${max} (${labels.default} ${concern.default})`,
      );
      const value = [filter.concerns?.[name] ?? ""].flat()[0];
      if (number.value !== value) number.value = value;
    };
    return {
      element: h("section", { part: "concern" }, legend.element, h("div", { class: "number" }, number, bounds)),
      draw,
    };
  }
}

function title(at) {
  const [name, description] = [
    h("span", { id: `concern-${at}`, class: "subtitle", part: "subtitle" }),
    h("small", { class: "about" }),
  ];
  const draw = (concern) => {
    say(name, concern.name);
    say(description, concern.description ?? "");
  };
  return { element: h("div", {}, name, description), draw };
}

/**
 * Returns the state of each value. A filter lists the values that it allows: a required value is the only one listed, and an
 * excluded one is missing from the list. An empty list allows every value.
 */
function marked(options) {
  const allowed = options.filter(({ chosen }) => chosen);
  const mark = ({ chosen }) => (!chosen ? "not" : allowed.length === 1 ? "must" : "any");
  return options.map((option) => (allowed.length === 0 ? "any" : mark(option)));
}

/** The values to ask for so that `value` is required, excluded or neither; `null` for every value. */
function wanted(options, value, mark) {
  if (mark === "must") return [value];
  const all = options.map((option) => option.value);
  const chosen = options.filter((option) => option.chosen).map((option) => option.value);
  if (mark === "any" && chosen.includes(value)) return chosen.length === 1 ? null : chosen;
  const allowed = chosen.length > 0 ? chosen : all;
  const next = all.filter((other) => (other === value ? mark === "any" : allowed.includes(other)));
  // The only value that was allowed is excluded: the others are allowed then.
  const left = next.length > 0 ? next : all.filter((other) => other !== value);
  return left.length === all.length ? null : left;
}
