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

/** Whether a list in a URL loses this value: the server splits lists at commas, encoded or not, and trims the parts. */
const isLost = (value) => typeof value === "string" && (value.includes(",") || value !== value.trim());
const isAnyLost = (values) => [values ?? []].flat().some(isLost);
const quoted = (value) => `"${value.replace(/[\\"]/g, "\\$&")}"`;

/**
 * Returns the filter with the names that a list would lose in its expression instead, where any name can be quoted.
 * @param {any} filter
 * @returns {any}
 */
function withQuotedNames({ groups, tags = [], namePatterns, uriPatterns, not = {}, where, ...rest }) {
  const terms = [];
  const anyOf = (field, values) => values.map((value) => `${field}${quoted(value)}`).join(" or ");
  const add = (field, values, others = "") => {
    if (!isAnyLost(values)) return values;
    const term = `${others}${anyOf(field, values)}`;
    terms.push(others || values.length > 1 ? `(${term})` : term);
    return undefined;
  };
  const each = (field, values = []) => {
    terms.push(...values.filter(isLost).map((value) => `${field}${quoted(value)}`));
    return values.filter((value) => !isLost(value));
  };
  const filter = {
    ...rest,
    groups: add("group=", groups),
    tags: each("tag=", tags),
    namePatterns: add("name:", namePatterns),
    // Primitives without a URI pass these patterns.
    uriPatterns: add("uri:", uriPatterns, "-kind=resource -kind=template or "),
    not: { groups: each("-group=", not.groups), tags: each("-tag=", not.tags) },
  };
  const both = [where && (terms.length ? `(${where})` : where), ...terms].filter(Boolean).join(" ");
  return { ...filter, where: both || undefined };
}

/**
 * The values of a filter that its address cannot spell, and leaves out: no expression stands for them.
 * @param {any} filter
 */
export function unspelt({ concerns = {}, fields = [] }) {
  return [...Object.values(concerns), fields].flat().filter(isLost);
}

/** A filter as a server's address spells it. */
export function query(filter) {
  const { concerns = {}, not, limit = {}, where, query: words, ...fields } = withQuotedNames(filter);
  const pairs = [];
  const add = (name, value) => {
    const values = [value ?? []].flat();
    if (values.length) pairs.push(`${encodeURIComponent(name)}=${values.map(encodeURIComponent).join(",")}`);
  };
  const addList = (name, values) => {
    if (!isAnyLost(values)) add(name, values);
  };
  for (const name of ["groups", "tags", "namePatterns", "uriPatterns", "fields"]) addList(name, fields[name]);
  for (const name of ["groups", "tags"]) addList(`not.${name}`, not[name]);
  for (const [name, value] of Object.entries(concerns)) addList(`concern.${name}`, value);
  for (const name of ["count", "tokens"]) add(`limit.${name}`, limit[name]);
  add("q", where);
  add("query", words);
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
