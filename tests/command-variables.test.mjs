// Variables of the command: files of `--env-file`, and the tokens of callers that `access` makes.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { installCommand } from "./support/command.mjs";
import { send } from "./support/raw-client.mjs";
import { startRawServer } from "./support/raw-server.mjs";
import { digest } from "./support/tokens.mjs";

const tool = (name) => ({ name, inputSchema: { type: "object" } });
let command;
let server;

before(async () => {
  command = await installCommand();
  command.install("workerd");
  server = await startRawServer({ lists: { tools: [tool("read"), tool("admin")] } });
});
after(async () => {
  server?.stop();
  await command?.remove();
});

const at = (name) => join(command.folder, name);
const read = (name) => readFileSync(at(name), "utf8");
const run = (args, env) => command.run(args, { env });

/** Names of the tools that a gateway lists for a token, or the status of its refusal. */
async function toolsFor(mcp, token) {
  const response = await send(mcp, "tools/list", undefined, {
    headers: token && { authorization: `Bearer ${token}` },
  });
  if (!response.ok) return response.status;
  return (await response.json()).result.tools.map(({ name }) => name);
}

test("`access add` makes a token that a gateway accepts, and keeps only its hash in the file", async () => {
  command.write(".env", "# secrets\nFORGE_TOKEN='a b' # of forge\n");
  const config = {
    upstream: { url: server.url, headers: { "X-Token": "${FORGE_TOKEN}" } },
    checks: [{ name: "staff", require: "claim.role:*", message: "staff only" }],
    policies: [{ name: "admins", show: "-name:admin or claim.role:admin" }],
  };
  command.write("access.json", JSON.stringify(config));
  const made = {};
  for (const [name, role] of Object.entries({ alice: "support", "o'neil": "admin" })) {
    const args = ["access", "add", name, "--claims", JSON.stringify({ role, note: "it's" }), "-o", ".env", "--json"];
    const { status, stdout, stderr } = await run(args);
    assert.equal(status, 0, stderr);
    made[role] = JSON.parse(stdout);
    assert.deepEqual(made[role].claims, { sub: name, note: "it's", role });
    assert.equal(made[role].hash, digest(made[role].token));
    assert.doesNotMatch(read(".env"), new RegExp(made[role].token));
  }
  assert.ok(read(".env").startsWith("# secrets\nFORGE_TOKEN='a b' # of forge\nSIEVE_TOKENS='{"));
  const running = command.start(["run", "access.json", "--env-file", ".env", "--port", "0"]);
  const [, mcp] = /MCP +(\S+)/.exec(await running.line(/MCP/));
  try {
    assert.deepEqual(await toolsFor(mcp, made.support.token), ["read"]);
    assert.deepEqual(await toolsFor(mcp, made.admin.token), ["read", "admin"]);
    assert.equal(await toolsFor(mcp), 401);
  } finally {
    await running.stop();
  }
});

test("`access add` prints the token once, and the variable with the entry", async () => {
  const known = JSON.stringify({ [digest("first")]: { sub: "bob", n: 1 } });
  const { status, stdout } = await run(["access", "add", "alice", "--claims", '{"id": 12345678901234567890}'], {
    SIEVE_TOKENS: known,
  });
  const [, token] = /^ {2}token {3}([0-9a-f]{64})$/m.exec(stdout);
  assert.equal(status, 0);
  assert.equal(stdout.split(token).length, 2);
  const entry = `"${digest(token)}":{"sub":"alice","id":12345678901234567890}`;
  assert.ok(stdout.includes(`\nSIEVE_TOKENS='${known.slice(0, -1)},${entry}}'\n`), stdout);
  const twice = await run(["access", "add", "bob"], { SIEVE_TOKENS: known });
  assert.deepEqual(
    [twice.status, twice.stderr],
    [
      2,
      "the environment: `bob` has a token in SIEVE_TOKENS already: remove its entry, or add --another for a second one\n",
    ],
  );
  assert.equal((await run(["access", "add", "bob", "--another"], { SIEVE_TOKENS: known })).status, 0);
});

/** Lines of a file of variables, before and after: only the value changes. */
const FORMS = [
  ["A=1\nSIEVE_TOKENS={} # none yet\nB=2", /^A=1\nSIEVE_TOKENS='\{"\w{64}":.*\}' # none yet\nB=2$/],
  ["export SIEVE_TOKENS = '{}'\r\nB='x\r\ny'\r\n", /^export SIEVE_TOKENS = '\{"\w{64}":.*\}'\r\nB='x\r\ny'\r\n$/],
  ["SIEVE_TOKENS=`{ }`\nA=SIEVE_TOKENS\n", /^SIEVE_TOKENS='\{"\w{64}":.*\}'\nA=SIEVE_TOKENS\n$/],
  ["A=1", /^A=1\nSIEVE_TOKENS='\{"\w{64}":.*\}'\n$/],
];

test("a file of variables keeps everything else, and a new one is private", async () => {
  for (const [text, pattern] of FORMS) {
    command.write("form.env", text);
    const { status, stderr } = await run(["access", "add", "alice", "-o", "form.env"]);
    assert.equal(status, 0, stderr);
    assert.match(read("form.env"), pattern);
  }
  assert.equal((await run(["access", "add", "alice", "-o", "new.env"])).status, 0);
  assert.match(read("new.env"), /^SIEVE_TOKENS='\{/);
  if (process.platform !== "win32") assert.equal(statSync(at("new.env")).mode & 0o777, 0o600);
});

test("`access` explains what it refuses, and writes nothing", async () => {
  command.write("sieve.jsonc", "// mine\n{}\n");
  command.write("odd.env", "SIEVE_TOKENS=[]\n");
  const claims = (text) => ["access", "add", "alice", "--claims", text];
  const rows = [
    [["access"], "expected `add` and the name of a caller: `npx mcp-sieve access add alice`"],
    [["access", "remove", "alice"], "expected `add` and the name of a caller: `npx mcp-sieve access add alice`"],
    [
      ["access", "add", "a", "b"],
      "`access` expects `add NAME`, got `add` and `a` and 1 more; `npx mcp-sieve access --help` lists its options",
    ],
    [["access", "add", " a"], "expected a name of 1 to 256 characters without white space around it"],
    [["access", "add", "a".repeat(257)], "expected a name of 1 to 256 characters without white space around it"],
    [claims("[1]"), `--claims: expected a JSON object, such as '{"role":"support"}', got \`[1]\``],
    [claims("role=support"), `--claims: expected a JSON object, such as '{"role":"support"}', got \`role=support\``],
    [claims('{"a":{"b":1,"b":2}}'), "--claims: `b` occurs twice, expected once"],
    [claims('{"sub":"bob"}'), "--claims: `sub` is the name of the caller, which is given as `access add alice`"],
    [
      [...claims("{}"), "-o", "sieve.jsonc"],
      "sieve.jsonc: expected a file of variables such as .env, where SIEVE_TOKENS belongs, got JSON",
    ],
    [
      [...claims("{}"), "-o", "odd.env"],
      'odd.env: SIEVE_TOKENS: expected a JSON object, such as {"SHA-256 of a token in hex": {"sub": "alice"}}',
    ],
  ];
  for (const [args, message] of rows)
    assert.deepEqual(await run(args), { status: 2, stdout: "", stderr: `${message}\n` }, args.join(" "));
  const env = { SIEVE_TOKENS: "{}" };
  assert.equal(
    (await run(["access", "add", "alice", "-o", "other.env"], env)).stderr,
    "SIEVE_TOKENS is set in the environment, which wins over other.env: unset it, or leave out --out\n",
  );
  assert.ok(!existsSync(at("other.env")));
});

test("--env-file sets what the environment does not, in every command that reads variables", async () => {
  command.write(
    "headers.json",
    JSON.stringify({ upstream: { url: server.url, headers: { "X-A": "${A}", "X-B": "${B}" } } }),
  );
  command.write("one.env", "A=of the file\nB='of the file'\n");
  const unset = "the configuration refers to variables that are not set in the environment";
  const missing = await run(["run", "headers.json", "--port", "0"]);
  assert.deepEqual(
    [missing.status, missing.stderr],
    [
      2,
      `${unset}:\n  \`A\` (header \`X-A\` of the server \`upstream\`)\n  \`B\` (header \`X-B\` of the server \`upstream\`)\n`,
    ],
  );
  const from = server.requests.length;
  const checked = await run(["check", "headers.json", "--live", "--env-file", "one.env"], { A: "of the environment" });
  assert.notEqual(checked.status, 2, checked.stderr);
  assert.ok(server.requests.length > from);
  for (const headers of server.requests.slice(from))
    assert.deepEqual([headers["x-a"], headers["x-b"]], ["of the environment", "of the file"]);
  for (const args of [["explain", "read", "--live", "--config"], ["init"]])
    assert.notEqual((await run([...args, "headers.json", "--env-file=one.env"])).status, 2, args.join(" "));
});

test("a file of variables that cannot be read is an error", async () => {
  // Node itself reads `--env-file` of any program, and ends with a message of its own if it cannot.
  for (const [path, reason] of [
    ["none.env", /none\.env: (?:not found|there is no such file)/],
    [".", /\.: (?:invalid format|expected a file, this is a folder)/],
    ["-", /-: (?:not found)|expected a file, not standard input/],
  ]) {
    const { status, stdout, stderr } = await run(["check", "headers.json", `--env-file=${path}`]);
    assert.ok(status !== 0, path);
    assert.equal(stdout, "");
    assert.match(stderr, reason);
  }
});
