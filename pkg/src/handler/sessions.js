// @ts-check
// Sessions of the handshake revisions: in memory, or in a store of the author's.
import { ask } from "./ask.js";

/** Most sessions that are kept in memory; the one that has gone unused for longest makes room for another. */
export const MAX_SESSIONS = 10_000;
/** Most characters of sessions that are kept in memory, so that a few thousand large ones leave an isolate room to work. */
export const MAX_SESSION_CHARACTERS = 16 * 1024 * 1024;
/** Seconds for which a session is kept: in memory since its last use, in a store since it was last written. */
export const SESSION_SECONDS = 24 * 60 * 60;

/** A session store in memory. */
export class MemorySessions {
  /** By id, the latest used last. */
  #sessions = new Map();
  #characters = 0;

  get(id) {
    this.#expire();
    const session = this.#sessions.get(id);
    if (session !== undefined) this.put(id, session.text);
    return session?.text;
  }

  put(id, text) {
    this.delete(id);
    this.#expire();
    this.#sessions.set(id, { text, until: Date.now() + SESSION_SECONDS * 1_000 });
    this.#characters += text.length;
    while (this.#sessions.size > MAX_SESSIONS || (this.#characters > MAX_SESSION_CHARACTERS && this.#sessions.size > 1))
      this.delete(this.#oldest());
  }

  delete(id) {
    this.#characters -= this.#sessions.get(id)?.text.length ?? 0;
    this.#sessions.delete(id);
  }

  #oldest() {
    return this.#sessions.keys().next().value;
  }

  #expire() {
    for (const [id, { until }] of this.#sessions) {
      if (until > Date.now()) return;
      this.delete(id);
    }
  }
}

/** The option's value for sessions that are meant to stay in one isolate's memory. */
export const MEMORY = "memory";

/** The store that the core asks. `given` is the author's option: a store, a function of `env` that returns one, `MEMORY` or nothing. */
export function sessionsOf(given, warn) {
  const memory = new MemorySessions();
  const store = async ({ env }) => {
    const found = typeof given === "function" ? await given(env) : given;
    if (found === undefined || found === null) warn("sessions");
    return found === MEMORY ? memory : (found ?? memory);
  };
  const asked = (work) => ask("the session store", work);
  return {
    load: (context, id) => asked(async () => (await (await store(context)).get(id)) ?? undefined),
    // A KV namespace takes the third argument and lets the session expire.
    save: (context, id, text) =>
      asked(async () => void (await (await store(context)).put(id, text, { expirationTtl: SESSION_SECONDS }))),
    end: (context, id) => asked(async () => void (await (await store(context)).delete(id))),
  };
}
