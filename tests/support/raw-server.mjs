// An MCP server without an SDK, of the older revision or of both. It sends any text unchanged, and records the headers
// that it receives.
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const STATELESS = "2026-07-28";
const LISTS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
};

/**
 * Serves `lists` (`{ tools, resources, … }`) as the server `serverInfo` with `instructions`, on `port` or any free one. `error`, if given, is the
 * JSON-RPC error of every list. `nextCursor`, if given, is the cursor of every page. `capabilities` are announced in
 * addition to those of the lists, and `answers` has results of other methods. `stateless`, if given, has the lists for
 * stateless requests, which the server then supports. `texts`, if given, has the text of each result by its method; `texts()` of
 * the server replaces them, and sends `events` from then on if it says so. `requests` has the headers of each request.
 */
export async function startRawServer({
  lists = { tools: [] },
  serverInfo = { name: "raw", version: "1" },
  instructions,
  error,
  nextCursor,
  capabilities = {},
  answers = {},
  stateless,
  texts,
  port = 0,
} = {}) {
  const requests = [];
  let asEvents = false;
  const announced = { tools: {}, resources: {}, prompts: {}, ...capabilities };
  const about = { capabilities: announced, serverInfo, instructions };
  const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  const resultOf = (method, isStateless) => {
    if (method === "initialize") return { protocolVersion: "2025-11-25", ...about };
    if (method === "server/discover" && stateless) return { ...complete, supportedVersions: [STATELESS], ...about };
    const member = LISTS[method];
    const all = isStateless ? stateless : lists;
    const result = member ? { [member]: all[member] ?? [], nextCursor } : answers[method];
    return result && { ...(isStateless ? complete : {}), ...result };
  };
  const http = createServer(async (request, response) => {
    requests.push(request.headers);
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method } = JSON.parse(await text(request));
    if (id === undefined) return response.writeHead(202).end();
    if (texts !== undefined) {
      const result = texts[method];
      const outcome =
        result === undefined ? '"error":{"code":-32601,"message":"unknown method"}' : `"result":${result}`;
      const message = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}`;
      const lines = message.split("\n").map((line) => `data: ${line}\r\n`);
      return response
        .writeHead(200, { "content-type": asEvents ? "text/event-stream" : "application/json" })
        .end(asEvents ? `event: message\r\n${lines.join("")}\r\n` : message);
    }
    const isStateless = stateless !== undefined && request.headers["mcp-protocol-version"] === STATELESS;
    const result = resultOf(method, isStateless);
    const outcome =
      result === undefined
        ? { error: { code: -32601, message: "unknown method" } }
        : method !== "initialize" && error
          ? { error }
          : { result };
    response
      .writeHead(200, {
        "content-type": "application/json",
        ...(stateless && method === "initialize" ? { "mcp-session-id": "only" } : {}),
      })
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  }).listen(port, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    requests,
    texts: (given, { events = false } = {}) => {
      [texts, asEvents] = [given, events];
    },
    stop: () => {
      http.closeAllConnections();
      http.close();
    },
  };
}
