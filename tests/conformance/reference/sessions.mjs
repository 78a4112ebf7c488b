// Sessions of revision 2025-11-25 on the TypeScript SDK 1: requests to the client during a call, streams that are
// closed and resumed, and announced completions.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import * as schemas from "@modelcontextprotocol/sdk/types.js";
import { capabilities } from "../foreign/server.mjs";
import { prompt, read } from "../foreign/fixtures.mjs";
import { createSessions as serveSessions } from "../foreign/sessions.mjs";
import { eventStore } from "./event-store.mjs";
import { sessionTools } from "./session-tools.mjs";

const RECONNECTION = {
  name: "test_reconnection",
  description: "Closes its stream before it answers, so that the client has to come back",
  inputSchema: { type: "object" },
};
const RETRY_MS = 500;
const INVALID_PARAMS = -32602;
const RESOURCE_NOT_FOUND = -32002;

/** Returns a handler of requests with sessions. Its lists are those of stateless requests. */
export function createSessions({ list, toggle }) {
  // Tools that put their questions into the result do not exist in this revision.
  const usable = ({ name }) => name in sessionTools || !name.startsWith("test_input_required");
  const listedTools = () => [...list("tools").filter(usable), RECONNECTION];

  const create = () => {
    const server = new Server({ name: "reference", version: "1.0.0" }, { capabilities });
    const handle = (schema, handler) => server.setRequestHandler(schemas[`${schema}RequestSchema`], handler);
    handle("ListTools", () => ({ tools: listedTools() }));
    handle("ListPrompts", () => ({ prompts: list("prompts") }));
    handle("ListResources", () => ({ resources: list("resources") }));
    handle("ListResourceTemplates", () => ({ resourceTemplates: list("resourceTemplates") }));
    handle("ReadResource", ({ params }) => {
      const found = read(params.uri);
      if (!found) throw new schemas.McpError(RESOURCE_NOT_FOUND, `Unknown resource: ${params.uri}`);
      return found;
    });
    handle("Subscribe", () => ({}));
    handle("Unsubscribe", () => ({}));
    handle("GetPrompt", ({ params }) => {
      const messages = prompt(params.name, params.arguments ?? {});
      if (!messages) throw new schemas.McpError(INVALID_PARAMS, `Unknown prompt: ${params.name}`);
      return { messages };
    });
    handle("Complete", () => ({ completion: { values: [], total: 0, hasMore: false } }));
    handle("SetLevel", () => ({}));
    handle("CallTool", ({ params }, context) => {
      const known = listedTools().some(({ name }) => name === params.name);
      if (!known) throw new schemas.McpError(INVALID_PARAMS, `Unknown tool: ${params.name}`);
      const tool = sessionTools[params.name] ?? (() => ({ content: [{ type: "text", text: "done" }] }));
      return tool(params.arguments ?? {}, context, { toggle });
    });
    return server;
  };

  return serveSessions({
    create,
    Transport: WebStandardStreamableHTTPServerTransport,
    options: () => ({ eventStore: eventStore(), retryInterval: RETRY_MS }),
  });
}
