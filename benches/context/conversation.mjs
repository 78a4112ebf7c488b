// The tokens of one conversation: every turn sends the prompt, the list of tools and all that was said before.
import { ANSWER, ARGUMENTS, PRICE, PROMPT, RESULT } from "./assumptions.mjs";
import { tokensOf } from "./tokens.mjs";

/** A call as a model writes it. */
const written = (name, args) => tokensOf({ name, arguments: args });

export class Conversation {
  turns = 0;
  /** Tokens of all turns, input and output alike. */
  tokens = 0;
  /** The same priced with a prompt cache that had nothing of the prefix, or all that conversations share. */
  cold = 0;
  warm = 0;
  #sent = 0;
  #context;

  /** `shared` are the tokens of tools that every conversation of the host lists, `own` those of this one alone. */
  constructor({ shared = 0, own = 0, request }) {
    const prefix = PROMPT + shared + own;
    // What precedes the prompt decides whether the prompt is still cached: tools come first.
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

  /** A call of a discovery tool, and the text that it answers with. */
  ask(name, args, answer) {
    this.#turn(written(name, args));
    this.#context += tokensOf(answer);
  }

  /** A call of a tool of the task, directly or by another tool. */
  call(name, by) {
    this.#turn(ARGUMENTS + (by ? written(by, { name, arguments: {} }) : written(name, {})));
    this.#context += RESULT;
  }

  /** The answer that ends the task. */
  end() {
    this.#turn(ANSWER);
  }
}
