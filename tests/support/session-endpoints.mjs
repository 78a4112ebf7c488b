// Servers of the official SDK with sessions, on one free port: `/NAME` is the server NAME.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/**
 * Serves `serverOf(NAME)` in each session at `/NAME`, for the names in `known`. `url(NAME)` returns the URL of a server,
 * and `stop()` ends all.
 */
export async function startEndpoints(known, serverOf) {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    const name = decodeURIComponent(request.url.slice(1));
    if (!known[name]) return response.writeHead(404).end();
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => {
          sessions.set(id, transport);
        },
      });
      await serverOf(name).connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  return {
    url: (name) => `http://127.0.0.1:${http.address().port}/${encodeURIComponent(name)}`,
    stop: async () => {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}
