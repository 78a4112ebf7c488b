// @ts-check
// Context middleware for hosts: the functions in WebAssembly, functions of the host's own beside them, and chains
// over whole conversations. Only functions of servers that the host connects to use the network. The host provides the
// clock, documents and tools of the others.
import { SieveError, freed, jsonOf } from "./core/error.js";
import { checkedOptions } from "./core/options.js";
import { OPEN_SCHEMA, RemoteServers } from "./remote/servers.js";
import { Workbench } from "../dist/middleware.js";

export { SieveError };

const WORLD = ["policies", "patterns", "now", "documents", "tools", "reaches", "warn", "record"];
const FUNCTION = ["name", "description", "inputSchema", "changes", "phase", "events", "apply"];
const CHAINS = ["outbound", "inbound"];
/** Matches the mark at the end of an error about a function or a store that has thrown. */
const MARK = /(?:` has thrown|^the context cannot be kept)( \[\d+\])$/;

export class Middleware {
  #bench;
  #running = 0;
  #servers;
  /** The errors that functions of the host threw, by the marks that the engine's errors end with. @type {Map<string, unknown>} */
  #thrown = new Map();
  /** The number of marks so far. */
  #marks = 0;

  /** @param {import("../types/middleware.js").World} [world] */
  constructor(world) {
    const {
      now,
      documents,
      tools,
      reaches,
      record,
      warn = () => {},
      policies,
      patterns,
    } = checkedOptions(world, WORLD);
    this.#servers = new RemoteServers(warn);
    const find =
      tools &&
      ((name) => {
        const tool = tools.find((tool) => tool.name === name);
        return tool && JSON.stringify(tool);
      });
    const keep =
      record &&
      (async (json) => {
        try {
          return String(await record(JSON.parse(json)));
        } catch (error) {
          throw this.#marked(error);
        }
      });
    const reach =
      reaches &&
      (async (url) => {
        try {
          return await reaches(url);
        } catch (error) {
          // The message may contain the URL, which is part of a context.
          warn("`reaches` has thrown, and the address is not checked", error);
        }
      });
    const own = [policies && json(policies, "policies"), patterns && json(patterns, "patterns")];
    try {
      this.#bench = new Workbench(now ?? Date.now, zone, find, reach, keep, ...own);
    } catch (error) {
      throw refusal(error);
    }
    for (const document of documents ?? []) this.put(document);
  }

  /** Returns the result of `middleware/list`. */
  list() {
    return JSON.parse(this.#open().list());
  }

  add(own) {
    const { apply, ...described } = checkedOptions(own, FUNCTION);
    if (typeof described.name !== "string") throw invalid("name: expected the name of the function");
    if (typeof apply !== "function") throw invalid("apply: expected a function that takes a context");
    const run = async (context, args) => {
      try {
        const { content, metadata, refusal } = Object(await apply(JSON.parse(context), JSON.parse(args)));
        return JSON.stringify({ content, metadata, refusal });
      } catch (error) {
        throw this.#marked(error);
      }
    };
    this.#add(described, run);
    return this;
  }

  /** Returns a mark under which the error of a function of the host is stored. The engine's error ends with it. */
  #marked(error) {
    const mark = ` [${++this.#marks}]`;
    this.#thrown.set(mark, error);
    return mark;
  }

  async connect(name, server) {
    this.#open();
    const functions = await this.#servers.connect(name, server);
    for (const { call, ...described } of functions) {
      const run = async (context, args) => JSON.stringify(await call(JSON.parse(context), JSON.parse(args)));
      try {
        this.#add(described, run);
      } catch (error) {
        if (!error.path?.startsWith("inputSchema")) {
          this.#servers.forget(name);
          throw error;
        }
        this.#add({ ...described, inputSchema: OPEN_SCHEMA }, run);
      }
    }
    return functions.map((one) => one.name);
  }

  /**
   * @param {Partial<import("../types/middleware.js").HostFunction>} described
   * @param {Function} run
   */
  #add(
    {
      name,
      description = "",
      inputSchema = { type: "object" },
      changes = true,
      phase = "both",
      events = ["llm/completion"],
    },
    run,
  ) {
    for (const [member, value] of Object.entries({ name, description, phase })) text(value, `${member}: expected text`);
    if (!Array.isArray(events)) throw invalid("events: expected an array of names");
    for (const event of events) text(event, "events: expected an array of names");
    const schema = json(inputSchema, "a schema");
    attempt(() => this.#open().add(name, description, schema, Boolean(changes), phase, events, run));
  }

  put(document) {
    const { id, source = "", title, text } = Object(document);
    for (const [name, value] of Object.entries({ id, source, title, text })) {
      if (typeof value !== "string") throw invalid(`${name}: expected text in a document, got ${typeof value}`);
    }
    attempt(() => this.#open().put(id, source, title, text));
    return this;
  }

  remove(id) {
    return this.#open().remove(text(id, "expected the id of a document"));
  }

  async invoke(name, context, args) {
    try {
      text(name, "expected the name of a function");
      const [given, options] = [new Parts(context), args && json(args, "arguments")];
      return given.read(await this.#during((bench) => bench.invoke(name, given.list, options)));
    } catch (error) {
      throw refusal(error);
    }
  }

  pipeline(/** @type {any} */ given) {
    const { outbound = [], inbound = [] } = checkedOptions(given, CHAINS);
    for (const [name, { last }] of Object.entries({ outbound: Object(outbound), inbound: Object(inbound) }))
      if (typeof last === "number" && last < 1)
        throw invalid(`${name}.last: expected at least 1, or no function sees an item`);
    if ([outbound, inbound].every((chain) => (chain?.steps ?? chain)?.length === 0))
      throw invalid("expected the steps of `outbound`, of `inbound`, or of both");
    const chains = [outbound, inbound].map((chain) => json(chain, "a chain"));
    for (const [at, chain] of chains.entries()) attempt(() => this.#open().check(chain, CHAINS[at]));
    return new Pipeline(async (at, given, handles) => {
      const known = json(handles, "handles");
      return given.read(await this.#during((bench) => bench.run(chains[at], given.list, known)));
    });
  }

  free() {
    // Calls that are still running keep it, and the garbage collector frees it afterwards.
    if (this.#running === 0) this.#bench?.free();
    this.#bench = undefined;
  }

  #open() {
    return this.#bench ?? freed("middleware");
  }

  async #during(work) {
    const bench = this.#open();
    this.#running += 1;
    try {
      return await work(bench);
    } catch (error) {
      const [, mark] = MARK.exec(error?.message) ?? [];
      if (mark !== undefined && this.#thrown.has(mark)) {
        error.cause = this.#thrown.get(mark);
        error.message = error.message.slice(0, -mark.length);
      }
      throw error;
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#thrown.clear();
    }
  }
}

if (Symbol.dispose) Middleware.prototype[Symbol.dispose] = Middleware.prototype.free;

class Pipeline {
  #run;

  constructor(run) {
    this.#run = run;
  }

  /** Begins a conversation. `handles` are those of an earlier part of it. */
  start(handles = {}) {
    if (typeof handles !== "object" || handles === null || Array.isArray(handles))
      throw invalid("handles: expected an object of texts");
    const known = { ...handles };
    for (const [name, value] of Object.entries(known)) text(value, `handles.${name}: expected text`);
    return new Conversation(this.#run, known);
  }
}

class Conversation {
  #run;
  #handles;
  /** The last call. Calls run one after the other, since each needs the handles that the one before added. */
  #last = Promise.resolve();

  constructor(run, handles) {
    this.#run = run;
    this.#handles = handles;
  }

  get handles() {
    return { ...this.#handles };
  }

  outbound(context) {
    return this.#go(0, context);
  }

  inbound(context) {
    return this.#go(1, context);
  }

  async #go(at, context) {
    // Read at once, because the caller may change the context while earlier calls run.
    const given = new Parts(context);
    const went = this.#last.then(async () => {
      try {
        const { handles, ...ran } = await this.#run(at, given, this.#handles);
        this.#handles = handles;
        return ran;
      } catch (error) {
        throw refusal(error);
      }
    });
    this.#last = went.catch(() => {});
    return went;
  }
}

/** Returns the offset of a time zone in seconds ahead of UTC, and its name; nothing for an unknown zone. */
function zone(name, ms) {
  const part = (style) => {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: style });
    return format.formatToParts(new Date(ms)).find(({ type }) => type === "timeZoneName").value;
  };
  try {
    const [, sign = "+", hours = "0", minutes = "0", seconds = "0"] = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(
      part("longOffset"),
    );
    return [(sign === "-" ? -1 : 1) * (3600 * Number(hours) + 60 * Number(minutes) + Number(seconds)), part("short")];
  } catch {
    return undefined;
  }
}

/** Minimum length of a text that is passed beside the JSON, in UTF-16 units: `JSON.stringify` takes longer than a scanner. */
const LONG = 1024;

/**
 * A context for the module: its JSON, then for each long text the index of its item and the text. The `text` of such an item is
 * empty in the JSON.
 */
class Parts {
  /** @type {Map<number, string>} */
  #texts = new Map();
  list;

  constructor(context) {
    const rest = Array.isArray(context) ? context.map((item, at) => this.#without(item, at)) : context;
    this.list = [json(rest, "a context"), ...[...this.#texts].flat()];
  }

  /** An item without its text, if that is long. */
  #without(item, at) {
    const own = typeof item === "object" && Object.prototype.propertyIsEnumerable.call(item ?? {}, "text");
    // JSON keeps halves of surrogate pairs, and UTF-8 cannot.
    const text = own && !item.toJSON ? item.text : "";
    if (typeof text !== "string" || text.length < LONG || !text.isWellFormed?.()) return item;
    this.#texts.set(at, text);
    return { ...item, text: "" };
  }

  /** Returns the module's answer, whose texts are beside its JSON. A number in place of a text is the index of an unchanged one. */
  read([rest, ...texts]) {
    const answer = JSON.parse(rest);
    for (let at = 0; at < texts.length; at += 2) {
      const text = texts[at + 1];
      answer.content[texts[at]].text = typeof text === "number" ? this.#texts.get(text) : text;
    }
    return answer;
  }
}

const invalid = (/** @type {string} */ message) => new SieveError("invalid_option", message);

/** Returns a text. Throws for another value, which the module would receive as an empty text. */
function text(value, expected) {
  if (typeof value !== "string") throw invalid(`${expected}, got ${typeof value}`);
  return value;
}

/** Returns a value of the host as JSON. One that nests too deep for JavaScript gets the error of the engine for such a value. */
function json(value, expected) {
  return jsonOf(value, "json", `${expected} of at most 64 levels`);
}

function attempt(act) {
  try {
    return act();
  } catch (error) {
    throw refusal(error);
  }
}

/** Converts an error of the engine to a `SieveError`. Errors of the host's own functions stay as they are. */
function refusal(error) {
  if (error instanceof SieveError || typeof error?.code !== "string") return error;
  const { code, message, at, path, cause } = error;
  return new SieveError(code, message, { at, path, cause });
}
