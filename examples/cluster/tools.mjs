// A small MCP server of the stateless revision, so that the example has tools without another package. HOST and PORT say where it
// listens.
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const { HOST = "127.0.0.1", PORT = "8000" } = process.env;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const number = { type: "number" };

const TOOLS = [
  {
    name: "echo",
    description: "Returns the text that it gets.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    annotations: { readOnlyHint: true },
    call: ({ text }) => String(text),
  },
  {
    name: "add",
    description: "Adds two numbers.",
    inputSchema: { type: "object", properties: { a: number, b: number }, required: ["a", "b"] },
    annotations: { readOnlyHint: true },
    call: ({ a, b }) => String(Number(a) + Number(b)),
  },
];

/** Returns the result of a request, or its error. */
function answer({ method, params = {} }) {
  if (method === "server/discover") return { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
  if (method === "tools/list") return { tools: TOOLS.map(({ call, ...tool }) => tool) };
  if (method !== "tools/call") return { code: METHOD_NOT_FOUND, message: "unknown method" };
  const tool = TOOLS.find(({ name }) => name === params.name);
  if (tool === undefined) return { code: INVALID_PARAMS, message: "unknown tool" };
  return { content: [{ type: "text", text: tool.call(params.arguments ?? {}) }] };
}

const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  try {
    const message = JSON.parse(await text(request));
    if (message.id === undefined) return response.writeHead(202).end();
    const found = answer(message);
    const outcome =
      "code" in found
        ? { error: found }
        : { result: { resultType: "complete", ttlMs: 60_000, cacheScope: "public", ...found } };
    response
      .writeHead(found.code === METHOD_NOT_FOUND ? 404 : 200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...outcome }));
  } catch {
    response.writeHead(400).end();
  }
});
await once(server.listen(Number(PORT), HOST), "listening");
console.log(`http://${HOST}:${server.address().port}/mcp`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(0));
