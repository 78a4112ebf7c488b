// An MCP server that is correct except for one reply: the rows of fixtures/upstream.json, over real HTTP.
import { createServer } from "node:http";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** Wait until written data has arrived, before the connection is reset. */
const FLUSH_MS = 30;

const json = (response, status, body, headers = {}) => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ jsonrpc: "2.0", ...body }));
};

const healthyResults = {
  "tools/list": { tools: [{ name: "t", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "well" }] },
};

/** The correct responses of a server of each revision. */
const eras = {
  legacy(message, response) {
    const { id, method } = message;
    const capabilities = { tools: {} };
    const serverInfo = { name: "rogue", version: "1" };
    if (method === "server/discover") {
      return json(response, 400, { id: null, error: { code: -32000, message: "Bad Request: Server not initialized" } });
    }
    if (method === "initialize") {
      const result = { protocolVersion: "2025-11-25", capabilities, serverInfo };
      return json(response, 200, { id, result }, { "mcp-session-id": "session-1" });
    }
    if (id === undefined) return response.writeHead(202).end();
    json(response, 200, { id, result: healthyResults[method] });
  },
  modern(message, response) {
    const { id, method } = message;
    const cached = { resultType: "complete", ttlMs: 0, cacheScope: "public" };
    if (method === "server/discover") {
      const result = { ...cached, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
      return json(response, 200, { id, result });
    }
    json(response, 200, { id, result: { ...healthyResults[method], ...cached } });
  },
};

async function misbehave(reply, message, count, request, response) {
  if (reply.lost) return request.socket.resetAndDestroy();
  if (reply.hang) return;
  const headers = { ...reply.headers };
  if (reply.type) headers["content-type"] = reply.type;
  response.writeHead(reply.status, headers);
  response.flushHeaders();
  for (const piece of reply.body) {
    if (response.destroyed) return;
    if (typeof piece === "string") {
      response.write(piece.replaceAll("$id", JSON.stringify(message.id)).replaceAll("$n", String(count)));
    } else if (piece.wait) {
      await sleep(piece.wait);
    } else if (piece.reset) {
      await sleep(FLUSH_MS);
      return request.socket.resetAndDestroy();
    } else {
      return;
    }
  }
  response.end();
}

/**
 * Starts one server for every row: row `index` is at `/index`. `heal(index)` makes a row's server correct.
 * `abandoned(index)` resolves once the client has closed a request that was left unanswered.
 */
export async function startRogues(rows) {
  const states = rows.map((row) => ({ row, count: 0, closed: null }));
  const server = createServer(async (request, response) => {
    const state = states[Number(request.url.slice(1))];
    // The gateway ends abandoned sessions by a request, which these servers do not support.
    if (request.method !== "POST") return response.writeHead(405).end();
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const message = JSON.parse(text);
    const { row } = state;
    const at = row.at ?? (row.ask === "lists" ? "tools/list" : "tools/call");
    if (state.healed || (at !== "*" && at !== message.method)) return eras[row.era ?? "legacy"](message, response);
    state.count += 1;
    state.closed = once(response, "close");
    await misbehave(row.reply, message, state.count, request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${server.address().port}`;
  return {
    url: (index) => `${base}/${index}`,
    heal: (index) => {
      states[index].healed = true;
    },
    abandoned: (index) => states[index].closed,
    stop: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
