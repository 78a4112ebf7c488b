// @ts-check
// The Worker around its bindings. The macro `#[event(fetch)]` of the crate `worker` hands a request over as an object. The
// module then reads every header and every piece of the body by a call of its own, and each answer is a promise. This entry
// reads a small request itself and passes it in one call, which returns the response if it does not have to wait.
// Sessions, large bodies and all other paths go through the macro.
//
// A panic leaves memory that cannot be trusted: the next call takes a fresh instance of the module, and Durable Objects are
// made anew in it. What they store is not in memory and stays.
import { WorkerEntrypoint } from "cloudflare:workers";
import * as bindings from "./index.js";

/** Addresses that the module can answer in one call: MCP and the lists, as they are written without dots and escapes. */
const DIRECT = /^https?:\/\/[^/?#]+\/(?:mcp(?:\/[\w-]*)*|catalog\/[\w-]*)(?:[?#]|$)/;
/** Maximum length of a body that is handed over whole, in bytes. */
const MAX_BODY = 16_384;
/** Milliseconds for which such a body is waited for here. The module then refuses by the head, or goes on waiting. */
const EARLY_MS = 100;

/** What the crate `worker` shares: a panic sets `criticalError`; `instanceId` counts the instances. */
const state = bindings.__worker_init_state();

// Frames of a deep stack are what tells where a panic comes from.
Error.stackTraceLimit = 100;

/** @param {unknown} error */
function note(error) {
  if (!(error instanceof WebAssembly.RuntimeError)) return;
  console.error("Critical", error);
  state.criticalError = true;
}

addEventListener("error", ({ error }) => note(error));

/**
 * Runs what calls into the module, in an instance that is sound.
 * @template T
 * @param {() => T} work
 */
function run(work) {
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
 * Returns method, URL and headers as lines, and the declared length; nothing for a request of a session, whose object reads it.
 * @param {Request} request
 */
function read(request) {
  let head = `${request.method} ${request.url}`;
  let length = Number.NaN;
  for (const [name, value] of request.headers) {
    if (name === "mcp-session-id") return undefined;
    if (name === "content-length") length = Number(value);
    head += `\n${name}:${value}`;
  }
  return { head, length };
}

export default class extends WorkerEntrypoint {
  /** @param {Request} request */
  fetch(request) {
    const direct = DIRECT.test(request.url) ? read(request) : undefined;
    if (direct && request.method !== "POST") return this.#answer(direct.head);
    if (direct && direct.length <= MAX_BODY) return this.#post(direct.head, request.arrayBuffer());
    return this.#finish(() => bindings.fetch(request, this.env, this.ctx));
  }

  /** @type {(head: string, body: Promise<ArrayBuffer>) => Promise<Response>} */
  async #post(head, body) {
    let timer;
    const late = new Promise((done) => {
      timer = setTimeout(done, EARLY_MS);
    });
    // A body that breaks off is refused by the module.
    const bytes = await Promise.race([body, late]).catch(() => undefined);
    clearTimeout(timer);
    return bytes ? this.#answer(head, new Uint8Array(bytes)) : this.#answer(head, undefined, body);
  }

  /** @type {(head: string, body?: Uint8Array, arriving?: Promise<ArrayBuffer>) => Response | Promise<Response>} */
  #answer(head, body, arriving) {
    return this.#finish(() => bindings.answer(head, body, arriving, this.env, this.ctx));
  }

  /** @param {() => Response | Promise<Response>} work */
  #finish(work) {
    const response = run(work);
    // A request whose client leaves goes on to its end: one that the runtime stops halfway never frees its memory.
    if (response instanceof Promise) this.ctx.waitUntil(response);
    return response;
  }
}

/** The class of a Durable Object: each method of the one in the bindings, on an object of the instance that is sound. */
export function durable(Bound) {
  class Durable {
    #given;
    #bound;
    #instanceId;

    constructor(...given) {
      this.#given = given;
      this.#call("constructor");
    }

    #call(name, ...args) {
      return run(() => {
        if (this.#instanceId !== state.instanceId) {
          try {
            this.#bound = new Bound(...this.#given);
          } catch (error) {
            state.criticalError = true;
            throw error;
          }
          this.#instanceId = state.instanceId;
        }
        return name === "constructor" ? undefined : this.#bound[name](...args);
      });
    }

    static {
      for (const name of Object.getOwnPropertyNames(Bound.prototype)) {
        if (name === "constructor" || name === "free" || name.startsWith("__")) continue;
        Durable.prototype[name] = function (...args) {
          return this.#call(name, ...args);
        };
      }
    }
  }
  return Durable;
}
