// @ts-check
// The options of `gateway`, refused when the module is loaded if they could not be kept.
import { SieveError } from "../core/error.js";
import { checkedOptions } from "../core/options.js";
import { checkedPredicates } from "../core/predicates.js";
import { MEMORY } from "./sessions.js";

const KNOWN = [
  "path",
  "catalog",
  "otherwise",
  "key",
  "identify",
  "checks",
  "predicates",
  "ranker",
  "listHeaders",
  "sessions",
  "note",
];

/** The members of a check. */
const CHECK = ["name", "priority", "check"];

/** The methods of a session store. */
const STORE = ["get", "put", "delete"];

/** The code of errors about a handler and its options. */
const CODE = "handler";

function refuse(message) {
  throw new SieveError(CODE, message);
}

/** The function that serves requests; `given` is one, or has one as `fetch`. */
export function serverOf(given, what) {
  const serve = typeof given === "function" ? given : given?.fetch?.bind(given);
  return typeof serve === "function"
    ? serve
    : refuse(`${what}: expected a function that takes a Request, or an object with \`fetch\``);
}

/** The options as they are used. */
export function settle(handler, options) {
  const {
    path = "/mcp",
    catalog,
    otherwise,
    identify,
    ranker,
    checks = [],
    predicates = [],
    sessions,
    note = (line) => console.warn(line),
  } = checkedOptions(options, KNOWN, { code: CODE });
  for (const [name, value] of Object.entries({ path, catalog })) {
    if (value !== undefined && !isPath(value))
      refuse(`${name}: expected a path such as \`/mcp\`, without a \`*\` or a slash at its end`);
  }
  for (const [name, value] of Object.entries({ identify, ranker, note })) {
    if (value !== undefined && typeof value !== "function") refuse(`${name}: expected a function`);
  }
  if (
    sessions !== undefined &&
    sessions !== MEMORY &&
    typeof sessions !== "function" &&
    !STORE.every((name) => typeof sessions?.[name] === "function")
  ) {
    refuse(
      `sessions: expected a KV namespace or another store with ${STORE.map((name) => `\`${name}\``).join(", ")}, a function that returns one, or \`"${MEMORY}"\``,
    );
  }
  return {
    ...options,
    path,
    note,
    otherwise: elsewhere(handler, otherwise),
    checks: checksOf(checks),
    predicates: checkedPredicates(predicates, CODE),
  };
}

/** A path as URLs have it, so that a request's path can equal it. */
const isPath = (path) =>
  typeof path === "string" &&
  (path === "/" || !/^\/\/|[*/]$/.test(path)) &&
  new URL(path, "http://h").pathname === path;

/** Returns the function that serves other paths. The handler itself would serve MCP there, past policies, checks and `identify`. */
function elsewhere(handler, otherwise) {
  if (otherwise === undefined) return undefined;
  const same = [handler, handler?.fetch].some(
    (one) => one !== undefined && (one === otherwise || one === otherwise?.fetch),
  );
  if (same)
    refuse(
      "otherwise: expected another function than the handler, which would be called there without policies, checks and `identify`",
    );
  return serverOf(otherwise, "otherwise");
}

/**
 * Returns the checks in the order in which they run: the highest priority first. Of equal ones, functions come first, in their
 * order, then the others by name.
 */
function checksOf(checks) {
  const named = [checks].flat().map((given, at) => {
    if (typeof given === "function") return { name: `${at}`, sort: "", check: given };
    checkedOptions(given, CHECK, { code: CODE, place: `checks[${at}]` });
    if (typeof given?.check !== "function" || typeof given.name !== "string")
      refuse(`checks[${at}]: expected a function, or an object with \`name\` and \`check\``);
    return { ...given, sort: given.name };
  });
  return named.sort(
    (a, b) => (b.priority ?? 0) - (a.priority ?? 0) || Number(a.sort > b.sort) - Number(a.sort < b.sort),
  );
}
