// @ts-check
// The loopback address to which the authorization server sends the browser (RFC 8252, section 7.3), for one sign-in.
import { once } from "node:events";
import { createServer } from "node:http";
import { Unreadable } from "../cli-error.js";
import { warn } from "../print.js";

const HOST = "127.0.0.1";
const PATH = "/callback";
/** The headers of each page. An address with a code is kept nowhere and sent to no other server. */
export const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * Listens for the callback with this `state`. `redirectUri` is the address of the callback. `received` resolves with the whole
 * URL, and rejects after `limitMs`, or once `signal` says so. `show(title, text)` answers the browser. `close()` ends it.
 * @param {{ state: string, limitMs: number, port?: number, signal?: AbortSignal }} options
 */
export async function listenForCallback({ state, limitMs, port = 0, signal }) {
  let settle;
  /** @type {Promise<string>} */
  const received = new Promise((done, fail) => (settle = { done, fail }));
  // It may fail before it is waited for.
  received.catch(() => {});
  /** @type {import("node:http").ServerResponse | undefined} */
  let waiting;
  const http = createServer((request, response) => {
    // Any page can send the browser here: it must not end the sign-in, and no other name of this machine stands for the address.
    const url = URL.canParse(request.url ?? "", redirectUri) ? new URL(request.url ?? "", redirectUri) : undefined;
    const isOwn = url?.origin === origin && request.headers.host === new URL(origin).host;
    if (request.method !== "GET" || url === undefined || !isOwn || url.pathname !== PATH)
      return page(response, 404, "Not found", "Nothing is served here.");
    if (url.searchParams.get("state") !== state) {
      warn("a callback without the `state` of this sign-in was refused");
      return page(response, 400, "Not signed in", "This is not the sign-in that the command is waiting for.");
    }
    if (waiting !== undefined) return page(response, 400, "Not signed in", "This sign-in has been used already.");
    waiting = response;
    settle.done(url.href);
  });
  http.listen(port, HOST);
  try {
    await once(http, "listening");
  } catch (error) {
    throw new Unreadable(
      error.code === "EADDRINUSE"
        ? `port ${port} is taken; --port chooses another`
        : `${HOST}, port ${port}: ${error.code}`,
    );
  }
  const address = /** @type {import("node:net").AddressInfo} */ (http.address());
  const origin = `http://${HOST}:${address.port}`;
  const redirectUri = origin + PATH;
  signal?.addEventListener("abort", () => settle.fail(new Unreadable("the sign-in was given up")), { once: true });
  const late = setTimeout(
    () => settle.fail(new Unreadable(`no sign-in was finished within ${limitMs / 1000} s: nothing is changed`)),
    limitMs,
  );
  return {
    redirectUri,
    received,
    /** @param {string} title @param {string} text */
    show(title, text) {
      if (waiting !== undefined) page(waiting, 200, title, text);
    },
    async close() {
      clearTimeout(late);
      const closed = new Promise((done) => http.close(done));
      // The answer is sent first. Browsers keep connections open.
      http.closeIdleConnections();
      setTimeout(() => http.closeAllConnections(), 1_000).unref();
      await closed;
    },
  };
}

const escaped = (/** @type {string} */ text) =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/**
 * Answers with a page.
 * @type {(response: import("node:http").ServerResponse, status: number, title: string, text: string) => void}
 */
export function page(response, status, title, text) {
  response.writeHead(status, { ...HEADERS, connection: "close" }).end(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>:root { color-scheme: light dark } body { font: 1rem/1.5 system-ui; max-width: 34rem; margin: 4rem auto; padding: 0 1rem }</style>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
</html>
`);
}
