// The MCP server behind the contenders. It lists a catalog, and its tools return their argument or a text of some length.
import { once } from "node:events";
import http from "node:http";

export const VERSION = "2026-07-28";
const serverInfo = { name: "bench", version: "1" };
const complete = { resultType: "complete", ttlMs: 600_000, cacheScope: "public" };
/** What servers on the official SDKs add to each result of the stateless revision. */
const stamped = { resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": serverInfo } };
/** Lines of text, so that a result has escapes as ordinary text does. */
const LINE = `${"x".repeat(98)}\\n`;

const texts = new Map();
/** Returns the JSON of a text of `length` characters. It is kept, because writing it would delay the load. */
function textOf(length) {
  if (!texts.has(length)) texts.set(length, Buffer.from(LINE.repeat(Math.ceil(length / 100)).slice(0, length)));
  return texts.get(length);
}

/** Returns the parts of a result whose text is `text`, between the head and the end of its message. */
function partsOf(id, members, text) {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${members}"content":[{"type":"text","text":"`;
  return [Buffer.from(head), text, Buffer.from('"}]}}')];
}

/**
 * Starts the server. With `sessions` it speaks only the revision 2025-11-25. `arguments` of a call may have the `text` to return
 * or its `length`, `events` for an event stream, and `wait`: a progress notification is sent at once, and the result after so many
 * milliseconds. `began` has the time of each such notification by its progress token.
 */
export async function startServer(list, { sessions = false } = {}) {
  const began = new Map();
  const results = {
    "server/discover": () =>
      sessions ? undefined : { ...complete, supportedVersions: [VERSION], capabilities: { tools: {} }, serverInfo },
    initialize: () =>
      sessions ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } : undefined,
    "tools/list": () => ({ ...(sessions ? {} : complete), ...list }),
  };
  const members = sessions ? "" : `${JSON.stringify(stamped).slice(1, -1)},`;

  const call = (response, id, { arguments: asked, _meta }) => {
    const text = asked.text === undefined ? textOf(asked.length) : Buffer.from(JSON.stringify(asked.text).slice(1, -1));
    const parts = partsOf(id, members, text);
    const type = asked.events ? "text/event-stream" : "application/json";
    const frame = asked.events ? [Buffer.from("event: message\ndata: "), ...parts, Buffer.from("\n\n")] : parts;
    const length = frame.reduce((sum, part) => sum + part.length, 0);
    response.writeHead(200, { "content-type": type, ...(asked.events ? {} : { "content-length": length }) });
    const finish = () => {
      for (const part of frame) response.write(part);
      response.end();
    };
    if (asked.wait === undefined) return finish();
    const { progressToken } = _meta;
    const params = JSON.stringify({ progressToken, progress: 1 });
    began.set(progressToken, performance.now());
    response.write(`data: {"jsonrpc":"2.0","method":"notifications/progress","params":${params}}\n\n`);
    setTimeout(finish, asked.wait);
  };

  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202).end();
    if (method === "tools/call") return call(response, id, params);
    const result = results[method]?.(params);
    const answer = result ? { result } : { error: { code: -32601, message: "unknown method" } };
    const session = method === "initialize" ? { "mcp-session-id": "bench" } : {};
    response.writeHead(result ? 200 : 400, { "content-type": "application/json", ...session });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    began,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
