// Waits for expected events. A missed deadline fails with the name of the event.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

/** Default wait for an event, in milliseconds: far longer than it takes, even on a busy machine. */
const WITHIN_MS = 20_000;
/** Default interval between two checks, in milliseconds. */
const EVERY_MS = 20;

/**
 * Waits until `condition` returns, or resolves with, a truthy value, and returns that value. After `within` ms it fails
 * with `what`, the name of the event: text, or a function that returns it and can include what was observed instead.
 */
export async function until(condition, what, { within = WITHIN_MS, every = EVERY_MS } = {}) {
  for (const deadline = Date.now() + within; ; await sleep(every)) {
    const value = await condition();
    if (value) return value;
    if (Date.now() >= deadline) assert.fail(`not within ${within} ms: ${typeof what === "function" ? what() : what}`);
  }
}

/** Waits until `url` returns any HTTP response, which shows that its server listens. */
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
