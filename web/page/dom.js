// @ts-check
/**
 * The element of the page with this id, which the page has.
 * @type {(id: string) => any}
 */
export const $ = (id) => document.getElementById(id);

export function h(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(
    ...children.filter((child) => child || child === 0).map((child) => (child.nodeType ? child : String(child))),
  );
  return element;
}

export const { format: number } = new Intl.NumberFormat("en");
