// Waiting for what has to come, up to a deadline that fails under a name of its own.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

/** How long a test waits for an event, in milliseconds: far longer than it takes, even on a busy machine. */
const WITHIN_MS = 20_000;
/** How long it waits before it looks again, in milliseconds. */
const EVERY_MS = 20;

/**
 * Waits until `condition` returns, or resolves with, a truthy value, and returns that value. After `within` ms it
 * fails with `what`, the name of the event: text, or a function that returns it and can show what was seen instead.
 */
export async function until(condition, what, { within = WITHIN_MS, every = EVERY_MS } = {}) {
  for (const deadline = Date.now() + within; ; await sleep(every)) {
    const value = await condition();
    if (value) return value;
    if (Date.now() >= deadline) assert.fail(`not within ${within} ms: ${typeof what === "function" ? what() : what}`);
  }
}

/** Waits until any HTTP response at all comes from `url`: its server listens. */
export const listening = (url, options) =>
  until(
    () =>
      fetch(url).then(
        ({ body }) => (body?.cancel(), true),
        () => false,
      ),
    `a response from ${url}`,
    options,
  );
