// An MCP server on the official SDK that demands access tokens: of one issuer, for its own URL. Its tools differ by user, and
// it logs who called what.
import { once } from "node:events";
import { createServer } from "node:http";
import express from "express";
import { InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

const tool = (name, description) => ({ name, description, inputSchema: { type: "object" } });
/** The tools of a user: one that all have, and one of their own. */
const defaultTools = (sub) => [
  tool("whoami", "Returns the user's name"),
  tool(`notes_of_${sub.replace(/\W/g, "_")}`, `The private notes of ${sub}`),
];

function serverOf({ name, sub, tools, log }) {
  const server = new Server({ name, version: "1" }, { capabilities: { tools: {} } });
  const listed = tools(sub);
  server.setRequestHandler(ListToolsRequestSchema, () => {
    log.push({ sub, method: "tools/list" });
    return { tools: listed };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    log.push({ sub, method: "tools/call", name: params.name, arguments: params.arguments });
    if (!listed.some((each) => each.name === params.name)) throw new Error(`Unknown tool: ${params.name}`);
    return { content: [{ type: "text", text: `${params.name} for ${sub}` }] };
  });
  return server;
}

/**
 * Starts the server at `path`, for tokens of `authorization`. `wellKnown` says where its metadata is: `path` (inserted), `root`,
 * `challenge` (only at the address that the challenge names) or `none`. `metadata` are changes to it. `resource` replaces the
 * audience that tokens must have.
 */
export async function startProtectedServer({
  authorization,
  name = "protected",
  path = "/mcp",
  tools = defaultTools,
  scopes = ["read"],
  requiredScopes = [],
  wellKnown = "path",
  metadata = {},
  resource,
  port = 0,
}) {
  const log = [];
  const requests = [];
  const state = { refused: undefined, metadata, authorization };
  const app = express();
  const http = createServer(app);
  await once(http.listen(port, "127.0.0.1"), "listening");
  const origin = `http://127.0.0.1:${http.address().port}`;
  const url = `${origin}${path}`;
  const audience = resource ?? url;
  const place = { path: `${WELL_KNOWN}${path}`, root: WELL_KNOWN, challenge: "/metadata/of-this-server.json" }[
    wellKnown
  ];

  app.use((request, _, next) => {
    requests.push({ method: request.method, path: request.path, headers: request.headers });
    next();
  });
  if (place) {
    app.get(place, (_, response) =>
      response.json({
        resource: audience,
        authorization_servers: [state.authorization.issuer],
        scopes_supported: scopes,
        ...state.metadata,
      }),
    );
  }
  const verifier = {
    verifyAccessToken: async (token) => {
      let claims;
      try {
        claims = await state.authorization.verify(token, audience);
      } catch {
        throw new InvalidTokenError("The token is not valid here");
      }
      if (state.refused?.(claims, token)) throw new InvalidTokenError("The token was revoked");
      const { sub, client_id: clientId, scope = "", exp: expiresAt } = claims;
      return { token, clientId, scopes: scope.split(" "), expiresAt, extra: { sub: sub ?? clientId } };
    },
  };
  const resourceMetadataUrl = place && `${origin}${place}`;
  app.all(path, requireBearerAuth({ verifier, requiredScopes, resourceMetadataUrl }), async (request, response) => {
    const server = serverOf({ name, sub: request.auth.extra.sub, tools, log });
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.on("close", () => server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });

  return {
    url,
    resource: audience,
    /** The requests of MCP, as `{sub, method, name, arguments}`. */
    log,
    /** All requests with their headers. */
    requests,
    /** `refused(claims, token)` refuses tokens as if they were revoked. `metadata` and `authorization` may be changed. */
    state,
    stop: () =>
      new Promise((done) => {
        http.close(done);
        http.closeAllConnections();
      }),
  };
}
