// Compares the reply to an attacker for a hidden name with the reply for a name that never existed.

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

/** Returns everything that an attacker can compare in a reply, with the requested name removed. */
export function shape({ status, headers, text }, ...names) {
  let stable = text;
  for (const name of names) stable = stable.replace(new RegExp(escaped(name), "g"), "NAME");
  for (const [pattern, replacement] of STABLE) stable = stable.replace(pattern, replacement);
  const told = COMPARED.map(
    (name) => `${name}: ${name === "retry-after" ? Boolean(headers.get(name)) : headers.get(name)}`,
  );
  return [status, ...told, stable].join("\n");
}

/** Returns the first line in which two texts differ. */
export function difference(one, other) {
  const [left, right] = [one.split("\n"), other.split("\n")];
  const at = left.findIndex((line, index) => line !== right[index]);
  return `hidden: ${JSON.stringify(left[at] ?? "")} missing: ${JSON.stringify(right[at] ?? "")}`;
}

/** Number of pairs of requests before a difference counts. */
const TRIES = 4;

/**
 * Requests a hidden and a missing name. Returns `[same, difference]`. The gateway retries a server that is down now and
 * then, which changes the reply for either name, so only a lasting difference counts.
 */
export async function compare(ask, hidden, missing) {
  for (let tries = 1; ; tries += 1) {
    const [one, other] = [shape(await ask(hidden), hidden), shape(await ask(missing), missing)];
    if (one === other || tries === TRIES) return [one === other, difference(one, other)];
  }
}
