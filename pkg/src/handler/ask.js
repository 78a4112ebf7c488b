// @ts-check
// Calls of functions that the author of a Worker wrote. They may hang, and throw anything.

/** Milliseconds that one call of `identify`, of a check, of `key`, `listHeaders` or of the session store may take. */
export const MAX_WAIT_MS = 10_000;
/** Characters of a thrown value's text that reach the operator's note. */
const MAX_TEXT = 1_000;

/** An error that the core understands: it decides by `name`, and writes `message` to the operator's note. */
export function failure(name, message) {
  return Object.assign(new Error(message), { name });
}

/** The text of a thrown value. Getters and proxies may throw in their turn, and a `message` may be no text. */
export function textOf(thrown) {
  try {
    const message = thrown?.message;
    return (typeof message === "string" && message !== "" ? message : String(thrown)).slice(0, MAX_TEXT);
  } catch {
    return "a value without a text was thrown";
  }
}

/** Describes the type of a value in words. */
export function kindOf(value) {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  try {
    return `an object (${Object.prototype.toString.call(value).slice(8, -1)})`;
  } catch {
    return "an object";
  }
}

/** Resolves with the result of `work`. Rejects with `TimeoutError` if it takes longer than `ms` milliseconds. */
export async function within(ms, what, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(failure("TimeoutError", `${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves with the result of `work`. Anything it throws becomes an error with this `name`. */
export async function safely(what, work, name = "Error") {
  try {
    return await work();
  } catch (thrown) {
    throw failure(name, `${what} failed: ${textOf(thrown)}`);
  }
}

/** Resolves with the result of the author's function, within `MAX_WAIT_MS`. */
export const ask = (what, work, name) => within(MAX_WAIT_MS, what, () => safely(what, work, name));

/** Control characters, line separators, and characters without a shape, as `printable` of the engine escapes them. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The operator's note: one printable line, which may fail without harm to the request. */
export function noteOf(note) {
  const printable = (line) =>
    line.replaceAll(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
  return (line) => void (async () => note(printable(line)))().catch(() => {});
}
