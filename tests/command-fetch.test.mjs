// Packages that the command fetches when it needs them. In a terminal it asks first; scripts pass `--yes`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
const TOKENIZER = "gpt-tokenizer";
const TOKENS = ["tokens", "lists.json", "-o", "tokens.json"];
const LISTS = {
  tools: ["list_issues", "get_issue", "list_pages"].map((name) => ({ name, inputSchema: { type: "object" } })),
};
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
  registry = await startRegistry(join(root, "tests/tokenizer/node_modules"), [TOKENIZER]);
  server = await startRawServer({ lists: LISTS });
});
after(() => {
  server?.stop();
  registry?.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  place = mkdtempSync(join(folder, "place-"));
  writeFileSync(join(place, "lists.json"), JSON.stringify(LISTS));
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
const QUESTION = () => `Fetch ${TOKENIZER} (9 MB) into ${env.XDG_CACHE_HOME}/mcp-sieve? [Y/n]`;

test("tokens asks one question and then writes the file", { timeout: 180_000 }, async () => {
  const terminal = inTerminal(...TOKENS);
  await terminal.sees(QUESTION());
  terminal.type("\r");
  const { status, shown } = await terminal.over;
  assert.equal(status, 0, shown);
  assert.equal(shown.split("[Y/n]").length, 2, "one question");
  assert.ok(registry.fetched.includes(TOKENIZER), "npm fetched the package");
  assert.match(readFileSync(join(place, "tokens.json"), "utf8"), /"list_issues":\d/);
  assert.deepEqual(readdirSync(place), ["lists.json", "tokens.json"]);
  // The fetched package stays installed.
  const again = await piped(...TOKENS);
  assert.equal(again.status, 0, again.stderr);
});

test("a user who declines, or leaves, gets the refusal, and nothing is fetched", { timeout: 180_000 }, async () => {
  for (const [keys, what] of [
    ["n\r", "no"],
    ["\u0004", "Ctrl-D"],
    ["\u0003", "Ctrl-C"],
  ]) {
    const terminal = inTerminal(...TOKENS);
    await terminal.sees("[Y/n]");
    terminal.type(keys);
    const { status, shown } = await terminal.over;
    assert.notEqual(status, 0, what);
    assert.doesNotMatch(shown, /unexpected error|unsettled/, what);
    if (what === "no")
      assert.match(
        shown,
        /Counting tokens needs the package `gpt-tokenizer` \(9 MB\), which is not installed: run `npm install gpt-tokenizer@4\.0\.0`, or add --yes/,
      );
    assert.deepEqual([registry.fetched, existsSync(join(place, "tokens.json"))], [[], false], what);
  }
});

test("without a terminal nothing is asked: the error names --yes, which fetches", { timeout: 180_000 }, async () => {
  const refused = await piped(...TOKENS);
  assert.deepEqual([refused.status, refused.stdout], [2, ""]);
  assert.match(
    refused.stderr,
    /^Counting tokens needs the package `gpt-tokenizer` \(9 MB\), which is not installed: run `npm install gpt-tokenizer@4\.0\.0`, or add --yes to fetch it into .*\/cache\/mcp-sieve\n$/,
  );
  assert.deepEqual(registry.fetched, []);
  const fetched = await piped(...TOKENS, "--yes");
  assert.equal(fetched.status, 0, fetched.stderr);
  assert.ok(registry.fetched.includes(TOKENIZER));
});

test("each command names the package that it needs", { timeout: 180_000 }, async () => {
  const { status, stderr } = await piped("dev", "--upstream", server.url);
  assert.equal(status, 2);
  assert.match(
    stderr,
    /needs the package `workerd` \(\d+ MB\), which is not installed: run `npm install workerd@[\d.]+`, or add --yes/,
  );
});

test("commands that ask servers fetch nothing", { timeout: 180_000 }, async () => {
  for (const args of [
    ["init", server.url],
    ["check", "--live"],
    ["explain", "list_issues", "--live"],
  ]) {
    const { status, stderr } = await piped(...args);
    assert.equal(status, 0, stderr);
  }
  assert.deepEqual([registry.fetched, existsSync(env.XDG_CACHE_HOME)], [[], false]);
});

test("a package that npm cannot fetch is an error with npm's reason", { timeout: 180_000 }, async () => {
  env.npm_config_fetch_retries = "0";
  // This registry does not have the package.
  const { status, stderr } = await piped("dev", "--upstream", server.url, "--yes");
  assert.equal(status, 2);
  assert.match(stderr, /fetching workerd \(130 MB\) into [^]*\b404\b[^]*npm cannot fetch `workerd`\n$/);
});
