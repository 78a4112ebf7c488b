// @ts-check
// The caller of a view: what an application knows of it, in the form that the engine reads.
import { SieveError, isCollection } from "./error.js";
import { checkedOptions } from "./options.js";

/** What policies, presets and checks read of a caller. */
const MEMBERS = ["claims", "client", "capabilities", "headers", "meta", "method", "protocol", "transport", "preset"];

/** Whether options describe a caller, not a query. */
export const isCaller = (/** @type {any} */ options) => MEMBERS.some((name) => Object.hasOwn(Object(options), name));

/**
 * Returns the description of a caller as plain members. A member that is `undefined` or `null` is absent.
 * @param {any} options
 */
export function callerOf(options) {
  const given = Object.entries(checkedOptions(options, MEMBERS)).map(([name, value]) => {
    // `Headers` are an empty object as JSON.
    if (name === "headers" && isCollection(value)) return [name, Object.fromEntries(value)];
    if (isCollection(value))
      throw new SieveError("invalid_option", `${name}: expected an object, got a \`${value[Symbol.toStringTag]}\``, {
        path: name,
      });
    return [name, value];
  });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null));
}
