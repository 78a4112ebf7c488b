// @ts-check
import { h, say, set } from "./dom.js";

/**
 * A bar (WAI-ARIA: meter) of the used amount and, hatched, of the dropped amount, with marks at thresholds. Its values are
 * also beside it in words.
 */
export class Gauge {
  constructor(part) {
    this.text = h("span", { class: "reading", part: "reading" });
    this.used = h("span", { class: "used" });
    this.lost = h("span", { class: "lost" });
    this.marks = h("span", { class: "marks", "aria-hidden": "true" });
    this.track = h("span", { class: "track", role: "meter", part, "aria-valuemin": "0" }, this.used, this.lost);
    this.element = h("span", { class: "gauge" }, this.text, this.track, this.marks);
  }

  /**
   * Draws `used` and `lost` on a scale to `most`.
   * @param {{ label: string, text: string, used: number, lost: number, most: number, marks: readonly { at: number, text: string, own?: boolean }[] }} state
   */
  draw({ label, text, used, lost, most, marks }) {
    const share = (amount) => `${most > 0 ? Math.min(100, (100 * amount) / most) : 0}%`;
    say(this.text, text);
    set(this.track, {
      "aria-label": label,
      "aria-valuemax": Math.max(most, used),
      "aria-valuenow": used,
      "aria-valuetext": text,
      "data-beyond": used + lost > most,
    });
    this.used.style.setProperty("inline-size", share(used));
    this.lost.style.setProperty("inline-size", share(Math.min(lost, Math.max(0, most - used))));
    while (this.marks.children.length > marks.length) this.marks.lastChild?.remove();
    marks.forEach(({ at, text, own = false }, place) => {
      const mark = /** @type {HTMLElement} */ (this.marks.children[place] ?? this.marks.appendChild(h("span", {})));
      say(mark, text);
      set(mark, { class: own ? "mark own" : "mark" });
      mark.style.setProperty("inset-inline-start", share(at));
    });
  }
}
