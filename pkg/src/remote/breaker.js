// @ts-check
// A circuit breaker for middleware servers, with the rules of the gateway's upstream servers.

/** Number of consecutive failures after which no calls are sent for a while. */
const MAX_FAILURES = 5;
/** The first pause, in milliseconds. Each further pause is twice as long, up to the maximum. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** Maximum pause that a server can request, in seconds. */
const MAX_RETRY_AFTER_S = 3_600;

export class CircuitBreaker {
  #failures = 0;
  /** End of the pause after failures, in milliseconds since 1970. */
  #pausedUntil = 0;
  /** End of the pause that the server requested, in milliseconds since 1970. */
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

  /** Records that the server answered, with any result. */
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
