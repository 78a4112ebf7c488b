// An MCP server with one tool, for the host to call.
import { pathToFileURL } from "node:url";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { z } from "zod";
import { serve } from "../serve.mjs";

const DAYS_LEFT = { "Jane Smith": 12 };

/** Serves the tool on `port`, or on a free one. */
export function startTools({ port } = {}) {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "leave", version: "1.0.0" });
    const description = "Returns the days of leave that an employee has left.";
    const inputSchema = z.object({ employee: z.string() });
    server.registerTool("leave_balance", { description, inputSchema }, ({ employee }) => ({
      content: [{ type: "text", text: `${employee}: ${DAYS_LEFT[employee] ?? 0} days are left.` }],
    }));
    return server;
  });
  return serve((request) => handler.fetch(request), { port });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { url } = await startTools({ port: Number(process.env.PORT ?? 8789) });
  console.log("tools on %s", url);
}
