// A server of the handshake revision on the official SDK. Its resource `note:one` changes at the request of a test.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  ListResourcesRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

export const URI = "note:one";

/** Starts the server. `tell()` notifies all listeners that the resource has changed. */
export async function startTelling() {
  const [sessions, servers] = [new Map(), []];
  const http = createServer(async (request, response) => {
    const known = sessions.get(request.headers["mcp-session-id"]);
    if (known) return known.handleRequest(request, response);
    const server = new Server({ name: "telling", version: "1" }, { capabilities: { resources: { subscribe: true } } });
    server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [{ uri: URI, name: "one" }] }));
    server.setRequestHandler(SubscribeRequestSchema, () => ({}));
    server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
      },
    });
    await server.connect(transport);
    servers.push(server);
    return transport.handleRequest(request, response);
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    tell: () => Promise.all(servers.map((server) => server.sendResourceUpdated({ uri: URI }).catch(() => {}))),
    stop: () => {
      http.closeAllConnections();
      return new Promise((done) => http.close(done));
    },
  };
}
