// @ts-check
// The gate of a local gateway. It runs in workerd, in front of the Worker: a port of loopback is open to every user and every
// web page of the machine, so each request needs the token of the command before anything reads it. The files of the demo page need
// none: they hold no secret, and a browser that opens a link sends no token.
import { isForPage } from "./page.js";

/** The header with the token. It leaves `Authorization` to the tokens that the configuration itself asks callers for. */
export const GATE = "x-sieve-bearer";
/** The path of probes, which send no token. */
const HEALTH = "/health";
const INVALID_REQUEST = -32600;
const REALM = 'Bearer realm="mcp-sieve"';
/** The path below which callers sign in to servers in a browser. */
const SIGN_IN = /^\/connect\/([\w.~%-]+)$/;

/** @typedef {{ fetch: (request: Request, env: unknown, ctx: any) => Response | Promise<Response> }} Worker */
/**
 * `digest` is the SHA-256 of the token, in hex. `alone` is whether the command is the only client: then no web page is served
 * whatever it sends, and neither are probes nor the demo page.
 * @typedef {{ digest: string, alone: boolean }} Gate
 */

/**
 * Returns a Worker that serves only requests with the token, as the header `GATE` or as a bearer token. The token is removed
 * before the request is passed on.
 * @type {(worker: Worker, gate: Gate) => Worker}
 */
export const gated = (worker, { digest, alone }) => ({
  async fetch(request, env, ctx) {
    if (alone && request.headers.has("origin"))
      return refusal(403, "origin", "no web page may call this gateway: it belongs to the program that started it");
    const headers = new Headers(request.headers);
    const [header, token] = shown(headers);
    if (token !== undefined && (await sha256(token)) === digest) {
      headers.delete(header);
      return worker.fetch(new Request(request, { headers }), env, ctx);
    }
    if (!alone && token === undefined && isForPage(request)) return worker.fetch(request, env, ctx);
    if (!alone && new URL(request.url).pathname === HEALTH) {
      const { status, headers } = await worker.fetch(request, env, ctx);
      return new Response(null, { status, headers });
    }
    const server = signInOf(request);
    if (token === undefined && server !== undefined) return elsewhere(server);
    const challenge = token === undefined ? REALM : `${REALM}, error="invalid_token"`;
    const message = "expected the bearer token of this gateway, which the command that serves it printed or was given";
    return refusal(401, "unauthorized", message, { "www-authenticate": challenge });
  },
});

/**
 * Returns the server whose page of sign-in a browser asks for, if the address has one. Its name is written as in the address.
 * @type {(request: Request) => string | undefined}
 */
function signInOf({ method, url }) {
  return method === "GET" ? SIGN_IN.exec(new URL(url).pathname)?.[1] : undefined;
}

/**
 * Returns the response to a browser that asks for a page of sign-in. A browser has no token of this gateway, and everyone on this
 * machine can open the page, and such a program would connect the gateway to an account of its own.
 * @type {(server: string) => Response}
 */
function elsewhere(server) {
  const text = `This gateway takes requests with its bearer token only, which a browser does not have. Sign in from a terminal instead:

  npx mcp-sieve login ${server}
`;
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "www-authenticate": REALM,
  };
  return new Response(text, { status: 401, headers });
}

/**
 * Returns the header that has the token, and the token if there is one.
 * @type {(headers: Headers) => [string, string | undefined]}
 */
function shown(headers) {
  const own = headers.get(GATE);
  if (own !== null) return [GATE, own];
  return ["authorization", /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1]];
}

/** Digests are compared, so the time that it takes says nothing about the token. */
async function sha256(/** @type {string} */ text) {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Returns the response to a request that is not passed on.
 * @type {(status: number, reason: string, message: string, headers?: Record<string, string>) => Response}
 */
function refusal(status, reason, message, headers) {
  const error = { code: INVALID_REQUEST, message, data: { reason } };
  return Response.json(
    { jsonrpc: "2.0", id: null, error },
    { status, headers: { "cache-control": "no-store", ...headers } },
  );
}
