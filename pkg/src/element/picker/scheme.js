// @ts-check
/** The lightness, from 0 to 1, below which a background is dark. */
const DARK = 0.5;
/** The opacity from which a background counts: what is behind it is hardly seen. */
const OPAQUE = 0.5;

/**
 * Returns the color scheme that the background behind an element asks for, `light` or `dark`. It is `undefined` if the element
 * has a color scheme, or is on no background.
 */
export function schemeAround(/** @type {HTMLElement} */ element) {
  if (!element.isConnected || getComputedStyle(element).colorScheme !== "normal") return undefined;
  for (let around = above(element); around; around = above(around)) {
    const { lightness, alpha } = read(getComputedStyle(around).backgroundColor);
    if (alpha >= OPAQUE) return lightness < DARK ? "dark" : "light";
  }
  return undefined;
}

/** Returns the element around another one, across shadow roots. */
function above(/** @type {Element} */ element) {
  const root = element.getRootNode();
  return element.assignedSlot ?? element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

/** Reads a computed color: `rgb(…)`, `oklch(…)`, `color(srgb …)` and the like. */
function read(/** @type {string} */ color) {
  const [name, inside = ""] = color.split("(");
  const [one = 0, two = 0, three = 0, alpha = 1] = (inside.match(/(?<![\w-])-?[\d.]+(e-?\d+)?/g) ?? [0, 0, 0, 0]).map(
    Number,
  );
  if (name.startsWith("ok")) return { lightness: one, alpha };
  if (name.startsWith("l")) return { lightness: one / 100, alpha };
  const most = name.startsWith("rgb") ? 255 : 1;
  return { lightness: (0.299 * one + 0.587 * two + 0.114 * three) / most, alpha };
}
