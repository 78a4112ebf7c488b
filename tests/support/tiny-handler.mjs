// A `fetch` handler that speaks a minimum of MCP, records its requests and ignores the path, as the handlers of the
// official SDK do; and requests for `gateway` in front of it.

/**
 * Returns a handler with these tools, each a name or a definition, and the requests that it received. `flags` returns
 * the names of additional tools for one request. `legacy` makes it a handler of the handshake revisions, and lists are valid for
 * `ttlMs` milliseconds.
 */
export function tinyHandler({ tools = ["open", "secret"], flags = () => [], legacy = false, ttlMs = 60_000 } = {}) {
  const received = [];
  const handler = async (request, env, ctx) => {
    const { id, method, params } = await request.json();
    received.push({
      method,
      tool: params?.name,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      props: ctx?.props,
      capabilities: params?._meta?.["io.modelcontextprotocol/clientCapabilities"],
    });
    if (id === undefined) return new Response(null, { status: 202 });
    const results = {
      ...(legacy && {
        initialize: () => ({
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "tiny", version: "1" },
        }),
      }),
      ...(!legacy && {
        "server/discover": () => ({
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: {} },
          serverInfo: { name: "tiny", version: "1" },
        }),
      }),
      "tools/list": () => ({
        resultType: "complete",
        ttlMs,
        tools: [...tools, ...flags(request, ctx)].map((tool) =>
          typeof tool === "string" ? { name: tool, inputSchema: { type: "object" } } : tool,
        ),
      }),
      "tools/call": () => ({ resultType: "complete", content: [{ type: "text", text: `${params.name} was called` }] }),
    };
    const answer = results[method]
      ? { result: results[method]() }
      : { error: { code: -32601, message: "no such method" } };
    return Response.json({ jsonrpc: "2.0", id, ...answer });
  };
  return {
    handler,
    received,
    called: () => received.filter(({ method }) => method === "tools/call").map(({ tool }) => tool),
  };
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "tiny", version: "1" },
};

/** Returns the body of a request in the stateless revision. */
export const bodyOf = (method, params = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: { ...META, ...params._meta } } });

/** Returns a request in the stateless revision. `init` replaces members of the `RequestInit`. */
export function requestOf(method, params = {}, { url = "https://shop.example/mcp", headers = {}, ...init } = {}) {
  const own = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(params.name && { "mcp-name": params.name }),
  };
  return new Request(url, {
    method: "POST",
    headers: { ...own, ...headers },
    body: bodyOf(method, params),
    duplex: "half",
    ...init,
  });
}

/** Returns a request of a session, or the `initialize` that opens it. */
export function sessionRequest(method, { session, params = {}, url = "https://shop.example/mcp", headers = {} } = {}) {
  const initial = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tiny", version: "1" } };
  return new Request(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session && { "mcp-session-id": session }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: method === "initialize" ? initial : params }),
  });
}

/** Returns the status, and the error or result, of a response with one JSON message. */
export async function told(response) {
  const { result, error } = await response.json();
  return { status: response.status, result, error };
}
