// The command with live servers, as a user runs it: the packed tarball, third-party servers, workerd.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { installCommand } from "./support/command.mjs";
import { startEverything } from "./support/everything.mjs";
import { startRawServer } from "./support/raw-server.mjs";
import { plainTool, startStatelessServer } from "./support/stateless-server.mjs";
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
    // The tracker's own concerns leave no prompts to some callers, which no suggestion changes.
    const found = checked.stdout.split("\n").filter((line) => / \[\w+\]$/.test(line) && !line.startsWith("catalog: "));
    assert.deepEqual(found, [], checked.stdout);
    assert.match(checked.stdout, name === "tracker" ? /^2 findings in /m : /^0 findings in /m);
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
  const [short, long] = await Promise.all(
    ["Call me.", "é".repeat(8 * 1024)].map((instructions) => startRawServer({ instructions })),
  );
  try {
    const upstreams = [short, ...Array(4).fill(long)].map(({ url }, at) => ({ name: `s${at}`, url }));
    command.write("long.jsonc", JSON.stringify({ upstreams: upstreams.slice(0, 2) }));
    const told = (name) => `upstreams: \`${name}\`: its \`instructions\` are 16384 bytes long and were cut after 8192`;
    const cut = await sieve("check", "long.jsonc", "--live");
    assert.equal(cut.status, 0, cut.stderr);
    assert.ok(cut.stdout.includes(told("s1")) && !cut.stdout.includes("`s0`"), cut.stdout);
    command.write("all.jsonc", JSON.stringify({ upstreams }));
    const { reports } = JSON.parse((await sieve("check", "all.jsonc", "--live", "--json")).stdout);
    const left =
      "upstreams: `s4`: its `instructions` are left out for callers that see all servers, since those of all together exceed 32768 bytes";
    assert.deepEqual(reports, [...["s1", "s2", "s3", "s4"].map(told), left]);
  } finally {
    for (const server of [short, long]) server.stop();
  }
});

test("explain: the effects of rules, policies and a filter", async () => {
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

test("check --live learns concern values, and names each concern that has no effect", async () => {
  const mapping = { quiet: ["file"], loud: ["drill"] };
  const noise = (params) => mapping[params._meta.concerns?.noise] ?? ["file", "drill"];
  const server = await startStatelessServer({
    "server/discover": {
      supportedVersions: ["2026-07-28"],
      capabilities: {
        tools: {},
        concerns: [
          { name: "noise", values: ["quiet", "loud"] },
          { name: "colour", values: ["red", "green"] },
          { name: "depth", values: { min: 0, max: 1000 } },
        ],
      },
    },
    "tools/list": (params) => ({
      tools: noise(params).map((name) => ({ ...plainTool(name), _meta: { concerns: { speed: "high" } } })),
    }),
  });
  try {
    command.write("learned.jsonc", JSON.stringify({ upstream: { url: server.url } }));
    const { findings } = JSON.parse((await sieve("check", "learned.jsonc", "--live", "--json")).stdout);
    const told = findings.map(({ code, message }) => [code, message]);
    const depth = "only ranges of at most 16 whole numbers can be learned";
    assert.deepEqual(told, [
      ["unused_concern", "no primitive has a value of the concern `colour`, which a server declares"],
      ["unused_concern", "no primitive has a value of the concern `depth`, which a server declares"],
      [
        "undeclared_concern",
        "the concern `speed` is not declared under `concerns`, and hides nothing: 2 primitives have a value of it",
      ],
      ["declaration", `server \`upstream\`: the concern \`depth\` is not learned: ${depth}`],
    ]);
    const explained = await sieve("explain", "drill", "--config", "learned.jsonc", "--live", "--json");
    assert.deepEqual(JSON.parse(explained.stdout).primitives[0].concerns, { noise: ["loud"], speed: ["high"] });
  } finally {
    await server.stop();
  }
});
