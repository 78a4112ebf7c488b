// A gateway with more servers than any host has, each of them an HTTP server of its own: 40, or as many as SIEVE_SERVERS says (500
// at full size).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { parseConfig } from "../pkg/cli/lib/input.js";
import { installCommand } from "./support/command.mjs";
import "./support/home.mjs";
import { startRawServer } from "./support/raw-server.mjs";

const COUNT = Number(process.env.SIEVE_SERVERS ?? 40);
const TOOLS = 10;
const answers = { "tools/call": { content: [{ type: "text", text: "called" }] } };
let command, servers;

before(async () => {
  command = await installCommand();
  command.install("workerd");
  servers = await Promise.all(
    Array.from({ length: COUNT }, (_, at) => {
      const tools = Array.from({ length: TOOLS }, (_, tool) => ({
        name: `s${at}_t${tool}`,
        inputSchema: { type: "object" },
      }));
      // Every other server answers stateless requests too.
      const lists = { tools };
      return startRawServer({ lists, answers, ...(at % 2 === 0 && { stateless: lists }) });
    }),
  );
});
after(async () => {
  for (const { stop } of servers ?? []) stop();
  await command?.remove();
});

test("import takes all servers of a host, and run serves every tool", async () => {
  const entries = Object.fromEntries(servers.map(({ url }, at) => [`s${at}`, { url }]));
  command.write("mcp.json", JSON.stringify({ mcpServers: entries }));
  const imported = await command.run(["import", "mcp.json"]);
  assert.equal(imported.status, 0, imported.stderr);
  const config = parseConfig(readFileSync(join(command.folder, "sieve.jsonc"), "utf8"));
  assert.equal(config.upstreams.length, COUNT);

  const running = command.start(["run", "sieve.jsonc", "--port", "0", "--json"]);
  try {
    const { mcp } = JSON.parse(await running.line(/"event":"ready"/));
    const total = JSON.parse(await running.line(/"event":"total"/));
    assert.equal(total.tools, COUNT * TOOLS);
    const reports = running.printed.stdout.split("\n").filter((line) => line.includes('"event":"server"'));
    assert.deepEqual(
      reports.map((line) => JSON.parse(line)).map(({ name, status, tools }) => [name, status, tools]),
      servers.map((_, at) => [`s${at}`, "ok", TOOLS]),
    );
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${mcp}?disclosure=flat`)));
    const { tools } = await client.listTools();
    assert.equal(tools.length, COUNT * TOOLS);
    for (const at of [0, 1, COUNT - 2, COUNT - 1]) {
      const { content } = await client.callTool({ name: `s${at}_t${TOOLS - 1}` });
      assert.equal(content[0].text, "called");
    }
    await client.close();
  } finally {
    await running.stop();
  }
});
