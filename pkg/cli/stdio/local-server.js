// @ts-check
// A local server: its processes, one for each session and one for all stateless requests, and when each starts and ends.
import { randomUUID } from "node:crypto";
import { warn } from "../lib/print.js";
import { Connection } from "./connection.js";

/** Maximum number of processes of one server. */
export const MAX_PROCESSES = 8;
/** Milliseconds without a request after which the process of a session is ended. */
export const IDLE_MS = 60 * 60 * 1_000;
/** Milliseconds until a process that ended without an answer is started again: at first, and at most. Each time doubles them. */
export const FIRST_PAUSE_MS = 1_000;
export const MAX_PAUSE_MS = 60_000;

/** Why no process can take a request now, and after how many seconds one may. */
export class Unavailable extends Error {
  /**
   * @param {string} message
   * @param {number} [seconds]
   */
  constructor(message, seconds) {
    super(message);
    this.seconds = seconds;
  }
}

/** @typedef {import("./local-process.js").Program & { probeMs: number, oneClient?: boolean }} Settings */

export class LocalServer {
  /** Sessions by their ids, the latest used last. @type {Map<string, { connection: Connection, timer?: NodeJS.Timeout }>} */
  #sessions = new Map();
  /** The process that stateless requests go to, and the first session if it answers none. @type {Connection | undefined} */
  #shared;
  /** All that run. @type {Set<Connection>} */
  #running = new Set();
  /** Whether the server answers stateless requests, as far as it is known. @type {boolean | undefined} */
  stateless;
  #failures = 0;
  #pausedUntil = 0;
  #reason = "";
  #stopped = false;
  #settings;

  /** @param {Settings} settings */
  constructor(settings) {
    this.#settings = settings;
  }

  get name() {
    return this.#settings.name;
  }

  /** Milliseconds after which a server that does not answer the first question is taken for one with sessions. */
  get probeMs() {
    return this.#settings.probeMs;
  }

  /** The process for stateless requests. */
  shared() {
    this.#shared ??= this.#start();
    return this.#shared;
  }

  /** Begins a session, in the process that has answered no stateless request if there is one. */
  begin() {
    const spare = this.stateless ? undefined : this.#shared;
    if (spare !== undefined) this.#shared = undefined;
    const id = randomUUID();
    this.#sessions.set(id, { connection: spare ?? this.#start() });
    this.session(id);
    return { id, connection: /** @type {Connection} */ (this.#sessions.get(id)?.connection) };
  }

  /** The process of a session, if it still runs. */
  session(id) {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    clearTimeout(session.timer);
    session.timer = setTimeout(() => {
      if (session.connection.busy) this.session(id);
      else this.end(id);
    }, IDLE_MS).unref();
    return session.connection;
  }

  /** Records that a process rejected `initialize`. It may be a stateless server. */
  refused(id) {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    if (this.#shared !== undefined) return this.end(id);
    clearTimeout(session.timer);
    this.#sessions.delete(id);
    this.#shared = session.connection;
    this.stateless = undefined;
  }

  /** Ends a session. */
  end(id) {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    clearTimeout(session.timer);
    this.#sessions.delete(id);
    session.connection.stop();
  }

  /** Ends all processes. Resolves when they have ended. */
  async stop() {
    this.#stopped = true;
    for (const { timer } of this.#sessions.values()) clearTimeout(timer);
    this.#sessions.clear();
    await Promise.all([...this.#running].map((connection) => connection.stop()));
  }

  #start() {
    const wait = this.#pausedUntil - Date.now();
    if (this.#stopped) throw new Unavailable(`the server \`${this.name}\` is being ended`);
    if (wait > 0) throw this.#unavailable(Math.ceil(wait / 1_000));
    const lasting = [...this.#running].filter(({ stopping }) => !stopping);
    if (lasting.length >= MAX_PROCESSES) this.#makeRoom();
    const connection = new Connection(this.#settings, (how) => this.#ended(connection, how));
    this.#running.add(connection);
    return connection;
  }

  /** Ends the session that has been idle for the longest time. */
  #makeRoom() {
    const [idle] = [...this.#sessions].find(([, { connection }]) => !connection.busy) ?? [];
    if (idle === undefined)
      throw new Unavailable(
        `the server \`${this.name}\` has ${MAX_PROCESSES} processes, all of them with open requests`,
      );
    this.end(idle);
  }

  #ended(connection, how) {
    this.#running.delete(connection);
    if (this.#shared === connection) this.#shared = undefined;
    const { stopping } = connection;
    for (const [id, session] of this.#sessions) if (session.connection === connection) this.end(id);
    if (stopping) return;
    // A process that answered requests is started again at once, and one that never did after a pause. Some servers exit when they
    // get a stateless request.
    this.#failures = connection.answered || this.stateless === undefined ? 0 : this.#failures + 1;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), MAX_PAUSE_MS);
    this.#pausedUntil = this.#failures === 0 ? 0 : Date.now() + pause;
    this.#reason = how;
    warn(`${this.name}: ${how}`);
  }

  #unavailable(seconds) {
    return new Unavailable(
      `the server \`${this.name}\` is not running: ${this.#reason}; it is started again in ${seconds} s`,
      seconds,
    );
  }
}
