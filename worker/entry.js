// @ts-check
// The Worker around its bindings. The macro `#[event(fetch)]` of the crate `worker` hands a request over as an object, of which
// the module reads every header and piece of the body by a call of its own, and each answer is a promise. This entry passes
// such a request in one call, which returns the response if nothing has to wait, or the request to an upstream server as a
// plan that is carried out here. All else goes through the macro.
//
// A panic leaves memory that cannot be trusted: the next call takes a fresh instance of the module, and Durable Objects are
// made anew in it. What they store is not in memory and stays.
import * as bindings from "./index.js";

/** Addresses that the module can answer in one call: MCP and the lists, as they are written without dots and escapes. */
const DIRECT = /^https?:\/\/[^/?#]+\/(?:mcp(?:\/[\w-]*)*|catalog\/[\w-]*)(?:[?#]|$)/;
/** Maximum length of a body that is handed over whole, in bytes. */
const MAX_BODY = 16_384;
/** Milliseconds for which such a body is waited for here. The module then refuses by the head, or goes on waiting. */
const EARLY_MS = 100;

/** @typedef {{ waitUntil(work: Promise<unknown>): void }} Context */
/** @typedef {import("./plan.js").Plan} Plan */

/** What the crate `worker` shares: a panic sets `criticalError`; `instanceId` counts the instances. */
export const state = bindings.__worker_init_state();

// Frames of a deep stack are what tells where a panic comes from.
Error.stackTraceLimit = 100;

// The module calls `queueMicrotask` at every wait. workerd's own creates a function template each time, so it is replaced.
globalThis.queueMicrotask = (work) => {
  Promise.resolve().then(() => {
    try {
      work();
    } catch (error) {
      reportError(error);
    }
  });
};

/** Rejects the work in progress after a panic, since no promise of that instance settles any more. */
const underWay = new Set();

/**
 * Returns whether an error ends the instance: a panic, or an error of the platform that passed through the module, which the bindings
 * report as this one with its cause.
 * @param {unknown} error
 */
const endsInstance = (error) =>
  error instanceof WebAssembly.RuntimeError || (error instanceof Error && error.message === "Critical error");

/** @param {unknown} error */
function note(error) {
  if (!endsInstance(error)) return;
  console.error("Critical", error, /** @type {Error} */ (error).cause ?? "");
  state.criticalError = true;
  for (const end of underWay) end(error);
  underWay.clear();
}

/**
 * Returns a promise that settles as `work` does, or is rejected when the instance panics meanwhile.
 * @template T
 * @type {(work: Promise<T>) => Promise<T>}
 */
export function orPanic(work) {
  return new Promise((done, fail) => {
    underWay.add(fail);
    work.then(done, fail).finally(() => underWay.delete(fail));
  });
}

addEventListener("error", ({ error }) => note(error));

/**
 * Runs what calls into the module, in an instance that is sound.
 * @template T
 * @param {() => T} work
 */
export function run(work) {
  if (state.criticalError) {
    console.log("Reinitializing Wasm application");
    bindings.__wbg_reset_state();
    state.criticalError = false;
    state.instanceId += 1;
  }
  try {
    return work();
  } catch (error) {
    note(error);
    throw error;
  }
}

/**
 * Calls the module. A request whose client leaves goes on to its end: one that the runtime stops halfway never frees its memory.
 * @type {(ctx: Context, work: () => Response | Promise<Response> | Plan) => Response | Promise<Response>}
 */
function call(ctx, work) {
  const answer = run(work);
  const plan = /** @type {Partial<Plan>} */ (answer);
  const response = plan.carryOut
    ? /** @type {Plan} */ (answer).carryOut(run)
    : /** @type {Response | Promise<Response>} */ (answer);
  if (!(response instanceof Promise)) return response;
  const ended = orPanic(response);
  ctx.waitUntil(ended);
  return ended;
}

/**
 * Answers a request with the body that it sends; without it, if it is not here soon.
 * @type {(head: string, body: Promise<ArrayBuffer>, env: unknown, ctx: Context) => Promise<Response>}
 */
async function post(head, body, env, ctx) {
  /** @type {ArrayBuffer | undefined} */
  const bytes = await new Promise((done) => {
    const timer = setTimeout(done, EARLY_MS);
    // A body that breaks off is refused by the module.
    body.then(done, () => done(undefined)).finally(() => clearTimeout(timer));
  });
  const [read, arriving] = bytes ? [new Uint8Array(bytes)] : [undefined, body];
  return call(ctx, () => bindings.answer(head, read, arriving, undefined, env, ctx));
}

export default {
  /** @type {(request: Request, env: unknown, ctx: Context) => Response | Promise<Response>} */
  fetch(request, env, ctx) {
    const { method, url, headers } = request;
    let direct = DIRECT.test(url);
    let length = Number.NaN;
    let head = `${method} ${url}`;
    for (const header of direct ? headers : []) {
      const name = header[0];
      // The object of a session reads its requests.
      if (name === "mcp-session-id") direct = false;
      else if (name === "content-length") length = Number(header[1]);
      head += `\n${name}:${header[1]}`;
    }
    if (!direct) return call(ctx, () => bindings.fetch(request, env, ctx));
    if (method === "POST" && length <= MAX_BODY) return post(head, request.arrayBuffer(), env, ctx);
    const unread = method === "POST" ? request : undefined;
    return call(ctx, () => bindings.answer(head, undefined, undefined, unread, env, ctx));
  },
};
