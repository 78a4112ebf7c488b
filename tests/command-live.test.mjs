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

test("deploy: what wrangler is given, without sending it", { timeout: 120_000 }, async () => {
  install("wrangler");
  consumer.write("deploy.jsonc", '{ // what it is\n "rules": [{ "match": "name:echo", "tags": ["a,]"], },], "upstream": { "url": "https://a.example/mcp", "headers": { "X": "${TOKEN}" } }, "middleware": {} }');
  const node = fileURLToPath(new URL("node_modules/.bin/node", import.meta.url)); // wrangler needs Node 22
  const { status, stdout, stderr } = await run(node, "deploy", "deploy.jsonc", "--name", "my-gate", "--dry-run", "--json");
  assert.equal(status, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { name: "my-gate", folder: join(consumer.folder, ".sieve/deploy"), dryRun: true, secrets: ["SIEVE_KEY", "SIEVE_MIDDLEWARE_TOKEN", "TOKEN"] });
  assert.match(stderr, /env\.SESSIONS \(SessionObject\)/);
  const written = JSON.parse(readFileSync(join(consumer.folder, ".sieve/deploy/wrangler.json"), "utf8"));
  assert.deepEqual(JSON.parse(written.vars.SIEVE_CONFIG), { rules: [{ match: "name:echo", tags: ["a,]"] }], upstream: { url: "https://a.example/mcp", headers: { X: "${TOKEN}" } }, middleware: {} });
  assert.ok(readdirSync(join(consumer.folder, ".sieve/deploy/bundle")).some((name) => name.endsWith(".wasm")));
  consumer.write("long.jsonc", JSON.stringify({ groups: [{ name: "g", description: "x".repeat(6_000) }] }));
  const long = await sieve("deploy", "long.jsonc", "--dry-run");
  assert.deepEqual([long.status, /variable of a Worker holds 5120/.test(long.stderr)], [2, true]);
  assert.match((await sieve("deploy", "--name", "My Gate")).stderr, /^--name: expected small letters/);
});

test("dev: a gateway that follows its file and leaves nothing behind", async () => {
  install("workerd");
  const rules = (tag) => JSON.stringify({ tags: [{ name: "quick" }], rules: [{ match: "name:echo", tags: [tag] }] });
  consumer.write("dev.jsonc", rules("quick"));
  const running = start("dev", "dev.jsonc", "--upstream", everything.url, "--port", "0", "--json");
  const { mcp, upstream, config } = JSON.parse(await running.line('"ready"'));
  assert.deepEqual([upstream, config], [everything.url, "dev.jsonc"]);
  assert.deepEqual(await listed(mcp, { tags: ["quick"] }), ["echo"]);
  // In order, it comes into force, and what the check finds is told.
  consumer.write("dev.jsonc", rules("quikc"));
  assert.equal(JSON.parse(await running.line('"finding"')).code, "undeclared_tag");
  await running.line('"changed"');
  assert.deepEqual(await listed(mcp, { tags: ["quikc"] }), ["echo"]);
  // Out of order, what was in force before stays.
  consumer.write("dev.jsonc", '{ "rules": [');
  assert.match(JSON.parse(await running.line('"kept"')).problem, /^dev\.jsonc:1:\d+: not JSON/);
  assert.deepEqual(await listed(mcp, { tags: ["quikc"] }), ["echo"]);
  running.child.kill("SIGINT");
  const { status, stdout } = await running.over;
  assert.deepEqual([status, stdout.trim().split("\n").at(-1)], [0, '{"event":"ended"}']);
  await assert.rejects(fetch(mcp));
  assert.deepEqual(readdirSync(passing).filter((name) => name.startsWith("mcp-sieve-")), []);
});

test("dev: the Worker's own variables come from the environment (M-2)", async () => {
  install("workerd", "@modelcontextprotocol/client");
  consumer.write("mount.jsonc", '{ "middleware": {} }');
  const running = start("dev", "mount.jsonc", "--port", "0", "--json");
  const { mcp } = JSON.parse(await running.line('"ready"'));
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "middleware/list" });
  const ask = async (token) => fetch(new URL("/middleware", mcp), { method: "POST", headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` }, body });
  const { result } = await (await ask("of-the-application")).json();
  assert.ok(result.middleware.some(({ name }) => name === "pii_redaction"));
  assert.equal((await ask("of-somebody-else")).status, 401);
  running.child.kill("SIGINT");
  assert.equal((await running.over).status, 0);
});

test("M-42: dev warns of the mount that context middleware has, and of none where it has none", async () => {
  install("workerd");
  for (const [rules, warned] of [['{ "middleware": {} }', true], ["{}", false]]) {
    consumer.write("warned.jsonc", rules);
    const running = start("dev", "warned.jsonc", "--upstream", everything.url, "--port", "0");
    await running.line("MCP ");
    running.child.kill("SIGINT");
    const { status, stdout } = await running.over;
    assert.deepEqual([status, /^warning: \/middleware is open to whoever has SIEVE_MIDDLEWARE_TOKEN, and is handed whole conversations/m.test(stdout)], [0, warned]);
  }
});

test("dev: says why it cannot begin", async () => {
  consumer.write("secret.jsonc", '{ "upstream": { "url": "http://127.0.0.1:9/mcp", "headers": { "X-A": "${MISSING_ONE} ${TRACE}" } } } // ${COMMENT}');
  const taken = new URL(workers.urls.tracker).port;
  const rows = [
    [["secret.jsonc", "--port", "0"], /^the file refers to `MISSING_ONE`, which the environment does not have\n$/],
    [["absent.jsonc"], /^absent\.jsonc: there is no such file\n$/],
    [["--port", taken, "--upstream", everything.url], new RegExp(`^port ${taken} is taken; --port takes another, 0 any\n$`)],
    [["--port", "http"], /^--port: expected a number/],
    [["--upstream", "ftp://a"], /^--upstream: expected the address/],
  ];
  for (const [args, why] of rows) {
    const { status, stderr } = await sieve("dev", ...args);
    assert.equal(status, 2, args.join(" "));
    assert.match(stderr, why);
  }
});

test("dev: what it borrows must run here", async () => {
  rmSync(join(consumer.folder, "node_modules/workerd"));
  const fake = join(consumer.folder, "node_modules/workerd");
  mkdirSync(fake);
  consumer.write("node_modules/workerd/package.json", '{ "name": "workerd", "version": "1.0.0", "main": "main.js" }');
  consumer.write("node_modules/workerd/main.js", 'module.exports = { default: "/bin/false", compatibilityDate: "2024-01-01" };');
  const { status, stderr } = await sieve("dev", "--upstream", everything.url, "--port", "0");
  assert.equal(status, 2);
  assert.match(stderr, /^workerd ended with 1 before it listened/);
  rmSync(fake, { recursive: true });
});
