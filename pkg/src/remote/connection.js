// @ts-check
// An MCP client for the two methods of context middleware. It speaks the stateless revision, and the handshake of the
// revision before it where a server asks for that. The engine has a client of its own; in WebAssembly it would add
// more to the module than all scanners together.
import { SieveError } from "../core/error.js";
import { readResponse } from "./body.js";
import { Failure, Refused, Unanswered } from "./failure.js";

const STATELESS = "2026-07-28";
const WITH_SESSIONS = "2025-11-25";
const INVALID_PARAMS = -32602;
const HEADER_MISMATCH = -32020;
const UNSUPPORTED_VERSION = -32022;
const META = "io.modelcontextprotocol/";
const CLIENT = { name: "mcp-sieve", version: "0.1.0" };

/** The codes with which a server refuses a request of a session before its method runs. */
const NOT_RUN = [-32001, -32600, HEADER_MISMATCH, UNSUPPORTED_VERSION];

/**
 * Whether a response shows that the server lost the session or speaks another revision. No method has run then.
 */
function isStale({ stateless }, { message, status }) {
  const named = (codes) => message?.id == null || codes.includes(message?.error?.code);
  if (stateless) return [400, 404, 405].includes(status) && named([UNSUPPORTED_VERSION]);
  return [400, 404].includes(status) && named(NOT_RUN);
}

export class Connection {
  #name;
  #url;
  #headers;
  #fetch;
  #id = 0;
  /** The result of the negotiation: headers of each request, and whether the server keeps no session. */
  #negotiated;

  /**
   * @param {string} name
   * @param {import("../../types/middleware.js").RemoteServer} options
   */
  constructor(name, { url, headers = {}, fetch = globalThis.fetch }) {
    this.#name = name;
    this.#url = url;
    this.#fetch = fetch;
    try {
      this.#headers = new Headers(headers);
    } catch {
      // The message of the platform quotes the value.
      throw new SieveError("config", `a header of middleware server \`${name}\` cannot be sent`);
    }
  }

  /**
   * Returns the result of a request.
   * @param {string} method
   * @param {object} params
   * @param {AbortSignal} signal ends the request
   * @returns {Promise<any>}
   */
  async request(method, params, signal) {
    this.#negotiated ??= await this.#negotiate(signal);
    let answer = await this.#send(this.#negotiated, method, params, signal);
    if (isStale(this.#negotiated, answer)) {
      this.#negotiated = await this.#negotiate(signal);
      answer = await this.#send(this.#negotiated, method, params, signal);
    }
    const { message, status } = answer;
    if (message?.result) return message.result;
    const code = message?.error?.code;
    if (!Number.isInteger(code)) throw new Failure(this.#says(method, `HTTP ${status} and no usable response`));
    // With a code of JSON-RPC itself the function has not run.
    const ran = code === INVALID_PARAMS || code < -32700 || code > -32600;
    // The message of the server may quote the context, so only the code is repeated.
    throw new (ran && method === "middleware/invoke" ? Refused : Failure)(this.#says(method, `the error ${code}`));
  }

  async #negotiate(signal) {
    const stateless = { stateless: true, headers: { "MCP-Protocol-Version": STATELESS } };
    const { message } = await this.#send(stateless, "server/discover", {}, signal);
    const supported = message?.result?.supportedVersions;
    if (Array.isArray(supported) && supported.includes(STATELESS)) return stateless;
    const first = { headers: {} };
    const opening = { protocolVersion: WITH_SESSIONS, capabilities: {}, clientInfo: CLIENT };
    const opened = await this.#send(first, "initialize", opening, signal);
    const version = opened.message?.result?.protocolVersion;
    if (!/^\d{4}-\d\d-\d\d$/.test(version))
      throw new Failure(`middleware server \`${this.#name}\` refused the handshake`);
    const session = opened.headers.get("mcp-session-id");
    const headers = { "MCP-Protocol-Version": version, ...(session && { "Mcp-Session-Id": session }) };
    await this.#send({ headers }, "notifications/initialized", undefined, signal);
    return { headers };
  }

  /** Sends one message; returns the response to it, the HTTP status and the headers. Without `params` it is a notification. */
  async #send({ stateless = false, headers }, method, params, signal) {
    const id = params && ++this.#id;
    const _meta = {
      [`${META}protocolVersion`]: STATELESS,
      [`${META}clientCapabilities`]: {},
      [`${META}clientInfo`]: CLIENT,
    };
    const body = {
      jsonrpc: "2.0",
      ...(params && { id }),
      method,
      ...(params && { params: stateless ? { ...params, _meta } : params }),
    };
    const sent = new Headers(this.#headers);
    const own = {
      ...headers,
      ...(stateless && { "Mcp-Method": method }),
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
    };
    for (const [name, value] of Object.entries(own)) sent.set(name, value);
    const fetch = this.#fetch;
    try {
      // A redirect could lead to a server that the application never named.
      const init = /** @type {RequestInit} */ ({ method: "POST", headers: sent, redirect: "manual", signal });
      const response = await fetch(this.#url, { ...init, body: JSON.stringify(body) });
      const { status } = response;
      const ends = status < 200 || (status > 299 && status < 400) || status === 401 || status === 403;
      if (ends || !params) response.body?.cancel().catch(() => {});
      if (status === 401 || status === 403) throw new Refused(this.#says(method, `HTTP ${status}`));
      if (ends) throw new Failure(this.#says(method, `HTTP ${status}`));
      const message = params && (await readResponse(response, id, this.#name, method));
      const answered = message?.id === id && message?.error;
      if ((status === 429 || status > 499) && !answered)
        throw new Unanswered(this.#says(method, `HTTP ${status}`), response.headers.get("retry-after"));
      return { message, status, headers: response.headers };
    } catch (error) {
      if (error instanceof Failure || error instanceof Refused) throw error;
      // The platform's message may contain the URL.
      throw new Unanswered(`middleware server \`${this.#name}\` cannot be reached`);
    }
  }

  #says(method, problem) {
    return `middleware server \`${this.#name}\` answered \`${method}\` with ${problem}`;
  }
}
