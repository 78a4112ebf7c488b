// @ts-check
/** An element with attributes, of which `false` and `undefined` are none, and children; all of it is text or nodes. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  set(element, attributes);
  element.append(...children.filter((child) => child !== undefined && child !== false && child !== ""));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** A drawing of 16 by 16 in the colour of the text beside it. It has no name: the button around it has. */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  const line = svg.appendChild(document.createElementNS(SVG, "path"));
  set(svg, { viewBox: "0 0 16 16", "aria-hidden": "true", class: "icon" });
  set(line, { d: path });
  return svg;
}

/** A button, and what happens when it is clicked. */
export function button(part, action, ...children) {
  const element = h("button", { type: "button", part: `button ${part}`, class: part }, ...children);
  element.addEventListener("click", action);
  return element;
}

/** Writes attributes that differ, so that unchanged ones are not announced again. */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === undefined || value === null) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? "" : value);
  }
}

export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Moves the one tab stop among `items`, and the focus with it. */
export function rove(items, to, focus = true) {
  items.forEach((item, at) => {
    item.tabIndex = at === to ? 0 : -1;
  });
  if (focus) items[to]?.focus();
}

/** `ArrowRight` is forwards, unless the text runs the other way. */
export function step(event, element) {
  const rtl = getComputedStyle(element).direction === "rtl";
  if (event.key === "ArrowRight") return rtl ? -1 : 1;
  if (event.key === "ArrowLeft") return rtl ? 1 : -1;
  return 0;
}

/** Returns whether an element is in the page and not hidden. */
export const isVisible = (element) => element.isConnected && element.getClientRects().length > 0;

/**
 * Draws, and keeps the keyboard where it was: on an element that was made anew under the same name, otherwise on the first one
 * left in its section, otherwise on the selected tab. Without it, an element that is hidden or removed leaves the focus at the
 * start of the page.
 * @param {ShadowRoot} root
 * @param {() => void} draw
 */
export function focusKept(root, draw) {
  const focused = /** @type {HTMLElement | null} */ (root.activeElement);
  const section = focused?.closest("section, .results");
  const name = /** @type {HTMLElement | null | undefined} */ (focused?.closest("[data-name]"))?.dataset.name;
  draw();
  if (!focused || isVisible(focused)) return;
  const again = [...(section?.querySelectorAll("[data-name]") ?? [])].find(
    (element) => /** @type {HTMLElement} */ (element).dataset.name === name,
  );
  const sign = focused.dataset.do && again?.querySelector(`[data-do="${focused.dataset.do}"]`);
  const stops = "input, button:not([tabindex='-1']), [tabindex='0']";
  const next = [
    sign || again,
    ...(section?.querySelectorAll(stops) ?? []),
    ...root.querySelectorAll(".tab[tabindex='0']"),
  ];
  const target = next.find((element) => element && isVisible(element));
  /** @type {HTMLElement | undefined} */ (target)?.focus();
}
