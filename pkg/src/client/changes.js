// @ts-check
// Notifications that a list has changed, for lists that are kept and for listeners.
import { announcedAt } from "./announced.js";
import { FILTERING, METHOD_NOT_FOUND, codeOf, isWrapper } from "./server-lists.js";

/** Lifetime of a list, in milliseconds, if the server notifies of changes and states no `ttlMs`. */
const KEEP_MS = 60_000;
/** Time, in milliseconds, after which a list that has not arrived is requested again: a client may have no time limit. */
const PENDING_MS = 120_000;
/**
 * Delay, in milliseconds, before a subscription that ended is opened again. It doubles with each failure, up to the
 * second value.
 */
const RESUBSCRIBE_MS = 1_000;
const MAX_RESUBSCRIBE_MS = 60_000;
/** Time, in milliseconds, after which the end of a subscription is no failure: proxies close idle streams. */
const STEADY_MS = 1_000;
/** Maximum number of results that are kept; the one that was fetched first is dropped. */
const MAX_KEPT = 32;

const nothing = () => {};

/** The lists of one client: shared while they are fetched, kept while they are valid, dropped when they change. */
export class Changes {
  #client;
  #transport;
  #announced = announcedAt(undefined);
  /** The number of announced changes when the cache was last cleared. */
  #count = 0;
  #state = Symbol("lists");
  /** @type {Map<string, { result: Promise<any>, until: number }>} */
  #kept = new Map();
  /** @type {Set<(change: { list: string }) => void>} */
  #listeners = new Set();
  /** @type {{ closed: boolean, close: () => void } | undefined} */
  #subscription;
  /** Ends what `#hook` began. */
  #unhook = nothing;
  /** How often in a row the subscription failed or ended at once; `undefined` before it was lost for the first time. */
  #failures;
  /** Whether the client's `onerror` was called since the subscription was opened last. */
  #reported = false;
  #announce = (list) => this.announce(list);

  constructor(client) {
    this.#client = client;
    this.watch();
  }

  /** A value that differs after each announced change and each reconnect. */
  get state() {
    this.watch();
    return this.#state;
  }

  /** The lists that changed since the handshake: its capabilities are outdated. */
  get outdated() {
    return this.#announced.lists;
  }

  /**
   * Follows the client to the transport that it has now. Nothing of another connection is kept, and nothing from before a
   * change.
   */
  watch() {
    const { transport } = this.#client;
    if (transport !== this.#transport) this.#follow(transport);
    else if (this.#announced.count !== this.#count) this.forget();
  }

  #follow(transport) {
    this.#announced.listeners.delete(this.#announce);
    this.#transport = transport;
    this.#announced = announcedAt(transport);
    if (this.#listeners.size > 0) this.#announced.listeners.add(this.#announce);
    this.forget();
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#failures = undefined;
    this.#reported = false;
    if (transport !== undefined) this.#subscribe();
  }

  /**
   * Returns what `load` returns, which concurrent calls with one `key` share. `ttlOf` says for how many milliseconds the
   * result is valid. If a change is announced meanwhile, waiting calls still get the result, but it is not cached.
   */
  share(key, load, ttlOf) {
    this.watch();
    const known = this.#kept.get(key);
    if (known && known.until > Date.now()) return known.result;
    const entry = { result: load(), until: Date.now() + PENDING_MS };
    this.#kept.delete(key);
    this.#kept.set(key, entry);
    const [first] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(first);
    const end = (ttl) => {
      entry.until = Date.now() + ttl;
      if (ttl <= 0 && this.#kept.get(key) === entry) this.#kept.delete(key);
    };
    entry.result.then(
      (result) => end(ttlOf(result)),
      () => end(0),
    );
    return entry.result;
  }

  /** Returns for how many milliseconds a result of a list of `capability` may be kept. */
  ttl({ ttlMs }, capability) {
    // The lists of a wrapper depend on its filter, which is replaced without a notification.
    if (isWrapper(this.#client)) return 0;
    if (typeof ttlMs === "number") return ttlMs;
    const capabilities = this.#client.getServerCapabilities?.();
    // A list that the server does not have stays as it is.
    if (capabilities && !capabilities[capability]) return Infinity;
    return capabilities?.[capability]?.listChanged ? KEEP_MS : 0;
  }

  /** Calls `listener` after each change; returns a function that ends this. */
  listen(listener) {
    // A function of its own: the same listener may be added twice.
    const added = (change) => listener(change);
    this.#listeners.add(added);
    this.#hook();
    this.watch();
    this.#announced.listeners.add(this.#announce);
    this.#subscribe();
    return () => {
      this.#listeners.delete(added);
      if (this.#listeners.size > 0) return;
      this.#unhook();
      this.#announced.listeners.delete(this.#announce);
      this.#subscription?.close();
      this.#subscription = undefined;
      this.#failures = undefined;
      this.#reported = false;
    };
  }

  /** Follows the client to a new connection at once while there are listeners, even if the host connects it itself. */
  #hook() {
    const client = this.#client;
    if (this.#unhook !== nothing || typeof client.connect !== "function") return;
    const own = Object.hasOwn(client, "connect");
    const { connect } = client;
    const connected = async (...args) => {
      const done = await connect.apply(client, args);
      this.watch();
      return done;
    };
    client.connect = connected;
    this.#unhook = () => {
      this.#unhook = nothing;
      if (client.connect !== connected) return;
      if (own || isWrapper(client)) client.connect = connect;
      else delete client.connect;
    };
  }

  announce(list) {
    // Listeners that a listener adds are called at the next change.
    for (const listener of [...this.#listeners]) {
      // A listener may list anew, and fail as the server does.
      const called = async () => listener({ list });
      called().catch((error) => this.#client.onerror?.(error));
    }
  }

  /** Drops every kept list, because the catalog of all lists contains each of them. */
  forget() {
    this.#state = Symbol("lists");
    this.#count = this.#announced.count;
    this.#kept.clear();
  }

  /** Opens a subscription for the listeners: the stateless revision sends notifications only on request. */
  #subscribe() {
    const client = this.#client;
    if (this.#listeners.size === 0 || this.#subscription || client.getProtocolEra?.() !== "modern") return;
    const wanted = notifications(client.getServerCapabilities() ?? {}, client.autoOpenedSubscription?.honoredFilter);
    if (Object.keys(wanted).length === 0) return;
    const opening = client.listen(wanted);
    const subscription = {
      closed: false,
      close: () => {
        subscription.closed = true;
        opening.then((stream) => stream.close()).catch(() => {});
      },
    };
    this.#subscription = subscription;
    /** @type {number | undefined} */
    let opened;
    const end = (/** @type {any} */ error = undefined) => {
      if (subscription.closed || this.#subscription !== subscription) return;
      this.#subscription = undefined;
      this.#kept.clear();
      if (error && !this.#reported) client.onerror?.(error);
      this.#reported ||= Boolean(error);
      if (codeOf(error) === METHOD_NOT_FOUND) return;
      const isSteady = opened !== undefined && Date.now() - opened >= STEADY_MS;
      const failures = isSteady ? 0 : (this.#failures ?? 0);
      const delay = Math.min(RESUBSCRIBE_MS * 2 ** failures, MAX_RESUBSCRIBE_MS);
      this.#failures = failures + 1;
      const timer = setTimeout(() => this.#transport === client.transport && this.#subscribe(), delay);
      /** @type {any} */ (timer).unref?.();
    };
    opening
      .then((stream) => {
        opened = Date.now();
        this.#reported = false;
        // What changed between two subscriptions was reported to no one.
        if (this.#failures !== undefined && this.#subscription === subscription) {
          for (const name of Object.keys(wanted)) {
            const list = name.replace("ListChanged", "");
            this.outdated.add(list);
            this.forget();
            this.announce(list);
          }
        }
        return stream.closed;
      })
      .then(() => end(), end);
  }
}

/** The notifications that a server offers, without those that the client has subscribed to itself. */
function notifications(capabilities, honored = {}) {
  const extensions = capabilities.extensions ?? {};
  const { groups, tags } = extensions[FILTERING] ?? {};
  const { tools, resources, prompts } = capabilities;
  const lists = { tools, resources, prompts, groups, tags, concerns: extensions["dev.mcpsieve/concerns"] };
  const offered = Object.entries(lists).filter(([, one]) => one?.listChanged);
  const names = offered.map(([list]) => `${list}ListChanged`).filter((name) => !honored[name]);
  return Object.fromEntries(names.map((name) => [name, true]));
}
