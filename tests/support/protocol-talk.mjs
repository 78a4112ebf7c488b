// One conversation over HTTP: the requests of a row with the boilerplate of their revision, and the replies so far.
import { request as httpRequest } from "node:http";
import { version } from "./protocol-worlds.mjs";

const MODERN = "2026-07-28";
const SESSION = "mcp-session-id";
const NAMED = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };

/** Returns the value at a JSON pointer, or `undefined` if there is none. */
export function at(value, pointer) {
  const keys = pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  return keys.reduce(
    (inner, key) => (inner !== null && typeof inner === "object" && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
}

function bodyOf(raw) {
  if (typeof raw === "string") return Buffer.from(raw);
  if (raw.base64 !== undefined) return Buffer.from(raw.base64, "base64");
  return Buffer.from(`${raw.before ?? ""}${raw.repeat.repeat(raw.times)}${raw.after ?? ""}`);
}

/** Sends one request with exactly these headers, while fetch would add some and forbid others. */
function exchange(url, method, headers, body) {
  return new Promise((done, fail) => {
    const request = httpRequest(url, { method, headers, setHost: false, agent: false, timeout: 20_000 }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", fail);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        let json;
        try {
          json = JSON.parse(text);
        } catch {
          /* an event stream, or an empty body */
        }
        done({ status: response.statusCode, headers: response.headers, text, json });
      });
    });
    request.on("timeout", () => request.destroy(new Error("no reply within 20 s")));
    request.on("error", fail);
    request.end(body);
  });
}

export class Talk {
  #url;
  #replies = [];
  #session;

  constructor(base) {
    this.#url = new URL("/mcp", base);
  }

  get authority() {
    return this.#url.host;
  }

  /** Sends a step's request. Resolves with the message that was sent (`undefined` for a literal body) and the reply. */
  async send(step) {
    const { era, method, headers = {}, token, raw, verb = "POST", query, path } = step;
    const legacy = era !== null && era !== MODERN;
    if (legacy && method !== "initialize" && this.#session === undefined && !(SESSION in headers)) {
      await this.#openSession(era, token, path);
    }
    const composed = this.#compose({ ...step, headers, verb });
    const url = new URL(path ?? this.#url, this.#url);
    if (query !== undefined) url.search = `?${query}`;
    let body = "";
    if (raw !== undefined) body = bodyOf(raw);
    else if (verb === "POST") body = Buffer.from(JSON.stringify(composed.message));
    if (verb === "POST") composed.headers["content-length"] = String(body.length);
    const reply = await exchange(url, verb, composed.headers, body);
    if (era !== null && method === "initialize") this.#session = reply.headers[SESSION];
    this.#replies.push(reply);
    return { sent: raw === undefined ? composed.message : undefined, reply };
  }

  async #openSession(era, token, path) {
    const kept = this.#replies;
    this.#replies = [];
    const { reply } = await this.send({ era, method: "initialize", token, path });
    if (reply.status !== 200) throw new Error(`no session opens: ${reply.status} ${reply.text}`);
    await this.send({ era, method: "notifications/initialized", notification: true, token, path });
    this.#replies = kept;
  }

  #compose({ era, verb, method, params, id, notification, headers, meta = {}, token }) {
    params = this.resolve(params);
    const sent = { host: this.authority, accept: "application/json, text/event-stream" };
    const envelope = {};
    if (verb === "POST") sent["content-type"] = "application/json";
    if (token) sent.authorization = `Bearer ${token}`;
    if (era === MODERN) {
      sent["mcp-protocol-version"] = MODERN;
      sent["mcp-method"] = method;
      const name = params?.[NAMED[method]];
      if (typeof name === "string") sent["mcp-name"] = name;
      envelope["io.modelcontextprotocol/protocolVersion"] = MODERN;
      envelope["io.modelcontextprotocol/clientCapabilities"] = {};
    } else if (era !== null && method === "initialize") {
      params ??= { protocolVersion: era, capabilities: {}, clientInfo: { name: "row", version: "1" } };
    } else if (era !== null) {
      sent["mcp-protocol-version"] = era;
      if (this.#session !== undefined) sent[SESSION] = this.#session;
    }
    for (const [name, value] of Object.entries(headers)) {
      delete sent[name];
      if (value !== null) sent[name] = this.resolve(value);
    }
    for (const [key, value] of Object.entries(meta)) {
      if (value === null) delete envelope[key];
      else envelope[key] = this.resolve(value);
    }
    if (Object.keys(envelope).length > 0) params = { ...params, _meta: envelope };
    const message = { jsonrpc: "2.0", method };
    if (!notification) message.id = id === undefined ? this.#replies.length + 1 : id;
    if (params !== undefined) message.params = params;
    return { headers: sent, message };
  }

  /**
   * Replaces `$0:/pointer`, `$0:@header`, `{host}` and `{version}` in a row by their values; see the corpus's README.
   */
  resolve(value) {
    if (Array.isArray(value)) return value.map((inner) => this.resolve(inner));
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.resolve(inner)]));
    }
    if (typeof value !== "string") return value;
    const parsed = /^\$(\d+):([^!]*)(?:!(-?\d+))?$/.exec(value);
    if (!parsed) {
      const { headers = {}, text = "" } =
        this.#replies.findLast((reply) => reply.status === 200 && reply.text !== "") ?? {};
      const known = {
        host: this.authority,
        version,
        etag: headers.etag ?? "",
        length: String(Buffer.byteLength(text)),
      };
      return value.replace(/\{(host|version|etag|length)\}/g, (_, name) => known[name]);
    }
    const [, step, place, flip] = parsed;
    const { headers, json } = this.#replies[step];
    const found = place.startsWith("@") ? headers[place.slice(1)] : at(json, place);
    if (found === undefined) throw new Error(`${value} is not there`);
    if (flip === undefined) return found;
    const chars = [...found];
    const index = Number(flip) < 0 ? chars.length + Number(flip) : Number(flip);
    chars[index] = chars[index] === "A" ? "B" : "A";
    return chars.join("");
  }
}
