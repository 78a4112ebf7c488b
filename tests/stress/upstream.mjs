// A misbehaving upstream server with one tool per fault. It counts what each fault costs it.
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { drained } from "./drained.mjs";

const PIECE = "x".repeat(64 * 1024);
const cached = { resultType: "complete", ttlMs: 600_000, cacheScope: "public" };
const done = (text) => ({ resultType: "complete", content: [{ type: "text", text }] });

const line = (message) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
const progress = (token, number, message) =>
  line({
    method: "notifications/progress",
    params: { progressToken: token, progress: number, ...(message && { message }) },
  });

/** Writes as fast as the other side reads. */
async function write(response, text, state) {
  if (response.destroyed) throw new Error("left");
  state.written += text.length;
  if (!response.write(text)) await drained(response);
}

const stream = (response) => response.writeHead(200, { "content-type": "text/event-stream" });
const json = (response) => response.writeHead(200, { "content-type": "application/json" });

/** The behaviour of each tool. */
const vices = {
  async well({ id }, response) {
    json(response).end(JSON.stringify({ jsonrpc: "2.0", id, result: done("well") }));
  },
  /** Sends a stream that lasts for some time, and ends well. */
  async tell({ id, params }, response) {
    const { events, every } = params.arguments;
    stream(response);
    // Stops when the client disconnects, because the timer would keep the process alive.
    for (let at = 1; at <= events && !response.destroyed; at += 1) {
      response.write(progress(params._meta.progressToken, at));
      await sleep(every);
    }
    response.end(line({ id, result: done("told") }));
  },
  /** Sends a stream of `bytes` bytes, in events of `piece` bytes. */
  async flood({ id, params }, response, state) {
    stream(response);
    const { bytes, piece = PIECE.length } = params.arguments;
    const text = PIECE.padEnd(piece, "x").slice(0, piece);
    for (let at = 1; at * piece <= bytes; at += 1) {
      await write(response, progress(params._meta.progressToken, at, text), state);
    }
    response.end(line({ id, result: done("flooded") }));
  },
  /** Sends a single response, or a single event of a stream, of `bytes` bytes. */
  async huge({ id, params }, response, state) {
    const { bytes, event } = params.arguments;
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`;
    (event ? stream : json)(response);
    await write(response, event ? `data: ${head}` : head, state);
    for (let left = bytes; left > 0; left -= PIECE.length) await write(response, PIECE, state);
    response.end(`"}]}}${event ? "\n\n" : ""}`);
  },
  async stall({ params }, response) {
    stream(response).write(progress(params._meta.progressToken, 1));
  },
  async reset({ params }, response) {
    stream(response).write(progress(params._meta.progressToken, 1));
    await sleep(30);
    response.socket.resetAndDestroy();
  },
  async half({ id }, response) {
    json(response).end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"te`);
  },
};

/** Starts the server. `state(name)` returns a tool's number of bytes `written` and of `open` calls. */
export async function startVices() {
  const states = Object.fromEntries(Object.keys(vices).map((name) => [name, { written: 0, open: 0 }]));
  const capabilities = { tools: {} };
  const lists = {
    "server/discover": { ...cached, supportedVersions: ["2026-07-28"], capabilities },
    "tools/list": { ...cached, tools: Object.keys(vices).map((name) => ({ name, inputSchema: { type: "object" } })) },
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const message = JSON.parse(body);
    if (message.method !== "tools/call") {
      return json(response).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: lists[message.method] }));
    }
    const state = states[message.params.name];
    state.open += 1;
    response.once("close", () => {
      state.open -= 1;
    });
    response.on("error", () => {});
    // A client that disconnects ends the tool's work.
    return vices[message.params.name](message, response, state).catch(() => {});
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    state: (name) => states[name],
    stop: () => {
      server.closeAllConnections();
      return new Promise((ended) => server.close(ended));
    },
  };
}
