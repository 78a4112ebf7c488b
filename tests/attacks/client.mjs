// MCP clients of an attacker, who chooses every header and every member.
import { request } from "../support/raw-client.mjs";

const STATELESS = "2026-07-28";
let next = 1;

/** Returns the messages of a body: one, an array, or those of an event stream. */
export function messagesOf(type, text) {
  if (!type?.startsWith("text/event-stream")) {
    try {
      return [JSON.parse(text)].flat();
    } catch {
      return [];
    }
  }
  const data = text
    .replaceAll("\r\n", "\n")
    .split("\n\n")
    .map((event) =>
      event
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5))
        .join("\n")
        .trim(),
    );
  return data.filter(Boolean).flatMap((line) => JSON.parse(line));
}

/** Reads a reply to its end. `message` is the response, `text` all bytes. */
export async function read(response) {
  const text = await response.text();
  const type = response.headers.get("content-type");
  const messages = messagesOf(type, text);
  return { status: response.status, headers: response.headers, type, text, messages, message: messages.at(-1) };
}

const bearer = (token) => (token === undefined ? {} : { authorization: `Bearer ${token}` });

/** Returns a function that sends requests of the stateless revision to a front. */
export function stateless(front, { token, headers: own = {}, path = "/mcp" } = {}) {
  return async (method, params = {}, { headers = {}, signal } = {}) => {
    const sent = request(method, params);
    return read(
      await front.fetch(path, { ...sent, signal, headers: { ...sent.headers, ...bearer(token), ...own, ...headers } }),
    );
  };
}

/** Opens a session of a handshake revision, and returns a function that sends requests in it. */
export async function session(
  front,
  {
    token,
    headers: own = {},
    path = "/mcp",
    revision = "2025-11-25",
    capabilities = {},
    clientInfo = { name: "attacker", version: "1" },
  } = {},
) {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...bearer(token),
    ...own,
  };
  const post = async (body, more = {}) =>
    read(
      await front.fetch(path, {
        method: "POST",
        headers: { ...headers, ...more },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    );
  const opened = await post({
    jsonrpc: "2.0",
    id: next++,
    method: "initialize",
    params: { protocolVersion: revision, capabilities, clientInfo },
  });
  const id = opened.headers.get("mcp-session-id");
  if (id !== null) headers["mcp-session-id"] = id;
  if (revision !== "2025-03-26") headers["mcp-protocol-version"] = revision;
  if (opened.status === 200) await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  const ask = (method, params = {}, options = {}) =>
    post({ jsonrpc: "2.0", id: next++, method, params }, options.headers);
  return Object.assign(ask, {
    id,
    headers,
    post,
    opened,
    batch: (calls) => post(calls.map(([method, params], at) => ({ jsonrpc: "2.0", id: at + 1, method, params }))),
  });
}

/** Returns both kinds of client, by their revision. */
export const clientsOf = async (front, options) => ({
  [STATELESS]: stateless(front, options),
  "2025-11-25": await session(front, options),
});

/** Returns the names in a list. */
export const listed = ({ message }, key) => (message?.result?.[key] ?? []).map(({ name }) => name);
