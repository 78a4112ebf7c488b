// @ts-check
// Suggestions for misspelt words, by the same rule as in the engine (`src/expr/nearest.rs`).

/** Longest word that is compared, in characters: time is quadratic. */
const LONGEST = 64;

/** Returns the candidate that `word` was probably meant to be: one that it begins, or one that differs in few letters. */
export function nearest(word, candidates) {
  const from = lettersOf(word);
  if (from.length > LONGEST) return undefined;
  // At most one wrong letter in three, and at least one, counts as a typo. More make another word.
  let least = Math.max(Math.floor(from.length / 3), 1) + 1;
  let found;
  for (const candidate of candidates) {
    const to = lettersOf(candidate).slice(0, LONGEST);
    const begun = from.length > 2 && from.every((letter, at) => letter === to[at]);
    const slips = begun ? 1 : distance(from, to);
    if (slips < Math.min(least, to.length)) [found, least] = [candidate, slips];
  }
  return found;
}

/** Returns the characters of a word. The case of ASCII letters is ignored. */
const lettersOf = (word) => [...word.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())];

/** Returns how many letters to add, drop, change or swap with their neighbour to turn one word into the other. */
function distance(from, to) {
  const rows = [Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= from.length; row += 1) {
    rows.push([row]);
    for (let at = 1; at <= to.length; at += 1) {
      const changed = rows[row - 1][at - 1] + (from[row - 1] === to[at - 1] ? 0 : 1);
      const swapped =
        row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1]
          ? rows[row - 2][at - 2] + 1
          : Infinity;
      rows[row].push(Math.min(changed, swapped, rows[row - 1][at] + 1, rows[row][at - 1] + 1));
    }
  }
  return rows[from.length][to.length];
}
