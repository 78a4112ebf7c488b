// `--live`: the command sends requests, with headers, to the servers that a file names. Servers over HTTP, the packed
// tarball.
import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { LISTS, startCompany } from "./first-use/servers.mjs";
import { startRawServer } from "./support/raw-server.mjs";
import { installTarball } from "./support/tarball.mjs";

const DEAD = "http://127.0.0.1:9/mcp";
const tool = (name) => ({ name, inputSchema: { type: "object" } });
let consumer;
let forge;
let maps;
let endless;

before(async () => {
  consumer = await installTarball();
  const tokenizer = fileURLToPath(new URL("tokenizer/node_modules/gpt-tokenizer", import.meta.url));
  symlinkSync(tokenizer, join(consumer.folder, "node_modules/gpt-tokenizer"));
  forge = await startRawServer({ lists: { tools: [tool("create_issue"), tool("search")] } });
  maps = await startRawServer({ lists: { tools: [tool("find_route"), tool("search")], prompts: [{ name: "greet" }] } });
  endless = await startRawServer({ lists: { tools: [tool("a")] }, nextCursor: "again" });
});
after(async () => {
  for (const server of [forge, maps, endless]) server?.stop();
  await consumer?.remove();
});
beforeEach(() => [forge, maps].forEach(({ requests }) => requests.splice(0)));

const ENV = { FORGE_TOKEN: "of-forge", UPSTREAM_URL: "" };
const run = (args, env = ENV) => consumer.command(args, env);
const command = (...args) => run(args);
const got = ({ requests }, name) => [...new Set(requests.map((headers) => headers[name]))];

/** Writes a file with two servers, one with a token. `more` has further members. */
function two(name, more = {}, urls = {}) {
  const upstreams = [
    {
      name: "forge",
      url: urls.forge ?? forge.url,
      prefix: "forge_",
      headers: { Authorization: "Bearer ${FORGE_TOKEN}", "X-Price": "5$$" },
      passHeaders: ["X-Team"],
    },
    { name: "maps", url: urls.maps ?? maps.url, prefix: "maps_" },
  ];
  consumer.write(
    name,
    JSON.stringify(
      { upstreams, checks: [{ name: "any", require: "claim.role:*", message: "no" }], ...more },
      undefined,
      1,
    ),
  );
}

test("check --live asks the servers of the file, each with its own headers", async () => {
  two("live.jsonc", {
    rules: [
      { match: "server:maps name:search", tags: ["found"] },
      { match: "server:forge name:serch", hide: true },
    ],
    tags: [{ name: "found" }],
  });
  const { status, stdout, stderr } = await command("check", "live.jsonc", "--live");
  const finding =
    /rules\[1\]\.match: matches nothing: nothing is called `serch` \(did you mean `search`\?\) \[dead_rule\]\ncatalog: tool `maps_search`: [^\n]* \[prefixed\]\n1 finding in 2 rules, 0 policies, 5 primitives\n$/;
  assert.deepEqual([status, stderr], [1, ""]);
  assert.match(stdout, finding);
  assert.deepEqual(
    [got(forge, "authorization"), got(forge, "x-price"), got(forge, "x-team")],
    [["Bearer of-forge"], ["5$"], [undefined]],
  );
  assert.deepEqual(got(maps, "authorization"), [undefined]);
});

test("a header of the command line comes before that of the file, for its server alone", async () => {
  two("live.jsonc");
  assert.equal(
    (
      await command(
        "check",
        "live.jsonc",
        "--live",
        "--header",
        "maps=X-Team: core",
        "--header",
        "forge=authorization: Bearer mine",
      )
    ).status,
    0,
  );
  assert.deepEqual(
    [got(forge, "authorization"), got(maps, "authorization"), got(maps, "x-team"), got(forge, "x-team")],
    [["Bearer mine"], [undefined], ["core"], [undefined]],
  );
});

test("a server whose variable the environment does not have is left out and named, and gets no request", async () => {
  two("live.jsonc");
  for (const FORGE_TOKEN of [undefined, ""]) {
    const { status, stdout, stderr } = await run(["check", "live.jsonc", "--live"], { ...ENV, FORGE_TOKEN });
    assert.deepEqual([status, stdout], [2, "0 findings in 0 rules, 0 policies, 3 primitives\n"]);
    assert.match(
      stderr,
      /^forge \(http:[^\n]+\): is left out: the variable `FORGE_TOKEN` is not set\none server was not listed: their primitives are reported as missing\n$/,
    );
    assert.equal(forge.requests.length, 0);
  }
});

test("a server that cannot be listed is named with its address, and the others are judged all the same", async () => {
  const rules = [
    { match: "server:forge", groups: ["code"] },
    { match: "server:maps name:serch", hide: true },
  ];
  two("dead.jsonc", { rules, groups: [{ name: "code" }] }, { forge: `${DEAD}?key=s3cret` });
  const { status, stdout, stderr } = await command("check", "dead.jsonc", "--live");
  assert.equal(status, 2);
  // Rules about a server that does not answer are not reported as dead.
  assert.match(
    stdout,
    /^dead\.jsonc:\d+:\d+: rules\[1\]\.match: matches nothing: nothing is called `serch` \(did you mean `search`\?\) \[dead_rule\]\n1 finding in 2 rules, 0 policies, 3 primitives\n$/,
  );
  assert.match(
    stderr,
    /^forge \(http:\/\/127\.0\.0\.1:9\/mcp\?…\): nothing answers there \([^\n]*\)\none server was not listed: their primitives are reported as missing\n$/,
  );
  const machine = await command("check", "dead.jsonc", "--live", "--json");
  const { failures, findings } = JSON.parse(machine.stdout);
  assert.deepEqual(
    [machine.status, machine.stderr, findings.length, failures.map(({ server, url }) => [server, url])],
    [2, "", 1, [["forge", "http://127.0.0.1:9/mcp?…"]]],
  );
  assert.match(failures[0].problem, /^nothing answers there/);
  const explained = await command("explain", "find_route", "--live", "--config", "dead.jsonc");
  assert.deepEqual([explained.status, explained.stdout.split("\n")[0]], [2, "find_route: listed"]);
  assert.match(explained.stderr, /^forge \(/);
  two("all-dead.jsonc", {}, { forge: DEAD, maps: DEAD });
  const none = await command("check", "all-dead.jsonc", "--live");
  assert.deepEqual([none.status, none.stdout], [2, ""]);
  assert.match(none.stderr, /^forge \([^\n]*; maps \([^\n]*\n$/);
});

test("lists in a file stand in for a server, which is then not asked and needs no variable", async () => {
  two("mixed.jsonc", {}, { forge: DEAD });
  consumer.write("forge.json", JSON.stringify({ tools: [tool("create_issue")] }));
  const { status, stdout, stderr } = await run(["check", "mixed.jsonc", "--live", "--catalog", "forge=forge.json"], {
    ...ENV,
    FORGE_TOKEN: "",
  });
  assert.deepEqual([status, stdout], [0, "0 findings in 0 rules, 0 policies, 4 primitives\n"], stderr);
});

test("a file with one server, or with none", async () => {
  consumer.write("one.jsonc", JSON.stringify({ upstream: { url: maps.url } }));
  assert.match((await command("check", "one.jsonc", "--live")).stdout, /, 3 primitives\n$/);
  consumer.write("none.jsonc", "{}");
  assert.deepEqual(await command("check", "none.jsonc", "--live"), {
    status: 2,
    stdout: "",
    stderr:
      "none.jsonc: --live asks the servers that the file names, and it names none: expected `upstream` or `upstreams` with a `url`, or --upstream URL\n",
  });
  // As for `dev`, the URL may come from the environment.
  assert.match(
    (await run(["check", "none.jsonc", "--live"], { ...ENV, UPSTREAM_URL: forge.url })).stdout,
    /, 2 primitives\n$/,
  );
  assert.deepEqual(await run(["check", "one.jsonc", "--live"], { ...ENV, UPSTREAM_URL: forge.url }), {
    status: 2,
    stdout: "",
    stderr: "one.jsonc and the variable UPSTREAM_URL name different servers: expected one of them\n",
  });
  consumer.write("odd.jsonc", JSON.stringify({ upstream: { name: "x", url: "ftp://a" } }));
  assert.match(
    (await command("check", "odd.jsonc", "--live")).stderr,
    /^odd\.jsonc: the `url` of `x` is no address of an MCP server/,
  );
});

test("messages quote the typed text", async () => {
  two("two.jsonc");
  consumer.write("lists.json", '{"tools":[]}');
  const rows = [
    [
      ["check", "two.jsonc", "--upstream", forge.url],
      "--upstream: the file names its servers, expected the name of one of them, `--upstream forge=https://…`; --live lists them all\n",
    ],
    [
      ["check", "two.jsonc", "--upstream", `forg=${forge.url}`],
      "--upstream: no server is called `forg`, expected `forge` or `maps`\n",
    ],
    [
      ["check", "two.jsonc", "--catalog", "lists.json"],
      "--catalog: the file names its servers, expected the name of one of them, `--catalog forge=lists.json`\n",
    ],
    [
      ["check", "two.jsonc", "--live", "--upstream", `forge=${forge.url}`],
      "--live lists the servers of the file, and --upstream others: expected one of them\n",
    ],
    [
      ["explain", "search", "--live"],
      "--live asks the servers that a configuration names: expected `--config sieve.jsonc`\n",
    ],
    [
      ["check", "two.jsonc", "--live", "--header", "X-Team: core"],
      "--header: expected the server it is for, `--header 'forge=X-Team: …'`, since there are several\n",
    ],
  ];
  for (const [args, stderr] of rows)
    assert.deepEqual(await command(...args), { status: 2, stdout: "", stderr }, args.join(" "));
  assert.equal(forge.requests.length + maps.requests.length, 0);
});

test("a command in place of an address: the message names the transport and a bridge", async () => {
  for (const typed of ["npx -y @modelcontextprotocol/server-everything", "uvx", "./server.mjs", "fs=npx server"]) {
    const { status, stderr } = await command("check", "none.jsonc", "--upstream", typed);
    assert.equal(status, 2);
    assert.match(
      stderr,
      /^--upstream: expected the address of an MCP server, such as https:\/\/example\.com\/mcp, got `[^`]+`; a local server is started by the `command` of a file: `\{ "upstream": \{ "command": \["npx", "-y", "…"\] \} \}`\n$/,
    );
  }
  assert.match((await command("check", "none.jsonc", "--upstream", "example.com")).stderr, /got `example\.com`\n$/);
});

test("pages that lead round in a circle end with what came, and the server is named", async () => {
  const named = await command("check", "none.jsonc", "--upstream", `loop=${endless.url}`);
  assert.equal(named.status, 1, named.stderr);
  assert.match(named.stdout, /^catalog: tool `a`: listed twice, the first is kept \[left_out\]\n1 finding in /);
  assert.ok(
    named.stderr.startsWith(`loop (${endless.url}): repeats a cursor of \`tools/list\` on page 2\n`),
    named.stderr,
  );
  consumer.write("loop.jsonc", JSON.stringify({ upstream: { url: endless.url, maxPages: 1 } }));
  const { status, stderr } = await command("check", "loop.jsonc", "--live");
  assert.equal(status, 0, stderr);
  assert.ok(stderr.startsWith(`${endless.url}: has more than 1 pages of \`tools/list\`\n`), stderr);
});

test("a stateless server with tools that its clients refuse is listed, and each is reported", async (t) => {
  const company = await startCompany();
  t.after(() => company.stop());
  for (const [name, left] of [
    ["billing", 0],
    ["metrics", 1],
  ]) {
    consumer.write("odd-tools.jsonc", JSON.stringify({ upstream: { url: company.urls[name] } }));
    const { status, stdout, stderr } = await command("check", "odd-tools.jsonc", "--live", "--json");
    const { findings, primitives } = JSON.parse(stdout);
    assert.deepEqual([status, findings.length, primitives], [left, left, LISTS[name].length - left], stderr);
    assert.ok(
      findings.every(({ code, message }) => code === "left_out" && message.includes("export_everything")),
      stdout,
    );
  }
});

test("a server that answers with a long error is reported on one short line", async (t) => {
  const verbose = await startRawServer({ error: { code: -32000, message: "no such luck ".repeat(1000) } });
  t.after(() => verbose.stop());
  const { status, stderr } = await command("check", "none.jsonc", "--upstream", verbose.url);
  assert.equal(status, 2);
  assert.ok(stderr.startsWith(`${verbose.url}: `) && stderr.endsWith("…\n") && stderr.length < 600, stderr);
});

test("explain, verify, tokens and snapshot ask the servers of sieve.jsonc", async () => {
  two("sieve.jsonc");
  assert.match(
    (await command("explain", "maps_search", "--live")).stdout,
    /^maps_search: listed\n {2}called {4}maps_search\n {2}own name {2}search\n/,
  );
  const hashes = await command("verify", "--live");
  assert.match(hashes.stdout, /^catalogHash +[0-9a-f]{32}\n/);
  const counted = await command("tokens", "--live", "-o", "live-tokens.json");
  assert.equal(counted.status, 0, counted.stderr);
  assert.deepEqual(
    Object.keys(JSON.parse(readFileSync(join(consumer.folder, "live-tokens.json"), "utf8")).tokens.tool),
    ["create_issue", "forge_search", "find_route", "maps_search"],
  );
  const made = await command("snapshot", "--live", "--tokens", "live-tokens.json", "-o", "live.sieve");
  assert.deepEqual([made.status, made.stdout], [0, ""], made.stderr);
  // A catalog that lacks one of its servers is not written.
  two("partial.jsonc", {}, { maps: DEAD });
  for (const args of [
    ["verify", "--live"],
    ["tokens", "--live"],
    ["snapshot", "--live", "-o", "partial.sieve"],
  ]) {
    const { status, stdout, stderr } = await command(...args, "--config", "partial.jsonc");
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, /^maps \(http:\/\/127\.0\.0\.1:9\/mcp\): nothing answers there/);
  }
});

test("counts of another catalog: the message names the command to run", async () => {
  consumer.write("tagged.jsonc", JSON.stringify({ rules: [{ match: "kind:tool", tags: ["all"] }] }));
  consumer.write("counted.json", JSON.stringify({ tools: [tool("a"), tool("b")] }));
  consumer.write("other.json", JSON.stringify({ tools: [tool("c")] }));
  await command("tokens", "counted.json", "-o", "plain-tokens.json");
  const made = (...more) =>
    command(
      "snapshot",
      "counted.json",
      "--config",
      "tagged.jsonc",
      "--tokens",
      "plain-tokens.json",
      "-o",
      "tagged.sieve",
      ...more,
    );
  const again = "run `npx mcp-sieve tokens counted.json --config tagged.jsonc -o plain-tokens.json`\n";
  assert.deepEqual(await made(), {
    status: 2,
    stdout: "",
    stderr: `plain-tokens.json: counted without --config; ${again}`,
  });
  await command("tokens", "other.json", "-o", "plain-tokens.json");
  assert.deepEqual(await made(), {
    status: 2,
    stdout: "",
    stderr: `plain-tokens.json: counted for other lists, or with another configuration; ${again}`,
  });
  await command("tokens", "counted.json", "--config", "tagged.jsonc", "-o", "plain-tokens.json");
  assert.equal((await made()).status, 0);
});
