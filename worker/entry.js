// The Worker around its bindings. A panic leaves memory that cannot be trusted: the next call takes a fresh instance of the
// module, and Durable Objects are made anew in it. What they store is not in memory and stays.
import { WorkerEntrypoint } from "cloudflare:workers";
import * as bindings from "./index.js";

/** What the crate `worker` shares: a panic sets `criticalError`; `instanceId` counts the instances. */
const state = bindings.__worker_init_state();

// Frames of a deep stack are what tells where a panic comes from.
Error.stackTraceLimit = 100;

function renew() {
  if (!state.criticalError) return;
  console.log("Reinitializing Wasm application");
  bindings.__wbg_reset_state();
  state.criticalError = false;
  state.instanceId += 1;
}

function note(error) {
  if (!(error instanceof WebAssembly.RuntimeError)) return;
  console.error("Critical", error);
  state.criticalError = true;
}

addEventListener("error", ({ error }) => note(error));

/** Runs what calls into the module, in an instance that is sound. */
function run(work) {
  renew();
  try {
    return work();
  } catch (error) {
    note(error);
    throw error;
  }
}

export default class extends WorkerEntrypoint {
  fetch(request) {
    return run(() => {
      const response = bindings.fetch(request, this.env, this.ctx);
      // A request whose client leaves goes on to its end: one that the runtime stops halfway never frees its memory.
      this.ctx.waitUntil(response);
      return response;
    });
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
