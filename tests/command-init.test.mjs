// `init` as a user runs it: the file and the messages that it writes for one server and for many.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseConfig } from "../pkg/cli/lib/input.js";
import "./support/home.mjs";
import { fixture } from "./support/protocol-worlds.mjs";
import { send } from "./support/raw-client.mjs";
import { startRawServer } from "./support/raw-server.mjs";
import { installTarball } from "./support/tarball.mjs";

const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });
const toolsNamed = (...names) => ({ tools: names.map((name) => tool(name)) });
let consumer;
const running = [];

before(async () => {
  consumer = await installTarball();
  const workerd = fileURLToPath(new URL("node_modules/workerd", import.meta.url));
  symlinkSync(workerd, join(consumer.folder, "node_modules/workerd"));
});
after(async () => {
  for (const server of running) server.stop();
  await consumer?.remove();
});

function start(args, env = {}) {
  const child = spawn(process.execPath, [join(consumer.package, "cli/main.js"), ...args], {
    cwd: consumer.folder,
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"])
    child[stream].setEncoding("utf8").on("data", (text) => (said[stream] += text));
  return { child, said, over: once(child, "close").then(([status]) => ({ status, ...said })) };
}
const sieve = (...args) => start(args).over;
const read = (file) => readFileSync(join(consumer.folder, file), "utf8");

/** Returns `--catalog` options for the lists of each server. */
function catalogs(servers) {
  return Object.entries(servers).flatMap(([name, lists]) => {
    consumer.write(`${name}.lists.json`, JSON.stringify(lists));
    return ["--catalog", `${name}=${name}.lists.json`];
  });
}

/** Returns the first words of the last line of `check`, which follows notes about prefixes. */
const counted = (stdout) => stdout.trim().split("\n").at(-1).split(" in ")[0];

/**
 * Runs `init` on these servers, and `check` on the file, which must find nothing. Returns the file and the messages.
 */
async function suggested(servers, file = "made.jsonc") {
  const options = catalogs(servers);
  const { status, stdout, stderr } = await sieve("init", ...options, "-o", file, "--force");
  assert.deepEqual([status, stdout], [0, ""], stderr);
  const checked = await sieve("check", file, ...options);
  assert.deepEqual([checked.status, counted(checked.stdout)], [0, "0 findings"], checked.stdout);
  const text = read(file);
  for (const line of text.split("\n")) assert.ok(line.length <= 120, `${line.length}: ${line}`);
  return { text, config: parseConfig(text), stderr };
}

const VERBS = ["list", "get", "create", "update", "delete"];
const about = (...topics) =>
  topics.flatMap((topic) => VERBS.map((verb) => (verb === "list" ? `${verb}_${topic}s` : `${verb}_${topic}`)));

test("one server: groups by topic, and a count of the tools in none", async () => {
  consumer.write(
    "forge.json",
    JSON.stringify(toolsNamed(...about("issue", "project"), "find_duplicate", "get_me", "ping", "search_users")),
  );
  const made = await sieve("init", "--catalog", "forge.json", "-o", "one.jsonc");
  assert.equal(made.status, 0, made.stderr);
  const { groups, rules } = parseConfig(read("one.jsonc"));
  assert.deepEqual(groups, [
    { name: "issues", description: "Tools about issues." },
    { name: "projects", description: "Tools about projects." },
  ]);
  assert.equal(rules[0].match, "kind:tool name:*_issue*");
  assert.equal(
    made.stderr,
    "one.jsonc: 2 groups, 2 tags, 4 rules\n4 of 14 tools are in no group: find_duplicate, get_me, ping and 1 more\nnext: npx mcp-sieve dev one.jsonc --upstream URL\n",
  );
  const { ungrouped } = JSON.parse(
    (await sieve("init", "--catalog", "forge.json", "-o", "one.jsonc", "--force", "--json")).stdout,
  );
  assert.deepEqual(ungrouped, [
    { server: "", count: 4, tools: 14, names: ["find_duplicate", "get_me", "ping", "search_users"] },
  ]);
  assert.equal((await sieve("check", "one.jsonc", "--catalog", "forge.json")).status, 0);
});

test("no word is made up: groups are named as the tools spell them", async () => {
  const { config } = await suggested({
    host: toolsNamed(
      "search_code",
      "get_code",
      "assign_copilot",
      "remove_copilot",
      "list_branches",
      "create_branch",
      "get_news",
      "merge_pull_request",
      "pull_request_read",
      "list_pull_requests",
    ),
  });
  assert.deepEqual(config.groups.map(({ name }) => name).sort(), ["branches", "code", "copilot", "pull-requests"]);
  assert.deepEqual(
    config.groups
      .filter(({ description }) => description)
      .map(({ description }) => description)
      .sort(),
    ["Tools about branches.", "Tools about pull requests."],
  );
});

test("a word that only qualifies others, a verb in another form and the name of the server are no groups", async () => {
  const { config } = await suggested({
    math: toolsNamed(
      ...["article_getter", "article_searcher", "trial_getter", "trial_searcher", "trial_protocol_getter"],
      ...["calculate_final_speed", "final_velocity", "get_final_price"],
      ...["math_add", "math_sum", "find_nearby_places", "find_schools_nearby"],
      ...["get_visible_text", "get_visible_html", "get_config", "set_config_value"],
    ),
    player: toolsNamed(...["back", "forward", "to"].map((word) => `player_go_${word}`), "player_stop", "stop_all"),
  });
  assert.deepEqual(
    config.groups.map(({ name }) => name),
    ["math", "math/trial", "math/article", "math/config", "player"],
  );
});

test("a topic that is another form of a group of the server is no group", async () => {
  const tools = ["get_customer", "add_customer"].map((name) => tool(name, { groups: ["customers"] }));
  consumer.write("shop.json", JSON.stringify({ tools: [...tools, tool("ping")] }));
  const { stdout } = await sieve("init", "--catalog", "shop.json", "-o", "-");
  assert.deepEqual(parseConfig(stdout).groups, [{ name: "customers" }]);
});

test("several servers: each keeps a group of its own, with topics below it", async () => {
  const { config, text, stderr } = await suggested({
    files: toolsNamed(...about("file", "folder"), "zip"),
    forge: toolsNamed(...about("issue", "file"), "ping"),
  });
  assert.deepEqual(config.groups, [
    { name: "files", description: "Everything that files offers." },
    { name: "files/folders", description: "Tools about folders.", parent: "files" },
    { name: "forge", description: "Everything that forge offers." },
    { name: "forge/issues", description: "Tools about issues.", parent: "forge" },
    { name: "forge/files", description: "Tools about files.", parent: "forge" },
  ]);
  assert.match(text, /\{ "match": "server:forge kind:tool name:\*_issue\*", "groups": \["forge\/issues"\] \}/);
  assert.match(stderr, /^1 of 11 tools of `forge` is in no group but `forge`: ping$/m);
});

test("the groups are shared out fairly among many servers", async () => {
  const words =
    "alpha bravo delta echo golf hotel india kilo lima mike oscar papa quebec romeo sierra tango uniform victor whiskey yankee".split(
      " ",
    );
  for (const count of [12, 30]) {
    const servers = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `server${at}`,
        toolsNamed(...about(...words.map((word) => `${word}${at}`)), `only${at}`),
      ]),
    );
    const { config } = await suggested(servers);
    assert.deepEqual(
      config.upstreams.map(({ name }) => name),
      Object.keys(servers),
    );
    const below = (name) => config.groups.filter(({ parent }) => parent === name).length;
    for (const name of Object.keys(servers)) {
      assert.ok(
        config.groups.some((group) => group.name === name),
        name,
      );
      const share = (64 - count) / count;
      assert.ok([Math.floor(share), Math.ceil(share)].includes(below(name)), `${name}: ${below(name)}`);
    }
    assert.equal(config.groups.length, 64);
  }
});

test("more servers than a gateway has are refused", async () => {
  const many = (count) =>
    catalogs(Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, toolsNamed(`t${at}`)])));
  assert.equal((await sieve("init", ...many(500), "-o", "-")).status, 0);
  assert.deepEqual(await sieve("init", ...many(501), "-o", "-"), {
    status: 2,
    stdout: "",
    stderr: "expected at most 500 servers, got 501\n",
  });
});

test("names of several servers get prefixes, under which a gateway lists every tool", async () => {
  const lists = {
    "mcp-fin-server": toolsNamed("get_news", "search", "get_price"),
    people: { ...toolsNamed("get_news", "search", "list_people"), prompts: [{ name: "ask" }] },
    other: { tools: [], prompts: [{ name: "ask" }, { name: "tell" }] },
  };
  const servers = {};
  for (const [name, own] of Object.entries(lists)) running.push((servers[name] = await startRawServer({ lists: own })));
  const upstreams = Object.entries(servers).flatMap(([name, { url }]) => ["--upstream", `${name}=${url}`]);
  const made = await sieve("init", ...upstreams, "-o", "prefixed.jsonc");
  assert.equal(made.status, 0, made.stderr);
  assert.match(
    made.stderr,
    /^3 names in the lists of several servers: get_news, search, ask; prefixes tell them apart: `fin_` \(mcp-fin-server\), `people_` \(people\), `other_` \(other\)$/m,
  );
  const config = parseConfig(read("prefixed.jsonc"));
  assert.deepEqual(
    config.upstreams.map(({ name, url, prefix }) => [name, url, prefix]),
    Object.entries(servers).map(([name, { url }], at) => [name, url, ["fin_", "people_", "other_"][at]]),
  );
  const checked = await sieve("check", "prefixed.jsonc", ...upstreams);
  assert.equal(checked.status, 0, checked.stdout);
  const { child, said, over } = start(["dev", "prefixed.jsonc", "--port", "0"]);
  while (!said.stdout.includes("Ctrl-C"))
    await Promise.race([once(child.stdout, "data"), over.then(({ stderr }) => assert.fail(stderr))]);
  const [, mcp] = /MCP +(\S+)/.exec(said.stdout);
  const names = async (kind) => {
    const response = await send(mcp, `${kind}/list`);
    return (await response.json()).result[kind].map(({ name }) => name);
  };
  try {
    assert.deepEqual(await names("tools"), [
      "get_news",
      "search",
      "get_price",
      "people_get_news",
      "people_search",
      "list_people",
    ]);
    assert.deepEqual(await names("prompts"), ["ask", "other_ask", "tell"]);
  } finally {
    child.kill("SIGINT");
  }
  assert.equal((await over).status, 0);
});

test("prefixes are valid and unique for any names", async () => {
  const long = "x".repeat(60);
  const servers = {
    "a.b": toolsNamed("go", "a_b_go", long), // `a_b_go` is taken
    "a-b": toolsNamed("go", "stay"),
    "word-document-processing-server": toolsNamed("go", long),
    mcp: toolsNamed("go", "move"),
    __: toolsNamed("go", "run.me/now", "größe_holen"),
  };
  const { config } = await suggested(servers);
  const prefixes = config.upstreams.map(({ prefix }) => prefix);
  assert.equal(new Set(prefixes).size, 5);
  for (const prefix of prefixes) assert.match(prefix, /^[a-z0-9_]{1,17}$/);
  const all = new Set(Object.values(servers).flatMap(({ tools }) => tools.map(({ name }) => name)));
  for (const prefix of prefixes) assert.ok(!all.has(`${prefix}go`), prefix);
  for (const at of [0, 2]) assert.ok(prefixes[at].length + long.length <= 64, prefixes[at]);
});

test("resources at one address, servers without tools, and odd names", async () => {
  const resources = [
    { uri: "docs://a", name: "a" },
    { uri: "docs://b", name: "b" },
  ];
  const { config } = await suggested({
    one: {
      ...toolsNamed(
        "a.b/list_items",
        "a.b/get_item",
        "größe_holen",
        "größe_setzen",
        "listIssues",
        "getIssue",
        "*",
        "a?b",
        "or",
      ),
      resources,
    },
    two: {
      resources: [...resources, { uri: "wiki://c", name: "c" }, { uri: "wiki://d", name: "d" }],
      resourceTemplates: [{ uriTemplate: "docs://{id}", name: "t" }],
    },
    three: { tools: [], prompts: [] },
    four: { resourceTemplates: [{ uriTemplate: "docs://{id}", name: "t" }] },
  });
  assert.deepEqual(
    config.rules.filter(({ hide }) => hide).map(({ match }) => match),
    ['server:two kind:resource (uri:"docs://a" or uri:"docs://b")', 'server:four kind:template uri:"docs://{id}"'],
  );
  const names = config.groups.map(({ name }) => name);
  for (const name of ["one", "one/größe", "one/issues", "two", "two/wiki-resources"])
    assert.ok(names.includes(name), `${name}: ${names}`);
  assert.deepEqual(
    config.upstreams.map(({ name }) => name),
    ["one", "two", "three", "four"],
  );
});

test("annotations give one tag, and names suggest another", async () => {
  const silent = toolsNamed(
    "get_issue",
    "list_issues",
    "search_and_replace",
    "get_or_create_label",
    "issue_read",
    "delete_issue",
    "get",
    "ping",
  );
  const { config, text } = await suggested({
    silent,
    stating: {
      tools: [
        tool("get_page", { annotations: { readOnlyHint: true } }),
        tool("get_secret", { annotations: { readOnlyHint: false } }),
      ],
    },
  });
  assert.deepEqual(config.tags, [
    { name: "read-only", description: "Changes nothing, as its server states." },
    { name: "reads", description: "Reads only, judging by its name." },
    { name: "destructive", description: "May destroy something." },
  ]);
  assert.match(
    text,
    /"kind:tool annotation\.readOnlyHint=true", "tags": \["read-only"\] \}, \/\/ 1 of 10 tools say so/,
  );
  // The engine compiles the same rules for the tools of a single server.
  const { text: alone } = await suggested({ silent });
  const { Sieve } = await consumer.load();
  const catalog = Sieve.compile(silent, alone);
  assert.deepEqual(catalog.names({ filter: { tags: ["reads"] } }), ["get_issue", "list_issues", "issue_read", "get"]);
  assert.deepEqual(catalog.names({ filter: { tags: ["destructive"] } }), ["delete_issue"]);
  assert.deepEqual(catalog.names({ filter: { groups: ["issues"] } }), [
    "get_issue",
    "list_issues",
    "issue_read",
    "delete_issue",
  ]);
  catalog.free();
});

test("header values stay out of the file: it refers to variables, which dev asks for", async () => {
  const forge = await startRawServer({ lists: toolsNamed(...about("issue")) });
  running.push(forge);
  const cases = [
    [
      ["--upstream", forge.url, "--header", "Authorization: Bearer s3cret"],
      { Authorization: "Bearer ${UPSTREAM_TOKEN}" },
      ["UPSTREAM_TOKEN"],
    ],
    [
      [
        "--upstream",
        `sieve=${forge.url}`,
        "--header",
        "sieve=X-Api-Key: s3cret",
        "--header",
        "sieve=Authorization: s3cret",
      ],
      { Authorization: "${SERVER_SIEVE_TOKEN}", "X-Api-Key": "${SERVER_SIEVE_X_API_KEY}" },
      ["SERVER_SIEVE_TOKEN", "SERVER_SIEVE_X_API_KEY"],
    ],
    [
      ["--upstream", `1.forge=${forge.url}`, "--header", "Authorization: Basic s3cret"],
      { Authorization: "Basic ${SERVER_1_FORGE_TOKEN}" },
      ["SERVER_1_FORGE_TOKEN"],
    ],
  ];
  for (const [args, headers, variables] of cases) {
    const made = await sieve("init", ...args, "-o", "secret.jsonc", "--force");
    assert.equal(made.status, 0, made.stderr);
    assert.doesNotMatch(read("secret.jsonc") + made.stdout + made.stderr, /s3cret/);
    assert.deepEqual(parseConfig(read("secret.jsonc")).upstream.headers, headers);
    for (const name of variables)
      assert.match(made.stderr, new RegExp(`^${name}: the file refers to this variable for the header `, "m"));
    assert.match(
      made.stderr,
      new RegExp(`^next: set ${variables.join(", ")} in the environment, then npx mcp-sieve dev secret\\.jsonc$`, "m"),
    );
    const { status, stderr } = await sieve("dev", "secret.jsonc", "--port", "0");
    assert.equal(status, 2);
    for (const name of variables) assert.ok(stderr.includes(name), stderr);
  }
  const two = await sieve(
    "init",
    "--upstream",
    `a-b=${forge.url}`,
    "--upstream",
    `a.b=${forge.url}`,
    "--header",
    "a-b=Authorization: Bearer s3cret",
    "--header",
    "a.b=Authorization: Bearer s3cret",
    "-o",
    "secret.jsonc",
    "--force",
    "--json",
  );
  assert.deepEqual(JSON.parse(two.stdout).variables, ["A_B_TOKEN", "A_B_TOKEN_2"]);
});

test("addresses that were not given are placeholders, and said to be", async () => {
  const { config, stderr } = await suggested({ Forge_1: toolsNamed("a"), wiki: toolsNamed("b") });
  assert.deepEqual(
    config.upstreams.map(({ url }) => url),
    ["https://forge-1.example/mcp", "https://wiki.example/mcp"],
  );
  assert.match(
    stderr,
    /^next: replace the addresses of Forge_1, wiki in made\.jsonc, then npx mcp-sieve dev made\.jsonc$/m,
  );
});

test("an address may stand without --upstream, and other arguments are explained", async () => {
  const server = await startRawServer({ lists: toolsNamed(...about("issue")) });
  running.push(server);
  const made = await sieve("init", server.url, "-o", "-");
  assert.deepEqual([made.status, parseConfig(made.stdout).upstream], [0, { url: server.url }]);
  assert.match(made.stderr, /\nnext: save the file as sieve\.jsonc, then npx mcp-sieve dev sieve\.jsonc\n$/);
  const named = await sieve("init", `forge=${server.url}`, `wiki=${server.url}`, "-o", "-");
  assert.deepEqual(
    parseConfig(named.stdout).upstreams.map(({ name }) => name),
    ["forge", "wiki"],
  );
  consumer.write("some.json", "{}");
  consumer.write("lists.json", JSON.stringify(toolsNamed("a")));
  const rows = [
    [
      ["some.json"],
      "some.json: expected servers to ask, `upstream` or `upstreams`, or their lists, `--catalog lists.json`\n",
    ],
    [
      ["lists.json"],
      "expected a configuration or the address of an MCP server, got the lists in `lists.json`: `--catalog lists.json` reads them\n",
    ],
    [["none.jsonc"], "none.jsonc: there is no such file\n"],
    [
      ["some.json", server.url],
      `expected one configuration, or addresses of servers, got some.json and ${server.url}\n`,
    ],
    [
      [],
      "expected a server, `npx mcp-sieve init https://example.com/mcp`, a configuration with servers, `npx mcp-sieve init sieve.jsonc`, or lists, `--catalog lists.json`\n",
    ],
  ];
  for (const [args, stderr] of rows)
    assert.deepEqual(await sieve("init", ...args, "-o", "-"), { status: 2, stdout: "", stderr });
  const pages = createServer((request, response) => {
    request.resume();
    response.writeHead(Number(request.url.slice(1)), { "content-type": "text/html" }).end("<!doctype html><p>No");
  }).listen(0, "127.0.0.1");
  await once(pages, "listening");
  const page = (status) => `http://127.0.0.1:${pages.address().port}/${status}`;
  running.push({ stop: () => pages.close() });
  for (const [args, why] of [
    [["--upstream", "here"], /^--upstream: expected the address/],
    [
      ["--upstream", "my server=http://127.0.0.1:9/mcp"],
      /^--upstream: expected a name of ASCII letters.*, got `my server`\n$/,
    ],
    [["--upstream", "日本=http://127.0.0.1:9/mcp"], /^--upstream: expected a name of ASCII letters.*, got `日本`\n$/],
    [["http://me:pw@127.0.0.1:9/mcp"], /^--upstream: expected an address without user and password, got `http:\/\/127/],
    [[server.url, "--header", "Accept: a"], /: header `accept`: it is one of those that the gateway itself writes\n$/],
    [["http://127.0.0.1:9/mcp"], /^http:\/\/127\.0\.0\.1:9\/mcp: nothing answers there/],
    [[page(404)], /404: answered `.*` with HTTP 404.*; is this the address of an MCP server\?\n$/],
    [[page(400)], /400: answered `.*` with HTTP 400.*; is this the address of an MCP server\?\n$/],
    [
      [page(200)],
      /200: answered `.*` with HTTP 200 and content type `text\/html`.*; is this the address of an MCP server\?\n$/,
    ],
  ]) {
    const { status, stderr } = await sieve("init", ...args, "-o", "x.jsonc");
    assert.equal(status, 2);
    assert.match(stderr, why);
    assert.ok(!existsSync(join(consumer.folder, "x.jsonc")));
  }
});

test("the check finds nothing for any names", async () => {
  for (const [name, { lists }] of Object.entries(fixture("worlds"))) {
    if (typeof lists !== "object") continue;
    consumer.write("world.json", JSON.stringify(lists));
    const made = await sieve("init", "--catalog", "world.json", "-o", "world.jsonc", "--force");
    assert.equal(made.status, 0, `${name}: ${made.stderr}`);
    const checked = await sieve("check", "world.jsonc", "--catalog", "world.json", "--json");
    const own = JSON.parse(checked.stdout).findings.filter(
      ({ code }) => !["left_out", "undeclared_concern"].includes(code),
    );
    assert.deepEqual(own, [], name);
  }
});

test("faults of a server are reported, and the file is still written", async () => {
  consumer.write("twice.json", JSON.stringify(toolsNamed("a", "a", "b")));
  const made = await sieve("init", "--catalog", "twice.json", "-o", "twice.jsonc");
  assert.equal(made.status, 0);
  assert.match(made.stderr, /^finding: catalog: tool `a`: .* \[left_out\]$/m);
});

test("servers that cannot be listed are all named, so that each can be mended", async () => {
  const refusing = createServer((_, response) => response.writeHead(500).end());
  refusing.listen(0, "127.0.0.1");
  await once(refusing, "listening");
  const { port } = refusing.address();
  const options = ["one", "two"].flatMap((name) => ["--upstream", `${name}=http://127.0.0.1:${port}/mcp`]);
  const { status, stdout, stderr } = await sieve("init", ...options, "-o", "refused.jsonc");
  refusing.close();
  assert.deepEqual([status, stdout, existsSync(join(consumer.folder, "refused.jsonc"))], [2, "", false]);
  const problem = `(http://127.0.0.1:${port}/mcp): answered \`server/discover\` with HTTP 500`;
  assert.equal(stderr, `one ${problem}; two ${problem}\n`);
});
