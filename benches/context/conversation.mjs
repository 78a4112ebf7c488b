// Token counts of one conversation. Every turn sends the prompt, the list of tools and all earlier messages.
import { ANSWER, ARGUMENTS, PRICE, PROMPT, RESULT } from "./assumptions.mjs";
import { tokensOf } from "./tokens.mjs";

/** Returns the tokens of a call as a model writes it. */
const written = (name, args) => tokensOf({ name, arguments: args });

export class Conversation {
  turns = 0;
  /** Tokens of all turns, input and output together. */
  tokens = 0;
  /**
   * Price with a prompt cache that contains nothing of the prefix (`cold`), or everything that conversations share
   * (`warm`).
   */
  cold = 0;
  warm = 0;
  #sent = 0;
  #context;

  /**
   * `shared`: tokens of the tools that every conversation of the host lists. `own`: tokens of those in this one only.
   */
  constructor({ shared = 0, own = 0, request }) {
    const prefix = PROMPT + shared + own;
    // Tools precede the prompt. If they are not shared, the cached prompt cannot be reused.
    const reused = own > 0 && shared === 0 ? 0 : PROMPT + shared;
    this.warm -= (PRICE.written - PRICE.read) * reused;
    this.#context = prefix + tokensOf(request);
  }

  #turn(output) {
    const priced = PRICE.read * this.#sent + PRICE.written * (this.#context - this.#sent) + PRICE.output * output;
    this.turns += 1;
    this.tokens += this.#context + output;
    this.cold += priced;
    this.warm += priced;
    this.#sent = this.#context;
    this.#context += output;
  }

  /** Adds a call to a discovery tool and the text that it returns. */
  ask(name, args, answer) {
    this.#turn(written(name, args));
    this.#context += tokensOf(answer);
  }

  /** Adds a call to a tool of the task, direct or through the tool `by`. */
  call(name, by) {
    this.#turn(ARGUMENTS + (by ? written(by, { name, arguments: {} }) : written(name, {})));
    this.#context += RESULT;
  }

  /** Adds a direct call to a tool of the task that its server refuses, with the full definition in the error. */
  refused(name, definition) {
    this.#turn(ARGUMENTS + written(name, {}));
    this.#context += tokensOf(definition);
  }

  /** Adds the answer that ends the task. */
  end() {
    this.#turn(ANSWER);
  }
}
