// Packages that the command fetches when it needs them. In a terminal it asks first; scripts pass `--yes`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import "./support/home.mjs";
import { startRawServer } from "./support/raw-server.mjs";
import { startRegistry } from "./support/registry.mjs";
import { startInTerminal } from "./support/terminal.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const CLIENT = "@modelcontextprotocol/client";
let folder;
let tarball;
let registry;
let server;
let env;
/** An empty folder for each test, with its own home and cache. */
let place;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "sieve-fetch-"));
  const packed = await run("npm", ["pack", "--json", "--pack-destination", folder, join(root, "pkg")]);
  tarball = join(folder, JSON.parse(packed.stdout)[0].filename);
  registry = await startRegistry(join(root, "tests/node_modules"), [CLIENT]);
  const tool = (name) => ({ name, inputSchema: { type: "object" } });
  server = await startRawServer({
    lists: { tools: ["list_issues", "get_issue", "list_pages", "get_page", "ping"].map(tool) },
  });
});
after(() => {
  server?.stop();
  registry?.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  place = mkdtempSync(join(folder, "place-"));
  const home = mkdtempSync(join(folder, "home-"));
  env = {
    PATH: process.env.PATH,
    HOME: home,
    TERM: "xterm",
    XDG_CACHE_HOME: join(home, "cache"),
    npm_config_registry: registry.url,
    npm_config_cache: join(home, "npm"),
    npm_config_update_notifier: "false",
  };
  registry.fetched.length = 0;
});

const COMMAND = () => ["--yes", "--package", tarball, "mcp-sieve"];
const inTerminal = (...args) => startInTerminal("npx", [...COMMAND(), ...args], { cwd: place, env });
const piped = (...args) =>
  run("npx", [...COMMAND(), ...args], { cwd: place, env }).then(
    (done) => ({ status: 0, ...done }),
    ({ code, stdout, stderr }) => ({ status: code, stdout, stderr }),
  );
const QUESTION = () => `Fetch ${CLIENT} (8 MB) into ${env.XDG_CACHE_HOME}/mcp-sieve? [Y/n]`;

test("in an empty folder, init asks one question and then writes the file", { timeout: 180_000 }, async () => {
  const terminal = inTerminal("init", "--upstream", server.url);
  await terminal.sees(QUESTION());
  terminal.type("\r");
  const { status, shown } = await terminal.over;
  assert.equal(status, 0, shown);
  assert.equal(shown.split("[Y/n]").length, 2, "one question");
  assert.ok(registry.fetched.includes(CLIENT), "npm fetched the package");
  assert.match(readFileSync(join(place, "sieve.jsonc"), "utf8"), /"name": "issues"/);
  assert.deepEqual(readdirSync(place), ["sieve.jsonc"]);
  // The fetched package stays installed.
  const again = await piped("init", "--upstream", server.url, "--force");
  assert.equal(again.status, 0, again.stderr);
});

test("a user who declines, or leaves, gets the refusal, and nothing is fetched", { timeout: 180_000 }, async () => {
  for (const [keys, what] of [
    ["n\r", "no"],
    ["\u0004", "Ctrl-D"],
    ["\u0003", "Ctrl-C"],
  ]) {
    const terminal = inTerminal("init", "--upstream", server.url);
    await terminal.sees("[Y/n]");
    terminal.type(keys);
    const { status, shown } = await terminal.over;
    assert.notEqual(status, 0, what);
    assert.doesNotMatch(shown, /unexpected error|unsettled/, what);
    if (what === "no")
      assert.match(
        shown,
        /Asking a live server needs the package `@modelcontextprotocol\/client` \(8 MB\), which is not installed: run `npm install @modelcontextprotocol\/client@2\.4\.0`, or add --yes/,
      );
    assert.deepEqual([registry.fetched, existsSync(join(place, "sieve.jsonc"))], [[], false], what);
  }
});

test("without a terminal nothing is asked: the error names --yes, which fetches", { timeout: 180_000 }, async () => {
  const refused = await piped("init", "--upstream", server.url);
  assert.deepEqual([refused.status, refused.stdout], [2, ""]);
  assert.match(
    refused.stderr,
    /^Asking a live server needs the package `@modelcontextprotocol\/client` \(8 MB\), which is not installed: run `npm install @modelcontextprotocol\/client@2\.4\.0`, or add --yes to fetch it into .*\/cache\/mcp-sieve\n$/,
  );
  assert.deepEqual(registry.fetched, []);
  const fetched = await piped("init", "--upstream", server.url, "--yes");
  assert.equal(fetched.status, 0, fetched.stderr);
  assert.ok(registry.fetched.includes(CLIENT));
});

test("each command names the package that it needs", { timeout: 180_000 }, async () => {
  for (const [args, name] of [
    [["dev", "--upstream", server.url], "workerd"],
    [["explain", "ping", "--upstream", server.url], CLIENT],
  ]) {
    const { status, stderr } = await piped(...args);
    assert.equal(status, 2);
    assert.match(
      stderr,
      new RegExp(
        `needs the package \`${name}\` \\(\\d+ MB\\), which is not installed: run \`npm install ${name}@[\\d.]+\`, or add --yes`,
      ),
    );
  }
});

test("a package that npm cannot fetch is an error with npm's reason", { timeout: 180_000 }, async () => {
  env.npm_config_fetch_retries = "0";
  // This registry does not have the package.
  const { status, stderr } = await piped("dev", "--upstream", server.url, "--yes");
  assert.equal(status, 2);
  assert.match(stderr, /fetching workerd \(130 MB\) into [^]*\b404\b[^]*npm cannot fetch `workerd`\n$/);
});
