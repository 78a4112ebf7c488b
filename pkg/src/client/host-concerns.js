// @ts-check
// The concerns that a host configures (#1936): sent to a server that implements them, else applied to its lists here.
import { SieveError } from "../core/error.js";
import { carried } from "./server-config.js";
import { CONCERNS, METHOD_NOT_FOUND, codeOf, concerns, declaresConcerns, filtersBy, whole } from "./server-lists.js";
import { pagesOf } from "./pages.js";

const INITIALIZED = "notifications/initialized";
/** Errors with which servers answer a method that they do not have: the specified one, and those of some libraries. */
const NOT_SERVED = [METHOD_NOT_FOUND, -32600, -32602];
/** Reasons for which a server refuses a configuration. The engine has the same codes. */
const REFUSALS = ["filter_type", "filter_limit", "concern_value"];
/** The prefix of an error's path for errors in a filter. */
const WITHIN = "filter.";

/** Waits for work that several calls share. Throws when the signal of this call is aborted. */
async function orAborted(work, signal) {
  if (!signal) return work;
  let abort;
  const aborted = new Promise((_, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

export class HostConcerns {
  #client;
  #by;
  #changes;
  /** @type {Record<string, any> | undefined} */
  #configured;
  /** The transport whose session has the configuration. @type {any} */
  #session = null;
  /** @type {Promise<any> | undefined} */
  #sending;
  /** The last update. @type {Promise<any>} */
  #updated = Promise.resolve();
  /** Whether the server at a transport answers `listConcerns`. */
  #probe = { transport: undefined, served: Promise.resolve(/** @type {any} */ (undefined)) };

  /**
   * @param {any} client
   * @param {"auto" | "server" | "client"} by
   * @param {import("./changes.js").Changes} changes
   */
  constructor(client, by, changes) {
    this.#client = client;
    this.#by = by;
    this.#changes = changes;
  }

  get configured() {
    return this.#configured;
  }

  /** Sets the configuration with which the next connection begins. */
  configure(concerns) {
    this.#configured = checked(concerns, "invalid_option");
    this.#session = null;
  }

  /** Connects the client. Its notification `initialized` carries the configuration. */
  async connect(transport, options) {
    const concerns = this.#configured;
    if (concerns === undefined || this.#by === "client") return this.#client.connect(transport, options);
    const own = Object.hasOwn(transport, "send");
    const { send } = transport;
    let sent = false;
    transport.send = (message, ...rest) => {
      if (message?.method !== INITIALIZED) return send.call(transport, message, ...rest);
      sent = true;
      return send.call(transport, { ...message, params: { ...message.params, concerns } }, ...rest);
    };
    try {
      return await this.#client.connect(transport, options);
    } finally {
      if (own) transport.send = send;
      else delete transport.send;
      this.#session = sent ? transport : null;
    }
  }

  /**
   * Returns where the configuration takes effect: on the client, in the server's session, or by parameters of each request.
   * `undefined` if nothing is configured.
   * @returns {Promise<"client" | "session" | "request" | undefined>}
   */
  async place(options) {
    if (this.#configured === undefined) return undefined;
    if (!(await this.#served(options))) return "client";
    if (this.#client.getProtocolEra?.() === "modern") return "request";
    if (this.#session !== this.#client.transport) await orAborted(this.#resend(), options?.signal);
    return "session";
  }

  /** Returns a filter whose concerns are completed with the configured ones. */
  over(filter) {
    const concerns = { ...this.#configured, ...filter?.concerns };
    return Object.keys(concerns).length > 0 ? { ...filter, concerns } : filter;
  }

  /** Returns parameters with the configuration in their `_meta`, under both of its names. */
  meta(params) {
    return {
      ...params,
      _meta: { ...params?._meta, [CONCERNS]: this.#configured, concerns: this.#configured },
    };
  }

  /** Returns a filter that unsets the session's concerns, so that a list is complete. */
  get unset() {
    if (this.#configured === undefined || this.#session === null || !filtersBy(this.#client, "concerns")) return {};
    return Object.fromEntries(Object.keys(this.#configured).map((name) => [name, null]));
  }

  /** @param {() => Promise<any>} inputs the lists and the configuration that a catalog is compiled from */
  async list(inputs, compile, options) {
    this.#changes.watch();
    if (this.#by !== "client") {
      const declared = concerns(this.#client);
      // Capabilities are those of the handshake.
      if (declared.length > 0 && !this.#changes.outdated.has("concerns")) return { concerns: declared };
      const found = await this.#ask(options, true);
      if (found !== undefined) return { concerns: found };
    }
    const all = await inputs();
    const sieve = compile(all);
    try {
      return { concerns: sieve.concerns.length > 0 ? sieve.concerns : carried(all.results) };
    } finally {
      sieve.free();
    }
  }

  /** Replaces the configuration, in the server if it implements concerns. Returns the part that has an effect. */
  async update(config, inputs, compile, options) {
    const wanted = checked(config, "filter_type");
    // Updates run one after the other, so that the last one decides, however long each takes.
    const updated = this.#updated.then(() => this.#update(wanted, inputs, compile, options));
    this.#updated = updated.catch(() => {});
    return orAborted(updated, options?.signal);
  }

  async #update(wanted, inputs, compile, options) {
    options?.signal?.throwIfAborted();
    const served = await this.#served(options);
    const effective = served ? await this.#send(wanted, options) : settled(compile(await inputs()), wanted);
    const same = JSON.stringify(this.#configured) === JSON.stringify(wanted);
    this.#configured = wanted;
    // Lists of a session may have been fetched under the configuration before.
    this.#changes.forget();
    if (served) this.#session = this.#client.transport;
    // A session is notified by its server.
    if (!same && !(served && this.#client.getProtocolEra?.() !== "modern"))
      for (const list of ["tools", "resources", "prompts"]) this.#changes.announce(list);
    return effective;
  }

  async #served(options) {
    if (this.#by !== "auto") return this.#by === "server";
    return declaresConcerns(this.#client) || (await orAborted(this.#ask(options), options?.signal)) !== undefined;
  }

  /** Returns the declarations that `listConcerns` returns; `undefined` if the server does not have the method. */
  #ask(options, anew = false) {
    const { transport } = this.#client;
    if (anew && options?.signal) return this.#listed(options);
    if (anew || this.#probe.transport !== transport || transport === undefined) {
      // Calls share the request, so it has the time limit and signal of none of them.
      const served = this.#listed(undefined);
      const probe = { transport, served };
      this.#probe = probe;
      // After any other failure the next call probes again.
      served.catch(() => this.#probe === probe && (this.#probe = { ...probe, transport: undefined }));
    }
    return this.#probe.served;
  }

  async #listed(options) {
    /** @type {(cursor: string | undefined) => Promise<any>} */
    const request = (cursor) =>
      this.#client.request({ method: "listConcerns", params: cursor === undefined ? {} : { cursor } }, whole, options);
    const found = [];
    try {
      for await (const page of pagesOf(request, "listConcerns")) found.push(...page.concerns);
    } catch (error) {
      if (this.#by !== "server" && NOT_SERVED.includes(codeOf(error))) return undefined;
      throw error;
    }
    return found;
  }

  #resend() {
    const { transport } = this.#client;
    const wanted = this.#configured;
    this.#sending ??= this.#send(wanted, undefined)
      .then(() => {
        if (this.#configured === wanted) this.#session = transport;
      })
      .finally(() => {
        this.#sending = undefined;
      });
    return this.#sending;
  }

  async #send(wanted, options) {
    try {
      const request = { method: "updateConcerns", params: { concerns: wanted } };
      const { concerns: effective, ignored } = await this.#client.request(request, whole, options);
      // #1936 only requires a success response, so the effect is computed here.
      if (effective === undefined) return effectOf(wanted, concerns(this.#client));
      return { concerns: effective, ...(ignored && { ignored }) };
    } catch (error) {
      if (REFUSALS.includes(error?.data?.reason))
        throw new SieveError(error.data.reason, error.message, { path: error.data.field, cause: error });
      if (codeOf(error) !== METHOD_NOT_FOUND) throw error;
      throw new SieveError(
        "capability",
        "the server has no `updateConcerns`: give `concerns` to `wrapClient` before you connect the client",
        { cause: error },
      );
    }
  }
}

/** Returns the part of a configuration that has an effect in a server with these concerns: all of it if there are none. */
function effectOf(wanted, declared) {
  const isKnown = (name) => declared.length === 0 || declared.some((one) => one.name === name);
  const entries = Object.entries(wanted);
  const ignored = entries
    .filter(([name]) => !isKnown(name))
    .map(([name]) => ({ field: `concerns.${name}`, reason: "unknown concern" }));
  const effective = Object.fromEntries(entries.filter(([name]) => isKnown(name)));
  return { concerns: effective, ...(ignored.length > 0 && { ignored }) };
}

/** Returns the response that a server with this catalog would give. */
function settled(sieve, concerns) {
  try {
    const { applied, ignored } = sieve.filter({ concerns });
    return { concerns: applied.concerns ?? {}, ...(ignored.length > 0 && { ignored }) };
  } catch (error) {
    if (!error.path?.startsWith(WITHIN)) throw error;
    const message = error.message.replace(WITHIN, "");
    throw new SieveError(error.code, message, { path: error.path.slice(WITHIN.length), cause: error });
  } finally {
    sieve.free();
  }
}

/** Returns a copy of the configuration, which the caller cannot change. Throws if it is no object. */
function checked(concerns, code) {
  if (concerns === null || typeof concerns !== "object" || Array.isArray(concerns))
    throw new SieveError(code, "concerns: expected an object of concern names to values", { path: "concerns" });
  return { ...concerns };
}
