// The gateway in front of a handler that lists tools: the lists that a client receives, and the results of the
// discovery tools.
import { gateway } from "../../pkg/loaders/handler-node.js";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "context", version: "1" },
};

/** Returns a server of the stateless revision with these tools. */
function serverWith(tools) {
  const results = {
    "server/discover": {
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      serverInfo: { name: "tools", version: "1" },
    },
    "tools/list": { resultType: "complete", ttlMs: 3_600_000, tools },
  };
  return async (request) => {
    const { id, method } = await request.json();
    if (id === undefined) return new Response(null, { status: 202 });
    const answer = results[method]
      ? { result: results[method] }
      : { error: { code: -32601, message: "no such method" } };
    return Response.json({ jsonrpc: "2.0", id, ...answer });
  };
}

/** Returns functions that send requests. Their `query` is that of the URL, which sets the mode and the filter. */
export function connected(tools, config = {}) {
  const { fetch } = gateway(serverWith(tools), config, { note() {} });
  const lists = new Map();
  async function ask(query, method, params = {}) {
    const response = await fetch(
      new Request(`http://gateway.example/mcp?${query}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": method,
          ...(params.name && { "mcp-name": params.name }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } }),
      }),
    );
    const { result, error } = await response.json();
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }
  return {
    /** Returns the whole list, from all of its pages. */
    async list(query) {
      const listed = [];
      let cursor;
      do {
        const page = await ask(query, "tools/list", cursor ? { cursor } : {});
        listed.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor);
      return listed;
    },
    /** Returns the whole list with definitions of at most `budget` tokens. */
    async shortened(budget) {
      if (!lists.has(budget))
        lists.set(budget, await connected(tools, { definitions: { budget } }).list("disclosure=flat"));
      return lists.get(budget);
    },
    instructions: async (query) => (await ask(query, "server/discover")).instructions ?? "",
    /** Returns the text that a discovery tool returns. */
    async call(query, name, args) {
      const { content, isError } = await ask(query, "tools/call", { name, arguments: args });
      if (isError) throw new Error(`${name}: ${content[0].text}`);
      return content[0].text;
    },
  };
}
