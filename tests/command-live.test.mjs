// The command with live servers, as a user runs it: the packed tarball, third-party servers, workerd.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { MAX_ALL_INSTRUCTIONS, MAX_INSTRUCTIONS } from "../pkg/cli/lib/live-server.js";
import { installCommand } from "./support/command.mjs";
import { startEverything } from "./support/everything.mjs";
import { startRawServer } from "./support/raw-server.mjs";
import { startWorkers } from "./support/workerd.mjs";

let command;
let everything;
let workers;
let tracker;

before(async () => {
  command = await installCommand();
  everything = await startEverything();
  workers = await startWorkers([{ name: "tracker", assets: "none" }]);
  tracker = `${workers.urls.tracker}/mcp`;
});
after(async () => {
  await workers?.stop();
  await everything?.stop();
  await command?.remove();
});

const sieve = (...args) => command.run(args);

test("init: its suggestions for a live server of either era pass the check", async () => {
  command.install("@modelcontextprotocol/client");
  for (const [name, url] of [
    ["tracker", tracker],
    ["everything", everything.url],
  ]) {
    const file = `${name}.jsonc`;
    const made = await sieve("init", "--upstream", url, "-o", file, "--json");
    assert.equal(made.status, 0, made.stderr);
    const { groups, tags, rules } = JSON.parse(made.stdout);
    assert.ok(groups > 0 && tags > 0 && rules > 1, made.stdout);
    const checked = await sieve("check", file, "--upstream", url);
    assert.deepEqual([checked.status, checked.stdout.split(" in ")[0]], [0, "0 findings"], checked.stdout);
  }
  const text = readFileSync(join(command.folder, "everything.jsonc"), "utf8");
  assert.match(text, /"\$schema": "\.\/node_modules\/mcp-sieve\/dist\/sieve\.schema\.json"/);
  assert.match(text, /annotation\.readOnlyHint=true", "tags": \["read-only"\] \}, \/\/ \d+ of \d+ tools say so/);
  // An existing file is not overwritten.
  const again = await sieve("init", "--upstream", everything.url, "-o", "everything.jsonc");
  assert.deepEqual(
    [again.status, again.stderr],
    [2, "everything.jsonc exists already: add --force to replace it, or -o FILE to write another file\n"],
  );
});

test("check --live: instructions that clients do not receive in full", async () => {
  command.install("@modelcontextprotocol/client");
  const [short, long] = await Promise.all(
    ["Call me.", "é".repeat(MAX_INSTRUCTIONS)].map((instructions) => startRawServer({ instructions })),
  );
  try {
    const upstreams = [short, ...Array(4).fill(long)].map(({ url }, at) => ({ name: `s${at}`, url }));
    command.write("long.jsonc", JSON.stringify({ upstreams: upstreams.slice(0, 2) }));
    const told = (name, bytes) =>
      `${name}: its \`instructions\` are ${bytes} bytes long; clients receive the first 8192`;
    const cut = await sieve("check", "long.jsonc", "--live");
    assert.equal(cut.status, 0, cut.stderr);
    assert.ok(cut.stdout.includes(told("s1", 16_384)) && !cut.stdout.includes("s0:"), cut.stdout);
    command.write("all.jsonc", JSON.stringify({ upstreams }));
    const { instructions } = JSON.parse((await sieve("check", "all.jsonc", "--live", "--json")).stdout);
    const all = "the `instructions` of all servers exceed 32768 bytes; those of the last servers are left out";
    assert.deepEqual(instructions, [...[1, 2, 3, 4].map((at) => told(`s${at}`, 16_384)), all]);
  } finally {
    for (const server of [short, long]) server.stop();
  }
});

test("check --live: the limits of instructions are the engine's", () => {
  const limit = (file, name) =>
    new RegExp(`pub const ${name}: usize = (\\d+) \\* 1024;`).exec(
      readFileSync(new URL(`../crates/gateway/src/backend/${file}`, import.meta.url), "utf8"),
    )?.[1];
  assert.equal(Number(limit("introduction.rs", "MAX_INSTRUCTIONS")) * 1024, MAX_INSTRUCTIONS);
  assert.equal(Number(limit("introductions.rs", "MAX_ALL_INSTRUCTIONS")) * 1024, MAX_ALL_INSTRUCTIONS);
});

test("explain: the effects of rules, policies and a filter", async () => {
  command.install("@modelcontextprotocol/client");
  command.write(
    "why.jsonc",
    `{
    "groups": [{ "name": "text" }],
    "concerns": [{ "name": "cost", "values": ["low", "high"] }],
    "rules": [
      { "match": "name:e*", "groups": ["text"], "concerns": { "cost": "low" } },
      { "match": "name:get-env", "hide": true },
      { "match": "name:get-sum", "name": "add", "pin": true },
    ],
    "policies": [{ "name": "staff", "show": "-name:toggle-* or claim.role:staff" }, { "name": "never", "show": "-name:trigger-*" }],
  }`,
  );
  const why = (...args) => sieve("explain", ...args, "--upstream", everything.url, "--config", "why.jsonc");
  const policies = (staff, never) => `  policy staff ${staff}\n  policy never ${never}\n`;
  const [all, none, some] = ["shows it to every caller", "hides it from every caller", "shows it to some callers"];
  const rows = [
    [
      ["echo"],
      0,
      `echo: listed\n  rules[0] matches it (why.jsonc:5:7)\n  groups    text\n  tags      none\n  concerns  cost=low\n${policies(all, all)}`,
    ],
    [["get-env"], 1, "get-env: not listed\n  rules[1] hides it (why.jsonc:6:7)\n"],
    [
      ["get-sum", "--filter", "groups=text"],
      0,
      `get-sum: listed as add\n  rules[2] matches it (why.jsonc:7:7)\n  called    add\n  groups    none\n  tags      none\n  concerns  none\n  pinned: no filter leaves it out\n${policies(all, all)}  the filter keeps it\n`,
    ],
    [
      ["trigger-long-running-operation"],
      1,
      `trigger-long-running-operation: not listed\n  groups    none\n  tags      none\n  concerns  none\n${policies(all, none)}`,
    ],
    [
      ["toggle-simulated-logging"],
      0,
      `toggle-simulated-logging: listed\n  groups    none\n  tags      none\n  concerns  none\n${policies(some, all)}`,
    ],
    [
      ["echo", "--filter", '{"tags":["stable"]}'],
      1,
      `echo: not listed\n  rules[0] matches it (why.jsonc:5:7)\n  groups    text\n  tags      none\n  concerns  cost=low\n${policies(all, all)}  the filter leaves it out: tags wants \`stable\`, it has none\n`,
    ],
    [["no-such"], 1, "no-such: no server lists it\n"],
    [["get-smu"], 1, "get-smu: no server lists it (did you mean `get-sum`?)\n"],
  ];
  for (const [args, status, stdout] of rows)
    assert.deepEqual(await why(...args), { status, stdout, stderr: "" }, args.join(" "));
  const machine = JSON.parse((await why("echo", "--filter", "q=name:x", "--json")).stdout);
  assert.deepEqual([machine.shown, machine.filter.reason.rule, machine.primitives[0].rules], [false, "where", [0]]);
  assert.equal((await sieve("explain", "echo")).status, 2);
  assert.equal((await why("echo", "--kind", "tool")).status, 2);
});

const tool = (name, more = {}) => ({ name, inputSchema: { type: "object" }, ...more });

test("check --live: items that a server lists in one revision only, or defines differently in the other", async () => {
  command.install("@modelcontextprotocol/client");
  const server = await startRawServer({
    lists: { tools: [tool("both", { description: "in a session" }), tool("session")] },
    stateless: { tools: [tool("both", { description: "stateless" }), tool("stateless")] },
  });
  try {
    command.write("both.jsonc", JSON.stringify({ upstream: { url: server.url }, checks: [] }));
    const checked = await sieve("check", "both.jsonc", "--live", "--json");
    assert.equal(checked.status, 0, checked.stdout);
    const { primitives, notes } = JSON.parse(checked.stdout);
    const message =
      "tool `both`: is defined differently in the two revisions of the server: all clients are shown the definition for stateless requests";
    assert.deepEqual([primitives, notes], [3, [{ code: "differs", place: "catalog", message }]]);
    const printed = await sieve("check", "both.jsonc", "--live");
    assert.match(printed.stdout, /defined differently in the two revisions of the server.*\[differs\]/);
    for (const [name, told] of [
      ["session", /revision +2025-11-25 and older only/],
      ["stateless", /revision +2026-07-28 only/],
      ["both", /^both: listed/],
    ]) {
      const explained = await sieve("explain", name, "--config", "both.jsonc", "--live");
      assert.equal(explained.status, 0, name);
      assert.match(explained.stdout, told);
    }
  } finally {
    server.stop();
  }
});

test("check --live: groups, tags and concerns that a server declares are known, under the operator's names", async () => {
  command.install("@modelcontextprotocol/client");
  const server = await startRawServer({
    lists: { tools: [tool("t", { groups: ["issues"], tags: ["stable"], _meta: { concerns: { cost: "low" } } })] },
    capabilities: {
      filtering: { groups: {}, tags: {} },
      concerns: [{ name: "cost", values: ["low", "high"] }, { values: ["x"] }],
    },
    answers: {
      "groups/list": {
        groups: [
          { name: "issues", title: "Issues" },
          { name: "below", _meta: { "dev.mcpsieve/parent": "nowhere" } },
        ],
      },
    },
  });
  try {
    const rules = [{ match: "group:tickets", tags: ["green"] }];
    const tags = [{ name: "green" }];
    const upstream = { url: server.url, groups: { issues: "tickets" } };
    command.write("declared.jsonc", JSON.stringify({ upstream, tags, rules }));
    const { findings } = JSON.parse((await sieve("check", "declared.jsonc", "--live", "--json")).stdout);
    const told = findings.map(({ code, message }) => [code, message]);
    // The server announces `tags/list` but does not implement it, so no declaration of the tag is found.
    assert.deepEqual(told, [
      ["undeclared_tag", "the tag `stable` is not declared under `tags`"],
      ["value_hides", "a caller that chooses `high` of `cost` is shown no tool, though there is one"],
      ["declaration", "server `upstream`: the group `below`: `nowhere` is not its parent: no such group is declared"],
      ["declaration", "server `upstream`: tags: unknown method"],
      ["declaration", "server `upstream`: a concern without a name is left out"],
    ]);
    const explained = await sieve("explain", "t", "--config", "declared.jsonc", "--live", "--json");
    const [primitive] = JSON.parse(explained.stdout).primitives;
    assert.deepEqual([primitive.groups, primitive.tags], [["tickets"], ["green", "stable"]]);
    assert.deepEqual(primitive.concerns, { cost: ["low"] });
  } finally {
    server.stop();
  }
});
