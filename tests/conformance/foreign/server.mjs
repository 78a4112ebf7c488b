// The suite's fixtures on the official TypeScript SDK, without code of Sieve: a conforming server of both revisions for
// use upstream of the gateway. It has the same lists as the Worker with fixtures.
import { randomBytes } from "node:crypto";
import {
  ProtocolError,
  ResourceNotFoundError,
  Server,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  isLegacyRequest,
} from "@modelcontextprotocol/server";
import { createLists, prompt, read, said } from "./fixtures.mjs";
import { listen } from "./http.mjs";
import { createSessions as createSdk2Sessions } from "./sessions.mjs";
import * as skills from "./skills.mjs";
import { tools as sdk2Tools } from "./tools.mjs";

const INVALID_PARAMS = -32602;
/** The capabilities that the server announces. */
export const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

function askingPrompt({ name, arguments: args = {} }, ctx) {
  if (name === "test_input_required_result_prompt") {
    const answer = ctx.mcpReq.inputResponses?.user_context;
    if (answer) return { messages: [said(`With the context ${JSON.stringify(answer)}`)] };
    const requestedSchema = { type: "object", properties: { context: { type: "string" } }, required: ["context"] };
    return inputRequired({
      inputRequests: { user_context: inputRequired.elicit({ message: "What context?", requestedSchema }) },
    });
  }
  const messages = prompt(name, args);
  if (!messages) throw new ProtocolError(INVALID_PARAMS, `Unknown prompt: ${name}`);
  return { messages };
}

/**
 * Serves the fixtures on a free port. Resolves with `{url, stop}`. `discovered`: the capabilities in `server/discover`,
 * by default all. `tools`: the tools that stateless requests call. `revisions`: the revisions that the server speaks.
 * `createSessions`: creates the handler of requests with sessions.
 */
export async function startForeign({
  discovered,
  tools = sdk2Tools,
  revisions = "both",
  createSessions = createSdk2Sessions,
} = {}) {
  const codec = createRequestStateCodec({ key: randomBytes(32) });
  const lists = createLists((kind) => {
    modern.notify[kind === "tools" ? "toolsChanged" : "promptsChanged"]();
    sessions.changed(kind);
  });

  const create = () => {
    const server = new Server(
      { name: "foreign", version: "1.0.0" },
      { capabilities: { ...capabilities, extensions: skills.extensions }, requestState: { verify: codec.verify } },
    );
    const seal = (state) => codec.mint(state);
    server.setRequestHandler("tools/list", () => ({ tools: lists.list("tools") }));
    server.setRequestHandler("prompts/list", () => ({ prompts: lists.list("prompts") }));
    server.setRequestHandler("resources/list", () => ({
      resources: [...lists.list("resources"), ...skills.resources],
    }));
    server.setRequestHandler("resources/templates/list", () => ({
      resourceTemplates: lists.list("resourceTemplates"),
    }));
    server.setRequestHandler("resources/read", ({ params }) => {
      const found = read(params.uri) ?? skills.read(params.uri);
      if (!found) throw new ResourceNotFoundError(params.uri);
      return found;
    });
    skills.serve(server);
    server.setRequestHandler("resources/subscribe", () => ({}));
    server.setRequestHandler("resources/unsubscribe", () => ({}));
    server.setRequestHandler("prompts/get", ({ params }, ctx) => askingPrompt(params, ctx));
    server.setRequestHandler("completion/complete", () => ({ completion: { values: [], total: 0, hasMore: false } }));
    server.setRequestHandler("tools/call", ({ params }, ctx) => {
      const known = lists.list("tools").some((tool) => tool.name === params.name);
      if (!known) throw new ProtocolError(INVALID_PARAMS, `Unknown tool: ${params.name}`);
      const envelope = ctx.mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"];
      const lent = { seal, toggle: lists.toggle, capabilities: envelope ?? server.getClientCapabilities() ?? {} };
      const tool = tools[params.name] ?? (() => ({ content: [{ type: "text", text: "done" }] }));
      return tool(params.arguments ?? {}, ctx, lent);
    });
    return server;
  };

  const modern = createMcpHandler(create, { legacy: "reject" });
  const sessions = createSessions({ create, ...lists });
  const stateless = async (request) => {
    const response = await modern.fetch(request);
    const answers = response.ok && request.headers.get("mcp-method") === "server/discover";
    if (!discovered || !answers) return response;
    const body = await response.json();
    const { status, headers } = response;
    const announced = { ...body, result: { ...body.result, capabilities: discovered } };
    headers.delete("content-length");
    return new Response(JSON.stringify(announced), { status, headers });
  };
  const { url, stop } = await listen(async (request) => {
    const legacy = revisions === "session" || (revisions === "both" && (await isLegacyRequest(request.clone())));
    return legacy ? sessions.fetch(request) : stateless(request);
  });
  return {
    url,
    stop: async () => {
      await modern.close();
      await stop();
    },
  };
}
