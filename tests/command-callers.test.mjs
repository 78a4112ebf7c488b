// The tools of each caller: `explain` of names as the gateway lists them, and `--as`. Runs the packed tarball and its
// gateway in workerd.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serviceOf } from "./support/protocol-worlds.mjs";
import { send } from "./support/raw-client.mjs";
import { startRawServer } from "./support/raw-server.mjs";
import { installTarball } from "./support/tarball.mjs";
import { startWorkers } from "./support/workerd.mjs";

const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });
const LISTS = {
  maps: {
    tools: [tool("get_news"), tool("find_route"), tool("pan")],
    resources: [{ uri: "map://world", name: "world" }],
  },
  fin: {
    tools: [tool("get_news"), tool("quote"), tool("find_route")],
    resources: [{ uri: "map://world", name: "again" }],
  },
  people: { tools: [tool("get_news"), tool("phone")], prompts: [{ name: "greet" }] },
};
const PREFIX = { fin: { prefix: "fin_" }, people: { prefix: "people_", prefixAll: true } };
const ROLES = {
  checks: [{ name: "staff", require: "claim.role:*", message: "sign in with a staff account" }],
  tags: [{ name: "destructive" }],
  rules: [{ match: "name:delete_*", tags: ["destructive"] }],
  policies: [
    { name: "destroying", show: "-tag:destructive or claim.role:admin" },
    { name: "team only", show: "-name:ping or claim.role=member", kinds: ["prompt"] },
  ],
  presets: [
    { name: "support", when: "claim.role:support", filter: { namePatterns: ["list_*"] } },
    { name: "billing", filter: { namePatterns: ["*_invoice"] } },
  ],
};
const ROLE_LISTS = {
  tools: [tool("list_issues"), tool("delete_issue"), tool("list_invoice")],
  prompts: [{ name: "ping" }],
};
const TOKENS = {
  admin: { sub: "a", role: "admin" },
  member: { sub: "m", role: "member" },
  support: { sub: "s", role: "support" },
  stranger: { sub: "x" },
};
let consumer;
let servers;
let workers;

before(async () => {
  consumer = await installTarball();
  for (const [name, lists] of Object.entries(LISTS)) consumer.write(`${name}.json`, JSON.stringify(lists));
  servers = Object.fromEntries(
    await Promise.all(Object.entries(LISTS).map(async ([name, lists]) => [name, await startRawServer({ lists })])),
  );
  const upstreams = (prefixes) =>
    Object.keys(LISTS).map((name) => ({ name, url: servers[name].url, ...prefixes[name] }));
  const rules = [
    { match: "name:pan", hide: true },
    { match: "server:fin name:quote", name: "stock" },
  ];
  for (const [name, prefixes] of [
    ["prefixed", PREFIX],
    ["plain", {}],
  ])
    consumer.write(`${name}.jsonc`, JSON.stringify({ upstreams: upstreams(prefixes), rules }));
  servers.roles = await startRawServer({ lists: ROLE_LISTS });
  const worlds = {
    prefixed: { config: { upstreams: upstreams(PREFIX), rules } },
    plain: { config: { upstreams: upstreams({}), rules } },
    roles: { config: ROLES, tokens: TOKENS },
  };
  workers = await startWorkers(
    Object.entries(worlds).map(([name, world]) =>
      serviceOf(name, world, name === "roles" ? servers.roles.url : undefined),
    ),
  );
});
after(async () => {
  await workers?.stop();
  for (const server of Object.values(servers ?? {})) server.stop();
  await consumer?.remove();
});

const command = (...args) => consumer.command(args);
const catalogs = Object.keys(LISTS).flatMap((name) => ["--catalog", `${name}=${name}.json`]);
const explain = (config, name, ...more) =>
  command("explain", name, "--config", `${config}.jsonc`, ...catalogs, ...more);

/** Returns the names of the tools that the gateway lists to a caller with a token, or to one without. */
async function listedBy(world, token) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { result } = await (await send(`${workers.urls[world]}/mcp`, "tools/list", {}, { headers })).json();
  return result?.tools.map(({ name }) => name);
}

test("explain: a name is listed exactly where the gateway lists it", async () => {
  for (const world of ["prefixed", "plain"]) {
    const names = await listedBy(world);
    const own = Object.values(LISTS).flatMap(({ tools }) => tools.map(({ name }) => name));
    for (const name of new Set([...names, ...own, "stock", "fin_stock", "fin_pan", "people_pan", "none"])) {
      const { stdout } = await explain(world, name, "--kind", "tools", "--json");
      const { shown, primitives } = JSON.parse(stdout);
      const called = primitives.filter(({ visible }) => visible).map((primitive) => primitive.name ?? primitive.id);
      assert.equal(called.includes(name), names.includes(name), `${world}: ${name}: ${stdout}`);
      assert.equal(shown, called.length > 0);
      assert.ok(
        called.every((listed) => names.includes(listed)),
        stdout,
      );
    }
  }
});

test("explain: prefixes, rules and collisions in words", async () => {
  const [rest, at] = ["  groups    none\n  tags      none\n  concerns  none\n", (server) => `at ${server}:\n`];
  const renamed =
    "  reported: `get_news` of `fin` is listed under its prefix, as `fin_get_news`, because `maps` lists the name as well\n";
  const rows = [
    [
      "prefixed",
      "fin_get_news",
      0,
      `fin_get_news: listed\n  called    fin_get_news\n  own name  get_news\n${rest}${renamed}`,
    ],
    [
      "prefixed",
      "get_news",
      0,
      `get_news: listed\n${at("maps")}${rest}${at("fin")}  called    fin_get_news\n${rest}${at("people")}  called    people_get_news\n${rest}${renamed}`,
    ],
    ["prefixed", "phone", 0, `phone: listed as people_phone\n  called    people_phone\n${rest}`],
    ["prefixed", "greet", 0, `greet: listed as people_greet\n  called    people_greet\n${rest}`],
    ["prefixed", "pan", 1, /^pan: not listed\n {2}rules\[0\] hides it \(prefixed\.jsonc:1:\d+\)\n$/],
    [
      "plain",
      "get_news",
      0,
      `get_news: listed\n${at("maps")}${rest}${at("fin")}  left out: \`maps\` lists \`get_news\` first; give \`fin\` a prefix\n${at("people")}  left out: \`maps\` lists \`get_news\` first; give \`people\` a prefix\n`,
    ],
    [
      "plain",
      "map://world",
      0,
      `map://world: listed\n${at("maps")}${rest}${at("fin")}  left out: \`maps\` lists \`map://world\` first; hide one of them by a rule\n`,
    ],
    ["plain", "fin_get_news", 1, "fin_get_news: no server lists it (did you mean `get_news`?)\n"],
  ];
  for (const [config, name, status, stdout] of rows) {
    const found = await explain(config, name);
    assert.deepEqual([found.status, found.stderr], [status, ""], name);
    if (typeof stdout === "string") assert.equal(found.stdout, stdout);
    else assert.match(found.stdout, stdout);
  }
});

test("explain: a primitive that is left out by itself, or not wholly read, says why", async () => {
  consumer.write(
    "odd.json",
    JSON.stringify({ tools: [{ name: "schemaless", inputSchema: "none" }, tool("odd", { tags: "none" })] }),
  );
  const left = await command("explain", "schemaless", "--catalog", "odd.json");
  assert.equal(left.status, 1);
  assert.match(left.stdout, /^schemaless: not listed\n {2}reported: `inputSchema` [^\n]*left out\n$/);
  const odd = await command("explain", "odd", "--catalog", "odd.json");
  assert.match(odd.stdout, /^odd: listed\n[^]*\n {2}reported: `tags` is not an array of strings, ignored\n$/);
  const checked = await command("check", "plain.jsonc", "--catalog", "maps=odd.json");
  assert.match(
    checked.stdout,
    /catalog: tool `schemaless`: `inputSchema` [^\n]*left out \[left_out\]\ncatalog: tool `odd`: `tags` is not an array of strings, ignored \[left_out\]\n/,
  );
});

const asRoles = (word, ...args) => {
  consumer.write("roles.jsonc", JSON.stringify(ROLES));
  consumer.write("roles.json", JSON.stringify(ROLE_LISTS));
  const file = word === "check" ? ["roles.jsonc"] : ["--config", "roles.jsonc"];
  return command(word, ...args, ...file, "--catalog", "roles.json");
};

test("explain: the decisive rule for one caller", async () => {
  const [matched, none] = [/\n {2}rules\[0\] matches it/, "  groups    none\n  tags      none\n  concerns  none\n"];
  const of = async (name, claims, ...more) => {
    const { status, stdout, stderr } = await asRoles("explain", name, ...(claims ? ["--as", claims] : []), ...more);
    assert.equal(stderr, "");
    return [status, stdout];
  };
  // For any caller: each preset is reported with the callers that it applies to.
  assert.deepEqual(await of("list_issues"), [
    0,
    `list_issues: listed\n${none}  policy destroying shows it to every caller\n  policy team only shows it to every caller\n  preset support shows it to callers with claim.role:support\n  preset billing hides it at /mcp/billing\n`,
  ]);
  const [, some] = await of("delete_issue");
  assert.match(
    some,
    /\n {2}policy destroying shows it to some callers\n {2}policy team only shows it to every caller\n {2}preset support hides it from callers with claim\.role:support\n {2}preset billing hides it at \/mcp\/billing\n$/,
  );
  // For one caller.
  const [status, member] = await of("delete_issue", '{"role":"member"}');
  assert.deepEqual([status, matched.test(member)], [1, true]);
  assert.match(
    member,
    /^delete_issue: not listed for \{"role":"member"\}\n[^]*\n {2}policy destroying hides it\n {2}policy team only shows it\n$/,
  );
  assert.match(
    (await of("delete_issue", 'boss={"role":"admin"}'))[1],
    /^delete_issue: listed for boss\n[^]*\n {2}policy destroying shows it\n {2}policy team only shows it\n$/,
  );
  assert.deepEqual(await of("list_issues", '{"role":["x","support"]}'), [
    0,
    `list_issues: listed for {"role":["x","support"]}\n${none}  policy destroying shows it\n  policy team only shows it\n  preset support shows it\n`,
  ]);
  assert.match(
    (await of("ping", 'support={"role":"support"}'))[1],
    /^ping: not listed for support\n[^]*\n {2}policy team only hides it\n {2}preset support hides it\n$/,
  );
  assert.match(
    (await of("list_issues", "{}"))[1],
    /^list_issues: not listed for \{\}\n {2}refused by the check staff: sign in with a staff account\n/,
  );
  assert.match(
    (await of("list_issues", '{"role":"admin"}', "--preset", "billing"))[1],
    /^list_issues: not listed for [^]*\n {2}preset billing hides it\n$/,
  );
  assert.match(
    (await of("list_issues", '{"role":"admin"}', "--preset", "support"))[1],
    /\n {2}\/mcp\/support does not exist for this caller\n/,
  );
  const machine = JSON.parse((await of("delete_issue", 'm={"role":"member"}', "--json"))[1]);
  assert.deepEqual(
    [machine.shown, machine.caller, machine.primitives[0].visible, machine.primitives[0].policies[0]],
    [false, { name: "m", claims: { role: "member" } }, false, { name: "destroying", says: "hides" }],
  );
});

test("check: a table of callers, and their names as JSON", async () => {
  const { status, stdout, stderr } = await asRoles(
    "check",
    "--as",
    '{"role":"admin"}',
    "--as",
    'member={"role":"member"}',
    "--as",
    'support={"role":"support"}',
    "--as",
    "{}",
  );
  assert.deepEqual([status, stderr], [0, ""], stdout);
  assert.equal(
    stdout,
    `0 findings in 1 rule, 2 policies, 4 primitives
resources that no list mentions cannot be read: \`"unlisted": true\` for an upstream server opens them
caller            tools  resources  templates  prompts
(whole catalog)       3          0          0        1
{"role":"admin"}      3          0          0        0
member                2          0          0        1
support               2          0          0        0
{}                    0          0          0        0  refused by the check staff: sign in with a staff account
`,
  );
  const machine = JSON.parse(
    (await asRoles("check", "--as", 'member={"role":"member"}', "--as", "{}", "--json")).stdout,
  );
  const none = { tools: [], resources: [], resourceTemplates: [], prompts: [], skills: [] };
  assert.deepEqual(
    [machine.catalog, machine.roles],
    [
      { tools: 3, resources: 0, resourceTemplates: 0, prompts: 1, skills: 0 },
      {
        member: { claims: { role: "member" }, ...none, tools: ["list_issues", "list_invoice"], prompts: ["ping"] },
        "{}": { claims: {}, refused: { check: "staff", message: "sign in with a staff account" }, ...none },
      },
    ],
  );
  const preset = await asRoles("check", "--as", 'admin={"role":"admin"}', "--preset", "billing");
  assert.match(preset.stdout, /\nadmin {16}1 {10}0 {10}0 {8}0\n$/);
});

/** Returns the tools that the gateway lists to a caller with this token. */
const seenWith = async (token) => (await listedBy("roles", token)) ?? [];

test("check and explain: each caller sees what the gateway lists to it", async () => {
  const as = Object.entries(TOKENS).flatMap(([name, claims]) => ["--as", `${name}=${JSON.stringify(claims)}`]);
  const { roles } = JSON.parse((await asRoles("check", ...as, "--json")).stdout);
  for (const [name, claims] of Object.entries(TOKENS)) {
    const seen = await seenWith(name);
    assert.deepEqual(roles[name].tools, seen, name);
    for (const tool of ROLE_LISTS.tools) {
      const { status } = await asRoles("explain", tool.name, "--as", JSON.stringify(claims));
      assert.equal(status === 0, seen.includes(tool.name), `${name}: ${tool.name}`);
    }
  }
});

test("check: without callers it proposes them, where one claim decides", async () => {
  const { stdout } = await asRoles("check");
  assert.match(
    stdout,
    /\nthe view of a caller depends on `claim\.role`; to compare callers, add --as '\{"role":"admin"\}' --as '\{"role":"member"\}' --as '\{"role":"support"\}' --as '\{\}'\n$/,
  );
  consumer.write(
    "claims.jsonc",
    JSON.stringify({ policies: [{ name: "p", show: "claim.role:admin or header.x-team:core or client.name:x" }] }),
  );
  const other = await command("check", "claims.jsonc", "--catalog", "roles.json");
  assert.doesNotMatch(other.stdout, /--as/);
  const absent = await command("check", "claims.jsonc", "--catalog", "roles.json", "--as", "{}");
  assert.match(
    absent.stdout,
    /\nthe file also reads `header\.x-team`, `client\.name` of callers; --as describes claims alone, so that this counts as absent\n$/,
  );
});

test("values that --as refuses", async () => {
  const rows = [
    [
      ["check", "plain.jsonc", "--as", "analyst"],
      /^--as: expected the claims of a caller as a JSON object, such as '\{"role":"analyst"\}' or analyst='\{"role":"analyst"\}', got `analyst`\n$/,
    ],
    [["check", "plain.jsonc", "--as", 'a={"role":}'], /^--as: expected the claims/],
    [["check", "plain.jsonc", "--as", "[1]"], /^--as: expected the claims/],
    [
      ["check", "plain.jsonc", "--as", "{}"],
      /^--as: expected the lists that callers see a part of: --live, --catalog lists\.json or --upstream https:\/\/example\.com\/mcp\n$/,
    ],
    [["check", "plain.jsonc", "--preset", "x"], /^--preset: expected a caller/],
    [["explain", "pan", "--catalog", "maps.json", "--as", "{}", "--as", "a={}"], /^--as: expected one caller/],
    [["check", "plain.jsonc", "--as", "a={}", "--as", 'a={"role":"x"}'], /^--as: `a` is the name of two callers\n$/],
    [
      ["check", "plain.jsonc", ...Array.from({ length: 65 }, () => ["--as", "{}"]).flat()],
      /^--as: expected at most 64 callers, got 65\n$/,
    ],
  ];
  for (const [args, stderr] of rows) {
    const found = await command(...args);
    assert.deepEqual([found.status, found.stdout], [2, ""], args.join(" "));
    assert.match(found.stderr, stderr);
  }
});
