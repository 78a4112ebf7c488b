// @ts-check
// The state of the page in its URL. The same parameters narrow the lists of a server.
import { KINDS } from "./kinds.js";

/** A state without a filter, which is then the one that the picker begins with: what a person has stored. */
export const fresh = () => ({
  from: "server",
  url: "",
  sample: "",
  kind: "tools",
  filter: /** @type {any} */ (undefined),
});
const OWN = ["from", "url", "sample", "kind"];

/** A filter as a server's address spells it. */
export function query({ concerns = {}, not = {}, limit = {}, where, query, ...fields }) {
  const pairs = [];
  const add = (name, value) => {
    if (value !== undefined)
      pairs.push(`${encodeURIComponent(name)}=${[value].flat().map(encodeURIComponent).join(",")}`);
  };
  for (const name of ["groups", "tags", "namePatterns", "uriPatterns", "fields"]) add(name, fields[name]);
  for (const name of ["groups", "tags"]) add(`not.${name}`, not[name]);
  for (const [name, value] of Object.entries(concerns)) add(`concern.${name}`, value ?? undefined);
  for (const name of ["count", "tokens"]) add(`limit.${name}`, limit[name]);
  add("q", where);
  add("query", query);
  return pairs.join("&");
}

export function toHash(state) {
  const own = OWN.filter((key) => state[key] !== fresh()[key]).map((key) => `${key}=${encodeURIComponent(state[key])}`);
  return [...own, query(state.filter)].filter(Boolean).join("&");
}

/** The state of an address; its filter is text for the engine to read, once there is a catalog. */
export function fromHash(hash) {
  const read = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const state = fresh();
  const rest = [];
  for (const pair of hash.replace(/^#/, "").split("&")) {
    const [key, text = ""] = pair.split(/=(.*)/s);
    if (key === "kind") state.kind = Object.hasOwn(KINDS, text) ? text : state.kind;
    else if (OWN.includes(key)) state[key] = read(text);
    else rest.push(pair);
  }
  return { ...state, spelt: rest.join("&") };
}
