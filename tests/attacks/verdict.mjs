// The steps that a class yields: attempts, which must fail, and controls, which prove that a success would be detected.

/** Returns an attempt. `request` describes it well enough to repeat it; `saw` is what the attacker received. */
export const tried = (request, held, saw) => ({ request, held: Boolean(held), saw });

/** Returns a control: the same observation in a case that must succeed. */
export const control = (what, works, saw) => ({ control: what, works: Boolean(works), saw });

/** Returns a value as one short line. */
export function brief(value, length = 240) {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  return text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text;
}
