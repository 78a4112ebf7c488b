// @ts-check
/**
 * Returns the properties that a page has set on an element before its class was defined, and removes them: they hide the
 * properties of the class, to which the caller then assigns them.
 */
export function takeEarly(element, { prototype }) {
  const names = Object.keys(element).filter((name) => Object.getOwnPropertyDescriptor(prototype, name)?.set);
  const early = Object.fromEntries(names.map((name) => [name, element[name]]));
  for (const name of names) delete element[name];
  return early;
}
