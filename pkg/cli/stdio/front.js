// @ts-check
// The client at the other end of standard input and output, in front of a gateway that speaks HTTP.
import { setTimeout as sleep } from "node:timers/promises";
import { decoded, events } from "../../src/remote/event-stream.js";
import { argumentHeaders, sessionHeaders, statelessHeaders } from "./http-headers.js";
import { replaced, written } from "./json-text.js";
import { ToolSchemas } from "./tool-schemas.js";
import { INTERNAL_ERROR, INVALID_REQUEST, failure, isStateless, notification, read, readBatch } from "./message.js";

/** The names of the method that replaces the concerns of a session. Both may have Sieve's prefix. */
const UPDATES_CONCERNS = /^(dev\.mcpsieve\/)?(updateConcerns|concerns\/update)$/;
const HEADER_MISMATCH = -32020;
/** In place of the gateway's message on a missing header: a client on standard input has no headers. */
const NO_SESSION = "the session has not begun: expected `initialize` before other requests";
const NO_ANSWER = "the gateway ended its response without an answer";
/** Maximum time, in milliseconds, that `close` waits for the end of the session. */
const FAREWELL_MS = 500;
/** Delay, in milliseconds, before a lost stream of the session is reopened. A stream that sets no delay is resumed after it. */
const REOPEN_MS = 1_000;
/** Minimum number of milliseconds until a stream is resumed. */
const RESUME_MS = 100;
/** Maximum number of resumed streams in a row without an event. */
const MAX_IDLE = 3;
/** Milliseconds after the start for which requests wait for a server that has not been listed. Hosts wait for a minute. */
const START_MS = 50_000;
/** Milliseconds after the start for which requests wait for the first lists of all servers: a host may list once. */
const LISTS_MS = 30_000;
/** Milliseconds after the start for which the first request of a host waits for these. Some hosts give up sooner than others. */
const OPENING_MS = 10_000;
/** The first request of a host, whose answer describes what the servers list. */
const OPENING = /^(initialize|server\/discover)$/;
/** Requests that read no list. `subscriptions/listen` is there to report lists that come later. */
const UNLISTED = /^(ping|logging\/setLevel|subscriptions\/listen)$/;
/** Milliseconds until such a request is sent again. */
const RETRY_MS = 250;

export class Front {
  /** @type {{ id?: string, version?: string }} */
  #session = {};
  /** The client's `initialize` request, repeated when the gateway has forgotten the session. */
  #opening = "";
  /** The client's `notifications/initialized`, which may have concerns. It is repeated too. */
  #initialized = notification("notifications/initialized");
  /** Requests to repeat in a new session, by what they set: subscriptions, the log level, concerns. @type {Map<string, string>} */
  #lasting = new Map();
  /** Resolves when the session that replaces a forgotten one has begun. @type {Promise<void> | undefined} */
  #renewal;
  /** Requests that have no response yet, by their ids as they are written. @type {Map<string, AbortController>} */
  #open = new Map();
  #schemas = new ToolSchemas();
  /** Resolves when the next message may be sent. @type {Promise<unknown>} */
  #before = Promise.resolve();
  #ended = new AbortController();
  #waitUntil = Date.now() + START_MS;
  /** Resolves when the first lists are there, or no request waits for them any longer. @type {Promise<unknown>} */
  #listed;
  /** The same for the first request of a host. @type {Promise<unknown>} */
  #opened;
  /** Ends the stream of the session. */
  #listening = new AbortController();
  #url;
  #write;
  #headers;

  /**
   * @param {string} url the gateway's endpoint
   * @param {(text: string) => void} write takes each message for the client, on one line
   * @param {{ headers?: Record<string, string>, listed?: Promise<unknown> }} [gateway]
   *   `headers` are those that every request to it needs, and `listed` settles when it has listed all servers or failed to
   */
  constructor(url, write, { headers = {}, listed = Promise.resolve() } = {}) {
    this.#url = url;
    this.#write = write;
    this.#headers = headers;
    const settled = listed.catch(() => {});
    const within = (ms) => Promise.race([settled, sleep(ms, undefined, { ref: false })]);
    [this.#listed, this.#opened] = [within(LISTS_MS), within(OPENING_MS)];
  }

  /** Takes a line of the client. Messages reach the gateway in their order; responses may overtake each other. */
  take(line) {
    const message = read(line);
    const batch = message === undefined ? readBatch(line) : undefined;
    if (message !== undefined) this.#before = this.#before.then(() => this.#send(message));
    else if (batch !== undefined) this.#before = this.#before.then(() => void this.#sendBatch(batch));
    else this.#write(failure("null", INVALID_REQUEST, "expected a JSON-RPC message on each line"));
  }

  /** Ends everything that is open. Resolves when the session has ended. */
  async close() {
    await this.#before;
    this.#ended.abort();
    const { id } = this.#session;
    if (id === undefined) return;
    const signal = AbortSignal.timeout(FAREWELL_MS);
    await this.#fetch("DELETE", sessionHeaders(this.#session), signal).catch(() => {});
  }

  /** Resolves when the next message may be sent. */
  async #send(message) {
    const { value, kind } = message;
    if (kind === "request") {
      const done = this.#request(message);
      return value.method === "initialize" ? done : undefined;
    }
    let cancelled;
    if (value.method === "notifications/cancelled") {
      const id = String(written(message.text, ["params", "requestId"]));
      const request = this.#open.get(id);
      // Over HTTP a stateless request is cancelled by the end of its connection.
      if (request !== undefined && this.#session.id === undefined) return request.abort();
      cancelled = request;
    }
    await this.#post(message.text, sessionHeaders(this.#session), this.#ended.signal)
      .then((response) => response.body?.cancel())
      .catch(() => {});
    // A cancelled request has no response.
    cancelled?.abort();
    if (value.method === "notifications/initialized") {
      this.#initialized = message.text;
      this.#listen();
    }
  }

  /** Sends a batch. Its responses are one array. */
  async #sendBatch({ text, messages }) {
    /** The requests without a response, by their ids. */
    const open = new Map(
      messages.filter(({ kind }) => kind === "request").map((message) => [message.value.id, message]),
    );
    for (const message of open.values()) this.#open.set(idOf(message), new AbortController());
    const responses = [];
    try {
      await this.#firstLists(messages, this.#ended.signal);
      const response = await this.#inSession({ value: {}, text }, this.#ended.signal);
      const begun = messages.find(({ value }) => value.method === "notifications/initialized");
      if (begun !== undefined && response.ok) {
        this.#initialized = begun.text;
        this.#listen();
      }
      if (response.status === 202) return;
      const take = (text) => {
        const message = read(text);
        const request = message?.kind === "response" ? open.get(message.value.id) : undefined;
        if (message === undefined) return;
        if (request === undefined) return this.#write(message.text);
        open.delete(message.value.id);
        if ("result" in message.value) this.#remember(request);
        responses.push(message.text);
      };
      const isCancelled = (request) => this.#open.get(idOf(request))?.signal.aborted ?? true;
      if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
        const isAnswered = () => [...open.values()].every(isCancelled);
        for await (const data of this.#events(response, isAnswered, this.#ended.signal)) take(data);
        for (const request of [...open.values()].filter((request) => !isCancelled(request)))
          responses.push(failure(idOf(request), INTERNAL_ERROR, NO_ANSWER));
      } else {
        const body = await response.text();
        const batch = readBatch(body);
        if (batch === undefined) return this.#write(refusal("null", response, body));
        for (const { value } of batch.messages) {
          const request = open.get(value.id);
          if (request !== undefined && "result" in value) this.#remember(request);
        }
        return this.#write(batch.text);
      }
      if (responses.length > 0) this.#write(`[${responses.join(",")}]`);
    } catch (error) {
      if (!this.#ended.signal.aborted)
        this.#write(failure("null", INTERNAL_ERROR, `the gateway does not answer: ${error.message}`));
    } finally {
      for (const message of messages) if (message.kind === "request") this.#open.delete(idOf(message));
    }
  }

  async #request(message) {
    const { value, text } = message;
    const id = idOf(message);
    const abort = new AbortController();
    this.#open.set(id, abort);
    const signal = AbortSignal.any([abort.signal, this.#ended.signal]);
    try {
      const response = await this.#answered(message, signal);
      if (value.method === "initialize" && response.ok) {
        this.#opening = text;
        this.#initialized = notification("notifications/initialized");
        this.#lasting.clear();
        this.#session = { id: response.headers.get("mcp-session-id") ?? undefined };
      }
      await this.#relay(response, message, id, signal);
    } catch (error) {
      if (!signal.aborted) this.#write(failure(id, INTERNAL_ERROR, `the gateway does not answer: ${error.message}`));
    } finally {
      this.#open.delete(id);
    }
  }

  /** Sends a request; again while no server has been listed, since a local server may need longer to start than a request waits. */
  async #answered(message, signal) {
    await this.#firstLists([message], signal);
    for (;;) {
      const response = await this.#sent(message, signal);
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      if (!isJson || Date.now() > this.#waitUntil) return response;
      const body = await response.text();
      if (parsed(body).error?.data?.reason !== "upstream_pending") return new Response(body, response);
      await sleep(RETRY_MS, undefined, { signal });
    }
  }

  /** Waits for the first lists, as far as the answers to these messages depend on them. */
  async #firstLists(messages, signal) {
    const requests = messages.filter(({ value, kind }) => kind === "request" && !UNLISTED.test(value.method));
    if (requests.length === 0) return;
    const isOpening = requests.every(({ value }) => OPENING.test(value.method));
    signal.throwIfAborted();
    const over = new AbortController();
    const aborted = new Promise((done) => signal.addEventListener("abort", done, { signal: over.signal }));
    await Promise.race([isOpening ? this.#opened : this.#listed, aborted]);
    over.abort();
    signal.throwIfAborted();
  }

  /** Sends a request with the headers that its revision and its tool require. */
  async #sent(message, signal) {
    const { value, text } = message;
    if (!isStateless(message)) return this.#inSession(message, signal);
    const headers = () => ({
      ...statelessHeaders(value),
      ...(value.method === "tools/call" &&
        argumentHeaders(this.#schemas.of(value.params.name), value.params.arguments)),
    });
    const response = await this.#post(text, headers(), signal);
    if (value.method !== "tools/call" || response.status !== 400) return response;
    const body = await response.text();
    if (JSON.parse(body).error?.code !== HEADER_MISMATCH) return new Response(body, response);
    // Only the list says which arguments are repeated as headers.
    await this.#schemas.learn(value.params._meta, (text, sent) => this.#post(text, sent, signal));
    return this.#post(text, headers(), signal);
  }

  /** Sends a request of the session; once more in a new session if the gateway has forgotten this one. */
  async #inSession({ value, text }, signal) {
    const session = this.#session;
    const response = await this.#post(text, sessionHeaders(session), signal);
    if (value.method === "initialize" || ![400, 404].includes(response.status)) return response;
    const body = await response.text();
    const reason = parsed(body).error?.data?.reason;
    if (reason === "session_required")
      return new Response(replaced(body, [[["error", "message"], JSON.stringify(NO_SESSION)]]), response);
    if (reason !== "session_unknown") return new Response(body, response);
    await this.#renew(session);
    return this.#post(text, sessionHeaders(this.#session), signal);
  }

  /** Stores a successful request whose effect would be lost with the session. */
  #remember({ value: { method, params }, text }) {
    if (method === "resources/unsubscribe") this.#lasting.delete(`resources/subscribe ${params?.uri}`);
    if (method === "resources/subscribe") this.#lasting.set(`resources/subscribe ${params?.uri}`, text);
    if (method === "logging/setLevel") this.#lasting.set(method, text);
    // Each update replaces the one before, whatever the name of its method.
    if (UPDATES_CONCERNS.test(method)) this.#lasting.set("updateConcerns", text);
  }

  /** Replaces a session that the gateway has forgotten, once for all requests that notice it. */
  async #renew(forgotten) {
    if (this.#session === forgotten) this.#renewal ??= this.#begin().finally(() => (this.#renewal = undefined));
    await this.#renewal;
  }

  async #begin() {
    const { signal } = this.#ended;
    const response = await this.#post(this.#opening, sessionHeaders({}), signal);
    await response.text();
    const id = response.headers.get("mcp-session-id") ?? undefined;
    if (!response.ok || id === undefined) return;
    const session = { ...this.#session, id };
    for (const text of [this.#initialized, ...this.#lasting.values()])
      await (await this.#post(text, sessionHeaders(session), signal)).text();
    this.#session = session;
    this.#listen();
  }

  /** Passes the messages of the HTTP response to a request on to the client. `id` is the id as the request has it. */
  async #relay(response, request, id, signal) {
    const { method } = request.value;
    let answered = false;
    const pass = (text) => {
      const message = read(text);
      if (message === undefined) return;
      if (message.kind === "response" && message.value.id === request.value.id) {
        answered = true;
        if ("result" in message.value) this.#remember(request);
      }
      if (method === "initialize") this.#session.version ??= message.value.result?.protocolVersion;
      if (method === "tools/list") this.#schemas.keep(message.value.result);
      this.#write(message.text);
    };
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
      for await (const data of this.#events(response, () => answered, signal)) pass(data);
      if (!answered) this.#write(failure(id, INTERNAL_ERROR, NO_ANSWER));
      return;
    }
    const text = await response.text();
    const message = read(text);
    if (message !== undefined) return pass(text);
    // An error without an id is still the answer to this request.
    this.#write(refusal(id, response, text));
  }

  /** Yields the events of a response, and resumes its stream until `isAnswered`. */
  async *#events(response, isAnswered, signal) {
    /** @type {{ id?: string, retry?: number }} */
    const place = {};
    let [stream, before, idle] = [response, place.id, 0];
    while (stream !== undefined) {
      yield* events(decoded(stream.body), place);
      if (isAnswered()) return;
      idle = place.id === before ? idle + 1 : 0;
      before = place.id;
      stream = idle < MAX_IDLE ? await this.#resumed(place, signal) : undefined;
    }
  }

  /**
   * Returns the rest of a stream that the gateway has closed before its response, because the server of the call closed its own
   * (SEP-1699); `undefined` if there is none.
   * @param {{ id?: string, retry?: number }} place
   * @param {AbortSignal} [signal]
   */
  async #resumed({ id, retry = REOPEN_MS }, signal) {
    if (id === undefined || this.#session.id === undefined) return undefined;
    await sleep(Math.max(retry, RESUME_MS), undefined, { signal });
    const headers = { ...sessionHeaders(this.#session), accept: "text/event-stream", "last-event-id": id };
    const response = await this.#fetch("GET", headers, signal);
    if (response.ok && response.body !== null) return response;
    await response.body?.cancel();
    return undefined;
  }

  /** Keeps the stream of the session open, for messages that belong to no request. The stream of an earlier session is closed. */
  async #listen() {
    this.#listening.abort();
    if (this.#session.id === undefined) return;
    this.#listening = new AbortController();
    const signal = AbortSignal.any([this.#listening.signal, this.#ended.signal]);
    const headers = { ...sessionHeaders(this.#session), accept: "text/event-stream" };
    while (!signal.aborted) {
      try {
        const response = await this.#fetch("GET", headers, signal);
        // A gateway without such streams answers 405, and one that has forgotten the session 404: the next has its own stream.
        if (response.status === 404 || response.status === 405) return;
        if (response.ok)
          for await (const data of events(decoded(response.body))) this.#write(String(read(data)?.text ?? data));
        else await response.body?.cancel();
      } catch {
        // It is opened again.
      }
      await new Promise((done) => setTimeout(done, REOPEN_MS).unref());
    }
  }

  #post(body, headers, signal) {
    return this.#fetch("POST", headers, signal, body);
  }

  /**
   * @param {string} method
   * @param {Record<string, string>} headers
   * @param {AbortSignal | undefined} signal
   * @param {string} [body]
   */
  #fetch(method, headers, signal, body) {
    return fetch(this.#url, { method, body, headers: { ...headers, ...this.#headers }, signal });
  }
}

/** The id of a request, as it is written. */
const idOf = ({ text }) => String(written(text, ["id"]));

/** Returns the error in a response of the gateway, for the request whose id is written so. */
function refusal(id, response, text) {
  const { error } = parsed(text);
  const message = error?.message ?? `the gateway answered with HTTP ${response.status}`;
  return failure(id, error?.code ?? INTERNAL_ERROR, message, error?.data);
}

/** Parses JSON. Returns an empty object for another text. */
function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
