// `deploy` with the real wrangler, which uploads nothing. The bundle that it would upload runs in workerd.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { json } from "node:stream/consumers";
import { NODE_22, installCommand } from "./support/command.mjs";
import { ask } from "./support/raw-client.mjs";
import { RUNTIMES } from "./support/runtimes.mjs";
import { tokensVariable } from "./support/tokens.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";

let command;
before(async () => {
  command = await installCommand();
  command.install("wrangler");
});
after(() => command?.remove());

const folder = () => join(command.folder, ".sieve/deploy");
const deploy = (...args) => command.run(["deploy", ...args], { node: NODE_22 });
const open = (more) => JSON.stringify({ upstream: { url: "https://a.example/mcp" }, ...more });

/** Runs the command, which must fail before it writes files for wrangler. */
async function refused(...args) {
  rmSync(folder(), { recursive: true, force: true });
  const { status, stdout, stderr } = await deploy(...args, "--dry-run");
  assert.deepEqual([status, stdout, existsSync(folder())], [2, "", false], stderr);
  return stderr;
}

describe("a configuration of 30 servers and 2,000 rules", { timeout: 120_000 }, () => {
  const names = Array.from({ length: 30 }, (_, at) => `s${at}`);
  const config = {
    groups: names.map((name) => ({ name })),
    tags: [{ name: "quick" }],
    checks: [{ name: "staff", require: "claim.role:*", message: "sign in with a staff account" }],
    rules: Array.from({ length: 2_000 }, (_, at) => ({
      match: `server:s${at % 30} name:tool_${at}`,
      groups: [`s${at % 30}`],
      tags: ["quick"],
      description: `Tool number ${at}, in the words of the operator: "ä" \\ \`\${NOT_A_VARIABLE}\`.`,
    })),
    upstreams: names.map((name) => ({
      name,
      url: `https://${name}.example/mcp`,
      headers: { Authorization: "Bearer ${TOKEN}" },
    })),
  };
  const text = `// Of the company. /* A comment stays. */\n${JSON.stringify(config, undefined, 2)}\n`;
  let printed, internet, requests, workers;

  before(async () => {
    command.write("big.jsonc", text);
    printed = await deploy("big.jsonc", "--name", "my-gate", "--dry-run");
    assert.equal(printed.status, 0, printed.stderr);
    requests = [];
    // Every host on the internet: server sN lists tool_N and tool_(N+30).
    internet = createServer(async (request, response) => {
      requests.push(request.headers);
      const { id, method } = await json(request);
      if (id === undefined) return response.writeHead(202).end();
      const at = Number(/^s(\d+)\.example/.exec(request.headers.host)[1]);
      const tools = [at, at + 30].map((number) => ({ name: `tool_${number}`, inputSchema: { type: "object" } }));
      const results = {
        initialize: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "s", version: "1" },
        },
        "tools/list": { tools },
      };
      const answer = results[method]
        ? { result: results[method] }
        : { error: { code: -32601, message: "unknown method" } };
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    }).listen(0, "127.0.0.1");
    await once(internet, "listening");
    const env = {
      TOKEN: "of the company",
      SIEVE_TOKENS: tokensVariable({ "of-alice": { sub: "alice", role: "staff" } }),
    };
    const bundle = join(folder(), "bundle");
    const service = { bundle, env, hosts: "", network: `127.0.0.1:${internet.address().port}`, assets: "none" };
    workers = await startWorkers([
      { name: "deployed", ...service },
      {
        name: "both",
        ...service,
        config: { server: { name: "of the variable" }, upstream: { url: "https://s3.example/mcp" } },
      },
    ]);
  });
  after(async () => {
    await workers?.stop();
    internet?.closeAllConnections();
    internet?.close();
  });

  test("is written as a file, comments included, and no variable holds it", () => {
    assert.equal(readFileSync(join(folder(), "sieve.jsonc"), "utf8"), text);
    const { name, main, vars } = JSON.parse(readFileSync(join(folder(), "wrangler.json"), "utf8"));
    assert.deepEqual([name, main, vars], ["my-gate", "worker.js", {}]);
  });

  test("is the same as the bundle serves in workerd", async () => {
    // On a busy machine, some of the thirty servers are listed only after the first response.
    let message;
    await until(async () => {
      const headers = { authorization: "Bearer of-alice" };
      [{ message }] = await ask(`${workers.urls.deployed}/mcp`, "tools/list", {}, { headers });
      assert.equal(message.error, undefined, JSON.stringify(message.error));
      return message.result.tools.length === 60;
    }, "the tools of every server");
    const last = message.result.tools.find(({ name }) => name === "tool_59");
    assert.equal(last.description, config.rules[59].description);
    assert.deepEqual(last._meta["dev.mcpsieve/groups"], ["s29"]);
    assert.ok(requests.every(({ authorization }) => authorization === "Bearer of the company"));
    const [{ message: stranger }] = await ask(`${workers.urls.deployed}/mcp`, "tools/list");
    assert.match(stranger.error.message, /sign in with a staff account/);
  });

  test("is an error beside SIEVE_CONFIG, which would replace its policies", async () => {
    const [{ message }] = await ask(`${workers.urls.both}/mcp`, "tools/list");
    assert.equal(message.error.data.reason, "config");
    assert.match(message.error.message, /SIEVE_CONFIG and the file sieve\.jsonc both set the configuration/);
  });

  test("names every secret with its purpose", () => {
    const [, listed] = printed.stdout.split("Nothing was sent. Set each secret once:\n");
    const named = [...listed.matchAll(/^ {2}npx wrangler secret put (\w+) --name my-gate\n {4}(.+)$/gm)].map(
      ([, name, purpose]) => [name, /^optional: /.test(purpose)],
    );
    assert.deepEqual(named, [
      ["TOKEN", false],
      ["SIEVE_TOKENS", false],
      ["SIEVE_KEY", false],
      ["SIEVE_OPERATOR", true],
    ]);
  });
});

test("M-42: secrets are listed for programs, and context middleware gets a warning", { timeout: 60_000 }, async () => {
  command.write(
    "deploy.jsonc",
    '{ // what it is\n "rules": [{ "match": "name:echo", "tags": ["a,]"], },], "upstream": { "url": "https://a.example/mcp", "headers": { "X": "${TOKEN}" } }, "middleware": {} }',
  );
  const { status, stdout, stderr } = await deploy("deploy.jsonc", "--public", "--dry-run", "--json");
  assert.equal(status, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), {
    name: "mcp-sieve",
    folder: folder(),
    dryRun: true,
    secrets: ["TOKEN", "SIEVE_MIDDLEWARE_TOKEN", "SIEVE_KEY"],
    optionalSecrets: ["SIEVE_OPERATOR"],
  });
  assert.match(stderr, /env\.SESSIONS \(SessionObject\)/);
  assert.match(stderr, /^warning: \/middleware is open to every program that has SIEVE_MIDDLEWARE_TOKEN/m);
});

test("the number of servers is compared with what the plans allow", { timeout: 120_000 }, async () => {
  for (const [count, expected] of [
    [2, "2 servers: Cloudflare's free plan allows 45, the paid plan 500"],
    [46, "warning: 46 servers: Cloudflare's free plan allows 45, the paid plan 500"],
  ]) {
    const upstreams = Array.from({ length: count }, (_, at) => ({ name: `s${at}`, url: `https://s${at}.example/mcp` }));
    command.write("servers.jsonc", JSON.stringify({ upstreams }));
    const { status, stderr } = await deploy("servers.jsonc", "--dry-run");
    assert.equal(status, 0, stderr);
    assert.ok(stderr.split("\n").includes(expected), stderr);
  }
});

test("secrets that the file contains are reported", async () => {
  const { writtenSecrets } = await import("../pkg/cli/lib/secrets.js");
  const headers = {
    Authorization: "Bearer of the company",
    "X-Team": "ghp_0123456789",
    "X-Api-Key": "$${NAME}",
    Cookie: "session=${SESSION}",
    "X-Region": "eu-1",
  };
  const upstreams = [{ name: "forge", url: "https://a.example/mcp", headers }];
  const middleware = { servers: { guard: { url: "https://b.example/mcp", headers: { "X-Token": "a" } } } };
  const reported = writtenSecrets(JSON.stringify({ upstreams, middleware }));
  const named = reported.map((line) => /^the header `(.+)` of the server `(.+)` has its value/.exec(line).slice(1));
  assert.deepEqual(named, [
    ["Authorization", "forge"],
    ["X-Team", "forge"],
    ["X-Api-Key", "forge"],
    ["X-Token", "guard"],
  ]);
  assert.doesNotMatch(reported.join(), /of the company|ghp_/);
});

test("secrets of clients are variables, and reported if the file contains them", async () => {
  const { secretsOf, writtenSecrets } = await import("../pkg/cli/lib/secrets.js");
  const { variables } = await import("../pkg/cli/lib/environment.js");
  const server = (name, client) => ({ name, url: "https://a.example/mcp", auth: { type: "user", client } });
  const upstreams = [
    server("one", { id: "${ONE_ID}", secret: "${ONE_SECRET}" }),
    server("two", { id: "two", secret: "of the company" }),
    server("three", { id: "three", key: '{"kty":"EC"}' }),
    { name: "four", url: "https://a.example/mcp", auth: "user" },
  ];
  const config = JSON.stringify({ upstreams });
  const named = writtenSecrets(config).map((line) => /^`(.+)` of the server `(.+)` has its value/.exec(line).slice(1));
  assert.deepEqual(named, [
    ["auth.client.secret", "two"],
    ["auth.client.key", "three"],
  ]);
  assert.doesNotMatch(writtenSecrets(config).join(), /of the company|kty/);
  const names = secretsOf(config).map(({ name }) => name);
  assert.deepEqual(names.slice(0, 2), ["ONE_ID", "ONE_SECRET"]);
  assert.deepEqual(variables(config, { ONE_ID: "a", ONE_SECRET: "b", OTHER: "c" }), { ONE_ID: "a", ONE_SECRET: "b" });
  assert.throws(() => variables(config, { ONE_ID: "a" }), /`ONE_SECRET` \(`auth.client.secret` of the server `one`\)/);
});

test("SIEVE_TOKENS is needed if a condition reads claims and no authorization server signs them", async () => {
  const { secretsOf } = await import("../pkg/cli/lib/secrets.js");
  const auth = { issuer: "https://login.example", audience: ["a"], jwks: "https://login.example/jwks" };
  const rows = [
    [{}, false],
    [{ checks: [{ name: "a", require: "claim.role:*", message: "m" }] }, true],
    [{ policies: [{ name: "a", show: "-tag:x or (-claim.sub:*)" }] }, true],
    [{ presets: [{ name: "a", when: "-claim.role:*", filter: {} }] }, true],
    [{ presets: [{ name: "a", filter: {} }] }, false],
    // Conditions may be JSON, also in text.
    [{ policies: [{ name: "a", show: { claim: { role: "admin" } } }] }, true],
    [{ policies: [{ name: "a", show: { "claim.role": "admin" } }] }, true],
    [{ policies: [{ name: "a", show: '{"claim": {"role": "admin"}}' }] }, true],
    [{ policies: [{ name: "a", show: { not: { "claim.role": "x" } } }] }, true],
    [{ policies: [{ name: "a", show: { name: "claim.x" } }] }, false],
    [{ policies: [{ name: "a", show: { name: "claim" } }] }, false],
    [{ policies: [{ name: "a", show: "name:claim.x" }] }, false],
    [{ auth, policies: [{ name: "a", show: "claim.sub:*" }] }, false],
  ];
  for (const [config, needed] of rows) {
    assert.equal(
      secretsOf(JSON.stringify(config)).some(({ name }) => name === "SIEVE_TOKENS"),
      needed,
      JSON.stringify(config),
    );
  }
});

test("a gateway that gives its credentials to everyone is deployed only with --public", {
  timeout: 60_000,
}, async () => {
  command.write(
    "credentials.jsonc",
    open({ upstream: { url: "https://a.example/mcp", headers: { Authorization: "Bearer ${TOKEN}" } } }),
  );
  assert.match(
    await refused("credentials.jsonc"),
    /^nothing is deployed: everyone would use the credentials of this configuration\. Add `auth` or `checks` to it, or pass --public/m,
  );
  assert.equal((await deploy("credentials.jsonc", "--public", "--dry-run")).status, 0);
});

test("all obstacles are named at once", async () => {
  const upstreams = [
    { name: "a", url: "https://a.example/mcp", headers: { Authorization: "Bearer ${TOKEN}" } },
    { name: "inner", url: "http://127.0.0.1:9/mcp" },
    { name: "local", command: ["node", "server.js"] },
    { name: "lan", url: "http://box.lan/mcp" },
  ];
  command.write("obstacles.jsonc", JSON.stringify({ upstreams }));
  const [, listed] = /^nothing is deployed:\n((?: {2}.*\n)+)$/m.exec(await refused("obstacles.jsonc"));
  assert.deepEqual(
    listed.split("\n").map((line) => line.slice(2, 30)),
    [
      "everyone would use the crede",
      "the server `local` is starte",
      "the server `inner` has the a",
      "the server `lan` has the add",
      "",
    ],
  );
});

test("the address of the command line is judged as that of the file is", { timeout: 60_000 }, async () => {
  const closed = { checks: [{ name: "staff", require: "claim.role:*", message: "sign in" }] };
  command.write("sieve.jsonc", "{}");
  command.write("closed.jsonc", JSON.stringify(closed));
  for (const url of [
    "https://a.example/mcp?api_key=s3cret",
    "https://a.example/mcp?x=1&token=s3cret",
    "https://a.example/mcp?Access_Token=s3cret",
  ]) {
    command.write("file.jsonc", open({ upstream: { url } }));
    const [inFile, given] = [await refused("file.jsonc"), await refused("--upstream", url)];
    for (const stderr of [inFile, given]) {
      assert.match(stderr, /^nothing is deployed: everyone would use the credentials of this configuration/m, url);
      assert.match(stderr, /upstream\.url: every caller uses the operator's credentials .* \[open_gateway\]$/m);
      assert.doesNotMatch(stderr, /s3cret/);
    }
  }
  // With a check, the address is deployed, and the warning says where its key is.
  const url = "https://a.example/mcp?api_key=s3cret";
  const { status, stderr } = await deploy("closed.jsonc", "--upstream", url, "--dry-run");
  assert.equal(status, 0, stderr);
  assert.match(
    stderr,
    /^warning: the `url` of the server `upstream` contains a credential, which becomes part of the deployed code/m,
  );
  assert.doesNotMatch(stderr, /open_gateway/);
  rmSync(join(command.folder, "sieve.jsonc"));
});

test("settings that cannot work are refused before anything is written", async () => {
  const rows = [
    [
      "no server",
      "{}",
      [],
      /expected a server, as --upstream https:\/\/example\.com\/mcp or as `upstream` in the configuration$/m,
    ],
    ["an error in the file", '{ "rules": [{ "match": "nam:x" }] }', [], /^wrong\.jsonc:1:\d+: /],
    [
      "no address",
      open({ upstream: { name: "mine", url: "a.example/mcp" } }),
      [],
      /^wrong\.jsonc: the address of the server `mine` is `a\.example\/mcp`, expected one such as https:\/\/example\.com\/mcp$/m,
    ],
    [
      "a function that there is not",
      open({ middleware: { functions: ["pii_redaction", "no_such"] } }),
      [],
      /^wrong\.jsonc:1:\d+: middleware\.functions\[1\]: there is no function `no_such`$/m,
    ],
    [
      "a pattern that matches the empty string",
      open({ middleware: { patterns: { DESK: { pattern: "D*" } } } }),
      [],
      /^wrong\.jsonc:1:\d+: middleware\.patterns\.DESK\.pattern: expected a pattern that does not match the empty string$/m,
    ],
    [
      "a chain of it",
      open({
        middleware: {
          chains: [{ on: ["tools/call"], request: ["pii_redaction"], response: ["pii_restoration", "no_such"] }],
        },
      }),
      [],
      /^wrong\.jsonc:1:\d+: middleware\.chains\[0\]\.response\[1\]\S*: .*`no_such`/m,
    ],
    [
      "a chain of it, for the last items",
      open({ middleware: { chains: [{ on: ["tools/call"], response: { steps: ["no_such"], last: 1 } }] } }),
      [],
      /^wrong\.jsonc:1:\d+: middleware\.chains\[0\]\.response\.steps\[0\]\S*: .*`no_such`/m,
    ],
    [
      "a loopback address",
      open({ upstream: { name: "mine", url: "http://127.0.0.1:3001/mcp" } }),
      [],
      /the server `mine` has the address http:\/\/127\.0\.0\.1:3001\/mcp, which only this machine or its network reaches/,
    ],
    [
      "a private address",
      open({
        upstream: undefined,
        upstreams: [
          { name: "a", url: "https://a.example/mcp" },
          { name: "b", url: "https://10.1.2.3/mcp" },
        ],
      }),
      [],
      /the server `b` has the address https:\/\/10\.1\.2\.3\/mcp/,
    ],
    [
      "a loopback address as an option",
      "{}",
      ["--upstream", "http://localhost:3001/mcp"],
      /the server `upstream` has the address http:\/\/localhost:3001\/mcp/,
    ],
    [
      "two servers",
      open(),
      ["--upstream", "https://b.example/mcp"],
      /^`wrong\.jsonc` \(`upstream`\) and --upstream or UPSTREAM_URL \(https:\/\/b\.example\/mcp\) both name the upstream server/,
    ],
    [
      "two configurations",
      open(),
      ["--config", "other.jsonc"],
      /^`wrong\.jsonc` and `--config other\.jsonc` both set the configuration/,
    ],
    [
      "several servers as options",
      "{}",
      ["--upstream", "a=https://a.example/mcp", "--upstream", "b=https://b.example/mcp"],
      /^--upstream: expected one server; name several as `upstreams`/,
    ],
    ["a name that the platform does not take", open(), ["--name", "My Gate"], /^--name: expected small letters/],
    // Random text does not compress.
    [
      "more than the platform takes",
      open({ server: { instructions: Array.from({ length: 2 ** 19 }, () => crypto.randomUUID()).join() } }),
      [],
      /the Worker has \d+\.\d MiB after gzip, of which the configuration takes \d+\.\d, and Cloudflare accepts 10/,
    ],
  ];
  for (const [what, config, args, why] of rows) {
    command.write("wrong.jsonc", config);
    assert.match(await refused("wrong.jsonc", ...args), why, what);
  }
});

test("addresses that only this machine or its network reaches", async () => {
  const { isInternal } = await import("../pkg/cli/lib/addresses.js");
  const rows = {
    true: [
      "http://localhost:1/",
      "http://app.localhost/",
      "http://127.9.9.9/",
      "http://0x7f.1/",
      "http://2130706433/",
      "http://0.0.0.0/",
      "http://10.0.0.1/",
      "http://172.16.0.1/",
      "http://172.31.255.255/",
      "http://192.168.0.1/",
      "http://169.254.169.254/",
      "http://100.64.0.1/",
      "http://[::1]/",
      "http://[::ffff:10.0.0.1]/",
      "http://[fd00::1]/",
      "http://[fe80::1]/",
      "http://printer.local/",
      "http://host.docker.internal/",
      "http://database:8080/",
    ],
    false: [
      "https://example.com/mcp",
      "https://example.com./mcp",
      "http://8.8.8.8/",
      "http://172.32.0.1/",
      "http://100.128.0.1/",
      "http://[2606:4700::1111]/",
      "https://local.example/",
      "https://10.example.com/",
    ],
  };
  for (const [internal, urls] of Object.entries(rows))
    for (const url of urls) assert.equal(String(isInternal(url)), internal, url);
});

test("no option deploys a gateway without a server", async () => {
  const { status, stderr } = await deploy("--demo", "--dry-run", "--json");
  assert.equal(status, 2);
  assert.match(stderr, /--demo/);
});

test("a wrangler that does not run under this Node is named, with the Node that it needs", async () => {
  command.write("plain.jsonc", open());
  const { status, stderr } = await command.run(["deploy", "plain.jsonc", "--dry-run"], {
    node: RUNTIMES["Node 20"][0],
  });
  assert.equal(status, 2);
  assert.match(
    stderr,
    /^wrangler 4\.\d+\.\d+ needs Node 22 or later, and this is Node 20\.\d+\.\d+: run this command under Node 22, or install an earlier wrangler, `npm install wrangler@4\.86\.0` under Node 20$/m,
  );
});
