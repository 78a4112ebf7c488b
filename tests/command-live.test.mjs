// The command's words for live servers, run as a user runs them: the packed tarball, servers that others wrote, workerd.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startEverything } from "./support/everything.mjs";
import { installTarball } from "./support/tarball.mjs";
import { startWorkers } from "./support/workerd.mjs";

const modules = fileURLToPath(new URL("node_modules", import.meta.url));
let consumer;
let everything;
let workers;
let tracker;
/** Where what runs here puts what is to go again. */
let passing;

before(async () => {
  consumer = await installTarball();
  passing = join(consumer.folder, "passing");
  mkdirSync(passing);
  everything = await startEverything();
  workers = await startWorkers([{ name: "tracker", assets: "none" }]);
  tracker = `${workers.urls.tracker}/mcp`;
});
after(async () => {
  await workers?.stop();
  await everything?.stop();
  await consumer?.remove();
});

/** Puts packages beside the project's own, as `npm install` would. */
function install(...names) {
  mkdirSync(join(consumer.folder, "node_modules/@modelcontextprotocol"), { recursive: true });
  for (const name of names) {
    const link = join(consumer.folder, "node_modules", name);
    if (!existsSync(link)) symlinkSync(join(modules, name), link);
  }
}

/** Starts the command; `over` resolves with all that it said. */
function start(...args) {
  return startWith(process.execPath, ...args);
}

function startWith(node, ...args) {
  const env = { ...process.env, XDG_CACHE_HOME: join(consumer.folder, "cache"), XDG_CONFIG_HOME: consumer.folder, HOME: consumer.folder, TMPDIR: passing, CI: "true", TRACE: "traced", SIEVE_MIDDLEWARE_TOKEN: "of-the-application" };
  const child = spawn(node, [join(consumer.package, "cli/main.js"), ...args], { cwd: consumer.folder, env, timeout: 90_000 });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"]) child[stream].setEncoding("utf8").on("data", (text) => (said[stream] += text));
  const over = once(child, "close").then(([status, signal]) => ({ status: status ?? signal, ...said }));
  /** Resolves with the first line of standard output, behind the last, that has this. */
  let read = 0;
  const line = async (part) => {
    for (;;) {
      const lines = said.stdout.slice(read).split("\n").slice(0, -1);
      const at = lines.findIndex((text) => text.includes(part));
      if (at >= 0) {
        read += lines.slice(0, at + 1).join("\n").length + 1;
        return lines[at];
      }
      await Promise.race([once(child.stdout, "data"), over.then(() => assert.fail(`ended without \`${part}\`: ${JSON.stringify(said)}`))]);
    }
  };
  return { child, over, line };
}
const sieve = (...args) => start(...args).over;
const run = (node, ...args) => startWith(node, ...args).over;

async function listed(url, filter) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { tools } = await client.listTools({ filter });
  await client.close();
  return tools.map(({ name }) => name);
}

test("init: what it suggests for a live server passes the check, of either era", async () => {
  install("@modelcontextprotocol/client");
  for (const [name, url] of [["tracker", tracker], ["everything", everything.url]]) {
    const file = `${name}.jsonc`;
    const made = await sieve("init", "--upstream", url, "-o", file, "--json");
    assert.equal(made.status, 0, made.stderr);
    const { groups, tags, rules } = JSON.parse(made.stdout);
    assert.ok(groups > 0 && tags > 0 && rules > 1, made.stdout);
    const checked = await sieve("check", file, "--upstream", url);
    assert.deepEqual([checked.status, checked.stdout.split(" in ")[0]], [0, "0 findings"], checked.stdout);
  }
  const text = readFileSync(join(consumer.folder, "everything.jsonc"), "utf8");
  assert.match(text, /"\$schema": "\.\/node_modules\/mcp-sieve\/dist\/sieve\.schema\.json"/);
  assert.match(text, /annotation\.readOnlyHint=true", "tags": \["read-only"\] \}, \/\/ \d+ of \d+ tools say so/);
  // A file that is there stays.
  const again = await sieve("init", "--upstream", everything.url, "-o", "everything.jsonc");
  assert.deepEqual([again.status, again.stderr], [2, "everything.jsonc exists already: add --force to replace it, or -o FILE to write another file\n"]);
});

test("explain: what rules, policies and a filter do to it", async () => {
  install("@modelcontextprotocol/client");
  consumer.write("why.jsonc", `{
    "groups": [{ "name": "text" }],
    "concerns": [{ "name": "cost", "values": ["low", "high"] }],
    "rules": [
      { "match": "name:e*", "groups": ["text"], "concerns": { "cost": "low" } },
      { "match": "name:get-env", "hide": true },
      { "match": "name:get-sum", "name": "add", "pin": true },
    ],
    "policies": [{ "name": "staff", "show": "-name:toggle-* or claim.role:staff" }, { "name": "never", "show": "-name:trigger-*" }],
  }`);
  const why = (...args) => sieve("explain", ...args, "--upstream", everything.url, "--config", "why.jsonc");
  const policies = (staff, never) => `  policy staff ${staff}\n  policy never ${never}\n`;
  const [all, none, some] = ["shows it to everybody", "hides it from everybody", "shows it to some callers"];
  const rows = [
    [["echo"], 0, `echo: listed\n  rules[0] matches it (why.jsonc:5:7)\n  groups    text\n  tags      none\n  concerns  cost=low\n${policies(all, all)}`],
    [["get-env"], 1, "get-env: not listed\n  rules[1] hides it (why.jsonc:6:7)\n"],
    [["get-sum", "--filter", "groups=text"], 0, `get-sum: listed as add\n  rules[2] matches it (why.jsonc:7:7)\n  called    add\n  groups    none\n  tags      none\n  concerns  none\n  pinned: no filter leaves it out\n${policies(all, all)}  the filter keeps it\n`],
    [["trigger-long-running-operation"], 1, `trigger-long-running-operation: not listed\n  groups    none\n  tags      none\n  concerns  none\n${policies(all, none)}`],
    [["toggle-simulated-logging"], 0, `toggle-simulated-logging: listed\n  groups    none\n  tags      none\n  concerns  none\n${policies(some, all)}`],
    [["echo", "--filter", '{"tags":["stable"]}'], 1, `echo: not listed\n  rules[0] matches it (why.jsonc:5:7)\n  groups    text\n  tags      none\n  concerns  cost=low\n${policies(all, all)}  the filter leaves it out: tags asks \`stable\`, it has none\n`],
    [["no-such"], 1, "no-such: no server lists it\n"],
  ];
  for (const [args, status, stdout] of rows) assert.deepEqual(await why(...args), { status, stdout, stderr: "" }, args.join(" "));
  const machine = JSON.parse((await why("echo", "--filter", "q=name:x", "--json")).stdout);
  assert.deepEqual([machine.shown, machine.filter.reason.rule, machine.primitives[0].rules], [false, "where", [0]]);
  assert.equal((await sieve("explain", "echo")).status, 2);
  assert.equal((await why("echo", "--kind", "tool")).status, 2);
});
