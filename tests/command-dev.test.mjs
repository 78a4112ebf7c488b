// `dev`: the gateway in front of third-party servers, in workerd, as a user runs it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import { after, afterEach, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { readableLine } from "../pkg/cli/lib/runtime-log.js";
import { totalLine } from "../pkg/cli/lib/total.js";
import { installCommand } from "./support/command.mjs";
import { startEverything } from "./support/everything.mjs";
import { freePort } from "./support/port.mjs";
import { ask } from "./support/raw-client.mjs";
import { startRawServer } from "./support/raw-server.mjs";
import { digest } from "./support/tokens.mjs";
import { workerdOf } from "./support/process.mjs";
import { until } from "./support/until.mjs";

const ENV = { TRACE: "traced" };
let command, everything, raw;

before(async () => {
  [command, everything, raw] = await Promise.all([
    installCommand(),
    startEverything(),
    startRawServer({ lists: { tools: [{ name: "only", inputSchema: { type: "object" } }] } }),
  ]);
  command.install("workerd");
});
after(async () => {
  await everything?.stop();
  raw?.stop();
  await command?.remove();
});

/** Running commands, which are stopped even if a test fails. */
const all = new Set();
/** Starts a command on a free port. */
function start(args, env) {
  const started = command.start([...args, "--port", "0"], { env: { ...ENV, ...env } });
  all.add(started);
  started.over.then(() => all.delete(started));
  return started;
}
const dev = (args, env) => start(["dev", ...args], env);
afterEach(() => Promise.all([...all].map(({ stop }) => stop())));
const event = async (running, name) => JSON.parse(await running.line(new RegExp(`^\\{"event":"${name}"`)));

async function listed(url, filter) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { tools } = await client.listTools({ filter });
  await client.close();
  return tools.map(({ name }) => name);
}

test("a gateway follows its file and leaves nothing behind", async () => {
  const rules = (tag) => JSON.stringify({ tags: [{ name: "quick" }], rules: [{ match: "name:echo", tags: [tag] }] });
  command.write("dev.jsonc", rules("quick"));
  const running = dev(["dev.jsonc", "--upstream", everything.url, "--json"]);
  const { mcp, servers, config } = await event(running, "ready");
  assert.deepEqual([servers, config], [[{ name: "upstream", url: everything.url }], "dev.jsonc"]);
  assert.deepEqual(await listed(mcp, { tags: ["quick"] }), ["echo"]);
  // A valid file takes effect, and the findings of the check are reported.
  command.write("dev.jsonc", rules("quikc"));
  assert.equal((await event(running, "finding")).code, "undeclared_tag");
  await event(running, "changed");
  assert.deepEqual(await listed(mcp, { tags: ["quikc"] }), ["echo"]);
  // If the file is invalid, the earlier configuration stays in effect.
  command.write("dev.jsonc", '{ "rules": [');
  assert.match((await event(running, "kept")).problem, /^dev\.jsonc:1:\d+: not JSON/);
  assert.deepEqual(await listed(mcp, { tags: ["quikc"] }), ["echo"]);
  const { status, stdout } = await running.stop();
  assert.deepEqual([status, stdout.trim().split("\n").at(-1)], [0, '{"event":"ended"}']);
  await assert.rejects(fetch(mcp));
  assert.deepEqual(readdirSync(command.temporary), []);
});

test("a change while the servers are being listed is no failure of the gateway", async () => {
  const silent = createServer(() => {});
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const written = (tag) =>
    command.write(
      "silent.jsonc",
      JSON.stringify({ tags: [{ name: tag }], upstream: { url: `http://127.0.0.1:${silent.address().port}/mcp` } }),
    );
  written("one");
  const running = dev(["silent.jsonc", "--json"]);
  await event(running, "ready");
  written("two");
  await event(running, "changed");
  const { stdout } = await running.stop();
  silent.closeAllConnections();
  silent.close();
  const warnings = stdout.split("\n").filter((line) => line.startsWith('{"event":"warning"'));
  assert.deepEqual(warnings, []);
});

test("a gateway whose process is killed, or whose output no one reads, leaves nothing behind", async () => {
  const alive = (pid) => existsSync(`/proc/${pid}`);
  const ends = {
    killed: ({ child }) => child.kill("SIGKILL"),
    unread: ({ child }) => {
      child.stdout.destroy();
      command.write("dev.jsonc", JSON.stringify({ tags: [{ name: "changed" }] }));
    },
  };
  for (const [how, end] of Object.entries(ends)) {
    command.write("dev.jsonc", "{}");
    const running = dev(["dev.jsonc", "--upstream", everything.url, "--json"]);
    await event(running, "ready");
    const gateway = workerdOf(running.child);
    assert.ok(alive(gateway));
    end(running);
    const { status, stderr } = await running.over;
    assert.equal(status, how === "killed" ? "SIGKILL" : 0, stderr);
    await until(() => !alive(gateway) && readdirSync(command.temporary).length === 0, `the end of workerd, ${how}`);
  }
});

test("requests are answered under the names of this machine and of the file, and under no other", async () => {
  command.write("names.jsonc", JSON.stringify({ hosts: ["mcp.example"] }));
  for (const [file, env, expected] of [
    ["names.jsonc", {}, { localhost: 200, "mcp.example": 200, "evil.example": 403 }],
    // An empty variable, as in many files of variables, names nothing.
    ["dev.jsonc", { SIEVE_HOSTS: "" }, { localhost: 200, "mcp.example": 403, "evil.example": 403 }],
    ["dev.jsonc", { SIEVE_HOSTS: "mcp.example" }, { localhost: 403, "mcp.example": 200, "evil.example": 403 }],
  ]) {
    command.write("dev.jsonc", "{}");
    const running = dev([file, "--upstream", everything.url, "--json"], env);
    const { mcp } = await event(running, "ready");
    const { port } = new URL(mcp);
    for (const [name, status] of Object.entries(expected)) {
      // `fetch` would send the name of the address.
      const sent = httpRequest({ port, host: "127.0.0.1", path: "/catalog/tools", headers: { host: name } });
      const [response] = await once(sent.end(), "response");
      response.resume();
      assert.equal(response.statusCode, status, `${file} ${JSON.stringify(env)}: ${name}`);
    }
    await running.stop();
  }
});

test("credentials in the addresses of servers are not printed", async () => {
  const address = `http://127.0.0.1:${await freePort()}/mcp?api_key=s3cret`;
  command.write("credentials.jsonc", JSON.stringify({ upstream: { name: "one", url: address } }));
  for (const args of [["credentials.jsonc"], ["credentials.jsonc", "--json"]]) {
    const running = dev(args);
    await running.line(/nothing answers|"status":"down"|cannot be reached/);
    const { stdout, stderr } = await running.stop();
    assert.match(stdout, /127\.0\.0\.1:\d+\/mcp\?…/);
    assert.doesNotMatch(stdout + stderr, /s3cret/);
  }
  const both = await dev(["credentials.jsonc", "--upstream", address]).over;
  assert.match(both.stderr, /127\.0\.0\.1:\d+\/mcp\?…\) both name the upstream server/);
  const broken = { upstream: { url: "user:s3cret@a.example/mcp" } };
  command.write("credentials.jsonc", JSON.stringify(broken));
  const refused = await dev(["credentials.jsonc"]).over;
  assert.match(refused.stderr, /is `a\.example\/mcp`, expected/);
  // `fetch` refuses to request an address with a login.
  const login = "http://user:s3cret@127.0.0.1:9/mcp";
  command.write("credentials.jsonc", JSON.stringify({ upstream: { url: login } }));
  const file = await dev(["credentials.jsonc"]).over;
  assert.match(file.stderr, /upstream\.url: expected no user or password: set the header `Authorization`/);
  const option = await dev(["--upstream", login]).over;
  assert.match(
    option.stderr,
    /^--upstream: expected an address without user and password, got `http:\/\/127\.0\.0\.1:9\/mcp`/,
  );
  assert.deepEqual([file.status, option.status], [2, 2]);
  assert.doesNotMatch(both.stderr + refused.stderr + file.stderr + option.stderr, /s3cret/);
});

describe("the servers of the file", () => {
  let odd;
  const upstreams = () => [
    { name: "forge", url: everything.url, headers: { "X-Trace": "${TRACE}" } },
    { name: "dead", url: "http://127.0.0.1:9/mcp" },
    { name: "odd", url: `http://127.0.0.1:${odd.address().port}/` },
    { name: "nowhere", url: "http://no-such-host.invalid/mcp" },
  ];
  before(async () => {
    odd = createServer((_, response) =>
      response.writeHead(404, { "content-type": "text/html" }).end("<p>nothing</p>"),
    ).listen(0, "127.0.0.1");
    await once(odd, "listening");
  });
  after(() => odd?.close());

  test("are reported, each with a line, though a stranger may list none of them", async () => {
    const checks = [{ name: "staff", require: "claim.role:*", message: "sign in" }];
    command.write("servers.jsonc", JSON.stringify({ upstreams: upstreams(), checks }));
    const running = dev(["servers.jsonc"]);
    assert.equal(await running.line(/servers/), "  servers   forge, dead, odd, nowhere");
    const { url } = upstreams()[2];
    assert.match(
      await running.line(/^ {2}forge/),
      /^ {2}forge {4}ok {2}19 tools, 7 resources, 2 resource templates, 4 prompts {2}\d+ ms$/,
    );
    assert.equal(await running.line(/^ {2}dead/), "  dead     cannot be reached (http://127.0.0.1:9/mcp)");
    assert.match(
      await running.line(/^ {2}odd/),
      new RegExp(
        `^ {2}odd {6}answered \`initialize\` with HTTP 404 and content type \`text/html\`, expected HTTP 200 .*; is this the address of an MCP server\\? \\(${url}\\)$`,
      ),
    );
    assert.equal(await running.line(/^ {2}nowhere/), "  nowhere  cannot be reached (http://no-such-host.invalid/mcp)");
    const { status, stderr } = await running.stop();
    assert.equal(status, 0, stderr);
    // A line that workerd prints names the server, and has no stack trace of its binary.
    assert.match(stderr, /\bupstream 127\.0\.0\.1:9: Error: Network connection lost\.$/m);
    assert.match(stderr, /\bupstream no-such-host\.invalid: Error: internal error$/m);
    assert.doesNotMatch(stderr, /stack:|\.c\+\+|\.rs:\d|workerd-linux|reference =|upstream: /);
  });

  test("are reported again when the file adds one, and only the new one", async () => {
    command.write("adds.jsonc", JSON.stringify({ upstreams: upstreams().slice(0, 2) }));
    const running = dev(["adds.jsonc", "--json"]);
    const first = await event(running, "server");
    assert.deepEqual(first, {
      event: "server",
      name: "forge",
      url: everything.url,
      status: "ok",
      tools: 19,
      resources: 7,
      resourceTemplates: 2,
      prompts: 4,
      skills: 0,
      ms: first.ms,
    });
    const { ms, ...dead } = await event(running, "server");
    assert.deepEqual(dead, {
      event: "server",
      name: "dead",
      url: "http://127.0.0.1:9/mcp",
      status: "down",
      reason: "upstream_unreachable",
      message: "upstream `dead` cannot be reached",
    });
    command.write(
      "adds.jsonc",
      JSON.stringify({ upstreams: [...upstreams().slice(0, 2), { name: "new", url: raw.url }] }),
    );
    await event(running, "changed");
    const added = await event(running, "server");
    assert.deepEqual([added.name, added.status, added.tools], ["new", "ok", 1]);
    const { stdout } = await running.stop();
    assert.equal(stdout.match(/"event":"server"/g).length, 3);
  });

  test("are counted as they are served: a tool that another server lists first is not", async () => {
    const url = raw.url;
    command.write(
      "twice.jsonc",
      JSON.stringify({
        upstreams: [
          { name: "one", url },
          { name: "two", url },
        ],
      }),
    );
    const running = dev(["twice.jsonc"]);
    assert.match(await running.line(/^ {2}one/), /^ {2}one {2}ok {2}1 tool {2}\d+ ms$/);
    assert.match(await running.line(/^ {2}two/), /^ {2}two {2}ok {2}0 tools {2}\d+ ms$/);
    await running.stop();
  });
});

describe("the total of all servers", () => {
  const SMALL = { tools: 1, tokens: { flat: 52, search: 440, groups: 497 } };
  const FIFTY = { tools: 50, tokens: { flat: 7_900, search: 440, groups: 497 } };
  const LARGE = { tools: 1_085, tokens: { flat: 188_060, search: 450, groups: 507 } };
  const auto = { disclosure: { mode: "auto" } };
  for (const [name, total, config, mode, expected] of [
    ["few tools", SMALL, {}, undefined, "total: 1 tool, 52 tokens"],
    [
      "more tools than one host takes",
      FIFTY,
      auto,
      undefined,
      "total: 50 tools, 7,900 tokens; Cursor takes 40 tools; with search a model reads 440 tokens first",
    ],
    [
      "more tools than hosts take",
      LARGE,
      {},
      undefined,
      "total: 1,085 tools, 188,060 tokens; Cursor takes 40 tools, VS Code 128; with search a model reads 450 tokens first",
    ],
    [
      "a mode of the file",
      LARGE,
      auto,
      undefined,
      "total: 1,085 tools, 188,060 tokens; in the mode `search` a model reads 450 tokens first",
    ],
    [
      "a mode of the command line",
      LARGE,
      auto,
      "groups",
      "total: 1,085 tools, 188,060 tokens; in the mode `groups` a model reads 507 tokens first",
    ],
    [
      "a mode whose tokens are not counted",
      FIFTY,
      { disclosure: { mode: "outline" } },
      undefined,
      "total: 50 tools, 7,900 tokens; Cursor takes 40 tools; in the mode `outline` a model reads a name and one line of each first; with search a model reads 440 tokens first",
    ],
    [
      "an outline by the command line",
      SMALL,
      auto,
      "outline",
      "total: 1 tool, 52 tokens; in the mode `outline` a model reads a name and one line of each first",
    ],
    [
      "rules about callers",
      SMALL,
      { policies: [{ name: "none", show: "-name:*" }], presets: [{ name: "one", filter: {} }] },
      undefined,
      "total: 1 tool, 52 tokens before policies and presets",
    ],
  ])
    test(`is printed with what it exceeds: ${name}`, () => {
      assert.equal(totalLine(total, JSON.stringify(config), mode), expected);
    });

  test("follows the lines of the servers, and is an event for programs", async () => {
    const tools = Array.from({ length: 130 }, (_, at) => ({ name: `t${at}`, inputSchema: { type: "object" } }));
    const many = await startRawServer({ lists: { tools } });
    try {
      command.write("total.jsonc", JSON.stringify({ upstream: { name: "many", url: many.url } }));
      const running = start(["run", "total.jsonc"]);
      await running.line(/^ {2}many +ok {2}130 tools/);
      assert.match(
        await running.line(/^total:/),
        /^total: 130 tools, [\d,]+ tokens; Cursor takes 40 tools, VS Code 128; with search a model reads 4\d\d tokens first$/,
      );
      await running.stop();
      const total = await event(dev(["total.jsonc", "--json"]), "total");
      assert.deepEqual(Object.keys(total), ["event", "tools", "tokens"]);
      assert.deepEqual([total.tools, Object.keys(total.tokens).sort()], [130, ["flat", "groups", "search"]]);
    } finally {
      many.stop();
    }
  });
});

test("only the cause remains of the output of workerd", () => {
  const rows = [
    [
      "workerd/jsg/util.c++:394: error: e = rust/worker/ffi.rs:110: failed: failed to lookup address information: Name or service not known",
      "workerd: failed to lookup address information: Name or service not known",
    ],
    [
      "workerd/io/worker.c++:2301: info: uncaught exception; exception = Error: gone; stack: /usr/bin/workerd@1 /usr/bin/workerd@2",
      "workerd: uncaught exception; exception = Error: gone",
    ],
    ["stack: /usr/bin/workerd@26570d0 /usr/bin/workerd@365a610; wdErrId = cqa7if1f", undefined],
    ["upstream a.example: Error: internal error; reference = cqa7if1f", "upstream a.example: Error: internal error"],
    ["catalog: tool `x`: left out: it has no `inputSchema`", "catalog: tool `x`: left out: it has no `inputSchema`"],
  ];
  for (const [line, printed] of rows) assert.equal(readableLine(line), printed);
});

test("a gateway without a server says so at start and to clients, and serves the file once it names one", async () => {
  command.write("later.jsonc", "{}");
  const running = dev(["later.jsonc", "--json"]);
  const { mcp, servers } = await event(running, "ready");
  assert.deepEqual(servers, []);
  const [
    {
      message: { error },
    },
  ] = await ask(mcp, "tools/list");
  assert.deepEqual([error.code, error.data], [-32603, { reason: "upstream_missing" }]);
  assert.match(error.message, /`upstream`.*sieve\.jsonc.*UPSTREAM_URL/);
  command.write("later.jsonc", JSON.stringify({ upstream: { url: everything.url } }));
  await event(running, "changed");
  assert.equal((await listed(mcp)).length, 13);
  await running.stop();
  const inWords = dev([]);
  assert.match(
    await inWords.line(/servers/),
    /^ {2}servers {3}none, so MCP requests fail; pass --upstream URL, or name a server in the configuration$/,
  );
  await inWords.stop();
});

test("no one but dev itself reads how the servers are doing", async () => {
  const running = dev(["--upstream", everything.url, "--json"], { SIEVE_DEV: digest("guessed") });
  const { mcp } = await event(running, "ready");
  for (const headers of [{}, { authorization: "Bearer guessed" }])
    assert.equal((await fetch(new URL("/upstreams", mcp), { headers })).status, 401);
  await running.stop();
});

test("the operator reads how the servers are doing with the operator's token", async () => {
  const running = dev(["--upstream", everything.url, "--json"], { SIEVE_OPERATOR: digest("of the operator") });
  const { mcp } = await event(running, "ready");
  const response = await fetch(new URL("/upstreams", mcp), { headers: { authorization: "Bearer of the operator" } });
  const {
    servers: [{ ms, ...report }],
    total,
  } = await response.json();
  assert.deepEqual(report, { name: "upstream", tools: 19, resources: 7, resourceTemplates: 2, prompts: 4, skills: 0 });
  assert.equal(total.tools, 19);
  assert.equal((await event(running, "server")).status, "ok");
  await running.stop();
});

test("the Worker's own variables come from the environment", async () => {
  command.write("mount.jsonc", '{ "middleware": {} }');
  const running = dev(["mount.jsonc", "--json"], { SIEVE_MIDDLEWARE_TOKEN: "of-the-application" });
  const { mcp } = await event(running, "ready");
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "middleware/list" });
  const ask = async (token) =>
    fetch(new URL("/middleware", mcp), {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body,
    });
  const { result } = await (await ask("of-the-application")).json();
  assert.ok(result.middleware.some(({ name }) => name === "pii_redaction"));
  assert.equal((await ask("of-another-program")).status, 401);
  assert.equal((await running.stop()).status, 0);
});

test("SIEVE_CONFIG is the configuration where there is no file", async () => {
  const running = dev(["--upstream", everything.url, "--json"], {
    SIEVE_CONFIG: '{ "rules": [{ "match": "-name:echo", "hide": true }] }',
  });
  const { mcp, config } = await event(running, "ready");
  assert.equal(config, "SIEVE_CONFIG");
  assert.deepEqual(await listed(mcp), ["echo"]);
  await running.stop();
});

test("M-42: dev and run warn of the mount that context middleware has, and of none where it has none", async () => {
  for (const [name, rules, warned] of [
    ["dev", '{ "middleware": {} }', true],
    ["dev", "{}", false],
    ["run", '{ "middleware": {} }', true],
    ["run", "{}", false],
  ]) {
    command.write("warned.jsonc", rules);
    const running = start([name, "warned.jsonc", "--upstream", everything.url], {
      SIEVE_MIDDLEWARE_TOKEN: "of-the-application",
    });
    await running.line(/MCP /);
    const { status, stdout } = await running.stop();
    assert.deepEqual(
      [
        status,
        /^warning: \/middleware is open to every program that has SIEVE_MIDDLEWARE_TOKEN, and is handed whole conversations/m.test(
          stdout,
        ),
      ],
      [0, warned],
      `${name} ${rules}`,
    );
  }
});

test("dev warns of a gateway that other machines reach, and names the settings that protect it", async () => {
  const check = [{ name: "staff", require: "claim.role:*", message: "sign in" }];
  const auth = { issuer: "https://login.example", audience: ["gateway"], jwks: "https://login.example/jwks" };
  const rows = [
    ["127.0.0.1", {}, /^warning: the gateway listens/, false],
    ["localhost", {}, /^warning: the gateway listens/, false],
    [
      "0.0.0.0",
      {},
      /^warning: the gateway listens on 0\.0\.0\.0: everyone who can reach this address can use it, with its credentials for the upstream servers; nothing protects it: add `auth` or `checks` to the configuration$/,
      true,
    ],
    ["::", {}, /^warning: the gateway listens on ::: everyone .*; nothing protects it/, true],
    [
      "0.0.0.0",
      { checks: check },
      /^warning: the gateway listens on 0\.0\.0\.0: .* if they are let in: callers must pass `staff` \(`checks`\)$/,
      true,
    ],
    ["0.0.0.0", { auth }, /^warning: .*: callers need a token of https:\/\/login\.example \(`auth`\)$/, true],
    ["0.0.0.0", { auth: { ...auth, required: false } }, /nothing protects it/, true],
  ];
  for (const [host, config, warning, expected] of rows) {
    command.write("exposed.jsonc", JSON.stringify(config));
    const running = dev(["exposed.jsonc", "--upstream", everything.url, "--host", host]);
    await running.line(/^Ctrl-C/);
    await running.line(/^ {2}upstream {2}ok/);
    const { status, stdout } = await running.stop();
    assert.equal(status, 0);
    assert.equal(
      stdout.split("\n").some((line) => warning.test(line)),
      expected,
      `${host} ${JSON.stringify(config)}: ${stdout}`,
    );
  }
});

test("a change that the gateway cannot use leaves the gateway as it was", async () => {
  const rules = (more) => JSON.stringify({ rules: [{ match: "-name:echo", hide: true }], ...more });
  command.write("broken.jsonc", rules());
  const running = dev(["broken.jsonc", "--upstream", everything.url, "--json"]);
  const { mcp } = await event(running, "ready");
  for (const [more, why] of [
    [{ middleware: { functions: ["no_such"] } }, /there is no function `no_such`/],
    [{ upstream: { url: raw.url } }, /both name the upstream server/],
  ]) {
    command.write("broken.jsonc", rules(more));
    // The command may read the file while it is written.
    const kept = async () => why.test((await event(running, "kept")).problem);
    await until(kept, "the reason for which the gateway is kept");
    assert.deepEqual(await listed(mcp), ["echo"]);
  }
  assert.equal((await running.stop()).status, 0);
});
