// A client of the session revision that returns the status and the headers of each response.
import { once } from "node:events";
import { request as httpRequest } from "node:http";

const VERSION = "2025-11-25";

/**
 * Sends one message. Returns the status, `Retry-After`, the session id, the body, and the message in it or in its last
 * event. `agent` is the node:http agent whose connections are used.
 */
export async function post(url, headers, message, agent) {
  const sent = httpRequest(url, { method: "POST", headers, agent }).end(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const [response] = await once(sent, "response");
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  const events = /^data: (.+)$/gm;
  const found = text.startsWith("{") ? text : [...text.matchAll(events)].at(-1)?.[1];
  return {
    status: response.statusCode,
    retryAfter: response.headers["retry-after"],
    session: response.headers["mcp-session-id"],
    text,
    message: found === undefined ? undefined : JSON.parse(found),
  };
}

/** Opens a session. Returns the headers of every request in it, `more` among them, or the server's rejection. */
export async function open(url, agent, more) {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", ...more };
  const params = { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: "client", version: "1" } };
  const opened = await post(url, headers, { id: 1, method: "initialize", params }, agent);
  if (opened.status !== 200 || opened.session === undefined) return opened;
  Object.assign(headers, { "mcp-session-id": opened.session, "mcp-protocol-version": VERSION });
  const noted = await post(url, headers, { method: "notifications/initialized" }, agent);
  return noted.status === 202 ? { ...opened, headers } : noted;
}
