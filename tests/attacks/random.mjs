// Random numbers from a seed, so that a failing attempt can be repeated.

/** Returns Mulberry32: 32 bits of state, the same sequence in every JavaScript engine. */
export function seeded(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count) => Math.floor(next() * count);
  const pick = (values) => values[below(values.length)];
  return {
    next,
    below,
    pick,
    chance: (share) => next() < share,
    /** Returns a text of `length` letters from `alphabet`. */
    text: (length, alphabet = "abcdefghijklmnopqrstuvwxyz") =>
      Array.from({ length }, () => pick([...alphabet])).join(""),
    shuffle: (values) => {
      const shuffled = [...values];
      for (let at = shuffled.length - 1; at > 0; at -= 1) {
        const other = below(at + 1);
        [shuffled[at], shuffled[other]] = [shuffled[other], shuffled[at]];
      }
      return shuffled;
    },
  };
}

/** Returns a seed for each class, so that a class makes the same attempts alone and among others. */
export function seedOf(seed, name) {
  let mixed = seed >>> 0;
  for (const letter of name) mixed = (Math.imul(mixed, 31) + letter.codePointAt(0)) >>> 0;
  return mixed;
}
