// @ts-check
// A middleware server that an application has connected to: what it lists, and calls of its functions.
import { CircuitBreaker } from "./breaker.js";
import { Connection } from "./connection.js";
import { Failure, Unanswered } from "./failure.js";

/** Default time, in milliseconds, for one call of a function. */
export const TIMEOUT_MS = 5_000;
/** Maximum number of functions that a server may list. */
const MAX_FUNCTIONS = 256;
/** Maximum number of items of a context. */
const MAX_ITEMS = 4096;

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

export class RemoteServer {
  /** Function name → its schema. */
  #schemas = new Map();
  #breaker = new CircuitBreaker();
  #connection;
  #allowed;
  #timeoutMs;

  /**
   * @param {string} name
   * @param {import("../../types/middleware.js").RemoteServer} options
   */
  constructor(name, { functions, timeoutMs = TIMEOUT_MS, ...options }) {
    this.name = name;
    this.#allowed = functions;
    this.#timeoutMs = timeoutMs;
    this.#connection = new Connection(name, options);
  }

  /** Whether a function may be called. */
  has(name) {
    return this.#schemas.has(name) && (this.#allowed === undefined || this.#allowed.includes(name));
  }

  /** Lists the functions of the server. */
  async list() {
    const { middleware } = await this.#inTime("middleware/list", {});
    const named = ({ name } = /** @type {any} */ ({})) => typeof name === "string" && name !== "";
    if (
      !Array.isArray(middleware) ||
      middleware.length > MAX_FUNCTIONS ||
      !middleware.every((one) => isObject(one) && named(one))
    )
      throw this.#invalid("middleware/list", "expected the array `middleware`");
    this.#schemas = new Map(middleware.map(({ name, inputSchema }) => [name, inputSchema]));
    return middleware;
  }

  /** Calls a function; returns `{ content, metadata?, refusal? }`. */
  async invoke(name, context, args) {
    const params = { name, arguments: this.#argumentsOf(name, args), context };
    const { content, metadata, isError, resultType = "complete" } = await this.#inTime("middleware/invoke", params);
    if (isError === true) throw this.#invalid("middleware/invoke", "the function failed");
    // Another type is a question or a task: the content in it is not that of the function.
    if (resultType !== "complete") throw this.#invalid("middleware/invoke", "it is not complete");
    const isItem = (item) => isObject(item) && typeof item.type === "string";
    if (!Array.isArray(content) || content.length > MAX_ITEMS || !content.every(isItem))
      throw this.#invalid("middleware/invoke", "`content` is not an array of content items, or too large");
    if (metadata != null && !isObject(metadata))
      throw this.#invalid("middleware/invoke", "`metadata` is not an object");
    const message = `the function \`${this.name}/${name}\` does not allow the context`;
    const refusal = metadata?.allow === false ? { reason: "remote", message } : undefined;
    return { content, metadata: metadata ?? undefined, refusal };
  }

  /** Values that handles stand for go only to a function that declares an argument for them. */
  #argumentsOf(name, { redactions, metadata, ...args }) {
    const declared = this.#schemas.get(name)?.properties ?? {};
    const takes = (argument) => Object.hasOwn(declared, argument);
    const asks = metadata === "values" && !(takes("metadata") && takes("redactions"));
    return {
      ...args,
      ...(redactions !== undefined && takes("redactions") && { redactions }),
      ...(metadata !== undefined && !asks && { metadata }),
    };
  }

  async #inTime(method, params) {
    const admitted = this.#breaker.admit();
    if (admitted.pausedMs > 0) {
      const seconds = Math.ceil(admitted.pausedMs / 1_000);
      throw new Failure(`middleware server \`${this.name}\` is not called again for ${seconds} s`);
    }
    try {
      const result = await this.#request(method, params);
      this.#breaker.answered();
      return result;
    } catch (error) {
      if (error instanceof Unanswered) this.#breaker.failed(admitted, error.retryAfter);
      else this.#breaker.answered();
      throw error;
    }
  }

  async #request(method, params) {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      return await this.#connection.request(method, params, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new Unanswered(
        `middleware server \`${this.name}\` did not finish its answer to \`${method}\` within ${this.#timeoutMs} ms`,
      );
    }
  }

  #invalid(method, problem) {
    return new Failure(`middleware server \`${this.name}\` answered \`${method}\` with an invalid result: ${problem}`);
  }
}
