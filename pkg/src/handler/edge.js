// @ts-check
// Warnings about missing settings, for platforms that run many isolates, each with a memory of its own.

const WARNINGS = {
  key: "key: set the secret SIEVE_KEY (`wrangler secret put SIEVE_KEY`) or the option `key`; without it each isolate makes a key of its own, and cursors and sessions of one isolate are invalid in the next",
  sessions:
    'sessions: set the option, such as `(env) => env.MCP_SESSIONS` with a KV namespace, or `"memory"` if one isolate serves all requests; without it clients of MCP 2025-11-25 and older lose their session in the next isolate',
};

/** Whether this is Cloudflare's platform, or `wrangler dev`, which is its author's last chance to see a warning. */
const manyIsolates = () => globalThis.navigator?.userAgent === "Cloudflare-Workers";

/**
 * Whether a call can wait for a later request, such as its client's answer to a question. A Worker's requests share no
 * input and output even in one isolate: the call would never go on. Those of a Durable Object do.
 */
export const resumes = (ctx) => !manyIsolates() || typeof ctx?.blockConcurrencyWhile === "function";

/** A function that warns of what is missing, once of each kind. */
export function warnerOf(note) {
  const warned = new Set();
  return (missing) => {
    if (!manyIsolates() || warned.has(missing)) return;
    warned.add(missing);
    note(WARNINGS[missing]);
  };
}
