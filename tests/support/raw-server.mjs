// An MCP server of the handshake era without an SDK: it sends any text as it is, and logs the headers it gets.
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const LISTS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
};

/**
 * Serves `lists` (`{ tools, resources, … }`) as the server `serverInfo` with `instructions`. `error`, if given, is the JSON-RPC error of
 * every list; `nextCursor`, if given, the cursor of every page. `requests` holds the headers of each request.
 */
export async function startRawServer({
  lists = { tools: [] },
  serverInfo = { name: "raw", version: "1" },
  instructions,
  error,
  nextCursor,
} = {}) {
  const requests = [];
  const resultOf = (method) => {
    if (method === "initialize")
      return {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo,
        instructions,
      };
    const member = LISTS[method];
    return member && { [member]: lists[member] ?? [], nextCursor };
  };
  const http = createServer(async (request, response) => {
    requests.push(request.headers);
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method } = JSON.parse(await text(request));
    if (id === undefined) return response.writeHead(202).end();
    const result = resultOf(method);
    const outcome =
      result === undefined
        ? { error: { code: -32601, message: "unknown method" } }
        : method !== "initialize" && error
          ? { error }
          : { result };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    requests,
    stop: () => {
      http.closeAllConnections();
      http.close();
    },
  };
}
