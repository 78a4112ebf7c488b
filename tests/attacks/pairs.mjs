// Compares what an attacker gets for a hidden name with what it gets for one that never existed.

const STABLE = [
  [/"id":\s*("[^"]*"|\d+)/g, '"id":0'],
  [/^id: .*$/gm, "id: 0"],
  [/"filterHash":"[0-9a-f]+"/g, '"filterHash":""'],
  [/"retryAfter":\d+/g, '"retryAfter":0'],
  [/in \d+ s\b/g, "in 0 s"],
  [/"retry(Milliseconds|AfterMs)":\d+/g, ""],
];
const COMPARED = [
  "content-type",
  "cache-control",
  "etag",
  "www-authenticate",
  "retry-after",
  "mcp-session-id",
  "allow",
];
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Everything that an attacker can compare in a reply, with the name it asked for taken out. */
export function shape({ status, headers, text }, ...names) {
  let stable = text;
  for (const name of names) stable = stable.replace(new RegExp(escaped(name), "g"), "NAME");
  for (const [pattern, replacement] of STABLE) stable = stable.replace(pattern, replacement);
  const told = COMPARED.map(
    (name) => `${name}: ${name === "retry-after" ? Boolean(headers.get(name)) : headers.get(name)}`,
  );
  return [status, ...told, stable].join("\n");
}

/** The first place where two texts differ. */
export function difference(one, other) {
  const [left, right] = [one.split("\n"), other.split("\n")];
  const at = left.findIndex((line, index) => line !== right[index]);
  return `hidden: ${JSON.stringify(left[at] ?? "")} missing: ${JSON.stringify(right[at] ?? "")}`;
}

/** Pairs of requests until a difference counts. */
const TRIES = 4;

/**
 * Asks about a hidden and a missing name: `[same, difference]`. A server that is down is asked again now and then, which
 * changes the reply about either name, so only a lasting difference counts.
 */
export async function compare(ask, hidden, missing) {
  for (let tries = 1; ; tries += 1) {
    const [one, other] = [shape(await ask(hidden), hidden), shape(await ask(missing), missing)];
    if (one === other || tries === TRIES) return [one === other, difference(one, other)];
  }
}
