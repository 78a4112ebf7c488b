// @ts-check
/**
 * The attributes of bounds, by their names in a filter.
 * @type {Record<string, string>}
 */
export const BOUNDS = { count: "max-tools", tokens: "max-tokens" };

/** The highest limit of a filter. */
const MOST = 2 ** 32 - 1;

/**
 * The bound that an attribute gives: a whole number from 1 to 4,294,967,295. Any other text is none.
 * @param {Element} element
 * @param {string} bound
 */
export function boundOf(element, bound) {
  const most = Number(element.getAttribute(BOUNDS[bound] ?? ""));
  return Number.isInteger(most) && most > 0 && most <= MOST ? most : undefined;
}

/**
 * Returns a filter with another bound; without it, if `most` is `undefined`.
 * @param {Record<string, any>} filter
 * @param {string} bound
 * @param {number | undefined} most
 */
export function limited({ limit, ...others }, bound, most) {
  const { [bound]: _, ...left } = limit ?? {};
  const bounds = most === undefined ? left : { ...left, [bound]: most };
  return Object.keys(bounds).length > 0 ? { ...others, limit: bounds } : others;
}

/**
 * A filter with the bounds of the attributes, unless it has a limit.
 * @param {Element} element
 * @param {Record<string, any>} filter
 */
export function bounded(element, filter) {
  const { limit: given, ...others } = filter;
  const limit = given ?? {};
  const limited = Object.keys(limit).length > 0;
  const bounds = Object.keys(BOUNDS).map((bound) => [
    bound,
    limited ? (limit[bound] ?? undefined) : boundOf(element, bound),
  ]);
  const set = bounds.filter(([, most]) => most !== undefined);
  return set.length > 0 ? { ...others, limit: Object.fromEntries(set) } : others;
}

/** Returns whether two filters say the same. The order of members and lists does not count, and a list of one value is that value. */
export const same = (one, other) => normal(one) === normal(other);

const normal = (filter) =>
  JSON.stringify(filter, (_, value) => {
    if (Array.isArray(value)) return value.length === 1 ? value[0] : [...value].sort();
    return value && typeof value === "object" ? Object.fromEntries(Object.entries(value).sort()) : value;
  });
