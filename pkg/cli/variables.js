// What a Worker is told beside its file: its own variables, and those that the file refers to.
import { Unreadable } from "./unreadable.js";

/** Those of the Worker begin so; the rest of the environment is nobody's business. */
const OWN = "SIEVE_";

/** The variables that the strings of a configuration refer to, as `${NAME}`; what stands in comments refers to nothing. */
export function referred(config) {
  const strings = [...config.matchAll(/("(?:[^"\\]|\\.)*")|\/\/.*|\/\*[^]*?\*\//g)].map(([, string]) => string ?? "");
  return [...new Set(strings.flatMap((string) => [...string.matchAll(/(?<!\$)\$\{(\w+)\}/g)].map(([, name]) => name)))];
}

/** Out of an environment, what the Worker reads under this file; what the file refers to must be there. */
export function variables(config, environment) {
  const names = referred(config);
  const missing = names.filter((name) => environment[name] === undefined);
  if (missing.length > 0) throw new Unreadable(`the file refers to ${missing.map((name) => `\`${name}\``).join(", ")}, which the environment does not have`);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith(OWN) || names.includes(name)));
}
