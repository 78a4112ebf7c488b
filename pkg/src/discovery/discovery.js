// @ts-check
// Tools by which a model finds and calls the tools of a sieve.
import { SieveError } from "../core/error.js";
import { checkedOptions, listed } from "../core/options.js";
import { need, ready } from "../core/parts.js";
import { checkRanker, insideOf, scoresOf } from "../core/sieve.js";
import { forAiSdk, forAnthropic, forOpenAI } from "./formats.js";
import { toolName } from "./names.js";

const MODES = ["flat", "search", "groups", "outline", "auto"];
const OPTIONS = ["call", "filter", "always", "mode", "budget", "ranker"];
const SEARCH = "search_tools";
/** Maximum number of calls of a ranker for one search. */
const TURNS = 2;
/** As the gateway has it. */
const BUDGET = 8000;

const invalid = (/** @type {string} */ message) => new SieveError("invalid_option", message);

export class Discovery {
  #source;
  #options;
  /** The filters, compiled for the sieve at hand: another may come. @type {any} */
  #compiled;

  /**
   * @param {any} source
   * @param {any} options
   */
  constructor(source, options) {
    const { mode = "auto", budget = BUDGET, ...others } = checkedOptions(options, OPTIONS);
    if (typeof others.call !== "function") throw invalid("call: expected a function that calls a tool of a server");
    if (!MODES.includes(mode)) throw invalid(`mode: expected one of ${listed(MODES)}`);
    if (!(budget >= 0)) throw invalid("budget: expected a number of tokens");
    if (others.ranker !== undefined) checkRanker(others.ranker);
    this.#source = source;
    this.#options = { mode, budget, ...others };
    this.#list();
  }

  get mode() {
    return this.#list().mode;
  }

  tools() {
    return this.#list().tools;
  }

  instructions() {
    return this.#list().instructions;
  }

  anthropic() {
    return forAnthropic(this.tools());
  }

  openai({ api = "responses" } = {}) {
    if (api !== "responses" && api !== "chat") throw invalid("api: expected `responses` or `chat`");
    return forOpenAI(this.tools(), api);
  }

  aiSdk() {
    return forAiSdk(this.tools(), async (name, args, context) => {
      await ready(["discovery"]);
      return this.#handle(name, args, context);
    });
  }

  /**
   * @param {string} name
   * @param {unknown} args
   * @param {unknown} context
   */
  async handle(name, args, context) {
    if (typeof name !== "string")
      throw new SieveError("invalid_name", `expected the name of a tool, got ${typeof name}`);
    await ready(["discovery"]);
    return this.#handle(
      toolName(name, () => this.tools()),
      args,
      context,
    );
  }

  /** Handles a call under the tool's own name. */
  async #handle(name, args, context) {
    const text = textOf(args);
    const query = this.#options.ranker && name === SEARCH ? queryOf(text) : "";
    const { result, call } = query === "" ? this.#answer(name, text) : await this.#ranked(name, text, query);
    return result ?? this.#options.call(call, context);
  }

  #answer(name, args, scores) {
    const { engine, slot } = this.#open();
    return engine.discover(slot, name, args, scores);
  }

  /**
   * Returns the answer to a search with the scores of the ranker. If the sieve was replaced meanwhile, the ranker is called
   * again; if that happens each time, the search is made by words alone.
   */
  async #ranked(name, args, query) {
    for (let turn = 0; turn < TURNS; turn += 1) {
      const { engine, slot } = this.#open();
      const { sieve } = this.#compiled;
      const names = engine.discoverable(slot);
      let scores;
      try {
        scores = scoresOf(await this.#options.ranker(query, names), names);
      } catch (error) {
        console.warn("the ranker failed, so the search was made by words alone:", error);
        return this.#answer(name, args);
      }
      this.#open();
      if (this.#compiled.sieve === sieve) return this.#answer(name, args, scores);
    }
    return this.#answer(name, args);
  }

  #open() {
    const sieve = typeof this.#source === "function" ? this.#source() : this.#source;
    if (this.#compiled?.sieve !== sieve) {
      const { filter, always } = this.#options;
      const { engine } = insideOf(sieve);
      const where = typeof always === "string" ? { where: always } : always;
      const filters = { filter: sieve.filter(filter), always: where && sieve.filter(where) };
      this.#compiled = { sieve, engine, ...filters };
    }
    const { filter, always } = this.#compiled;
    const { engine, slotOf } = insideOf(sieve);
    return { engine, slot: slotOf(filter), always: always === undefined ? 0 : slotOf(always) };
  }

  #list() {
    need("discovery", "`discovery`");
    const { engine, slot, always } = this.#open();
    const { mode, budget } = this.#options;
    return engine.discovery(slot, always, mode, budget);
  }
}

/** Arguments as JSON. What has none is refused by the engine as what it is: no object. */
function textOf(/** @type {unknown} */ args) {
  if (typeof args === "string") return args;
  try {
    return JSON.stringify(args ?? {}) ?? "null";
  } catch {
    return "null";
  }
}

/** The words of a search, or none where the engine refuses its arguments. */
function queryOf(/** @type {string} */ args) {
  try {
    const { query } = JSON.parse(args);
    return typeof query === "string" ? query.trim() : "";
  } catch {
    return "";
  }
}

/** @type {typeof import("../../types/index.js").discovery} */
export const discovery = (sieve, options) => /** @type {any} */ (new Discovery(sieve, options));
