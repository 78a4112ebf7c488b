// HTTP responses as data: `{ status, type, headers, body, never, reset }`. `body` is a text, bytes, or an array of pieces, each of
// them a text, bytes, a function that returns one, a pause (`{ wait }`), `{ open: true }`, which leaves the response unfinished, or
// `{ reset: true }`, which resets the connection.

export const JSON_TYPE = "application/json";
export const EVENTS_TYPE = "text/event-stream";
const textOf = (message) => (typeof message === "string" ? message : JSON.stringify(message));

/** Returns a JSON body. A text is sent as it is. */
export const json = (message, more = {}) => ({ type: JSON_TYPE, body: textOf(message), ...more });
/** Returns an event stream of these pieces. */
export const events = (pieces, more = {}) => ({ type: EVENTS_TYPE, body: pieces, ...more });
/** Returns one event. */
export const event = (message, { name = "message" } = {}) =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${textOf(message)}\n\n`;
export const status = (code, body = "", type = body === "" ? undefined : "text/plain", headers = {}) => ({
  status: code,
  type,
  body,
  headers,
});
export const html = (code = 200) => status(code, "<!doctype html><html><body>Welcome</body></html>", "text/html");
export const redirect = (code, location) => status(code, "", undefined, location === undefined ? {} : { location });
export const never = { never: true };
export const reset = { reset: true };
export const late = (ms, reply) => ({ ...reply, late: ms });
