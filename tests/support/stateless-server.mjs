// An MCP server of the stateless revision without an SDK: a table of results by method. For what an SDK does not send or
// does not let a test see.
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/** Defaults of every result: it is complete, and lists are stale at once. */
const DEFAULTS = { resultType: "complete", ttlMs: 0, cacheScope: "public" };
const DISCOVERED = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };

/** Returns a tool that takes any object. */
export const plainTool = (name) => ({ name, inputSchema: { type: "object" } });

/**
 * Starts a server. `results` has the result of each method, or a function `(params) => result` that may take time;
 * methods without one get the error -32601. Unless it is given, `server/discover` announces tools.
 *
 * `intercept(message, response)` may answer a message itself, and then returns true.
 *
 * `seen` has `{ method, params, headers }` of each message. `stop()` resolves when the port is free, and `start()` takes
 * it again.
 */
export async function startStatelessServer(results, { intercept } = {}) {
  const seen = [];
  const all = { "server/discover": DISCOVERED, ...results };
  const http = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const message = JSON.parse(await text(request));
    const { id, method, params } = message;
    seen.push({ method, params, headers: request.headers });
    if (intercept?.(message, response)) return;
    if (id === undefined) return response.writeHead(202).end();
    const found = all[method];
    const result = typeof found === "function" ? await found(params) : found;
    const outcome = result
      ? { result: { ...DEFAULTS, ...result } }
      : { error: { code: -32601, message: "unknown method" } };
    response
      .writeHead(result ? 200 : 404, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  });
  let port = 0;
  const start = async () => {
    await once(http.listen(port, "127.0.0.1"), "listening");
    ({ port } = http.address());
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    seen,
    start,
    stop: async () => {
      if (!http.listening) return;
      http.closeAllConnections();
      await once(http.close(), "close");
    },
  };
}
