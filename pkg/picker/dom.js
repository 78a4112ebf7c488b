/** An element with attributes, of which `false` and `undefined` are none, and children; all of it is text or nodes. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  set(element, attributes);
  element.append(...children.filter((child) => child !== undefined && child !== false && child !== ""));
  return element;
}

/** Writes attributes that differ: what stays is not read out again. */
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
  items.forEach((item, at) => { item.tabIndex = at === to ? 0 : -1; });
  if (focus) items[to]?.focus();
}

/** `ArrowRight` is forwards, unless the text runs the other way. */
export function step(event, element) {
  const rtl = getComputedStyle(element).direction === "rtl";
  if (event.key === "ArrowRight") return rtl ? -1 : 1;
  if (event.key === "ArrowLeft") return rtl ? 1 : -1;
  return 0;
}
