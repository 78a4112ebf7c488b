// The variables and secrets of a Worker: its own, and those that the file refers to.
import { valueOf } from "./input.js";
import { Unreadable } from "./unreadable.js";

/** The prefix of the Worker's own variables. No others are taken from the environment. */
const OWN = "SIEVE_";

/**
 * The variables that a configuration refers to. Values of an upstream server's `headers` refer to them, as `${NAME}`;
 * anywhere else, such as in the name of a tool that a rule matches, `${NAME}` is plain text.
 */
export function referred(config) {
  const { upstream, upstreams = [] } = valueOf(config);
  const values = [upstream, ...upstreams].flatMap((server) => Object.values(server?.headers ?? {}));
  // `$$` is a dollar sign.
  const references = values.flatMap((value) => [...value.matchAll(/\$\$|\$\{([^}]*)\}/g)].map(([, name]) => name));
  return [...new Set(references.filter((name) => name !== undefined))];
}

/** Picks from an environment what the Worker reads under this file. Every variable that the file refers to must be set. */
export function variables(config, environment) {
  const names = referred(config);
  const missing = names.filter((name) => environment[name] === undefined);
  if (missing.length > 0) throw new Unreadable(`the file refers to ${missing.map((name) => `\`${name}\``).join(", ")}, which the environment does not have`);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith(OWN) || names.includes(name)));
}
