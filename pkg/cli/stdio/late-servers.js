// @ts-check
// Servers that could not be listed at the start. The gateway tries such a server again when a request comes, and announces what it
// lists then; but a host that lists once sends no request.
import { setTimeout as sleep } from "node:timers/promises";
import { statelessHeaders } from "./http-headers.js";
import { STATELESS_PARAMS } from "./message.js";

/** Milliseconds until the first request, and at most until a further one. Each pause is twice as long as the one before. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** The member of a list's `_meta` with the status of each server. */
const STATUSES = "dev.mcpsieve/upstreams";
const REQUEST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: STATELESS_PARAMS };

/**
 * Requests a list now and then, until the servers with these names are listed or the signal aborts.
 * @param {string} url the gateway's endpoint
 * @param {string[]} names
 * @param {{ headers: Record<string, string>, signal: AbortSignal }} options `headers` are those that the gateway needs
 */
export async function tryAgain(url, names, { headers, signal }) {
  if (names.length === 0) return;
  const isListed = (statuses, name) => statuses.some((one) => one.name === name && one.status !== "down");
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    await sleep(pause, undefined, { signal, ref: false });
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, ...statelessHeaders(REQUEST) },
      body: JSON.stringify(REQUEST),
      signal,
    });
    const { result } = await response.json();
    const statuses = result?._meta?.[STATUSES] ?? [];
    if (names.every((name) => isListed(statuses, name))) return;
  }
}
