// @ts-check
// The author's functions for callers: they return claims, and check callers.
import { ask, failure, kindOf, textOf } from "./ask.js";
import { CheckResult } from "./check-result.js";

/** The message for a caller that a check refuses without a text. */
const REFUSED = "refused";

/**
 * The claims of the caller as JSON; `undefined` for a stranger. Fails with `Unauthorized` for a caller that `identify`
 * throws about, and with `ClaimsError` for claims that policies could not read: a policy such as `-claim.banned:true`
 * would pass a caller whose claims were left out.
 */
export async function claimsOf(identify, request, env) {
  if (identify === undefined) return undefined;
  const claims = await ask("`identify`", () => identify(request, env), "Unauthorized");
  if (claims === undefined || claims === null) return undefined;
  try {
    const text = JSON.stringify(claims, readable);
    if (text?.startsWith("{")) return text;
  } catch (thrown) {
    throw failure("ClaimsError", `\`identify\` returned claims that JSON cannot hold: ${textOf(thrown)}`);
  }
  throw failure("ClaimsError", `\`identify\` returned ${kindOf(claims)}, expected a plain object of claims`);
}

/** Refuses what JSON would leave out or change without a word, such as a `Map`. Dates, whose `toJSON` came first, are text. */
function readable(key, value) {
  const of = key === "" ? "the claims" : `claim \`${key}\``;
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !isPlain(value))
    throw new TypeError(`${of} is ${kindOf(value)}, expected a plain object`);
  if (typeof value === "function" || typeof value === "symbol") throw new TypeError(`${of} is a ${typeof value}`);
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`${of} is ${value}`);
  return value;
}

/** Whether it has no class, in this realm or another. */
function isPlain(value) {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Runs the checks in turn. Returns the message of the first one that refuses the caller, or `undefined` if all pass. */
export async function refusalOf(checks, caller, note) {
  for (const { name, check } of checks) {
    const result = await ask(`check \`${name}\``, () => check(caller));
    const given = result instanceof CheckResult ? (result.message() ?? true) : result;
    if (given === undefined || given === true) continue;
    if (typeof given === "string") return given || REFUSED;
    if (given !== false)
      note(
        `check \`${name}\` returned ${kindOf(given)}, expected undefined, true, false or a text; the caller was refused`,
      );
    return REFUSED;
  }
}
