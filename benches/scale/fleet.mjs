// MCP servers in a separate process, so that their CPU time does not count in the measuring process.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("fleet/main.mjs", import.meta.url));

/**
 * Servers that are controlled together, such as those of one gateway. Without `places` a method applies to all of them.
 */
class Fleet {
  #ask;
  #first;
  constructor(ask, first, names, urls) {
    this.#ask = ask;
    this.#first = first;
    /** The members `name` and `url` of each server. */
    this.servers = urls.map((url, at) => ({ name: names[at], url }));
  }

  #places = (places = this.servers.keys()) => Array.from(places, (place) => this.#first + place);

  /** Sets the behaviour of servers: `{name, delayMs, everyMs}`. */
  behave = (behaviour, places) => this.#ask("behave", this.#places(places), behaviour);
  /** Changes the lists of servers, and notifies their listeners if `notify`. */
  change = ({ notify = false } = {}, places) => this.#ask("change", this.#places(places), notify);
  /** Sets members of servers, such as `ttlMs`. */
  set = (members, places) => this.#ask("set", this.#places(places), members);
  /** Returns the requests of each server by method. */
  counts = (places) => this.#ask("counts", this.#places(places));
  reset = (places) => this.#ask("reset", this.#places(places));
  streams = (places) => this.#ask("streams", this.#places(places));
  /** Returns the requests that a hanging server did not answer before its client gave up. */
  abandoned = (places) => this.#ask("abandoned", this.#places(places));

  /** Returns the number of requests of one method, or of all, that the servers received. */
  async total(method, places) {
    const counts = await this.counts(places);
    return counts
      .flatMap((count) => Object.entries(count))
      .filter(([name]) => method === undefined || name === method)
      .reduce((sum, [, count]) => sum + count, 0);
  }
}

/**
 * Starts the process. `fleet(specs)` starts servers in it; each spec is an argument of the constructor of
 * `FleetServer`.
 */
export function startFleets() {
  const child = fork(main, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const waiting = new Map();
  let [next, started] = [1, 0];
  child.on("message", ({ id, result, error }) => {
    const { done, fail } = waiting.get(id);
    waiting.delete(id);
    error === undefined ? done(result) : fail(new Error(error));
  });
  const ask = (command, ...args) =>
    new Promise((done, fail) => {
      waiting.set(next, { done, fail });
      child.send({ id: next++, command, args });
    });
  return {
    async fleet(specs) {
      const named = specs.map((spec, at) => ({ name: `s${at}`, ...spec }));
      const first = started;
      started += specs.length;
      const urls = await ask("start", named);
      return new Fleet(
        ask,
        first,
        named.map(({ name }) => name),
        urls,
      );
    },
    /** Starts or ends a series of requests to a URL; see `probe`. */
    probe: (url) => ask("probe", url),
    stop: () => child.kill(),
  };
}
