// @ts-check
// A call of the wrapped handler.
import { passedHeaders } from "../../dist/handler.js";
import { ask, kindOf, safely } from "./ask.js";

/** The host of list requests to a handler, unless `listHeaders` names one. Handlers that check hosts accept it. */
const LIST_HOST = "localhost";

/**
 * Calls the handler with a request of the core's. On behalf of a caller it gets the caller's headers, host and context.
 * A `shared` request (lists, discovery, the session for them) is for all callers: it gets `listHeaders`, and nothing of
 * the caller that happened to need it. Which headers never pass is for the core to say.
 */
export const call = ({ serve, path, listHeaders }, { request, env, ctx }, shared, init) =>
  safely("the handler", async () => {
    const given = shared ? new Headers(await listed(listHeaders, env)) : request.headers;
    const headers = passedHeaders(given);
    if (shared && !headers.has("host")) headers.set("host", LIST_HOST);
    for (const [name, value] of init.headers) headers.append(name, value);
    const origin = shared ? `http://${headers.get("host")}` : new URL(request.url).origin;
    const signal = shared ? init.signal : signalOf(request, init.signal);
    const own = new Request(`${origin}${path}`, { ...init, headers, signal });
    // `withMcpAuth` of `mcp-handler` leaves what it knows of the caller in a member of the request.
    if (!shared && request.auth !== undefined) Object.assign(own, { auth: request.auth });
    const response = await serve(own, env, shared ? contextOf(ctx) : ctx);
    return response instanceof Response ? response : copyOf(response);
  });

/**
 * Returns the signal of a call: it aborts when the gateway needs no answer any more, and when the caller aborts its request. A
 * client with a session may come back for the answer, so its calls go on.
 */
function signalOf(request, own) {
  // Not every platform has signals, and those of another realm cannot be joined.
  const ends = request.signal instanceof AbortSignal && !request.headers.has("mcp-session-id");
  return ends ? AbortSignal.any([own, request.signal]) : own;
}

/** Copies a response of another realm into one of this realm. Throws for anything else. */
function copyOf(given) {
  const { status, headers, body } = given ?? {};
  if (typeof status !== "number" || typeof headers?.[Symbol.iterator] !== "function")
    throw new TypeError(`it returned ${kindOf(given)}, expected a Response`);
  return new Response(body, { status, headers: [...headers] });
}

const listed = (listHeaders, env) =>
  typeof listHeaders === "function" ? ask("`listHeaders`", () => listHeaders(env)) : listHeaders;

/** Returns the platform's part of a context, without `props`, in which an OAuth provider keeps the caller's identity. */
function contextOf(ctx) {
  if (ctx === undefined || ctx === null) return ctx;
  return {
    exports: ctx.exports,
    waitUntil: (promise) => ctx.waitUntil?.(promise),
    passThroughOnException: () => ctx.passThroughOnException?.(),
  };
}
