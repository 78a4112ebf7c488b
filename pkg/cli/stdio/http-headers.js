// @ts-check
// Headers that repeat parts of a message for HTTP, where the message itself came over stdio.
import { REVISION } from "./message.js";

/** The parameter that the header `Mcp-Name` repeats, by method. */
const NAMED = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};
const JSON_TYPE = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** The headers of a stateless request. */
export function statelessHeaders({ method, params }) {
  const name = params[NAMED[method]];
  return {
    ...JSON_TYPE,
    "mcp-protocol-version": params._meta[REVISION],
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": encoded(String(name)) }),
  };
}

/**
 * The headers of a message of a session; of its first request while it has no id.
 * @param {{ id?: string, version?: string }} session
 */
export function sessionHeaders({ id, version }) {
  return {
    ...JSON_TYPE,
    ...(id === undefined ? {} : { "mcp-session-id": id }),
    ...(version === undefined ? {} : { "mcp-protocol-version": version }),
  };
}

/** The headers of arguments that a tool wants repeated (`x-mcp-header` in its input schema). */
export function argumentHeaders(schema, values) {
  const headers = {};
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    const value = values?.[name];
    if (value === undefined || value === null) continue;
    if (property["x-mcp-header"] !== undefined)
      headers[`mcp-param-${property["x-mcp-header"]}`] = encoded(String(value));
    else if (typeof value === "object") Object.assign(headers, argumentHeaders(property, value));
  }
  return headers;
}

/** A value as a header: in Base64 if it has characters that headers may not have, or looks as if it were. */
function encoded(value) {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return plain ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`;
}
