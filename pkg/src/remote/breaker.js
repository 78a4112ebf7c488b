// @ts-check
// When a server that does not answer is left alone, and for how long: by the rules of the gateway's upstream servers.

/** Failures in a row after which a server is left alone for a while. */
const MAX_FAILURES = 5;
/** The first such pause, in milliseconds; it doubles each time. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** Longest time that a server can ask to be left alone for, in seconds. */
const MAX_RETRY_AFTER_S = 3_600;

export class CircuitBreaker {
  #failures = 0;
  /** No call before this time, because of what failed. */
  #pausedUntil = 0;
  /** No call before this time, because the server has said so. */
  #retryAt = 0;

  /**
   * Lets a call out, or returns for how many milliseconds none goes out. After a pause one call goes out to see how the
   * server is.
   * @returns {{ pausedMs: number, failures: number }}
   */
  admit() {
    const pausedMs = Math.max(0, this.#pausedUntil, this.#retryAt) - Date.now();
    if (pausedMs > 0) return { pausedMs, failures: this.#failures };
    if (this.#failures >= MAX_FAILURES) this.#pause();
    return { pausedMs: 0, failures: this.#failures };
  }

  /** The server has answered, whatever it said. */
  answered() {
    this.#failures = 0;
    this.#pausedUntil = 0;
  }

  /** The server has not answered. Of calls that were let out side by side, only the first failure counts. */
  failed({ failures }, retryAfter) {
    const seconds = /^\d+$/.test(retryAfter ?? "") ? Math.min(Number(retryAfter), MAX_RETRY_AFTER_S) : 0;
    this.#retryAt = Math.max(this.#retryAt, seconds && Date.now() + seconds * 1_000);
    if (failures !== this.#failures) return;
    this.#failures += 1;
    if (this.#failures >= MAX_FAILURES) this.#pause();
  }

  /** Half of a pause is by chance, so that clients that failed together do not come back together. */
  #pause() {
    const doubled = FIRST_PAUSE_MS * 2 ** Math.min(this.#failures - MAX_FAILURES, 16);
    const half = Math.min(doubled, MAX_PAUSE_MS) / 2;
    this.#pausedUntil = Date.now() + half + half * Math.random();
  }
}
