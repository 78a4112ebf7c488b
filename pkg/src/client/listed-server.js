// @ts-check
// The lists of one of several servers, as they were last, and why it could not be listed since.
import { Changes } from "./changes.js";
import { declared } from "./server-config.js";
import { LISTS, concerns, orEmpty, pages } from "./server-lists.js";

/**
 * The list results of a server in the order of `LISTS`, and the groups, tags and concerns that it declares.
 * @typedef {{ lists: any[], declared?: { groups: any[], tags: any[], concerns: any[], rules: any[] } }} Listing
 */

/** @type {Listing} */
const NOTHING = { lists: [] };

export class ListedServer {
  /** The last listing. */
  listing = NOTHING;
  /** Why it could not be listed since. @type {{ since: number, error: unknown } | undefined} */
  outage;
  #attempts = 0;
  /** The number of the attempt that `listing` is of. */
  #last = 0;
  /** The attempt that is kept or under way, and when it has been recorded. @type {any} */
  #attempt;
  /** The attempt that was not waited for any longer. @type {unknown} */
  #late;

  constructor({ server, client, ...naming }) {
    this.name = server;
    this.client = client;
    /** The prefix of its names, and the names that are given to its groups, tags and concerns. */
    this.naming = naming;
    this.changes = new Changes(client);
  }

  /** Whether it says itself which concerns it has. */
  get declaresConcerns() {
    return concerns(this.client).length > 0;
  }

  /**
   * Lists the server, unless its last listing is still valid. Waits at most `waitMs` milliseconds for an attempt. A list that
   * arrives later is announced as a change. If the server fails or is late, its last listing stays.
   */
  async refresh(options, waitMs) {
    const attempt = options?.signal
      ? this.#load(options)
      : this.changes.share(
          "lists",
          () => this.#load(options),
          (listing) => this.#ttl(listing),
        );
    if (attempt !== this.#attempt?.attempt)
      this.#attempt = { attempt, recorded: this.#record(attempt, options?.signal) };
    if (attempt === this.#late) return;
    const { recorded } = this.#attempt;
    if (!(await within(recorded, waitMs))) {
      this.#late = attempt;
      this.#fail(new Error(`no lists within ${waitMs} ms`));
    }
    options?.signal?.throwIfAborted();
  }

  async #load(options) {
    const { client } = this;
    const names = Object.keys(LISTS);
    const lists = await Promise.all(names.map((method) => orEmpty(pages(client, method, undefined, options), method)));
    return { lists, declared: await declared(client, lists, options, {}) };
  }

  #ttl({ lists }) {
    const capabilities = Object.values(LISTS).map(([, , capability]) => capability);
    return Math.min(...capabilities.map((capability, at) => this.changes.ttl(lists[at], capability)));
  }

  /** Records how an attempt ends, unless a later one ended before. */
  async #record(attempt, signal) {
    const number = ++this.#attempts;
    try {
      const listing = await attempt;
      if (number < this.#last) return;
      this.#last = number;
      this.listing = listing;
      this.outage = undefined;
    } catch (error) {
      if (number > this.#last && !signal?.aborted) this.#fail(error);
      return;
    }
    if (attempt === this.#late) for (const list of kindsOf(this.listing)) this.changes.announce(list);
  }

  #fail(error) {
    this.outage = { since: this.outage?.since ?? Date.now(), error };
  }

  /** The status of the server, as the gateway names it. */
  get state() {
    const { name, outage } = this;
    if (outage === undefined) return { name, status: "ok" };
    const { since, error } = outage;
    return {
      name,
      status: this.#last > 0 ? "stale" : "down",
      since: new Date(since).toISOString(),
      error: String(/** @type {any} */ (error)?.message ?? error),
    };
  }
}

/** Longest delay of a timer, in milliseconds. A longer one would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Whether a promise settles within a time. */
async function within(promise, ms) {
  if (ms > MAX_TIMER_MS) return promise.then(() => true);
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ms, false)));
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The lists that have members, as notifications name them. */
function kindsOf({ lists }) {
  const entries = Object.values(LISTS).map(([kind, , capability], at) => [capability, lists[at]?.[kind]?.length > 0]);
  return new Set(entries.filter(([, some]) => some).map(([capability]) => capability));
}
