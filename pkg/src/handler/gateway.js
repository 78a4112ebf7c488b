// @ts-check
// The gateway's protocol before a `fetch` handler that speaks MCP: the same core, with the handler for its network.
import { initSync, Handler } from "../../dist/handler.js";
import { SieveError, textOf } from "../core/error.js";
import { noteOf, textOf as messageOf } from "./ask.js";
import { Bodies } from "./body.js";
import { call } from "./call.js";
import { claimsOf, refusalOf } from "./caller.js";
import { resumes, warnerOf } from "./edge.js";
import { keysAtLoad, keysOf } from "./keys.js";
import { serverOf, settle } from "./options.js";
import { judgesOf } from "./predicates.js";
import { scoresOf } from "./ranker.js";
import { sessionsOf } from "./sessions.js";

/** The path under which the core knows the endpoint. */
const ENDPOINT = "/mcp";
/** The path under which the core knows lists as plain resources. */
const PLAIN = "/catalog";
/** The note about a request that cannot be served because something in front of the gateway has its body. */
const READ =
  "the body of the request was read before the gateway could: pass on a request whose body is unread, and read a `clone()`";

export function attach(module) {
  initSync({ module });
}

export function gateway(handler, config = {}, options = {}) {
  const serve = serverOf(handler, "the handler");
  const settled = settle(handler, options);
  const text = textOf(config ?? {}, "config", "a configuration, as an object or JSONC text");
  const note = noteOf(settled.note);
  // Read now, so that a mistake shows when the module is loaded and not at its first request.
  made(text, keysAtLoad(settled.key) ?? [new Uint8Array(32)], {}).free();
  const bodies = new Bodies();
  const warn = warnerOf(note);
  const world = worldOf(serve, settled, note, bodies, warn);
  let core;

  /** The core, made at the first request: only then there is an `env`, and random bytes in a Worker. */
  async function coreFor(env) {
    if (core !== undefined) return core;
    const keys = await keysOf(settled.key, env, warn);
    if (settled.sessions === undefined) warn("sessions");
    // Requests that came together made their keys side by side: all of them use the first.
    return (core ??= made(text, keys, world));
  }

  async function fetch(request, env, ctx) {
    const url = new URL(request.url);
    const place = known(url.pathname, settled.path, ENDPOINT) ?? known(url.pathname, settled.catalog, PLAIN);
    if (place === undefined)
      return settled.otherwise?.(request, env, ctx) ?? new Response("not found", { status: 404 });
    const context = { request, env, ctx };
    try {
      const ready = await coreFor(env);
      return await ready.answer(context, request, `${url.origin}${place}${url.search}`);
    } catch (error) {
      note(`the request could not be answered: ${messageOf(error)}`);
      return Response.json(
        {
          jsonrpc: "2.0",
          id: null,
          error: { code: -32603, message: "the request could not be answered", data: { reason: "internal" } },
        },
        { status: 500 },
      );
    } finally {
      bodies.release(context);
    }
  }
  return typeof handler === "function" ? { fetch } : Object.assign(withMethods(handler), { fetch });
}

/** An object with the members of a handler. Its methods run on the handler itself, whose private members they may read. */
function withMethods(handler) {
  const copy = Object.create(Object.getPrototypeOf(handler));
  for (let of = handler; of !== null && of !== Object.prototype; of = Object.getPrototypeOf(of)) {
    for (const name of Object.getOwnPropertyNames(of)) {
      const { value } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(of, name));
      if (typeof value === "function" && name !== "constructor" && !Object.hasOwn(copy, name))
        copy[name] = value.bind(handler);
    }
  }
  for (const [name, value] of Object.entries(handler)) if (typeof value !== "function") copy[name] = value;
  return copy;
}

/** A path as the core knows it, if it is ours. What follows names a preset or a list. */
function known(pathname, ours, theirs) {
  return ours !== undefined && (pathname === ours || pathname.startsWith(`${ours}/`))
    ? theirs + pathname.slice(ours.length)
    : undefined;
}

function made(config, keys, world) {
  try {
    return new Handler(config, keys, world);
  } catch (error) {
    throw typeof error.code === "string" ? new SieveError(error.code, error.message, error) : error;
  }
}

/** The functions that the protocol core calls in JavaScript. */
function worldOf(serve, { path, listHeaders, identify, checks, predicates, ranker, sessions }, note, bodies, warn) {
  return {
    call: (context, shared, init) => call({ serve, path, listHeaders }, context, shared, init),
    resumes: ({ ctx }) => resumes(ctx),
    random: () => crypto.getRandomValues(new Uint8Array(16)),
    wait({ ctx }, promise) {
      try {
        ctx?.waitUntil?.(promise);
      } catch (error) {
        note(`\`waitUntil\` has thrown, so work after the response may be cut off: ${messageOf(error)}`);
      }
    },
    note,
    hasChecks: checks.length > 0,
    identifies: identify !== undefined,
    identify: ({ request, env }) => claimsOf(identify, request, env),
    body(context) {
      const { bodyUsed, body } = context.request;
      if (bodyUsed || body?.locked) note(READ);
      return bodies.read(context);
    },
    check: ({ request, env }, caller) =>
      refusalOf(checks, { ...JSON.parse(caller), headers: request.headers, env }, note),
    ranks: ranker !== undefined,
    rank: ({ env }, query, tools) => scoresOf(ranker, query, JSON.parse(tools), env),
    ...judgesOf(predicates),
    ...sessionsOf(sessions, warn),
  };
}
