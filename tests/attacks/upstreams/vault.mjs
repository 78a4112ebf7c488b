// One catalog with hidden parts, as servers on the official TypeScript SDKs. Each is a fetch handler.
import { randomUUID } from "node:crypto";
import * as modern from "@modelcontextprotocol/server";
import * as legacy from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { ListResourcesRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

export const SECRET = "TOP SECRET";
/** An expression that shows strangers everything named `open` or `public`. The role `hr` sees everything. */
export const SHOW = "name:open* or name:public or claim.role:hr";
export const PEOPLE = { "hr-token": { sub: "hanna", role: "hr" }, "plain-token": { sub: "paul" } };
/** Listed resources that strangers must not read, and URIs of templates that are hidden from them. */
export const HIDDEN = [
  "docs://payroll",
  "https://intra.example/hr",
  "https://xn--bcher-kva.example/hr",
  "https://intra.example/a/b%20c?x=1&y=2",
];
export const HIDDEN_BY_TEMPLATE = ["file:///private/a", "people://7/salary"];
/** Resources that the server has and does not list. */
export const UNLISTED = ["ui://vault/panel", "skill://vault/SKILL.md"];

const text = (text) => ({ content: [{ type: "text", text }] });
const read = (uri) => ({ contents: [{ uri: String(uri), text: `${SECRET} ${uri}` }] });
const readOpen = (uri) => ({ contents: [{ uri: String(uri), text: `open ${uri}` }] });

function stock(server, { ResourceTemplate, unlist }) {
  const none = z.object({});
  server.registerTool("open", { inputSchema: none, description: "Open to all" }, async () => text("opened"));
  server.registerTool("open_echo", { inputSchema: z.object({ who: z.string().optional() }) }, async ({ who }) =>
    text(`hello ${who}`),
  );
  server.registerTool(
    "secret_tool",
    { inputSchema: none, description: "Classified wombat", _meta: { ui: { resourceUri: UNLISTED[0] } } },
    async () => text(`${SECRET} tool`),
  );
  server.registerPrompt("open_prompt", { description: "Open to all" }, async () => ({
    messages: [{ role: "user", content: { type: "text", text: "open" } }],
  }));
  server.registerPrompt("secret_prompt", { description: "Classified wombat" }, async () => ({
    messages: [{ role: "user", content: { type: "text", text: SECRET } }],
  }));
  server.registerResource("open_doc", "docs://open", {}, async (uri) => readOpen(uri));
  HIDDEN.forEach((uri, at) => server.registerResource(`hidden_${at}`, uri, {}, async (asked) => read(asked)));
  UNLISTED.forEach((uri, at) => server.registerResource(`unlisted_${at}`, uri, {}, async (asked) => read(asked)));
  const template = (pattern) => new ResourceTemplate(pattern, { list: undefined });
  server.registerResource("public", template("file:///public/{+path}"), {}, async (uri) => readOpen(uri));
  server.registerResource("private", template("file:///private/{+path}"), {}, async (uri) => read(uri));
  server.registerResource("salary", template("people://{id}/salary"), {}, async (uri) => read(uri));
  const listed = [["open_doc", "docs://open"], ...HIDDEN.map((uri, at) => [`hidden_${at}`, uri])];
  unlist(server.server, { resources: listed.map(([name, uri]) => ({ name, uri })) });
  return server;
}

/** Returns a stateless server on version 2 of the SDK: one instance for each request. */
export function statelessVault() {
  const unlist = (server, resources) => server.setRequestHandler("resources/list", () => resources);
  const handler = modern.createMcpHandler(() =>
    stock(new modern.McpServer({ name: "vault", version: "1" }), { ...modern, unlist }),
  );
  return { label: "SDK 2 (stateless)", fetch: (request) => handler.fetch(request) };
}

/** Returns a server with sessions on version 1 of the SDK: one instance for each session. */
export function sessionVault() {
  const sessions = new Map();
  const unlist = (server, resources) => server.setRequestHandler(ListResourcesRequestSchema, () => resources);
  const fetch = async (request) => {
    let transport = sessions.get(request.headers.get("mcp-session-id"));
    if (!transport) {
      transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
      await stock(new legacy.McpServer({ name: "vault", version: "1" }), { ...legacy, unlist }).connect(transport);
    }
    return transport.handleRequest(request);
  };
  return { label: "SDK 1 (sessions)", fetch, sessions };
}
