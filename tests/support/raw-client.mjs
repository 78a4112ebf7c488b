// MCP requests at the level of HTTP, for details that a client's types would hide.
import { once } from "node:events";
import { request as httpRequest } from "node:http";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
let next = 1;

/** Yields the events of a stream as they arrive: `{at, id, message}`. An event with an id alone has no message. */
export async function* events({ body }) {
  let pending = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const parts = (pending + chunk.replaceAll("\r\n", "\n")).split("\n\n");
    pending = parts.pop();
    for (const part of parts) {
      const field = (name) => {
        const lines = part.split("\n").filter((line) => line.startsWith(`${name}:`));
        return lines.map((line) => line.slice(name.length + 1).trim()).join("\n");
      };
      const [id, data] = [field("id"), field("data")];
      if (id || data) yield { at: Date.now(), id, message: data ? JSON.parse(data) : undefined };
    }
  }
}

/** Yields the messages of a response as they arrive, the response of the request last. */
export async function* messages(response) {
  if (!response.headers.get("content-type").startsWith("text/event-stream")) return yield response.json();
  for await (const { message } of events(response)) if (message) yield message;
}

const plain = (text) => (/^[!-~]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`);

/** Returns one request of the stateless revision, in the form of fetch and node:http. */
export function request(method, params = {}) {
  const about = method === "completion/complete" ? undefined : (params.name ?? params.uri);
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    ...params._meta,
  };
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": MODERN,
    "mcp-method": method,
    ...(about === undefined ? {} : { "mcp-name": plain(about) }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: next++, method, params: { ...params, _meta: envelope } });
  return { method: "POST", headers, body };
}

/**
 * Sends one request of the stateless revision and returns the response. `headers` are added to the usual ones or
 * replace them.
 */
export function send(url, method, params, { headers = {}, ...options } = {}) {
  const sent = request(method, params);
  return fetch(url, { ...sent, ...options, headers: { ...sent.headers, ...headers } });
}

/** Waits for the first chunk of the response, then resets the connection. Returns that chunk. */
export async function leaveAfterFirstPiece(url, method, params) {
  const { body, ...options } = request(method, params);
  const sent = httpRequest(url, options).end(body);
  const [response] = await once(sent, "response");
  const [piece] = await once(response, "data");
  sent.on("error", () => {});
  response.on("error", () => {});
  sent.socket.resetAndDestroy();
  return piece.toString();
}

/** Returns every message of a response with its time of arrival, the response last. */
async function read(response) {
  if (!response.headers.get("content-type").startsWith("text/event-stream")) {
    return [{ at: Date.now(), message: await response.json() }];
  }
  const seen = [];
  for await (const { at, message } of events(response)) if (message) seen.push({ at, message });
  return seen;
}

/** Sends one request of the stateless revision. Returns every message of the response, the response last. */
export async function ask(url, method, params, { headers = {} } = {}) {
  return read(await send(url, method, params, { headers }));
}

const post = (url, headers, body) =>
  fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...body }) });

/**
 * Opens a session of a handshake revision for a client with `capabilities`. Returns the headers of every request in
 * it.
 */
export async function openSession(url, capabilities = {}, version = LEGACY) {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: version, capabilities, clientInfo };
  const opened = await post(url, headers, { id: next++, method: "initialize", params });
  await read(opened);
  headers["mcp-session-id"] = opened.headers.get("mcp-session-id");
  headers["mcp-protocol-version"] = version;
  await post(url, headers, { method: "notifications/initialized" });
  return headers;
}

/** Opens a session of the handshake revision. Returns a function that sends requests in it, as `ask` does. */
export async function session(url) {
  const headers = await openSession(url);
  return async (method, params) => read(await post(url, headers, { id: next++, method, params }));
}
