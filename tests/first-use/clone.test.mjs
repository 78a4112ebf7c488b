// The first day of someone who has cloned the project: the tarball of `make package`, run by npx on a machine of its own.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { developmentTarball, newcomer } from "../support/development.mjs";
import "../support/home.mjs";
import { startRegistry } from "../support/registry.mjs";
import { until } from "../support/until.mjs";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const everything = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
const company = (name, more) => ({ command: process.execPath, args: [at("stdio-server.mjs"), name], ...more });
/** The six servers of a host, one of them of a third party. */
const SIX = {
  everything: { command: process.execPath, args: [everything, "stdio"] },
  forge: company("forge"),
  tickets: company("tickets"),
  wiki: company("wiki"),
  mail: company("mail", { env: { MAIL_TOKEN: "s3cret" } }),
  calendar: company("calendar"),
};
/** A tool of each server. */
const TOOLS = {
  everything: "echo",
  forge: "list_repositories",
  tickets: "get_ticket",
  wiki: "get_page",
  mail: "send_message",
  calendar: "list_events",
};
const BROKEN = company("mail");

let user, command;
before(async () => {
  user = newcomer();
  command = `file:${await developmentTarball()}`;
});
after(() => user?.remove());

/** Uses the server that a host's file names `sieve`, as the host does. */
async function useSieve(file, use) {
  const { sieve } = JSON.parse(readFileSync(file, "utf8")).mcpServers;
  const transport = new StdioClientTransport({
    command: sieve.command,
    args: sieve.args,
    env: { ...user.env, ...sieve.env },
    cwd: user.home,
    stderr: "ignore",
  });
  const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(transport);
  try {
    await use(client, sieve);
  } finally {
    await client.close();
  }
}

describe("with the tarball alone", () => {
  const LISTS_FILE = JSON.stringify({ tools: [{ name: "get_page", inputSchema: { type: "object" } }] });

  test("init, check and deploy --dry-run work", async () => {
    writeFileSync(join(user.home, "lists.json"), LISTS_FILE);
    const init = await user.npx([command, "init", "--catalog", "lists.json", "-o", "first.jsonc"]);
    assert.equal(init.status, 0, init.stderr);
    const check = await user.npx([command, "check", "first.jsonc", "--catalog", "lists.json"]);
    assert.equal(check.status, 0, check.stdout + check.stderr);
    const deploy = await user.npx(
      [command, "deploy", "first.jsonc", "--upstream", "https://a.example/mcp", "--dry-run"],
      { WRANGLER_LOG_PATH: join(user.home, "logs") },
    );
    assert.equal(deploy.status, 0, deploy.stdout + deploy.stderr);
    assert.match(deploy.stdout, /Nothing was sent/);
  });

  test("six local servers of a host are served by Sieve in their place, and restored byte for byte", async () => {
    const file = join(user.home, ".cursor/mcp.json");
    mkdirSync(dirname(file));
    const text = `${JSON.stringify({ mcpServers: { ...SIX, broken: BROKEN }, theme: "dark" }, undefined, "\t")}\r\n`;
    writeFileSync(file, text);
    const { status, stdout, stderr } = await user.npx([command, "import", "--install"]);
    assert.equal(status, 0, stderr);
    for (const name of Object.keys(SIX)) assert.match(stdout, new RegExp(`^  ${name}: taken$`, "m"));
    assert.match(
      stdout,
      /^ {2}broken: left out: does not start, and stays in this file: .*its process ended with status 1/m,
    );
    assert.match(stderr, /^broken: MAIL_TOKEN is not valid$/m);
    const { mcpServers, theme } = JSON.parse(readFileSync(file, "utf8"));
    assert.equal(theme, "dark");
    assert.deepEqual(Object.keys(mcpServers), ["broken", "sieve"]);
    assert.deepEqual(mcpServers.broken, BROKEN);
    assert.deepEqual(mcpServers.sieve, {
      command: "npx",
      args: ["-y", command, "stdio", join(user.home, "sieve.jsonc"), "--yes"],
      env: { MAIL_TOKEN: "s3cret" },
    });

    await useSieve(file, async (client) => {
      let listed = [];
      const areListed = async () => {
        listed = (await client.listTools()).tools.map(({ name }) => name);
        return Object.values(TOOLS).every((name) => listed.includes(name));
      };
      await until(areListed, () => `all of ${Object.values(TOOLS)} in ${listed}`);
      for (const [server, name] of Object.entries(TOOLS)) {
        const { content } = await client.callTool({ name, arguments: { message: "hello" } });
        assert.equal(content[0].text, server === "everything" ? "Echo: hello" : `${server} did ${name}`);
      }
    });

    const undone = await user.npx([command, "import", "--undo"]);
    assert.equal(undone.status, 0, undone.stderr);
    assert.equal(readFileSync(file, "utf8"), text);
  });
});

test("from a registry, the exact version is written, and its start is tried", async () => {
  const file = join(user.home, "project/mcp.json");
  mkdirSync(dirname(file));
  writeFileSync(file, JSON.stringify({ mcpServers: { forge: SIX.forge } }));
  const [folder] = readdirSync(join(user.home, ".npm/_npx"));
  const cached = join(user.home, ".npm/_npx", folder, "node_modules/mcp-sieve");
  const registry = await startRegistry(dirname(cached), ["mcp-sieve"]);
  const env = { npm_config_registry: registry.url, npm_config_offline: "false" };
  try {
    const { status, stderr } = await user.npx(
      ["mcp-sieve", "import", file, "--install", "-o", "project/sieve.jsonc"],
      env,
    );
    assert.equal(status, 0, stderr);
    const { version } = JSON.parse(readFileSync(join(cached, "package.json"), "utf8"));
    const { sieve } = JSON.parse(readFileSync(file, "utf8")).mcpServers;
    assert.deepEqual([sieve.command, ...sieve.args.slice(0, 3)], ["npx", "-y", `mcp-sieve@${version}`, "stdio"]);
  } finally {
    registry.stop();
  }
});
