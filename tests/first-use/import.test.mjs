// A host with many servers: `import --install` from the tarball of `make package`, and the first list of a client that lists once.
// Six servers in every build. `make fleet` runs it with 39 servers and more than 1,000 tools (SIEVE_FLEET=full).
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { developmentTarball, newcomer } from "../support/development.mjs";
import "../support/home.mjs";
import { startFleet } from "./fleet.mjs";

const full = process.env.SIEVE_FLEET === "full";
/** Maximum number of tokens of the first list. */
const MAX_TOKENS = 3_000;
/** Maximum number of names of one call of `describe_tools`. */
const MAX_NAMES = 20;
const LEAST = full ? { servers: 25, tools: 1_000 } : { servers: 6, tools: 150 };
const CLIENTS = {
  "2026-07-28": (parameters) => [
    new Client({ name: "host", version: "1" }, { versionNegotiation: { mode: "auto" } }),
    new StdioClientTransport(parameters),
  ],
  "2025-11-25": (parameters) => [
    new OldClient({ name: "host", version: "1" }, { capabilities: {} }),
    new OldStdioClientTransport(parameters),
  ],
};

let user, command, fleet;
before(async () => {
  user = newcomer();
  [command, fleet] = await Promise.all([developmentTarball().then((path) => `file:${path}`), startFleet({ full })]);
});
after(async () => {
  await fleet?.stop();
  user?.remove();
});

/** Returns the engine of the package that npx runs. */
async function engine() {
  const cache = join(user.home, ".npm/_npx");
  const [folder] = readdirSync(cache);
  return import(pathToFileURL(join(cache, folder, "node_modules/mcp-sieve/loaders/node.js")).href);
}

/** Uses the server that a host's file names `sieve`, as the host does. */
async function useSieve(file, make, use) {
  const { sieve } = JSON.parse(readFileSync(file, "utf8")).mcpServers;
  const [client, transport] = make({
    command: sieve.command,
    args: sieve.args,
    env: { ...user.env, ...sieve.env },
    cwd: user.home,
    stderr: "pipe",
  });
  const printed = { stderr: "" };
  transport.stderr.on("data", (text) => {
    printed.stderr += text;
  });
  await client.connect(transport);
  try {
    await use(client, printed);
  } finally {
    await client.close();
  }
}

test("import --install takes every server of the host", async () => {
  const names = Object.keys(fleet.servers);
  assert.ok(names.length >= LEAST.servers);
  const file = join(user.home, ".cursor/mcp.json");
  mkdirSync(dirname(file));
  writeFileSync(file, JSON.stringify({ mcpServers: fleet.servers }));
  const { status, stdout, stderr } = await user.npx([command, "import", "--install"]);
  assert.equal(status, 0, stderr);
  for (const name of names) assert.match(stdout, new RegExp(`^  ${name}: taken$`, "m"), stderr);
});

for (const [revision, make] of Object.entries(CLIENTS))
  test(`the first list of a client of ${revision} is short, and every server can be found`, async () => {
    const { Sieve } = await engine();
    await useSieve(join(user.home, ".cursor/mcp.json"), make, async (client, printed) => {
      const { tools } = await client.listTools();
      const { count } = Sieve.compile([{ tools }]).tokens();
      assert.ok(count < MAX_TOKENS, `${count} tokens in ${tools.length} tools`);
      const [, total] = /^total: ([\d,]+) tools/m.exec(printed.stderr) ?? [];
      assert.ok(Number(total?.replaceAll(",", "")) >= LEAST.tools, printed.stderr);
      // The list is not the whole, so a model searches.
      const find = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;
      const wanted = Object.values(fleet.tools);
      for (let from = 0; from < wanted.length; from += MAX_NAMES) {
        const { unknown = [] } = await find("describe_tools", { names: wanted.slice(from, from + MAX_NAMES) });
        assert.deepEqual(unknown, []);
      }
      const { tools: found } = await find("search_tools", { query: "directory tree" });
      assert.ok(
        found.some(({ name }) => name === "directory_tree"),
        JSON.stringify(found),
      );
      const { content } = await client.callTool({
        name: "call_tool",
        arguments: { name: "echo", arguments: { message: "hello" } },
      });
      assert.equal(content[0].text, "Echo: hello");
    });
  });
