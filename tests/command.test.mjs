// The packed tarball's command, run as a user runs it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import "./support/home.mjs";
import { fixture, serviceOf, world } from "./support/protocol-worlds.mjs";
import { send } from "./support/raw-client.mjs";
import { installTarball } from "./support/tarball.mjs";
import { startUpstream } from "./support/upstream.mjs";
import { startWorkers } from "./support/workerd.mjs";

const WORLDS = { office: world("office"), "two-a-page": world("two-a-page") };
let consumer;
let upstream;
let workers;

before(async () => {
  consumer = await installTarball();
  upstream = await startUpstream(WORLDS);
  workers = await startWorkers(Object.keys(WORLDS).map((name) => serviceOf(name, WORLDS[name], upstream.url(name))));
  for (const [name, { lists, config }] of Object.entries(WORLDS)) {
    consumer.write(`${name}.lists.json`, JSON.stringify(lists));
    consumer.write(`${name}.jsonc`, JSON.stringify(config));
  }
});
after(async () => {
  await workers?.stop();
  await upstream?.stop();
  await consumer?.remove();
});

/** Runs the command. `input` is its standard input. */
function sieve(args, input = "") {
  return new Promise((done, fail) => {
    const child = spawn(join(consumer.folder, "node_modules/.bin/mcp-sieve"), args, {
      cwd: consumer.folder,
      timeout: 30_000,
    });
    const out = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"])
      child[stream].setEncoding("utf8").on("data", (text) => (out[stream] += text));
    child.on("error", fail);
    child.on("close", (status) => done({ status, ...out }));
    child.stdin.end(input);
  });
}

const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });

test("check: 0 where nothing is found", async () => {
  consumer.write(
    "good.jsonc",
    '{ "groups": [{ "name": "a" }], "rules": [{ "match": "name:a*", "groups": ["a"] }] } // good',
  );
  consumer.write("lists.json", JSON.stringify({ tools: [tool("ab"), tool("b")] }));
  const found = await sieve(["check", "good.jsonc", "--catalog", "lists.json"]);
  assert.deepEqual(found, { status: 0, stdout: "0 findings in 1 rule, 0 policies, 2 primitives\n", stderr: "" });
  const alone = await sieve(["check", "good.jsonc"]);
  assert.deepEqual(alone, {
    status: 0,
    stdout:
      "0 findings in 1 rule, 0 policies\nwithout --live, --catalog or --upstream, no rule was tried on a primitive\n",
    stderr: "",
  });
});

test("check: an address without a scheme and an unknown function are errors of the file, at their place", async () => {
  const chained = (use, servers = { pii: { url: "https://pii.example/middleware", functions: ["redact"] } }) => ({
    middleware: { functions: ["pii_redaction"], servers, chains: [{ on: ["tools/call"], request: [use] }] },
  });
  for (const [config, expected] of [
    [
      { upstream: { name: "mine", url: "a.example/mcp" } },
      /^faulty\.jsonc: the address of the server `mine` is `a\.example/,
    ],
    [
      { middleware: { functions: ["no_such"] } },
      /^faulty\.jsonc:1:29: middleware\.functions\[0\]: there is no function `no_such`$/m,
    ],
    [
      { middleware: { servers: { pii: { url: "pii.example/mcp?key=s3cret" } } } },
      /^faulty\.jsonc:1:40: middleware\.servers\.pii\.url: expected an address such as https:\/\/example\.com\/mcp, got `pii\.example\/mcp/m,
    ],
    [
      { middleware: { policies: { own: { includes: ["own"] } } } },
      /^faulty\.jsonc:1:46: middleware\.policies\.own\.includes: `own` includes itself/m,
    ],
    [
      chained("pii/other"),
      /^faulty\.jsonc:1:\d+: middleware\.chains\[0\]\.request\[0\]: there is no function `pii\/other`$/m,
    ],
    [chained("other/redact"), /there is no function `other\/redact`$/m],
    [
      { middleware: { chains: [{ on: ["tools/call"], response: { steps: ["no_such"], last: 1 } }] } },
      /^faulty\.jsonc:1:68: middleware\.chains\[0\]\.response\.steps\[0\]: there is no function `no_such`$/m,
    ],
    [
      chained({ use: "pii_redaction", arguments: { types: ["EMIAL"] }, failOpen: true }),
      /^faulty\.jsonc:1:\d+: middleware\.chains\[0\]\.request\[0\]\.arguments\.types\[0\]: there is no type `EMIAL`$/m,
    ],
  ]) {
    consumer.write("faulty.jsonc", JSON.stringify(config));
    const { status, stderr } = await sieve(["check", "faulty.jsonc"]);
    assert.equal(status, 2);
    assert.match(stderr, expected);
  }
  // Which functions a middleware server has is known to the gateway alone.
  for (const config of [
    chained("pii/redact"),
    chained("pii/any", { pii: { url: "https://pii.example/middleware" } }),
    { middleware: { functions: null, policies: null, patterns: null } },
    { middleware: { chains: [{ on: ["tools/call"], response: { steps: ["pii_redaction"], last: 1 } }] } },
    {
      middleware: {
        chains: [{ on: ["tools/call"], request: { steps: [] }, response: { steps: ["pii_redaction"], last: 0 } }],
      },
    },
  ]) {
    consumer.write("faulty.jsonc", JSON.stringify(config));
    const { stdout, stderr } = await sieve(["check", "faulty.jsonc"]);
    assert.deepEqual([stdout.split("\n").at(-3), stderr], ["0 findings in 0 rules, 0 policies", ""]);
  }
});

test("check: without lists, no filter is reported to select nothing", async () => {
  consumer.write(
    "filtered.jsonc",
    JSON.stringify({ groups: [{ name: "a" }], rules: [{ match: "name:b", groups: ["a"] }] }),
  );
  const { status, stdout } = await sieve(["check", "filtered.jsonc", "--filter", "groups=a"]);
  assert.deepEqual([status, stdout.split("\n")[0]], [0, "0 findings in 1 rule, 0 policies"]);
  const unknown = await sieve(["check", "filtered.jsonc", "--filter", "groups=c"]);
  assert.deepEqual(
    [unknown.status, unknown.stdout.split("\n")[0]],
    [1, "filter.groups[0]: unknown group `c` [unknown_name]"],
  );
});

test("explain: a catalog is read with the configuration of the folder", async (t) => {
  consumer.write("two.json", JSON.stringify({ tools: [tool("create_issue"), tool("send_mail")] }));
  const path = consumer.write("sieve.jsonc", JSON.stringify({ rules: [{ match: "name:send_mail", hide: true }] }));
  t.after(() => rmSync(path));
  const { status, stdout } = await sieve(["explain", "send_mail", "--catalog", "two.json"]);
  assert.deepEqual([status, stdout.split("\n")[0]], [1, "send_mail: not listed"]);
});

test("check: 1 and the place of each finding, in words and as JSON", async () => {
  const config =
    '{\n  // what it is about\n  "groups": [{ "name": "issues" }],\n  "rules": [\n    { "match": "name:create_isue", "groups": ["issues"] },\n    { "match": "name:*_issue", "groups": ["issues"] },\n  ],\n}\n';
  const lists = JSON.stringify({ tools: [tool("create_issue"), tool("send_mail")] });
  consumer.write("bad.jsonc", config);
  consumer.write("mail.json", lists);
  const words = await sieve(["check", "bad.jsonc", "--catalog", "-", "--filter", "groups=isues"], lists);
  assert.deepEqual(words, {
    status: 1,
    stderr: "",
    stdout:
      "bad.jsonc:5:16: rules[0].match: matches nothing: nothing is called `create_isue` (did you mean `create_issue`?) [dead_rule]\n" +
      "filter.groups[0]: unknown group `isues` (did you mean `issues`?) [unknown_name]\n" +
      "filter: selects nothing of any kind [dead_filter]\n" +
      "3 findings in 2 rules, 0 policies, 2 primitives\n",
  });
  const machine = await sieve(["check", "-", "--catalog", "mail.json", "--json"], config);
  assert.equal(machine.status, 1);
  assert.deepEqual(JSON.parse(machine.stdout), {
    rules: 2,
    policies: 0,
    primitives: 2,
    unlisted: "open",
    findings: [
      {
        code: "dead_rule",
        place: "rules[0].match",
        message: "matches nothing: nothing is called `create_isue`",
        meant: "create_issue",
        line: 5,
        column: 16,
      },
    ],
  });
});

test("check: several lists are one catalog", async () => {
  consumer.write("hide.jsonc", '{"rules":[{"match":"name:a","hide":true},{"match":"kind:prompt","hide":true}]}');
  consumer.write("tools.json", JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: [tool("a")] } }));
  consumer.write("prompts.json", JSON.stringify([{ prompts: [{ name: "p" }] }, { tools: [tool("b")] }]));
  const { status, stdout } = await sieve([
    "check",
    "hide.jsonc",
    "--catalog",
    "tools.json",
    "--catalog",
    "prompts.json",
  ]);
  const closed =
    'resources that no list mentions cannot be read: `"unlisted": true` for an upstream server opens them\n';
  assert.deepEqual([status, stdout], [0, `0 findings in 2 rules, 0 policies, 3 primitives\n${closed}`]);
  consumer.write("open.jsonc", '{"rules":[{"match":"name:a","hide":true}],"upstream":{"unlisted":true}}');
  const open = await sieve(["check", "open.jsonc", "--catalog", "tools.json"]);
  assert.deepEqual([open.status, open.stdout], [0, "0 findings in 1 rule, 0 policies, 1 primitive\n"]);
});

test("check: the lists of several servers are told apart by their names", async () => {
  const upstreams = ["one", "two"].map((name) => ({ name, url: `https://${name}.example/mcp` }));
  const rules = [
    { match: "server:two name:a", hide: true },
    { match: "server:tow", hide: true },
  ];
  consumer.write("several.jsonc", JSON.stringify({ upstreams, rules }));
  consumer.write("a.json", JSON.stringify({ tools: [tool("a")] }));
  const { status, stdout } = await sieve([
    "check",
    "several.jsonc",
    "--catalog",
    "two=a.json",
    "--catalog",
    "one=a.json",
  ]);
  const finding =
    "several.jsonc:1:170: rules[1].match: matches nothing: nothing meets `server:tow` (did you mean `two`?) [dead_rule]\n";
  assert.deepEqual([status, stdout], [1, `${finding}1 finding in 2 rules, 0 policies, 2 primitives\n`]);
  const strange = await sieve(["check", "several.jsonc", "--catalog", "three=a.json"]);
  assert.deepEqual(strange, {
    status: 2,
    stdout: "",
    stderr: "--catalog: no server is called `three`, expected `one` or `two`\n",
  });
});

test("check: the file of a host is told from a configuration", async () => {
  for (const member of ["mcpServers", "servers"]) {
    consumer.write("host.json", JSON.stringify({ [member]: { files: { command: "npx" } } }));
    assert.deepEqual(await sieve(["check", "host.json"]), {
      status: 2,
      stdout: "",
      stderr: `host.json:1:${member.length + 5}: \`${member}\` is a member of the files of hosts: \`npx mcp-sieve import FILE\` writes a configuration with their servers\n`,
    });
  }
});

test("check: 2 and why, where something cannot be read", async () => {
  consumer.write("term.jsonc", '{\n  "rules": [\n    { "match": "gruop:a", "hide": true }\n  ]\n}');
  consumer.write("comma.jsonc", '{\n  "rules": [,]\n}');
  consumer.write("latin.jsonc", Buffer.from([0x7b, 0xe9, 0x7d]));
  consumer.write("empty.jsonc", "{}");
  consumer.write("text.json", '{"tools": "none"}');
  consumer.write("dollar.jsonc", `{\n  "upstream": { "url": "https://a.example/mcp", "headers": { "X-A": "5$" } }\n}`);
  consumer.write(
    "unclosed.jsonc",
    `{\n  "middleware": { "servers": { "pii": { "url": "https://a.example/mcp", "headers": { "X-A": "\${T" } } } }\n}`,
  );
  const rows = [
    [
      ["dollar.jsonc"],
      "dollar.jsonc:2:69: upstream.headers.X-A: the header `X-A` of `upstream`: expected `${NAME}`, or `$$` for a dollar sign\n",
    ],
    [
      ["unclosed.jsonc"],
      "unclosed.jsonc:2:93: middleware.servers.pii.headers.X-A: the header `X-A` of `pii`: expected `}` after `${`\n",
    ],
    [["term.jsonc"], "term.jsonc:3:16: rules[0].match: unknown term `gruop` (did you mean `group`?) at byte 0\n"],
    [["comma.jsonc"], "comma.jsonc:2:13: not JSON: expected value at byte 14\n"],
    [["latin.jsonc"], "latin.jsonc: expected UTF-8\n"],
    [["absent.jsonc"], "absent.jsonc: there is no such file\n"],
    [["."], ".: expected a file, this is a folder\n"],
    [["empty.jsonc", "--catalog", "text.json"], "text.json: tools: expected an array\n"],
    [["empty.jsonc", "--filter", '{"groups": 1}'], "--filter: filter.groups: expected an array of strings\n"],
    [
      ["empty.jsonc", "term.jsonc"],
      "`check` expects one CONFIG, got `empty.jsonc` and `term.jsonc`; `npx mcp-sieve check --help` lists its options\n",
    ],
    [[], "expected a file to check: `npx mcp-sieve check sieve.jsonc`\n"],
  ];
  for (const [args, stderr] of rows)
    assert.deepEqual(await sieve(["check", ...args]), { status: 2, stdout: "", stderr }, args.join(" "));
  const { status, stdout } = await sieve(["check", "term.jsonc", "--json"]);
  const error = {
    code: "config",
    message: "rules[0].match: unknown term `gruop` (did you mean `group`?) at byte 0",
    path: "rules[0].match",
    line: 3,
    column: 16,
  };
  assert.deepEqual([status, JSON.parse(stdout)], [2, { error }]);
});

/** Returns the text of a list from the Worker of a world. */
const listed = async (place, { filter, cursor, query = "" }) =>
  (await send(`${workers.urls[place]}/mcp${query}`, "tools/list", { filter, cursor })).text();

const verify = (place, ...args) =>
  sieve(["verify", "--catalog", `${place}.lists.json`, "--config", `${place}.jsonc`, ...args]);

test("verify: a gateway lists the same as the catalog with the filter", async () => {
  const filter = { groups: ["mail"], tags: ["stable"], fields: ["-inputSchema"] };
  const text = await listed("office", { filter, query: "?q=-name:delete_*" });
  consumer.write("result.json", text);
  const report = JSON.parse(text).result._meta["dev.mcpsieve/filter"];
  const stdout = `catalogHash  equal    ${report.catalogHash}\nfilterHash   equal    ${report.filterHash}\nresultHash   equal    ${report.resultHash}\nprimitives   equal    ${report.resultHash}\n`;
  assert.deepEqual(await verify("office", "result.json"), { status: 0, stdout, stderr: "" });
  assert.deepEqual(
    await verify("office", "result.json", "--filter", JSON.stringify(filter), "--query", "q=-name:delete_*"),
    { status: 0, stdout, stderr: "" },
  );
  // Only the hash is given.
  const asked = ["--filter", JSON.stringify(filter), "--query", "q=-name:delete_*"];
  assert.equal((await verify("office", ...asked, report.resultHash)).status, 0);
  assert.equal((await verify("office", report.resultHash)).status, 1);
});

test("verify: a plain resource has the hash of its tag", async () => {
  const response = await fetch(`${workers.urls.office}/catalog/prompts?groups=mail`);
  consumer.write("prompts.txt", await response.text());
  const { status, stdout } = await verify("office", "prompts.txt", "--filter", "groups=mail", "--json");
  const { hashes } = JSON.parse(stdout);
  assert.deepEqual(
    [status, `"${hashes.resultHash.computed}"`, hashes.primitives.equal],
    [0, response.headers.get("etag"), true],
  );
});

test("verify: any change is found", async () => {
  const text = await listed("office", { filter: { groups: ["mail"] } });
  const changes = {
    primitives: text.replace("Send a message", "Send all messages"),
    resultHash: text.replace(/"resultHash":"./, '"resultHash":"g'),
    catalogHash: text.replace(/"catalogHash":"./, '"catalogHash":"g'),
    filterHash: text.replace(/"filterHash":"./, '"filterHash":"g'),
  };
  for (const [name, changed] of Object.entries(changes)) {
    assert.notEqual(changed, text);
    consumer.write("changed.json", changed);
    const { status, stdout } = await verify("office", "changed.json");
    assert.equal(status, 1, name);
    const differs = stdout
      .split("\n")
      .filter((line) => line.includes("differs"))
      .map((line) => line.split(" ")[0]);
    assert.deepEqual(differs, [name]);
  }
  // A list with one primitive less and no cursor is not a page.
  const whole = JSON.parse(text);
  whole.result.tools.shift();
  consumer.write("changed.json", JSON.stringify(whole));
  assert.equal((await verify("office", "changed.json")).status, 1);
});

test("verify: a page is compared with its part of the list", async () => {
  const filter = { groups: ["mail"] };
  const first = await listed("two-a-page", { filter });
  const second = await listed("two-a-page", { filter, cursor: JSON.parse(first).result.nextCursor });
  for (const page of [first, second]) {
    consumer.write("page.json", page);
    const { status, stdout } = await verify("two-a-page", "page.json");
    assert.equal(status, 0, stdout);
    assert.match(stdout, /a page: 2 of 4 primitives\n$/);
  }
});

test("verify: 2 where something cannot be read", async () => {
  consumer.write("nothing.json", "{}");
  consumer.write("half.json", '{"tools": [');
  const rows = [
    [
      ["verify", "result.json"],
      "expected the lists of the server: `npx mcp-sieve verify result.json --catalog lists.json`, --live or --upstream URL\n",
    ],
    [
      ["verify", "--catalog", "office.lists.json", "nothing.json"],
      "nothing.json: expected a list result, with one of tools, resources, resourceTemplates, prompts, skills\n",
    ],
    [["verify", "--catalog", "half.json"], "half.json:1:12: not JSON: EOF while parsing a list at byte 11\n"],
    [
      ["verify", "--catalog", "office.lists.json", "--kind", "tool"],
      "unknown kind `tool`, expected one of tools, resources, resourceTemplates, prompts, skills\n",
    ],
    [
      ["verify", "--catalog", "office.lists.json", "--filter", "group=issues"],
      "--filter: ?group: unknown field (did you mean `groups`?)\n",
    ],
    [
      ["verify", "--catalog", "office.lists.json", "--filter", "q=gruop:a"],
      "--filter: ?q: unknown term `gruop` (did you mean `group`?) at byte 0\n",
    ],
  ];
  for (const [args, stderr] of rows)
    assert.deepEqual(await sieve(args), { status: 2, stdout: "", stderr }, args.join(" "));
});

const TOKENIZER = fileURLToPath(new URL("tokenizer/node_modules/gpt-tokenizer", import.meta.url));

test("tokens: without the tokenizer it names the package to install", async () => {
  const { status, stdout, stderr } = await sieve(["tokens", "office.lists.json"]);
  assert.deepEqual([status, stdout], [2, ""]);
  assert.match(
    stderr,
    /^Counting tokens needs the package `gpt-tokenizer` \(9 MB\), which is not installed: run `npm install gpt-tokenizer@[\d.]+`, or add --yes to fetch it into .*mcp-sieve\n$/,
  );
});

test("tokens and snapshot: the counts of the vocabulary, bound to the catalog", async (t) => {
  const link = join(consumer.folder, "node_modules/gpt-tokenizer");
  symlinkSync(TOKENIZER, link);
  t.after(() => rmSync(link));
  const rows = fixture("tokens");
  consumer.write("counted.json", JSON.stringify({ tools: rows.map(({ tool }) => tool) }));
  const counted = await sieve(["tokens", "counted.json"]);
  const { catalog, tokens } = JSON.parse(counted.stdout);
  assert.equal(counted.status, 0, counted.stderr);
  assert.deepEqual(tokens, {
    tool: Object.fromEntries(rows.map(({ tool, o200k }) => [tool.name, o200k])),
    resource: {},
    template: {},
    prompt: {},
    skill: {},
  });
  const sum = rows.reduce((sum, { o200k }) => sum + o200k, 0);
  assert.equal(counted.stderr, `${sum} tokens in ${rows.length} primitives\n`);

  assert.equal((await sieve(["tokens", "counted.json", "-o", "counts.json"])).status, 0);
  assert.equal(readFileSync(join(consumer.folder, "counts.json"), "utf8"), counted.stdout);
  const made = await sieve(["snapshot", "counted.json", "--tokens", "counts.json", "-o", "catalog.sieve"]);
  assert.equal(made.status, 0, made.stderr);
  const snapshot = readFileSync(join(consumer.folder, "catalog.sieve"));
  assert.equal(made.stderr, `catalog.sieve: ${snapshot.length} bytes\n`);
  assert.equal(
    JSON.parse((await sieve(["verify", "--catalog", "counted.json", "--json"])).stdout).hashes.catalogHash.computed,
    catalog,
  );

  const { Sieve } = await consumer.load();
  const restored = Sieve.restore(new Uint8Array(snapshot));
  assert.deepEqual([restored.hash, restored.tokens()], [catalog, { count: sum, exact: true }]);
  restored.free();

  const other = await sieve(["snapshot", "office.lists.json", "--tokens", "counts.json", "-o", "other.sieve"]);
  assert.equal(other.status, 2);
  assert.match(
    other.stderr,
    /^counts\.json: counted for other lists, or with another configuration; run `npx mcp-sieve tokens office\.lists\.json -o counts\.json`\n$/,
  );
  assert.deepEqual(await sieve(["snapshot", "counted.json"]), {
    status: 2,
    stdout: "",
    stderr: "expected a file to write: `-o catalog.sieve`\n",
  });
});
