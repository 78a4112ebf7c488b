// Servers one of whose lists fails, in the commands that ask servers: the list is reported, and the others count.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { installCommand } from "./support/command.mjs";
import { startRawServer } from "./support/raw-server.mjs";

const tool = (name, description = `About ${name}.`) => ({ name, description, inputSchema: { type: "object" } });
const about = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {}, resources: {}, prompts: {} },
  serverInfo: { name: "odd", version: "1" },
};
/** The texts of the results of a server. A method without a text is answered as an unknown one. */
const texts = (lists) =>
  Object.fromEntries(
    Object.entries({ initialize: about, ...lists }).map(([key, value]) => [key, JSON.stringify(value)]),
  );
const TOOLS = { "tools/list": { tools: [tool("send"), tool("read")] } };
const PROMPTS = { "prompts/list": { prompts: [{ name: "greet" }] } };
const RESOURCES = { "resources/list": { resources: [{ uri: "x://a", name: "a" }] } };
/** A list that no client can use. */
const NO_RESOURCES = { "resources/list": { resources: "none" } };

let command;
let server;
before(async () => {
  command = await installCommand();
  server = await startRawServer({ texts: texts({ ...TOOLS, ...PROMPTS, ...NO_RESOURCES }) });
  command.write("sieve.jsonc", JSON.stringify({ upstream: { url: server.url } }));
});
after(async () => {
  server?.stop();
  await command?.remove();
});

const PROBLEM = /answered `resources\/list` without a usable `resources`/;

test("check and explain report the list that is missing, and judge the others", async () => {
  const checked = await command.run(["check", "--live"]);
  assert.equal(checked.status, 0, checked.stdout);
  assert.match(checked.stdout, /, 3 primitives\n/);
  assert.match(checked.stderr, PROBLEM);
  assert.ok(checked.stderr.startsWith(`${server.url}: `), checked.stderr);
  const { partial, failures, primitives } = JSON.parse((await command.run(["check", "--live", "--json"])).stdout);
  assert.deepEqual([primitives, failures, partial.length], [3, undefined, 1]);
  const [{ problem, ...place }] = partial;
  assert.deepEqual(place, { server: "", url: server.url, list: "resources" });
  assert.match(problem, PROBLEM);
  const explained = await command.run(["explain", "send", "--live"]);
  assert.deepEqual([explained.status, explained.stdout.split("\n")[0]], [0, "send: listed"]);
  assert.match(explained.stderr, PROBLEM);
});

test("init reports the list and writes the file, unless the tools are missing", async () => {
  const made = await command.run(["init", server.url, "-o", "made.jsonc"]);
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stderr, PROBLEM);
  assert.ok(existsSync(join(command.folder, "made.jsonc")));
  server.texts(texts({ ...PROMPTS, "tools/list": { tools: "none" } }));
  const refused = await command.run(["init", server.url, "-o", "none.jsonc"]);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /answered `tools\/list` without a usable `tools`/);
  assert.ok(!existsSync(join(command.folder, "none.jsonc")));
});

test("snapshot counts the others, and verify wants all of them", async () => {
  server.texts(texts({ ...TOOLS, ...PROMPTS, ...NO_RESOURCES }));
  const made = await command.run(["snapshot", "--live", "-o", "catalog.sieve"]);
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stderr, PROBLEM);
  const hashes = await command.run(["verify", "--live"]);
  assert.deepEqual([hashes.status, hashes.stdout], [2, ""]);
  assert.match(hashes.stderr, PROBLEM);
});

test("lists that a server announces and does not implement are empty", async () => {
  server.texts(texts(TOOLS));
  const { status, stdout, stderr } = await command.run(["check", "--live"]);
  assert.deepEqual([status, stderr], [0, ""]);
  assert.match(stdout, /, 2 primitives\n/);
});

test("a lock keeps what was accepted of a list that is missing", async () => {
  const check = (...args) => command.run(["check", "--live", "--lock", "lock.json", ...args]);
  const lock = () => JSON.parse(readFileSync(join(command.folder, "lock.json"), "utf8"));
  server.texts(texts({ ...TOOLS, ...RESOURCES }));
  assert.equal((await check("--accept")).status, 0);
  const accepted = lock();
  server.texts(texts({ ...TOOLS, ...NO_RESOURCES }));
  const missing = await check();
  assert.equal(missing.status, 0, missing.stdout);
  assert.doesNotMatch(missing.stdout, /not_accepted/);
  assert.equal((await check("--accept")).status, 0);
  assert.deepEqual(lock(), accepted);
  // The lists that came are compared.
  server.texts(texts({ "tools/list": { tools: [tool("send", "Now it deletes."), tool("read")] }, ...NO_RESOURCES }));
  const changed = await check();
  assert.equal(changed.status, 1);
  assert.match(changed.stdout, /the tool `send` has changed \[not_accepted\]/);
});
