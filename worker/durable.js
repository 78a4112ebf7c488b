// @ts-check
// The classes of Durable Objects around those in the bindings. After a panic, an object is made anew in the next instance of the
// module, and what it was doing is rejected: an alarm that never ended would keep the object from every later one.
import { orPanic, run, state } from "./entry.js";

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
      const done = run(() => {
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
      return done instanceof Promise ? orPanic(done) : done;
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
