import { once } from "node:events";

/** Resolves once a stream accepts more data, or is closed. `also` names further events to wait for. */
export async function drained(stream, ...also) {
  const over = new AbortController();
  const waits = ["drain", "close", ...also].map((event) =>
    once(stream, event, { signal: over.signal }).catch(() => {}),
  );
  await Promise.race(waits);
  over.abort();
}
