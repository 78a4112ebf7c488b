// Results of an MCP server with tools, in both revisions.

const STATELESS = "2026-07-28";
const SESSIONS = "2025-11-25";
const capabilities = { tools: { listChanged: true } };

const cached = (ttlMs) => `"resultType":"complete","ttlMs":${ttlMs},"cacheScope":"public"`;
const called = { content: [{ type: "text", text: "done" }] };

/** Returns the result of a request as JSON, or `undefined` for a method that the server does not have. */
export function resultOf(server, { method, params }) {
  const { ttlMs, discoverTtlMs, version, page } = server;
  if (server.hasSessions) {
    switch (method) {
      case "initialize":
        return JSON.stringify({ protocolVersion: SESSIONS, capabilities, serverInfo: { name: "fleet", version: "1" } });
      case "tools/list":
        return `{${page(version, params?.cursor)}}`;
      case "tools/call":
        return JSON.stringify(called);
    }
    return undefined;
  }
  switch (method) {
    case "server/discover":
      return `{${cached(discoverTtlMs)},"supportedVersions":["${STATELESS}"],"capabilities":${JSON.stringify(capabilities)}}`;
    case "tools/list":
      return `{${cached(ttlMs)},${page(version, params?.cursor)}}`;
    case "tools/call":
      return JSON.stringify({ resultType: "complete", ...called });
  }
  return undefined;
}

const event = (message) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
const about = (id) => (id === undefined ? {} : { _meta: { "io.modelcontextprotocol/subscriptionId": id } });

/** Returns the first event of a stream of changes in the stateless revision. */
export const acknowledged = (id) =>
  event({
    method: "notifications/subscriptions/acknowledged",
    params: { notifications: { toolsListChanged: true }, ...about(id) },
  });

/** Returns the notification that the list of tools has changed. `id` is that of the subscription, if there is one. */
export const changed = (id) => event({ method: "notifications/tools/list_changed", params: about(id) });
