// A server with control over every byte, for behaviour that the official ones do not have. Each method can be given an
// answer.
import { randomUUID } from "node:crypto";

const CACHED = { resultType: "complete", ttlMs: 600_000, cacheScope: "public" };
export const tool = (name, more = {}) => ({ name, inputSchema: { type: "object" }, ...more });

export const json = (message, { status = 200, headers = {} } = {}) =>
  new Response(JSON.stringify({ jsonrpc: "2.0", ...message }), {
    status,
    headers: { "content-type": "application/json", ...headers },
  });

/** Returns an event stream of these messages. `after` is awaited before each. */
export const stream = (messages, { after = async () => {} } = {}) => {
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    async start(controller) {
      for (const message of messages) {
        await after(message);
        controller.enqueue(encoder.encode(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`));
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};

const METHODS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
};
const own = {
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: `called ${name}` }] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: `read ${uri}` }] }),
  "prompts/get": ({ name }) => ({ messages: [{ role: "user", content: { type: "text", text: `prompt ${name}` } }] }),
  "completion/complete": () => ({ completion: { values: ["one"], total: 1, hasMore: false } }),
};

/**
 * Returns a server. `lists` holds its lists by member. `answer` maps a method to `(params, {message, request})`, which
 * returns a result, `{error}` or a `Response`. `sessions` makes it a server of 2025-11-25. It introduces itself with
 * `instructions`.
 */
export function simple({
  label = "plain server",
  lists = {},
  answer = {},
  sessions = false,
  capabilities = {},
  instructions,
}) {
  const has = { tools: lists.tools, resources: lists.resources ?? lists.resourceTemplates, prompts: lists.prompts };
  const told = {
    ...Object.fromEntries(
      Object.entries(has)
        .filter(([, list]) => list)
        .map(([name]) => [name, {}]),
    ),
    ...capabilities,
  };
  const handshake = {
    "server/discover": () =>
      sessions
        ? { error: { code: -32000, message: "Bad Request: Server not initialized" } }
        : {
            ...CACHED,
            supportedVersions: ["2026-07-28"],
            capabilities: told,
            serverInfo: { name: "simple", version: "1" },
            instructions,
          },
    initialize: () => ({
      protocolVersion: "2025-11-25",
      capabilities: told,
      serverInfo: { name: "simple", version: "1" },
      instructions,
    }),
    ping: () => ({}),
  };
  const lister = (key) => () => ({ ...CACHED, [key]: lists[key] ?? [] });
  const known = {
    ...handshake,
    ...own,
    ...Object.fromEntries(Object.entries(METHODS).map(([method, key]) => [method, lister(key)])),
    ...answer,
  };
  const fetch = async (request) => {
    if (request.method !== "POST")
      return (
        answer[request.method]?.(request) ?? new Response(null, { status: request.method === "DELETE" ? 200 : 405 })
      );
    const message = await request.json();
    const { id, method, params = {} } = message;
    if (id === undefined) return new Response(null, { status: 202 });
    const found = await known[method]?.(params, { message, request });
    if (found instanceof Response) return found;
    const headers = method === "initialize" ? { "mcp-session-id": randomUUID() } : {};
    if (found === undefined) return json({ id, error: { code: -32601, message: "method not found" } });
    if (found.error) return json({ id, ...found }, { status: method === "server/discover" ? 400 : 200 });
    return json({ id, result: sessions ? found : { resultType: "complete", ...found } }, { headers });
  };
  return { label, fetch };
}
