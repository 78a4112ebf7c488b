// The gateway's protocol before a `fetch` handler that speaks MCP: the same core, with the handler for its network.
import { initSync, Handler } from "./dist/handler.js";
import { SieveError } from "./error.js";

/** The path under which the core knows the endpoint. */
const ENDPOINT = "/mcp";
/** And that of its lists as plain resources. */
const PLAIN = "/catalog";
/** Most of a request's body that is read; the core refuses one byte more. */
const MAX_BODY = 4 * 1024 * 1024;
/** What a handler is not told: what the core writes for each of its own requests, and what is of the client's connection. */
const OWN = /^(?:accept|content-.*|last-event-id|mcp-.*|connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/;

export function attach(module) {
  initSync({ module });
}

export function sieve(handler, config = {}, options = {}) {
  const serve = typeof handler === "function" ? handler : handler?.fetch?.bind(handler);
  if (typeof serve !== "function") throw new SieveError("handler", "expected a function that takes a Request, or an object with `fetch`");
  const { path = ENDPOINT, catalog } = options;
  /** A path as the core knows it, if it is one of ours. Presets are read off what stands behind. */
  const known = (pathname, ours, theirs) => (ours !== undefined && (pathname === ours || pathname.startsWith(`${ours}/`)) ? theirs + pathname.slice(ours.length) : undefined);
  const text = typeof config === "string" ? config : JSON.stringify(config);
  // Read now, so that a mistake shows when the module is loaded and not at its first request.
  made(text, new Uint8Array(32), {}).free();
  let core;
  const start = async (env) => made(text, await keyOf(options.key, env), world(serve, options));

  const fetch = async (request, env, ctx) => {
    const url = new URL(request.url);
    const place = known(url.pathname, path, ENDPOINT) ?? known(url.pathname, catalog, PLAIN);
    if (place === undefined) return serve(request, env, ctx);
    core ??= await start(env);
    const context = { request, env, ctx, address: `${url.origin}${path}` };
    const [claims, refused] = await identified(options.identify, request, env);
    const body = new Uint8Array(await bodyOf(request));
    return responseOf(await core.answer(context, request.method, `${url.origin}${place}${url.search}`, [...request.headers].flat(), body, claims, refused));
  };
  return typeof handler === "function" ? { fetch } : Object.assign(Object.create(Object.getPrototypeOf(handler)), handler, { fetch });
}

function made(config, key, world) {
  try {
    return new Handler(config, key, world);
  } catch (error) {
    throw typeof error.code === "string" ? new SieveError(error.code, error.message, error) : error;
  }
}

/** The key that seals sessions and cursors. One of the isolate's own is no use to another. */
async function keyOf(key, env) {
  const given = typeof key === "function" ? await key(env) : (key ?? env?.SIEVE_KEY);
  if (given === undefined) return crypto.getRandomValues(new Uint8Array(32));
  return typeof given === "string" ? new TextEncoder().encode(given) : given;
}

/** The claims of the caller as JSON, or why its token was not taken. */
async function identified(identify, request, env) {
  if (identify === undefined) return [];
  try {
    const claims = await identify(request, env);
    return [claims === undefined || claims === null ? undefined : JSON.stringify(claims)];
  } catch (error) {
    return [undefined, error?.message || "the token was not taken"];
  }
}

async function bodyOf(request) {
  if (request.body === null) return new ArrayBuffer(0);
  if (Number(request.headers.get("content-length")) <= MAX_BODY) return request.arrayBuffer();
  const pieces = [];
  let length = 0;
  for await (const piece of request.body) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_BODY) break;
  }
  return new Blob(pieces).arrayBuffer();
}

function responseOf(reply) {
  const [status, headers] = [reply.status(), new Headers()];
  const flat = reply.headers();
  for (let at = 0; at < flat.length; at += 2) headers.append(flat[at], flat[at + 1]);
  if (!reply.streams()) {
    const json = reply.json();
    reply.free();
    return new Response(json ?? null, { status, headers });
  }
  const body = new ReadableStream({
    async pull(controller) {
      const event = await reply.next();
      if (event !== undefined) return controller.enqueue(event);
      reply.free();
      controller.close();
    },
    cancel: () => reply.free(),
  }, { highWaterMark: 0 });
  return new Response(body, { status, headers });
}

/** What the core asks of JavaScript. */
function world(serve, { checks = [], sessions, note = (line) => console.warn(line) }) {
  const memory = new Map();
  const store = (env) => (typeof sessions === "function" ? sessions(env) : sessions) ?? {
    get: (id) => memory.get(id),
    put: (id, text) => void memory.set(id, text),
    delete: (id) => void memory.delete(id),
  };
  // The highest priority first, and among equals by name.
  const asked = [checks].flat().map((check, at) => (typeof check === "function" ? { name: `${at}`, check } : check))
    .sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0) || (a.name < b.name ? -1 : 1));
  return {
    call: (context, method, headers, body) => exchange(serve, context, method, headers, body),
    sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
    random: () => crypto.getRandomValues(new Uint8Array(16)),
    wait: ({ ctx }, promise) => ctx?.waitUntil?.(promise),
    note,
    async check({ request, env }, caller) {
      const about = { ...JSON.parse(caller), headers: request.headers, env };
      for (const { check } of asked) {
        const refused = await check(about);
        if (refused === false) return "refused";
        if (typeof refused === "string") return refused;
      }
    },
    load: async ({ env }, id) => (await store(env).get(id)) ?? undefined,
    save: async ({ env }, id, text) => void (await store(env).put(id, text)),
    end: async ({ env }, id) => void (await store(env).delete(id)),
  };
}

/** One call of the handler: the core's request, with what the client's own carries beyond the protocol. */
function exchange(serve, { request, env, ctx, address }, method, flat, body) {
  const headers = new Headers([...request.headers].filter(([name]) => !OWN.test(name)));
  for (let at = 0; at < flat.length; at += 2) headers.append(flat[at], flat[at + 1]);
  const abort = new AbortController();
  const init = { method, headers, signal: abort.signal, ...(body.length > 0 && { body }) };
  const answered = (async () => serve(new Request(address, init), env, ctx))();
  answered.catch(() => {});
  let reader;
  return {
    status: 0,
    headers: [],
    async begun() {
      const response = await answered;
      this.status = response.status;
      this.headers = [...response.headers].flat();
      reader = response.body?.getReader();
    },
    async next() {
      const { done, value } = (await reader?.read()) ?? { done: true };
      return done ? undefined : value;
    },
    cancel() {
      abort.abort();
      reader?.cancel().catch(() => {});
    },
  };
}
