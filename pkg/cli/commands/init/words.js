// @ts-check
// Counts and names in sentences.

/** Maximum number of names that a message lists. */
const MAX_NAMES = 3;

/** A count of things, such as "2 groups". */
export const several = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** The first of some names, and how many more there are. */
export const some = (names) =>
  `${names.slice(0, MAX_NAMES).join(", ")}${names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ""}`;
