// @ts-check
// Prefixes for servers of which some list the same names, as `upstreams[].prefix` has them.
import { IDLE } from "./topics.js";

const KINDS = ["tools", "prompts"];
/** Longest name of a tool that common hosts and model APIs accept, in characters. */
const MAX_NAME = 64;
/** Longest prefix, in characters. It costs tokens in every list and call. */
const MAX_PREFIX = 17;
/** Highest number that makes a prefix unique. Servers choose their names, so the search has an end. */
const MAX_NUMBER = 99;

/**
 * Returns the names that several of the servers list and, if there are any, a prefix for each server, so that each can
 * list a name that another one had first: `{ shared: [name], prefixes: Map(server → prefix) }`. No prefixed name is the
 * name of another tool or prompt.
 */
export function prefixesOf(sources) {
  const names = sources.map(({ primitives }) =>
    KINDS.map((kind) => new Set(primitives[kind].map(({ name }) => name).filter((name) => typeof name === "string"))),
  );
  const shared = KINDS.map((_, kind) => {
    const counts = new Map();
    for (const own of names) for (const name of own[kind]) counts.set(name, (counts.get(name) ?? 0) + 1);
    return new Set([...counts].filter(([, count]) => count > 1).map(([name]) => name));
  });
  const taken = new Set(names.flatMap((kinds) => kinds.flatMap((own) => [...own])));
  const prefixes = new Map();
  if (shared.every((names) => names.size === 0)) return { shared: [], prefixes };
  sources.forEach(({ server }, at) => {
    const own = KINDS.flatMap((_, kind) => [...names[at][kind]].filter((name) => shared[kind].has(name)));
    const prefix = bestOf(
      candidatesOf(server),
      (text) => ![...prefixes.values()].includes(text) && own.every((name) => !taken.has(text + name)),
      own,
    );
    if (prefix === undefined) return;
    prefixes.set(server, prefix);
    for (const name of own) taken.add(prefix + name);
  });
  return { shared: [...new Set(shared.flatMap((kind) => [...kind]))], prefixes };
}

/** Prefixes for a server, best first: its name without idle words, the first of these, its initials, then with numbers. */
function* candidatesOf(server) {
  const words = server
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  const telling = words.filter((word) => !IDLE.has(word));
  const kept = telling.length > 0 ? telling : words;
  const whole = kept.join("_");
  const forms = [whole, kept[0] ?? "", kept.map(([initial]) => initial).join("")]
    .filter((form) => form !== "")
    .map((form) => form.slice(0, MAX_PREFIX - 1));
  yield* new Set((whole.length < MAX_PREFIX ? forms : forms.slice(1)).map((form) => `${form}_`));
  for (let number = 2; number <= MAX_NUMBER; number += 1) yield `${(forms[1] ?? "s").slice(0, 8)}${number}_`;
}

/** The first free prefix under which all names stay short enough for hosts, or else the first free one. */
function bestOf(candidates, isFree, names) {
  let best;
  for (const prefix of candidates) {
    if (!isFree(prefix)) continue;
    best ??= prefix;
    if (names.every((name) => prefix.length + name.length <= MAX_NAME)) return prefix;
  }
  return best;
}
