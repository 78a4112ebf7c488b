// @ts-check
// Policies as functions before a handler. They are called for every request, with the caller.
import { KINDS, place } from "../core/error.js";

/**
 * The predicates in order of registration, or what is wrong with them, by `refuse`.
 * @param {any} predicates
 * @param {(message: string) => void} refuse throws
 */
export function predicatesOf(predicates, refuse) {
  if (!Array.isArray(predicates)) refuse("predicates: expected an array of predicates");
  return predicates.map((given, at) => {
    const { name, priority = 0, kinds = KINDS, failOpen = false, test } = Object(given);
    const refuseOne = (expected) => refuse(`predicates[${at}]: expected ${expected}`);
    if (typeof name !== "string") refuseOne("`name`, text");
    if (priority !== (priority | 0)) refuseOne("`priority`, a whole number");
    if (!Array.isArray(kinds)) refuseOne("`kinds`, an array of kinds");
    if (typeof test !== "function") refuseOne("`test`, a function");
    return { name, priority, kinds: kinds.map((kind) => place(kind)), failOpen: failOpen === true, test };
  });
}

/**
 * Returns the functions by which the protocol core calls predicates.
 * @param {any[]} predicates
 */
export function judgesOf(predicates) {
  let known = { text: "", caller: undefined };
  return {
    predicates: JSON.stringify(predicates.map(({ test: _, ...declared }) => declared)),
    test(at, json, kind, server, text) {
      // A request calls them for many primitives with the same caller.
      if (text !== known.text) known = { text, caller: frozen(JSON.parse(text)) };
      try {
        const shown = predicates[at].test(JSON.parse(json), { kind, server, caller: known.caller });
        return typeof shown === "boolean" ? shown : `it gave ${typeof shown}, and not true or false`;
      } catch (error) {
        return String(error?.message ?? error);
      }
    },
  };
}

/** A value whose members cannot change: predicates share it. */
function frozen(value) {
  if (value !== null && typeof value === "object") Object.values(value).forEach(frozen);
  return Object.freeze(value);
}
