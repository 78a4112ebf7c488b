// @ts-check
// The middleware servers of an application, and their functions as functions of its own.
import { SieveError } from "../core/error.js";
import { checkedOptions } from "../core/options.js";
import { Refused } from "./failure.js";
import { RemoteServer, TIMEOUT_MS } from "./server.js";

/** The schema of a function whose own schema has keywords that are not known here; a chain provides both arguments. */
export const OPEN_SCHEMA = { type: "object", properties: { redactions: { type: "object" }, metadata: {} } };

const MEMBERS = ["url", "headers", "timeoutMs", "fallback", "functions", "fetch"];
const config = (message) => new SieveError("config", message);

/** The longest delay of a timer, in milliseconds. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export class RemoteServers {
  /** @type {Map<string, RemoteServer>} */
  #servers = new Map();
  #warn;

  /** @param {(problem: string) => void} warn is called with a message for each server that failed */
  constructor(warn) {
    this.#warn = warn;
  }

  /**
   * Connects to a server.
   * @param {string} name
   * @param {import("../../types/middleware.js").RemoteServer} options
   * @returns {Promise<{ name: string, description?: string, inputSchema?: Record<string, unknown>, call: Function }[]>}
   */
  async connect(name, options) {
    if (options === undefined) throw config("expected the address of the server: `{ url }`");
    const { fallback = [], functions } = checkedOptions(options, MEMBERS, { code: "config" });
    if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name))
      throw config("expected a name of 1 to 64 of the characters A-Z a-z 0-9 _ - .");
    if (this.#servers.has(name)) throw config(`there is a middleware server \`${name}\` already`);
    checkUrl(name, options.url);
    const { timeoutMs = TIMEOUT_MS } = options;
    if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS)
      throw config(`timeoutMs: expected a whole number from 1 to ${MAX_TIMEOUT_MS}`);
    const fallbacks = [fallback].flat().map((other) => {
      const server = this.#servers.get(other);
      if (!server) throw config(`the fallback \`${other}\` of \`${name}\` is not connected`);
      return server;
    });
    const server = new RemoteServer(name, options);
    const listed = await server.list().catch((error) => {
      throw new SieveError("middleware_failed", error.message);
    });
    const missing = functions?.find((wanted) => !listed.some((one) => one.name === wanted));
    if (missing !== undefined)
      throw new SieveError("unknown_middleware", `middleware server \`${name}\` lists no function \`${missing}\``);
    const twice = listed.find((one, at) => listed.findIndex(({ name: other }) => other === one.name) !== at);
    if (twice !== undefined)
      throw new SieveError(
        "middleware_failed",
        `middleware server \`${name}\` lists the function \`${twice.name}\` twice`,
      );
    this.#servers.set(name, server);
    const called = listed.filter((one) => server.has(one.name));
    return called.map(({ name: wanted, description, inputSchema }) => ({
      name: `${name}/${wanted}`,
      description: typeof description === "string" ? description : undefined,
      inputSchema,
      call: (context, args) => this.#run([server, ...fallbacks], wanted, context, args),
    }));
  }

  /** Forgets a server whose functions could not be used. */
  forget(name) {
    this.#servers.delete(name);
  }

  /** Calls a function on the first server that is able to run it. Returns an outcome, or what failed. */
  async #run(servers, name, context, args) {
    const problems = [];
    const able = servers.filter((server, at) => at === 0 || server.has(name));
    for (const server of able) {
      try {
        return await server.invoke(name, context, args);
      } catch (error) {
        problems.push(error.message);
        try {
          this.#warn(`${servers[0].name}/${name}: ${error.message}`);
        } catch {
          // A note that cannot be written does not keep the fallback from being called.
        }
        if (error instanceof Refused) break;
      }
    }
    return { failure: `${servers[0].name}/${name}: ${problems.join("; ")}` };
  }
}

function checkUrl(name, text) {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw config(`the address of middleware server \`${name}\` is not an absolute http or https URL`);
}
