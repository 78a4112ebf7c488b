// @ts-check
import { button, h, say, set } from "./dom.js";
import { Gauge } from "./gauge.js";

/** The end of a scale, as a multiple of its last mark. */
const BEYOND = 1.2;

/**
 * The section of the budget: a line with bars of what is used, which opens bounds to edit, what hosts take, and the tokens of each
 * disclosure mode.
 */
export class Budget {
  #host;
  #fields;

  constructor(host) {
    this.#host = host;
    this.title = h("span", { id: "budget", class: "title", part: "title" });
    this.#fields = ["count", "tokens"].map((bound) => this.#field(bound));
    this.tools = new Gauge("meter");
    this.tokens = new Gauge("meter");
    this.line = h(
      "summary",
      { class: "line", part: "budget-line" },
      this.title,
      " ",
      h("span", { class: "gauges" }, this.tools.element, " ", this.tokens.element),
    );
    this.hosts = h("ul", { class: "hosts", part: "hosts" });
    this.dropped = button("dropped", () => host.show("dropped"));
    this.modesTitle = h("span", { id: "disclosure", class: "muted" });
    this.modes = h("ul", { class: "modes", part: "modes", "aria-labelledby": "disclosure" });
    this.element = h(
      "section",
      { class: "budget", part: "budget", "aria-labelledby": "budget" },
      h(
        "details",
        {},
        this.line,
        h("div", { class: "bounds" }, ...this.#fields.map(({ element }) => element), this.dropped),
        this.hosts,
        h("div", { class: "disclosure" }, this.modesTitle, this.modes),
      ),
    );
  }

  #field(bound) {
    const input = h("input", {
      type: "number",
      min: 1,
      step: 1,
      inputmode: "numeric",
      id: `most-${bound}`,
      part: "number",
    });
    const label = h("label", { for: `most-${bound}` });
    const field = { bound, input, label, isEdited: false, element: h("span", { class: "bound" }, label, input) };
    input.addEventListener("input", () => {
      field.isEdited = true;
    });
    input.addEventListener("change", (event) => {
      event.stopPropagation(); // the element fires a `change` of its own
      field.isEdited = false;
      const most = input.value === "" ? null : input.valueAsNumber;
      this.#host.act((picker) => picker.setLimit({ ...picker.filter.limit, [bound]: most }));
    });
    input.addEventListener("blur", () => {
      if (!field.isEdited) return;
      field.isEdited = false; // no `change` is fired if the text is as it was
      this.#host.redraw();
    });
    return field;
  }

  draw(picker, labels) {
    const { summary, filter, kind } = picker;
    const { budget, thresholds, kindWords, disabled } = this.#host;
    const { limit } = filter;
    this.element.hidden = (!budget && limit === undefined) || summary.total === 0;
    if (this.element.hidden) return;
    say(this.title, labels.budget);
    for (const { bound, input, label, isEdited } of this.#fields) {
      say(label, bound === "count" ? labels.maxTools(kindWords) : labels.maxTokens);
      set(input, { placeholder: labels.anything, disabled });
      const most = String(limit?.[bound] ?? "");
      // Another tab may change the choice while a person types a number.
      if (!isEdited && input.value !== most) input.value = most;
    }
    say(this.dropped, labels.showDropped(summary.dropped, kindWords));
    this.dropped.hidden = summary.dropped === 0;
    const hosts = kind === "tools" ? thresholds : [];
    this.#gauges(summary, limit, hosts, labels);
    this.#hosts(summary, hosts, labels);
    this.#modes(picker.disclosure, labels);
  }

  #gauges({ selected, tokens, totalTokens, candidates, candidateTokens, exact }, limit, hosts, labels) {
    const { kindWords } = this.#host;
    const own = (most) => (most === undefined ? [] : [{ at: most, text: "", own: true }]);
    const scale = (...ends) => Math.ceil(Math.max(1, ...ends.map((end) => end ?? 0)));
    this.tools.draw({
      label: labels.usedTools(kindWords),
      text: labels.reading(selected, candidates, labels.count(candidates, kindWords), limit?.count),
      used: selected,
      lost: candidates - selected,
      most: hosts.length > 0 ? scale(BEYOND * Math.max(...hosts, limit?.count ?? 0)) : scale(candidates, limit?.count),
      marks: [...hosts.map((at) => ({ at, text: labels.number(at) })), ...own(limit?.count)],
    });
    this.tokens.draw({
      label: labels.usedTokens,
      text: labels.reading(tokens, candidateTokens, labels.tokens(candidateTokens, exact), limit?.tokens),
      used: tokens,
      lost: candidateTokens - tokens,
      most: scale(totalTokens, BEYOND * (limit?.tokens ?? 0)),
      marks: own(limit?.tokens),
    });
  }

  #hosts({ selected }, thresholds, labels) {
    this.hosts.hidden = thresholds.length === 0;
    list(this.hosts, thresholds, (item, most) => {
      set(item, { "data-fits": String(selected <= most) });
      say(item, selected <= most ? labels.fits(most) : labels.exceeds(most, selected - most));
    });
  }

  #modes(modes, labels) {
    say(this.modesTitle, labels.disclosure);
    /** @type {HTMLElement} */ (this.modes.parentElement).hidden = modes.length === 0;
    list(this.modes, modes, (item, { mode, tools, tokens, exact }) => {
      set(item, { "data-mode": mode });
      const [name, about] = labels.modes[mode];
      set(item, { title: `${labels.count(tools, labels.kinds.tools)}. ${about}` });
      if (item.children.length === 0) item.append(h("span"), " ", h("b"));
      say(item.firstChild, name);
      say(item.lastChild, labels.size(tokens, exact));
    });
  }
}

/** Draws one item for each value, in place. */
function list(element, values, draw) {
  while (element.children.length > values.length) element.lastChild.remove();
  values.forEach((value, at) => draw(element.children[at] ?? element.appendChild(h("li")), value));
}
