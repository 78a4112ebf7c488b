// @ts-check
// Policies as functions, made ready for the engine to ask.
import { KINDS, SieveError, place } from "./error.js";

/**
 * Predicates as the engine asks them; what they throw goes over as text, for which it has no answer of its own.
 * @param {any} Judges
 * @param {import("../../types/sieve.js").CompileOptions} [options]
 */
export function judgesOf(Judges, { predicates, caller } = {}) {
  if (predicates === undefined || predicates === null) return undefined;
  if (!Array.isArray(predicates)) throw new SieveError("predicate", "expected an array of predicates");
  const checked = predicates.map(({ name, priority = 0, kinds = KINDS, failOpen = false, test } = {}, at) => {
    const refuse = (expected) => {
      throw new SieveError("predicate", `predicates[${at}]: expected ${expected}`);
    };
    if (typeof name !== "string") refuse("`name`, text");
    if (priority !== (priority | 0)) refuse("`priority`, a whole number");
    if (!Array.isArray(kinds)) refuse("`kinds`, an array of kinds");
    if (typeof test !== "function") refuse("`test`, a function");
    const asked = (json, kind, server) => {
      try {
        const shown = test(JSON.parse(json), { kind, server, ...(caller !== undefined && { caller }) });
        return typeof shown === "boolean" ? shown : `it gave ${typeof shown}, and not true or false`;
      } catch (error) {
        return String(error?.message ?? error);
      }
    };
    return [name, priority, Uint8Array.from(kinds, (kind) => place(kind)), failOpen === true, asked];
  });
  const judges = new Judges();
  for (const judge of checked) judges.add(...judge);
  return judges;
}
