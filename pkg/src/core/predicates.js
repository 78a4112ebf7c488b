// @ts-check
// Policies as functions, made ready for the engine to ask.
import { KINDS, SieveError, place as placeOf } from "./error.js";
import { checkedOptions } from "./options.js";

const MEMBERS = ["name", "priority", "kinds", "failOpen", "test"];

/**
 * Predicates with their defaults, and their kinds as the engine's numbers.
 * @param {any} predicates
 * @param {string} code the code of the error for predicates that cannot be used
 */
export function checkedPredicates(predicates, code) {
  const refuse = (/** @type {string} */ message) => {
    throw new SieveError(code, message);
  };
  if (!Array.isArray(predicates)) refuse("predicates: expected an array of predicates");
  return predicates.map((/** @type {unknown} */ given, /** @type {number} */ at) => {
    const place = `predicates[${at}]`;
    const {
      name,
      priority = 0,
      kinds = KINDS,
      failOpen = false,
      test,
    } = checkedOptions(given, MEMBERS, { code, place });
    if (typeof name !== "string") refuse(`${place}: expected \`name\`, text`);
    if (priority !== (priority | 0)) refuse(`${place}: expected \`priority\`, a whole number`);
    if (!Array.isArray(kinds)) refuse(`${place}: expected \`kinds\`, an array of kinds`);
    if (typeof test !== "function") refuse(`${place}: expected \`test\`, a function`);
    const numbers = kinds.map((/** @type {string} */ kind) => placeOf(kind));
    return { name, priority, kinds: numbers, failOpen: failOpen === true, test };
  });
}

/**
 * Returns the predicates in the form that the engine calls. Their errors are passed to it as text.
 * @param {any} Judges
 * @param {import("../../types/sieve.js").CompileOptions} [options]
 */
export function judgesOf(Judges, { predicates, caller } = {}) {
  if (predicates === undefined || predicates === null) return undefined;
  const checked = checkedPredicates(predicates, "predicate");
  const judges = new Judges();
  for (const { name, priority, kinds, failOpen, test } of checked) {
    const asked = (json, kind, server) => {
      try {
        const shown = test(JSON.parse(json), { kind, server, ...(caller !== undefined && { caller }) });
        return typeof shown === "boolean" ? shown : `it returned ${typeof shown}, expected true or false`;
      } catch (error) {
        return String(error?.message ?? error);
      }
    };
    judges.add(name, priority, Uint8Array.from(kinds), failOpen, asked);
  }
  return judges;
}
