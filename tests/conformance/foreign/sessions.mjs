// Sessions of revision 2025-11-25 on the TypeScript SDK 2 or 1.
import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";

/**
 * Returns a handler of requests with sessions, each with its own server. `changed(kind)` notifies them of a changed
 * list. `Transport` is that of the SDK, and `options` are further options of it.
 */
export function createSessions({ create, Transport = WebStandardStreamableHTTPServerTransport, options }) {
  const sessions = new Map();
  return {
    changed(kind) {
      const tell = kind === "tools" ? "sendToolListChanged" : "sendPromptListChanged";
      for (const { server } of sessions.values()) server[tell]().catch(() => {});
    },
    async fetch(request) {
      const id = request.headers.get("mcp-session-id");
      const known = sessions.get(id);
      if (known) return known.transport.handleRequest(request);
      if (id) {
        const error = { code: -32001, message: "Session not found" };
        return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 404 });
      }
      const server = create();
      const transport = new Transport({
        ...options?.(),
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (begun) => {
          sessions.set(begun, { server, transport });
        },
        onsessionclosed: (ended) => {
          sessions.delete(ended);
        },
      });
      await server.connect(transport);
      return transport.handleRequest(request);
    },
  };
}
