// @ts-check
// One call of the wrapped handler.
import { passedHeaders } from "../../dist/handler.js";
import { ask, safely } from "./ask.js";

/** The host under which a handler is asked for its lists unless `listHeaders` names one; handlers that check hosts take it. */
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
    const response = await serve(
      new Request(`${origin}${path}`, { ...init, headers }),
      env,
      shared ? contextOf(ctx) : ctx,
    );
    return response instanceof Response ? response : copyOf(response);
  });

/** What is like a Response, such as one of another realm, as one of this realm. Anything else throws. */
const copyOf = ({ status, headers, body }) => new Response(body, { status, headers: [...headers] });

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
