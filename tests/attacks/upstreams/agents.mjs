// `gateway()` around the handlers of `agents`, bundled and run in workerd as an application deploys them.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OBJECTS, bundle } from "../../support/bundle.mjs";
import { link } from "../../support/tarball.mjs";

const pkg = fileURLToPath(new URL("../../../pkg", import.meta.url));
const HEAD = (sdk) => `import { McpServer } from "@modelcontextprotocol/${sdk}";
import { z } from "zod";
import { gateway } from "mcp-sieve/handler";
const shop = () => {
  const server = new McpServer({ name: "shop", version: "1" });
  server.registerTool("secret_tool", { inputSchema: z.object({}) }, async () => ({ content: [{ type: "text", text: "TOP SECRET" }] }));
  return server;
};
const config = { policies: [{ name: "hr only", show: "-name:secret* or claim.role:hr" }] };
const options = { key: "a key for the attack suite: 32 bytes or more", identify: (request) => (request.headers.get("authorization") === "Bearer hr-token" ? { sub: "h", role: "hr" } : null) };
${OBJECTS}`;
const SOURCES = {
  "agents-stateless": `${HEAD("server")}
import { createMcpHandler } from "agents/mcp/server";
export default gateway(createMcpHandler(shop), config, options);`,
  "agents-legacy": `${HEAD("sdk/server/mcp.js")}
import { createLegacyMcpHandler } from "agents/mcp";
export default gateway((request, env, ctx) => createLegacyMcpHandler(shop())(request, env, ctx), config, options);`,
};

/** Starts both in one workerd. Returns the URL of each by name. */
export async function startAgents(stage) {
  const folder = mkdtempSync(join(tmpdir(), "sieve-agents-"));
  stage.defer(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  mkdirSync(join(folder, "node_modules"));
  write("package.json", '{"private":true,"type":"module"}');
  symlinkSync(pkg, join(folder, "node_modules/mcp-sieve"));
  link({ folder }, ["@modelcontextprotocol/sdk", "@modelcontextprotocol/server", "agents", "zod"]);
  const services = [];
  for (const [name, source] of Object.entries(SOURCES))
    services.push({ name, hosts: null, build: await bundle({ folder, write }, name, source) });
  return (await stage.workers(services)).urls;
}
