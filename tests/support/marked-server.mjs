// A server without an SDK, of either revision, whose messages all have members that no revision defines. Its tool `ask`
// asks the client one question, in the way of its revision.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/** The value of each unknown member. */
export const MARK = { "com.example/deep": [1, "two", null] };
const marked = (members) => ({ ...members, "com.example/member": MARK });
/** Adds an unknown member and a `_meta`, in which the server also uses a key of Sieve. */
const whole = (members) => marked({ ...members, _meta: { "com.example/meta": MARK, "dev.mcpsieve/claimed": true } });
const content = [whole({ type: "text", text: "x" })];
const notification = (name, params) => ({ method: `notifications/${name}`, params: whole(params) });

const QUESTION = {
  method: "elicitation/create",
  params: whole({ message: "Who?", requestedSchema: { type: "object", properties: {} } }),
};
const info = marked({ name: "marked", version: "1" });
const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };
const LISTS = {
  "tools/list": {
    tools: [
      whole({ name: "talk", inputSchema: { type: "object" } }),
      { name: "ask", inputSchema: { type: "object" } },
      { name: "fail", inputSchema: { type: "object" } },
    ],
  },
  "resources/list": { resources: [whole({ uri: "note://one", name: "one" })] },
  "resources/templates/list": { resourceTemplates: [whole({ uriTemplate: "page://{id}", name: "page" })] },
  "prompts/list": { prompts: [whole({ name: "greet" })] },
};
const RESULTS = {
  "prompts/get": { messages: [marked({ role: "user", content: content[0] })] },
  "resources/read": { contents: [whole({ uri: "note://one", text: "x" })] },
  "completion/complete": { completion: marked({ values: ["a"] }) },
  "com.example/preview": {},
};

/** Serves one revision, `session` or `stateless`. Returns `{ url, stop }`. */
export async function startMarkedServer(revision) {
  const waiting = new Map();
  const stateless = revision === "stateless";
  const result = (members) => ({ ...(stateless ? { resultType: "complete" } : {}), ...whole(members) });

  /** Yields the messages that answer a request, the response last. */
  async function* answer({ id, method, params = {} }) {
    const respond = (outcome) => ({ id, ...outcome });
    if (method === "server/discover" && stateless)
      return yield respond({
        result: {
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities,
          ttlMs: 60_000,
          cacheScope: "public",
          instructions: "Mark.",
          _meta: { "io.modelcontextprotocol/serverInfo": info },
        },
      });
    if (method === "initialize" && !stateless)
      return yield respond({
        result: { protocolVersion: "2025-11-25", capabilities, serverInfo: info, instructions: "Mark." },
      });
    const known = LISTS[method] ?? RESULTS[method];
    if (known) return yield respond({ result: result(known) });
    if (method !== "tools/call") return yield respond({ error: { code: -32601, message: "no such method" } });
    if (params.name === "fail") return yield respond({ error: { code: -31999, message: "no", data: whole({}) } });
    if (params.name === "ask") {
      const answered = params.inputResponses?.who;
      if (stateless && !answered)
        return yield respond({
          result: whole({ resultType: "input_required", inputRequests: { who: QUESTION }, requestState: "s" }),
        });
      if (stateless) return yield respond({ result: result({ content: [], structuredContent: { answered } }) });
      const number = randomUUID();
      const reply = new Promise((resolve) => waiting.set(number, resolve));
      yield { id: number, ...QUESTION };
      return yield respond({ result: result({ content: [], structuredContent: { answered: await reply } }) });
    }
    const { progressToken } = params._meta ?? {};
    yield notification("progress", { progressToken, progress: 1 });
    yield notification("message", { level: "error", data: "x" });
    yield notification("resources/updated", { uri: "note://one" });
    yield { method: "com.example/tick", params: whole({}) };
    yield { method: "org.example/tock", params: whole({}) };
    yield respond({ result: result({ content }) });
  }

  const http = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const message = JSON.parse(await text(request));
    if (message.method === undefined) waiting.get(message.id)?.(message.result);
    if (message.id === undefined || message.method === undefined) return response.writeHead(202).end();
    if (!stateless && request.headers["mcp-session-id"] === undefined && message.method !== "initialize")
      return response
        .writeHead(400, { "content-type": "application/json" })
        .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}');
    const session = stateless ? {} : { "mcp-session-id": request.headers["mcp-session-id"] ?? randomUUID() };
    response.writeHead(200, { "content-type": "text/event-stream", ...session });
    for await (const part of answer(message))
      response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...part })}\n\n`);
    response.end();
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    stop: () => {
      http.closeAllConnections();
      http.close();
    },
  };
}
