// @ts-check
// One call of the wrapped handler.
import { ask, safely } from "./ask.js";

/**
 * Headers that a handler does not get from a caller: those that the core writes for each of its own requests, and those of
 * the client's connection.
 */
const OWN =
  /^(?:accept|content-.*|last-event-id|mcp-.*|connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/;
/** The host under which a handler is asked for its lists unless `listHeaders` names one; handlers that check hosts take it. */
const LIST_HOST = "localhost";

/**
 * Calls the handler with a request of the core's. On behalf of a caller it gets the caller's headers, host and context.
 * A `shared` request (lists, discovery, the session for them) is for all callers: it gets `listHeaders`, and nothing of
 * the caller that happened to need it.
 */
export function exchange({ serve, path, listHeaders }, { request, env, ctx }, shared, method, flat, body) {
  const abort = new AbortController();
  const send = async () => {
    const given = shared ? new Headers(await listed(listHeaders, env)) : request.headers;
    const headers = new Headers([...given].filter(([name]) => !OWN.test(name)));
    if (shared && !headers.has("host")) headers.set("host", LIST_HOST);
    for (let at = 0; at < flat.length; at += 2) headers.append(flat[at], flat[at + 1]);
    const origin = shared ? `http://${headers.get("host")}` : new URL(request.url).origin;
    const init = { method, headers, signal: abort.signal, ...(body.length > 0 && { body }) };
    return serve(new Request(`${origin}${path}`, init), env, shared ? contextOf(ctx) : ctx);
  };
  const answered = safely("the handler", send);
  answered.catch(() => {});
  let reader;
  return {
    status: 0,
    headers: [],
    async begun() {
      const response = await answered;
      await safely("the handler", () => {
        this.status = response.status;
        this.headers = [...response.headers].flat();
        reader = response.body?.getReader();
      });
    },
    next: () =>
      safely("the handler", async () => {
        const { done, value } = (await reader?.read()) ?? { done: true };
        return done ? undefined : value;
      }),
    cancel() {
      abort.abort();
      reader?.cancel().catch(() => {});
    },
  };
}

const listed = (listHeaders, env) =>
  typeof listHeaders === "function" ? ask("`listHeaders`", () => listHeaders(env)) : listHeaders;

/** The platform's part of a context. `props` stay behind: an OAuth provider keeps there who the caller is. */
function contextOf(ctx) {
  if (ctx === undefined || ctx === null) return ctx;
  return {
    exports: ctx.exports,
    waitUntil: (promise) => ctx.waitUntil?.(promise),
    passThroughOnException: () => ctx.passThroughOnException?.(),
  };
}
