// A server with sessions, on the official SDK of 2025-11-25. Each client has its own.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { tokensVariable } from "./tokens.mjs";

/** `SIEVE_TOKENS` of a Worker that knows `alice-token` and `bob-token`. */
export const TOKENS = tokensVariable({ "alice-token": { sub: "alice" }, "bob-token": { sub: "bob" } });

/** Serves tools of these names, each answered by `call(request, extra)`, until `stop`. `ended` has the ended sessions. */
export async function startSessionServer({ name, tools, call, capabilities }) {
  const sessions = new Map();
  const ended = [];
  const http = createServer(async (request, response) => {
    const known = sessions.get(request.headers["mcp-session-id"]);
    if (known) return known.handleRequest(request, response);
    const server = new Server({ name, version: "1" }, { capabilities: { tools: {}, ...capabilities } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })),
    }));
    server.setRequestHandler(CallToolRequestSchema, call);
    const onsessioninitialized = (id) => sessions.set(id, transport);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized,
      onsessionclosed: (id) => ended.push(id),
    });
    await server.connect(transport);
    return transport.handleRequest(request, response);
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const stop = () => {
    http.closeAllConnections();
    http.close();
  };
  return { url: `http://127.0.0.1:${http.address().port}/mcp`, ended, stop };
}
