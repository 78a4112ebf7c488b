// @ts-check
// The response to an HTTP request: JSON if the response is the first message, otherwise an event stream.

/** @typedef {import("node:http").ServerResponse} ServerResponse */

/**
 * Returns an exchange that answers through `response`.
 * @param {ServerResponse} response
 * @param {Record<string, string>} [headers]
 */
export function exchange(response, headers = {}) {
  const isClosed = () => response.destroyed || response.writableEnded;
  const write = (text) => response.write(`data: ${text}\n\n`);
  /** Begins the event stream. */
  const open = () => {
    if (response.headersSent) return;
    response.writeHead(200, { ...headers, "content-type": "text/event-stream", "cache-control": "no-store" });
    response.flushHeaders();
  };
  return {
    open,
    /** @param {string} text */
    send(text) {
      if (isClosed()) return;
      open();
      write(text);
    },
    /** @param {string} text */
    finish(text) {
      if (isClosed()) return;
      if (response.headersSent) {
        write(text);
        response.end();
      } else {
        response.writeHead(200, { ...headers, "content-type": "application/json" }).end(text);
      }
    },
  };
}

/** Answers with a status and an error, under the id of a request if there is one. */
export function refuse(response, status, text, headers = {}) {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { ...headers, "content-type": "application/json" }).end(text);
}
