// @ts-check

/** A server that is not able to run a function: another server may be. */
export class Failure extends Error {}

/** A server that does not answer, or is busy. */
export class Unanswered extends Failure {
  /**
   * @param {string} message
   * @param {string | null} [retryAfter] the header of this name
   */
  constructor(message, retryAfter) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** A call that the function or the server refused. No other server is called. */
export class Refused extends Error {}
