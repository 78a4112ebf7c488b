// @ts-check
// Policies as functions before a handler. They are called for every request, with the caller.
import { textOf } from "./ask.js";

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
        return typeof shown === "boolean" ? shown : `it returned ${typeof shown}, expected true or false`;
      } catch (error) {
        return textOf(error);
      }
    },
  };
}

/** A value whose members cannot change: predicates share it. */
function frozen(value) {
  if (value !== null && typeof value === "object") Object.values(value).forEach(frozen);
  return Object.freeze(value);
}
