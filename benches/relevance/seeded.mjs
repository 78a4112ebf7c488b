// Random choices, the same in every run.
export { random as seeded } from "../generate.mjs";

/** Returns `count` random items in a random order. */
export function chosen(items, count, random) {
  const left = [...items];
  for (let at = 0; at < Math.min(count, left.length); at += 1) {
    const other = at + Math.floor(random() * (left.length - at));
    [left[at], left[other]] = [left[other], left[at]];
  }
  return left.slice(0, count);
}
