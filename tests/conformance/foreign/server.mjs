// The suite's fixtures on the official TypeScript SDK, of which Sieve has no line: a conforming server of both
// eras for the gateway to stand in front of. It lists what the Worker with fixtures lists.
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import {
  ProtocolError,
  ResourceNotFoundError,
  Server,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  createRequestStateCodec,
  hostHeaderValidationResponse,
  inputRequired,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { PNG, image, resource, tools } from "./tools.mjs";

const INVALID_PARAMS = -32602;
const lists = JSON.parse(readFileSync(new URL("../worker/src/lists.json", import.meta.url), "utf8"));
const changing = {
  tools: { name: "test_changing_tool", description: "Comes and goes", inputSchema: { type: "object" } },
  prompts: { name: "test_changing_prompt", description: "Comes and goes" },
};
const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

function read(uri) {
  const text = (mimeType, written) => ({ contents: [{ uri, mimeType, text: written }] });
  if (uri === "test://static-text") return text("text/plain", "This is the content of the static text resource.");
  if (uri === "test://watched-resource") return text("text/plain", "This is the content of the watched resource.");
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: PNG }] };
  const id = /^test:\/\/template\/(.+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  return text("application/json", JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }));
}

const user = (content) => ({ role: "user", content });
const said = (text) => user({ type: "text", text });
const prompts = {
  test_simple_prompt: () => [said("This is a simple prompt for testing.")],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    user(resource(resourceUri, "text/plain", "Embedded resource content for testing.")),
    said("Please process the embedded resource above."),
  ],
  test_prompt_with_image: () => [user(image), said("Please analyze the image above.")],
  test_changing_prompt: () => [said("still here")],
};

function prompt({ name, arguments: args = {} }, ctx) {
  if (name === "test_input_required_result_prompt") {
    const answer = ctx.mcpReq.inputResponses?.user_context;
    if (answer) return { messages: [said(`With the context ${JSON.stringify(answer)}`)] };
    const requestedSchema = { type: "object", properties: { context: { type: "string" } }, required: ["context"] };
    return inputRequired({
      inputRequests: { user_context: inputRequired.elicit({ message: "What context?", requestedSchema }) },
    });
  }
  if (!prompts[name]) throw new ProtocolError(INVALID_PARAMS, `Unknown prompt: ${name}`);
  return { messages: prompts[name](args) };
}

/** Serves the fixtures on a port of its own choosing; `{url, stop}`. */
export async function startForeign() {
  const codec = createRequestStateCodec({ key: randomBytes(32) });
  const there = { tools: false, prompts: false };
  const sessions = new Map();
  const listed = (kind) => (there[kind] ? [...lists[kind], changing[kind]] : lists[kind]);
  const toggle = (kind) => {
    there[kind] = !there[kind];
    const what =
      kind === "tools" ? ["toolsChanged", "sendToolListChanged"] : ["promptsChanged", "sendPromptListChanged"];
    modern.notify[what[0]]();
    for (const { server } of sessions.values()) server[what[1]]().catch(() => {});
  };

  const create = () => {
    const server = new Server(
      { name: "foreign", version: "1.0.0" },
      { capabilities, requestState: { verify: codec.verify } },
    );
    const seal = (state) => codec.mint(state);
    server.setRequestHandler("tools/list", () => ({ tools: listed("tools") }));
    server.setRequestHandler("prompts/list", () => ({ prompts: listed("prompts") }));
    server.setRequestHandler("resources/list", () => ({ resources: lists.resources }));
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: lists.resourceTemplates }));
    server.setRequestHandler("resources/read", ({ params }) => read(params.uri));
    server.setRequestHandler("resources/subscribe", () => ({}));
    server.setRequestHandler("resources/unsubscribe", () => ({}));
    server.setRequestHandler("prompts/get", ({ params }, ctx) => prompt(params, ctx));
    server.setRequestHandler("completion/complete", () => ({ completion: { values: [], total: 0, hasMore: false } }));
    server.setRequestHandler("tools/call", ({ params }, ctx) => {
      const known = listed("tools").some((tool) => tool.name === params.name);
      if (!known) throw new ProtocolError(INVALID_PARAMS, `Unknown tool: ${params.name}`);
      const envelope = ctx.mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"];
      const lent = { seal, toggle, capabilities: envelope ?? server.getClientCapabilities() ?? {} };
      const tool = tools[params.name] ?? (() => ({ content: [{ type: "text", text: "done" }] }));
      return tool(params.arguments ?? {}, ctx, lent);
    });
    return server;
  };

  const modern = createMcpHandler(create, { legacy: "reject" });

  /** A session of the handshake era. */
  async function legacy(request) {
    const id = request.headers.get("mcp-session-id");
    const known = sessions.get(id);
    if (known) return known.transport.handleRequest(request);
    if (id)
      return Response.json(
        { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } },
        { status: 404 },
      );
    const server = create();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, { server, transport });
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    });
    await server.connect(transport);
    return transport.handleRequest(request);
  }

  async function serve(request) {
    const refused =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (refused) return refused;
    return (await isLegacyRequest(request.clone())) ? legacy(request) : modern.fetch(request);
  }

  const http = createServer((incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort());
    respond(serve(asRequest(incoming, gone.signal)), outgoing).catch(() => outgoing.destroy());
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    stop: async () => {
      await modern.close();
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}

function asRequest(incoming, signal) {
  const { method, headers, url } = incoming;
  const bare = method === "GET" || method === "HEAD";
  const body = bare ? {} : { body: Readable.toWeb(incoming), duplex: "half" };
  return new Request(`http://127.0.0.1${url}`, { method, headers, signal, ...body });
}

async function respond(promised, outgoing) {
  const response = await promised;
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
  outgoing.end();
}
