// @ts-check
// The requests of a sign-in: no redirects, and a limit on time and length. A response is read whole before anything looks at it.
import { SignInFailure, fail } from "./failure.js";

/** Time for one request and its response, in milliseconds. */
const TIMEOUT_MS = 10_000;
/** Maximum length of a response, in bytes. */
const MAX_DOCUMENT = 65_536;
/** Statuses whose responses cannot have a body. */
const EMPTY = [101, 204, 205, 304];

/**
 * A request. `deadline` is the time, in milliseconds since 1970, after which it is not waited for.
 * @typedef {{ method?: string, headers?: Record<string, string>, body?: any, deadline?: number }} Options
 */

/** @type {(response: Response, host: string) => Promise<Uint8Array<ArrayBuffer>>} */
async function readWhole(response, host) {
  const reader = response.body?.getReader();
  const whole = new Uint8Array(MAX_DOCUMENT);
  let length = 0;
  for (;;) {
    const piece = await reader?.read();
    if (!piece?.value) return whole.slice(0, length);
    if (length + piece.value.length > MAX_DOCUMENT) {
      reader?.cancel().catch(() => {});
      fail("sign_in_token", `The response of ${host} is larger than ${MAX_DOCUMENT / 1024} KiB.`);
    }
    whole.set(piece.value, length);
    length += piece.value.length;
  }
}

/**
 * Sends a request, and resolves with what `read` makes of the response, within the time.
 * @type {<T>(url: string, options: Options, read: (response: Response, host: string) => Promise<T>) => Promise<T>}
 */
async function exchange(url, { method, headers, body, deadline = Number.POSITIVE_INFINITY }, read) {
  const { host } = new URL(url);
  const controller = new AbortController();
  const { signal } = controller;
  const left = Math.min(TIMEOUT_MS, deadline - Date.now());
  if (left <= 0) fail("sign_in_timeout", `${host} did not respond in time. Try again later.`);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  // The signal alone does not end the reading of a body in every runtime.
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => {
      reject(new SignInFailure("sign_in_timeout", `${host} did not respond in time. Try again later.`));
      controller.abort();
    }, left);
  });
  const sent = { method, headers: { ...headers, "user-agent": "mcp-sieve" }, body, signal };
  try {
    const done = fetch(url, { ...sent, redirect: "manual" }).then((response) => read(response, host));
    return /** @type {any} */ (await Promise.race([done, late]));
  } catch (error) {
    if (error instanceof SignInFailure) throw error;
    fail("sign_in_server", `${host} cannot be reached. Try again later.`);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Sends a request and reads the response whole. Of the response's headers only the type remains: challenges of a token endpoint
 * say less than its body.
 * @type {(url: string, options: Options) => Promise<Response>}
 */
export function request(url, options) {
  return exchange(url, options, async (response, host) => {
    const { status } = response;
    const body = await readWhole(response, host);
    const type = response.headers.get("content-type");
    return new Response(EMPTY.includes(status) ? null : body, {
      status,
      headers: type ? { "content-type": type } : {},
    });
  });
}

/**
 * Sends a request and returns the challenge of the response, if there is one.
 * @type {(url: string, options: Options) => Promise<string | undefined>}
 */
export function requestChallenge(url, options) {
  return exchange(url, options, async (response) => {
    response.body?.cancel().catch(() => {});
    return response.status === 401 ? (response.headers.get("www-authenticate") ?? undefined) : undefined;
  });
}
