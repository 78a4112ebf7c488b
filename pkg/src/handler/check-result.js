// @ts-check

/** The result of a check of a caller: it passes, or it fails with a message. */
export class CheckResult {
  /** @type {string | null} */
  #message;

  /** @param {string | null} message */
  constructor(message) {
    this.#message = message;
    Object.freeze(this);
  }

  /** A check that passes. */
  static SUCCESS = new CheckResult(null);

  static success() {
    return CheckResult.SUCCESS;
  }

  /** @param {string} message */
  static error(message) {
    return new CheckResult(String(message));
  }

  isError() {
    return this.#message !== null;
  }

  message() {
    return this.#message;
  }
}
