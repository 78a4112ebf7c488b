// @ts-check
// JSON-RPC messages, as they pass between stdio and HTTP.

export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INTERNAL_ERROR = -32603;
/** The member of `_meta` that makes a request one of the stateless revision. */
export const REVISION = "io.modelcontextprotocol/protocolVersion";
/** The parameters of stateless requests of the command itself. */
export const STATELESS_PARAMS = {
  _meta: { [REVISION]: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} },
};

/**
 * A message: its text on one line, its value, and what it is.
 * @typedef {{ text: string, value: Record<string, any>, kind: "request" | "notification" | "response" }} Message
 */

/**
 * Reads a message. Returns nothing for text that is none.
 * @param {string} text
 * @returns {Message | undefined}
 */
export function read(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || value.jsonrpc !== "2.0") return undefined;
  const kind = kindOf(value);
  // Line ends stand only between the parts of a message: inside strings they are escaped.
  return kind && { text: text.trim().replaceAll(/[\r\n]+/g, " "), value, kind };
}

/**
 * Reads an array of messages, as the revisions up to 2025-03-26 have them. The gateway judges the revision and each message.
 * Returns nothing for text that is none.
 * @param {string} text
 * @returns {{ text: string, messages: Message[] } | undefined}
 */
export function readBatch(text) {
  let values;
  try {
    values = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(values)) return undefined;
  const messages = values.map((value) => read(JSON.stringify(value))).filter((message) => message !== undefined);
  return { text: text.trim().replaceAll(/[\r\n]+/g, " "), messages };
}

function kindOf({ method, id, result, error }) {
  if (typeof method === "string") return id === undefined ? "notification" : "request";
  return id !== undefined && (result !== undefined || error !== undefined) ? "response" : undefined;
}

/** Whether a request is one of the stateless revision. */
export const isStateless = ({ value }) => typeof value.params?._meta?.[REVISION] === "string";

/**
 * Returns the text of an error, in answer to the request whose id is written so.
 * @param {string} id
 * @param {number} code
 * @param {string} message
 * @param {unknown} [data]
 */
export const failure = (id, code, message, data) =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`;

/** The text of a notification. */
export const notification = (method, params) => JSON.stringify({ jsonrpc: "2.0", method, params });
