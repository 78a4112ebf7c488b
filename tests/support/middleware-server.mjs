// Middleware servers over HTTP that behave as a row of `fixtures/middleware-servers.json` describes, and one on the
// official SDK.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

async function listen(handle) {
  const http = createServer(handle).listen(0, "127.0.0.1");
  await once(http, "listening");
  const stop = () => {
    http.closeAllConnections();
    http.close();
  };
  return { url: `http://127.0.0.1:${http.address().port}/mcp`, stop };
}

const textItem = (text) => ({ content: [{ type: "text", text }] });

/** Returns the result that a row describes for a request. */
function resultOf({ text, result, items, bytes, functions }) {
  if (functions !== undefined)
    return { middleware: Array.from({ length: functions }, (_, at) => ({ name: `f${at}` })) };
  if (items !== undefined) return { content: Array.from({ length: items }, () => ({ type: "text", text: "" })) };
  if (bytes !== undefined) return textItem("x".repeat(bytes));
  return result ?? textItem(text);
}

const headersOf = ({ location, retryAfter }) => ({
  ...(location && { location }),
  ...(retryAfter && { "retry-after": retryAfter }),
});

/** Serves `server`, as a row describes it, until `stop`. `requests` has the headers and body of each request. */
export async function startMiddlewareServer(server) {
  const requests = [];
  const session = randomUUID();
  const handshake = ({ method }) => {
    if (method === "initialize" && server.era === "session")
      return { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "server", version: "1" } };
    if (method === "server/discover" && server.era !== "session")
      return { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { contextMiddleware: {} } };
    return undefined;
  };
  const started = await listen(async (request, response) => {
    const message = JSON.parse(await text(request));
    const { id, method } = message;
    requests.push({ headers: request.headers, message });
    if (server.token && request.headers.authorization !== `Bearer ${server.token}`)
      return response.writeHead(401).end();
    if (id === undefined) return response.writeHead(202).end();
    const send = (outcome, status = 200) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id, ...outcome });
      const opens = method === "initialize" ? { "mcp-session-id": session } : {};
      if (!server.events) return response.writeHead(status, { "content-type": "application/json", ...opens }).end(body);
      // A notification before it, and the event in pieces with every kind of line break.
      response.writeHead(200, { "content-type": "text/event-stream", ...opens });
      response.write(': open\n\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\r\n\r');
      setTimeout(() => response.write(`\nevent: message\rdata: ${body.slice(0, 10)}`), 5);
      setTimeout(() => response.end(`${body.slice(10)}\r\r`), 10);
    };
    const settled = handshake(message);
    if (settled) return send({ result: settled });
    const own = { "middleware/list": server.list, "middleware/invoke": server.invoke };
    if (!(method in own)) {
      const error = { code: -32601, message: "method not found" };
      return response
        .writeHead(404, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
    }
    if (server.era === "session" && request.headers["mcp-session-id"] !== session) return response.writeHead(400).end();
    if (method === "middleware/list" && !server.list)
      return send({ result: { middleware: server.lists ?? [{ name: "redact" }] } });
    const does = own[method];
    if (does.hang) return undefined;
    if (does.close) return request.socket.destroy();
    if (does.error) return send({ error: does.error }, does.status);
    if (does.status) return response.writeHead(does.status, headersOf(does)).end("my secret");
    if (does.body) return response.writeHead(200, { "content-type": "application/json" }).end(does.body);
    return send({ result: resultOf(does) });
  });
  /** Changes the behaviour of calls. */
  const does = (invoke) => {
    server = { ...server, invoke };
  };
  return { ...started, requests, does };
}

/**
 * Serves functions on the official SDK of 2025-11-25, which keeps sessions, until `stop`. `functions` maps names to
 * functions from `(context, arguments)` to a result. `handshakes` is the number of sessions.
 */
export async function startSdkMiddlewareServer(functions) {
  const sessions = new Map();
  const started = await listen(async (request, response) => {
    const known = sessions.get(request.headers["mcp-session-id"]);
    if (known) return known.handleRequest(request, response);
    const server = new Server({ name: "functions", version: "1" }, { capabilities: {} });
    const list = z.object({ method: z.literal("middleware/list"), params: z.any() });
    const invoke = z.object({ method: z.literal("middleware/invoke"), params: z.any() });
    server.setRequestHandler(list, () => ({ middleware: Object.keys(functions).map((name) => ({ name })) }));
    server.setRequestHandler(invoke, ({ params }) => functions[params.name](params.context, params.arguments));
    const onsessioninitialized = (id) => sessions.set(id, transport);
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized });
    await server.connect(transport);
    return transport.handleRequest(request, response);
  });
  return {
    ...started,
    get handshakes() {
      return sessions.size;
    },
    /** Removes the sessions, as a restart would. */
    forget: () => sessions.clear(),
  };
}
