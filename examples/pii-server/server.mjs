// A context middleware server. It redacts personal data and restores it, for applications that present its token.
// Run it inside your own infrastructure: it receives whole conversations.
import { timingSafeEqual } from "node:crypto";
import { pathToFileURL } from "node:url";
import { ProtocolError, Server, createMcpHandler } from "@modelcontextprotocol/server";
import { Middleware } from "mcp-sieve/middleware";
import { z } from "zod";
import { serve } from "../serve.mjs";

const FUNCTIONS = ["pii_redaction", "pii_restoration"];
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
/** Errors of the request. All others are faults of the server, whose message is not sent. */
const REFUSALS = ["arguments_invalid", "context_invalid", "middleware_limit"];

/** Answers `middleware/list` and `middleware/invoke`, in both protocol revisions. */
function createFunctions() {
  const middleware = new Middleware();
  const listed = middleware.list().filter(({ name }) => FUNCTIONS.includes(name));
  const Invocation = z.object({
    name: z.enum(FUNCTIONS),
    arguments: z.record(z.string(), z.unknown()).optional(),
    context: z.array(z.looseObject({ type: z.string() })),
  });
  return createMcpHandler(() => {
    const server = new Server({ name: "pii-server", version: "1.0.0" }, { capabilities: { contextMiddleware: {} } });
    server.setRequestHandler("middleware/list", { params: z.unknown() }, () => ({ middleware: listed }));
    server.setRequestHandler(
      "middleware/invoke",
      { params: Invocation },
      async ({ name, context, arguments: args }) => {
        try {
          const { content, metadata } = await middleware.invoke(name, context, args);
          return { content, metadata };
        } catch (error) {
          if (REFUSALS.includes(error.code)) throw new ProtocolError(INVALID_PARAMS, error.message);
          throw new ProtocolError(INTERNAL_ERROR, "the function failed");
        }
      },
    );
    return server;
  });
}

/** Serves the functions on this machine to clients that send `Authorization: Bearer TOKEN`. */
export function startPiiServer({ token, port }) {
  const functions = createFunctions();
  const expected = Buffer.from(`Bearer ${token}`);
  const authorized = (header) => {
    const given = Buffer.from(header ?? "");
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  return serve(
    (request) =>
      authorized(request.headers.get("authorization"))
        ? functions.fetch(request)
        : new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } }),
    { port },
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const token = process.env.PII_TOKEN;
  if (!token) throw new Error("set PII_TOKEN to the token that applications present");
  const { url } = await startPiiServer({ token, port: Number(process.env.PORT ?? 8788) });
  console.log("middleware server on %s", url);
}
