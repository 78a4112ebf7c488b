// What a class yields: attempts, which must be held off, and controls, which prove that a success would be seen.

/** An attempt. `request` describes it well enough to repeat it; `saw` is what the attacker got. */
export const tried = (request, held, saw) => ({ request, held: Boolean(held), saw });

/** A control: the same observation where it has to succeed. */
export const control = (what, works, saw) => ({ control: what, works: Boolean(works), saw });

/** A value as one short line. */
export function brief(value, length = 240) {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  return text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text;
}
