// @ts-check
// The messages of one server process. Requests of several HTTP callers get ids and progress tokens of this connection, by which
// responses and progress are matched to callers.
import { warn } from "../lib/print.js";
import { INTERNAL_ERROR, METHOD_NOT_FOUND, failure, isStateless, notification, read } from "./message.js";
import { startProcess } from "./local-process.js";
import { replaced, written } from "./json-text.js";

const TOKEN = ["params", "_meta", "progressToken"];
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
/** Requests of the gateway itself, which have no caller. */
const OWN = /^(ping|initialize|server\/discover|logging\/setLevel|resources\/(un)?subscribe|.*\/list)$/;
/** Maximum length, in characters, of what is printed of a line that is no message. */
const MAX_SHOWN = 200;

/**
 * The response to one HTTP request: `send` passes a message on before the response, and `finish` the response itself. `open` begins it.
 * @typedef {{ open?: () => void, send: (text: string) => void, finish: (text: string) => void }} Exchange
 * @typedef {{ exchange: Exchange, id: string, token: string | undefined, method: string, logs: boolean, stateless: boolean }} Pending
 */

export class Connection {
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  /** Streams that take what belongs to no request. @type {Set<Exchange>} */
  streams = new Set();
  /** Whether the server has answered anything. */
  answered = false;
  /** The reason why the process ended, in words. @type {string | undefined} */
  over;
  /** Whether the process is being ended on purpose. */
  stopping = false;
  #last = 0;
  #strange = false;
  #name;
  #oneClient;
  #process;

  /**
   * @param {import("./local-process.js").Program & { oneClient?: boolean }} settings
   * @param {(how: string) => void} ended called once when the process has ended
   */
  constructor(settings, ended) {
    this.#name = settings.name;
    this.#oneClient = settings.oneClient === true;
    this.#process = startProcess(settings, {
      line: (text) => this.#receive(text),
      ended: (how) => {
        this.over = how;
        ended(how);
        for (const { exchange, id } of this.#pending.values())
          exchange.finish(failure(id, INTERNAL_ERROR, `the server \`${this.#name}\` ended during the request: ${how}`));
        this.#pending.clear();
      },
    });
  }

  /** Whether a request or a stream is open. */
  get busy() {
    return this.#pending.size + this.streams.size > 0;
  }

  /** Sends a request, whose response goes to `exchange`. Returns what to call if its caller has gone. */
  request(message, exchange) {
    const id = (this.#last += 1);
    const { text, value } = message;
    const meta = value.params?._meta;
    this.#pending.set(id, {
      exchange,
      id: String(written(text, ["id"])),
      token: written(text, TOKEN),
      method: value.method,
      logs: meta?.["io.modelcontextprotocol/logLevel"] !== undefined,
      stateless: isStateless(message),
    });
    this.#process.write(
      replaced(text, [
        [["id"], String(id)],
        [TOKEN, String(id)],
      ]),
    );
    return () => this.#abandon(id);
  }

  /** Sends a notification or the response to a question. */
  tell({ text, value, kind }) {
    if (kind !== "notification" || value.method !== "notifications/cancelled") return void this.#process.write(text);
    const wanted = written(text, ["params", "requestId"]);
    const [id] = [...this.#pending].findLast(([, pending]) => pending.id === wanted) ?? [];
    // A request that was answered cannot be cancelled.
    if (id === undefined) return;
    this.#pending.delete(id);
    this.#process.write(replaced(text, [[["params", "requestId"], String(id)]]));
  }

  /** Ends the process. Resolves when it has ended. */
  stop() {
    this.stopping = true;
    return this.#process.stop();
  }

  /**
   * The client that closes its connection has cancelled the request. A gateway sends `notifications/cancelled` too where it can; whichever
   * comes first counts.
   */
  #abandon(id) {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    // `initialize` must not be cancelled.
    if (pending.method !== "initialize")
      this.#process.write(notification("notifications/cancelled", { requestId: id }));
  }

  #receive(line) {
    const message = read(line);
    if (message === undefined) return this.#complain(line);
    if (message.kind === "response") return this.#respond(message);
    if (message.kind === "request") return this.#ask(message);
    return this.#notify(message);
  }

  /** Text on standard output that is no message is reported once, and passed over. */
  #complain(line) {
    if (this.#strange) return;
    this.#strange = true;
    const shown = line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
    warn(`${this.#name}: prints what is no JSON-RPC message on standard output, which is left out: ${shown}`);
  }

  #respond({ text, value }) {
    // Some servers return the id as text, as official clients accept.
    const pending = this.#pending.get(Number(value.id));
    if (pending === undefined) return;
    this.answered = true;
    this.#pending.delete(Number(value.id));
    pending.exchange.finish(replaced(text, [[["id"], pending.id]]));
  }

  /**
   * Forwards a request of the server to the caller whose request is in progress. It names none, so while several are, it goes
   * to the stream of the session: the gateway knows whether their callers are strangers to each other.
   */
  #ask({ text, value }) {
    const id = String(written(text, ["id"]));
    if (value.method === "ping") return void this.#process.write(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
    const caller = this.#caller(({ stateless }) => !stateless);
    if (caller !== undefined) return caller.send(text);
    const stream = this.#stream();
    if (stream !== undefined) {
      // The gateway reads the stream of a session once the response to the call has begun that opened it.
      for (const { exchange } of this.#pending.values()) exchange.open?.();
      return stream.send(text);
    }
    this.#process.write(failure(id, METHOD_NOT_FOUND, "no request is in progress whose client could answer"));
  }

  /** @param {import("./message.js").Message} message */
  #notify({ text, value: { method, params } }) {
    const subscription = params?._meta?.[SUBSCRIPTION];
    if (subscription !== undefined) {
      const pending = this.#pending.get(Number(subscription));
      return pending?.exchange.send(replaced(text, [[["params", "_meta", SUBSCRIPTION], pending.id]]));
    }
    if (method === "notifications/progress") {
      const pending = this.#pending.get(params?.progressToken);
      if (pending?.token === undefined) return undefined;
      return pending.exchange.send(replaced(text, [[["params", "progressToken"], pending.token]]));
    }
    if (method === "notifications/message" || method === "notifications/cancelled")
      return (this.#logged() ?? this.#stream())?.send(text);
    return this.#stream()?.send(text);
  }

  #stream() {
    return [...this.streams].at(-1);
  }

  /**
   * The only caller that fits, or the latest if all requests are those of one client.
   * @param {(pending: Pending) => boolean} fits
   */
  #caller(fits) {
    const fitting = [...this.#pending.values()].filter((pending) => fits(pending) && !OWN.test(pending.method));
    return fitting.length === 1 || this.#oneClient ? fitting.at(-1)?.exchange : undefined;
  }

  /** The caller that a log message is for. Callers may be strangers to each other: only the sole one may read it. */
  #logged() {
    return this.#caller(({ stateless, logs }) => stateless && logs) ?? this.#caller(({ stateless }) => !stateless);
  }
}
