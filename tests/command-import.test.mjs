// `import`: turns the files of hosts into a configuration, puts Sieve into them, and restores them.
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, beforeEach, describe, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parseConfig } from "../pkg/cli/lib/input.js";
import { makeKey } from "./support/authorization.mjs";
import { installCommand } from "./support/command.mjs";
import "./support/home.mjs";
import { startRawServer } from "./support/raw-server.mjs";
import { startWorkers } from "./support/workerd.mjs";

const fixture = fileURLToPath(new URL("support/stdio-server.mjs", import.meta.url));
let command;
let folders = 0;
/** The folder of this test. */
let folder;

before(async () => {
  command = await installCommand();
  command.install("workerd");
});
after(() => command?.remove());
beforeEach(() => {
  folder = `hosts-${(folders += 1)}`;
});

const at = (path) => join(command.folder, folder, path);
const read = (path) => readFileSync(at(path), "utf8");
function write(path, content) {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
  return `${folder}/${path}`;
}
const run = (...args) =>
  command.run(["import", ...args, ...(args.includes("--undo") ? [] : ["-o", `${folder}/sieve.jsonc`])]);
/** Imports files, and returns the report and the configuration. */
async function imported(...args) {
  const { status, stdout, stderr } = await run(...args, "--json");
  assert.deepEqual([status, stderr], [0, ""]);
  const config = parseConfig(read("sieve.jsonc"));
  return { report: JSON.parse(stdout), servers: config.upstreams ?? [config.upstream], config };
}

describe("servers", () => {
  test("are taken from the file of each host, with secrets as variables", async () => {
    const claude = write("claude_desktop_config.json", {
      mcpServers: {
        forge: {
          command: "npx",
          args: ["-y", "forge-mcp", "--api-key", "s3cret"],
          env: { FORGE_TOKEN: "ghp_x", REGION: "eu" },
        },
        wiki: { url: "https://wiki.example/mcp", headers: { Authorization: "Bearer s3cret", "X-Team": "blue" } },
      },
    });
    const { report, servers } = await imported(claude);
    assert.deepEqual(servers, [
      {
        name: "forge",
        prefix: "forge_",
        command: ["npx", "-y", "forge-mcp", "--api-key", "${FORGE_API_KEY}"],
        env: { FORGE_TOKEN: "${FORGE_TOKEN}", REGION: "eu" },
      },
      {
        name: "wiki",
        prefix: "wiki_",
        url: "https://wiki.example/mcp",
        headers: { Authorization: "Bearer ${WIKI_TOKEN}", "X-Team": "blue" },
      },
    ]);
    assert.deepEqual(
      report.variables.map(({ name }) => name),
      ["FORGE_TOKEN", "FORGE_API_KEY", "WIKI_TOKEN"],
    );
    // Neither the configuration nor the report contains a secret.
    assert.doesNotMatch(read("sieve.jsonc") + JSON.stringify(report), /s3cret|ghp_x/);
  });

  test("may have members that are null", async () => {
    const file = write("null.json", {
      mcpServers: {
        local: { command: "npx", args: null, env: null, cwd: null, envFile: null },
        remote: { url: "https://a.example/mcp", headers: null },
      },
    });
    const { servers } = await imported(file);
    assert.deepEqual(servers, [
      { name: "local", prefix: "local_", command: ["npx"] },
      { name: "remote", prefix: "remote_", url: "https://a.example/mcp" },
    ]);
  });

  test("with names that differ in signs alone have prefixes of their own", async () => {
    const file = write("names.json", {
      mcpServers: Object.fromEntries(["日本", "中国", "a b", "a-b", "..."].map((name) => [name, { command: "npx" }])),
    });
    const { servers } = await imported(file);
    assert.deepEqual(
      servers.map(({ prefix }) => prefix),
      ["server_", "server-2_", "a-b_", "a-b-2_", "server-3_"],
    );
  });

  test("with members of another type are left out, and the others are taken", async () => {
    const file = write("odd.json", {
      mcpServers: {
        text: { command: "node", args: "-y foo" },
        nested: { command: "node", args: [null, ["x"]] },
        empty: { command: "" },
        named: { command: "node", env: { A: null, B: "b" } },
        environment: { command: "node", env: "A=b" },
      },
    });
    const { servers, report } = await imported(file);
    assert.deepEqual(servers, [{ name: "named", command: ["node"], env: { B: "b" } }]);
    assert.deepEqual(
      report.files[0].left.map(({ name, reason }) => `${name} ${reason}`),
      [
        "text has `args` that are no array of texts",
        "nested has `args` that are no array of texts",
        "empty has an empty `command`",
        "environment has `env` that is no object",
      ],
    );
  });

  test("have no secrets in arguments that assign them", async () => {
    const file = write("assigned.json", {
      mcpServers: {
        a: { command: "env", args: ["API_TOKEN=abc", "LEVEL=2", "node"] },
        b: { command: "npx", args: ["mcp-remote", "https://x.example/mcp?api_key=abcdef"] },
      },
    });
    const { servers, report } = await imported(file);
    assert.deepEqual(servers[0].command, ["env", "API_TOKEN=${API_TOKEN}", "LEVEL=2", "node"]);
    assert.match(JSON.stringify(report), /its `command` contains a URL with a credential/);
  });

  test("have no secrets under the names that the engine knows", async () => {
    const names = ["PGPASSWORD", "DB_PASS", "SMTP_PASS", "GPG_PASSPHRASE", "PRIVATEKEY", "ACCESSTOKEN", "JWT", "PIN"];
    const more = [
      "MYSQL_PWD",
      "REDISAUTH",
      "SSHKEY",
      "CLIENTSECRET",
      "DB_PW",
      "CREDS",
      "OTP",
      "SESSIONID",
      "PASSWORD2",
    ];
    const secrets = Object.fromEntries([...names, ...more].map((name) => [name, "s3cret"]));
    const plain = { REGION: "eu", MAX_TOKENS: "4096", OVERPASS_URL: "https://o.example", AUTHOR: "me", PATTERN: "x" };
    const file = write("names.json", {
      mcpServers: {
        local: { command: "npx", args: ["--smtp-pass", "s3cret", "--pin=s3cret"], env: { ...secrets, ...plain } },
        remote: { url: "https://a.example/mcp", headers: { "X-Pass": "s3cret", "X-Jwt": "s3cret", "X-Team": "blue" } },
      },
    });
    const { servers } = await imported(file);
    assert.doesNotMatch(read("sieve.jsonc"), /s3cret/);
    for (const [name, value] of Object.entries(plain)) assert.equal(servers[0].env[name], value);
    assert.equal(servers[1].headers["X-Team"], "blue");
  });

  test("with a secret in the address are reported", async () => {
    const secret = [
      "https://a.example/mcp?api_key=x",
      "https://a.example/mcp?dbPass=x",
      "https://a.example/s/ghp_0123456789/mcp",
      "https://a.example/s/3f2504e0-4f89-11d3-9a0c-0305e82c3301/mcp",
      "https://a.example/s/NmQ3YzA5ZjEtYzQyMC00ZjA4/mcp",
      "https://a.example/api%5Fkey/abc123/mcp",
      "https://a.example/%67hp_0123456789",
    ];
    const plain = [
      "https://a.example/mcp",
      "https://a.example/v1/auth/mcp",
      "https://a.example/servers/model-context-protocol-v2-eu1-2025/mcp?page=2",
    ];
    const file = write("addresses.json", {
      mcpServers: Object.fromEntries([...secret, ...plain].map((url, at) => [`s${at}`, { url }])),
    });
    const { report } = await imported(file);
    assert.deepEqual(
      report.files[0].taken.map(({ notes }) => notes.some((note) => /its `url` contains a credential/.test(note))),
      [...secret.map(() => true), ...plain.map(() => false)],
    );
  });

  test("of VS Code and Cursor may have comments, inputs and variables of the host", async () => {
    const code = write(
      ".vscode/mcp.json",
      `{
        // Asked for once.
        "inputs": [{ "id": "forge-token", "type": "promptString", "password": true }],
        "servers": {
          "forge": {
            "type": "stdio",
            "command": "npx",
            "args": ["forge-mcp", "\${workspaceFolder}/data", "--token=\${input:forge-token}"],
            "env": { "LEVEL": "\${env:LEVEL}", "PRICE": "$5" },
          },
        },
      }`,
    );
    const { servers } = await imported(code);
    assert.deepEqual(servers, [
      {
        name: "forge",
        command: ["npx", "forge-mcp", at("data"), "--token=${FORGE_TOKEN}"],
        env: { LEVEL: "${LEVEL}", PRICE: "$$5" },
      },
    ]);
  });

  test("of one name in two files get names of their own, and the same server is taken once", async () => {
    const same = { command: "same-mcp" };
    const one = write("mcp.json", { mcpServers: { forge: { command: "one-mcp" }, same } });
    const other = write(".cursor/mcp.json", { mcpServers: { forge: { command: "other-mcp" }, same } });
    const { servers, config } = await imported(one, other);
    assert.deepEqual(config.presets, [
      { name: "mcp", filter: { where: "server=forge or server=same" } },
      { name: "cursor", filter: { where: "server=forge-2 or server=same" } },
    ]);
    assert.deepEqual(
      servers.map(({ name, command: [program] }) => [name, program]),
      [
        ["forge", "one-mcp"],
        ["same", "same-mcp"],
        ["forge-2", "other-mcp"],
      ],
    );
  });

  test("get their own secrets alone, whatever names these have", async () => {
    const file = write("mcp.json", {
      mcpServers: {
        inherits: { command: "a-mcp", env: { API_TOKEN: "${API_TOKEN}" } },
        one: { command: "b-mcp", env: { API_TOKEN: "one" } },
        two: { command: "c-mcp", args: ["--token", "${API_TOKEN}"], env: { OTHER_TOKEN: "two" } },
        three: { command: "d-mcp", env: { API_TOKEN: "three" } },
      },
    });
    const code = write(".vscode/mcp.json", { servers: { four: { command: "x", env: { A: "${input:token}" } } } });
    const other = write("other/mcp.json", { servers: { five: { command: "x", env: { A: "${input:token}" } } } });
    const { servers } = await imported(file, code, other);
    assert.deepEqual(
      servers.map(({ command, env }) => [...command.slice(2), ...Object.values(env)]),
      [
        ["${API_TOKEN}"],
        ["${API_TOKEN_2}"],
        ["${API_TOKEN}", "${OTHER_TOKEN}"],
        ["${API_TOKEN_3}"],
        ["${TOKEN}"],
        ["${TOKEN_2}"],
      ],
    );
  });

  test("have secrets in the options of their commands", async () => {
    const file = write("mcp.json", {
      mcpServers: {
        docker: {
          command: "docker",
          args: ["run", "-e", "PAT=s3cret", "-e", "REGION=eu", "--env=KEY=s3cret", "image"],
        },
        remote: {
          command: "npx",
          args: [
            "mcp-remote",
            "https://a.example",
            "--header",
            "Authorization: Bearer s3cret",
            "-H",
            "X-Api-Key:s3cret",
          ],
        },
        own: {
          command: "npx",
          args: ["mcp-remote", "https://b.example", "--header", "Authorization:${AUTH}"],
          env: { AUTH: "Bearer s3cret" },
        },
      },
    });
    const { report, servers } = await imported(file);
    assert.deepEqual(
      servers.map(({ command }) => command),
      [
        ["docker", "run", "-e", "PAT=${PAT}", "-e", "REGION=eu", "--env=KEY=${KEY}", "image"],
        [
          ...["npx", "mcp-remote", "https://a.example"],
          ...["--header", "Authorization: Bearer ${REMOTE_TOKEN}", "-H", "X-Api-Key:${REMOTE_X_API_KEY}"],
        ],
        ["npx", "mcp-remote", "https://b.example", "--header", "Authorization:$${AUTH}"],
      ],
    );
    assert.deepEqual(report.files[0].taken[2].notes, [
      "`${AUTH}` (command) is left to the program, whose `env` sets `AUTH`",
    ]);
    assert.doesNotMatch(read("sieve.jsonc") + JSON.stringify(report), /s3cret/);
  });

  test("may have variables with defaults in their addresses", async (t) => {
    process.env.SIEVE_TEST_HOST = "http://127.0.0.1:9";
    t.after(() => delete process.env.SIEVE_TEST_HOST);
    const url = (address) => ({ type: "http", url: address });
    const file = write("mcp.json", {
      mcpServers: {
        api: url("${API_BASE_URL_NOT_SET:-https://api.example.com}/mcp"),
        path: url("https://api.example.com/${NOT_SET_A:-v1}/${NOT_SET_B:-mcp}"),
        set: url("${SIEVE_TEST_HOST:-https://api.example.com}/mcp"),
        empty: url("https://api.example.com/mcp${NOT_SET_C:-}"),
        env: url("${env:NOT_SET_D:-https://api.example.com}/mcp"),
        without: url("https://${NOT_SET_E}/mcp"),
        input: url("https://${input:host}/mcp"),
      },
    });
    const { report, servers } = await imported(file);
    assert.deepEqual(
      servers.map(({ name, url }) => [name, url]),
      [
        ["api", "https://api.example.com/mcp"],
        ["path", "https://api.example.com/v1/mcp"],
        ["set", "http://127.0.0.1:9/mcp"],
        ["empty", "https://api.example.com/mcp"],
        ["env", "https://api.example.com/mcp"],
      ],
    );
    const [{ taken, left }] = report.files;
    const replaced = (name, by) =>
      `\`\${${name}}\` (url) is replaced by its ${by}: addresses in sieve.jsonc have no variables`;
    assert.deepEqual(taken[0].notes, [replaced("API_BASE_URL_NOT_SET", "default")]);
    assert.deepEqual(taken[1].notes, [replaced("NOT_SET_A", "default"), replaced("NOT_SET_B", "default")]);
    assert.deepEqual(taken[2].notes, [replaced("SIEVE_TEST_HOST", "value")]);
    assert.deepEqual(
      left.map(({ name, reason }) => [name, reason]),
      ["without", "input"].map((name) => [name, "has a variable without a default in its address"]),
    );
  });

  test("are reported with what is not taken over as it is", async () => {
    const file = write(".cursor/mcp.json", {
      mcpServers: {
        forge: {
          command: "forge-mcp",
          args: ["${workspaceFolderBasename}", "${command:pick}", "${MODE:-fast}"],
          cwd: "${env:WORK}",
          autoApprove: ["read"],
        },
      },
    });
    const { report, servers } = await imported(file);
    assert.deepEqual(servers[0].command, ["forge-mcp", folder, "$${command:pick}", "${MODE}"]);
    assert.deepEqual(report.files[0].taken[0].notes, [
      "not taken over: `autoApprove`",
      "`${command:pick}` (command) is left as it is: Sieve does not know what a host puts there",
      "the default of `MODE` (command) stays in the host's file: set `MODE` in the environment of `npx mcp-sieve run`",
      "`cwd` refers to a variable, which Sieve does not replace: write the folder",
    ]);
  });

  test("that cannot be taken are named with the reason", async () => {
    const file = write("mcp.json", {
      mcpServers: {
        good: { command: "good-mcp" },
        off: { command: "off-mcp", disabled: true },
        old: { type: "sse", url: "https://old.example/sse" },
        sieve: { command: "npx", args: ["-y", "mcp-sieve", "stdio"] },
        login: { url: "https://me:s3cret@a.example/mcp" },
        empty: {},
      },
    });
    const { report } = await imported(file);
    assert.deepEqual(report.files[0].left, [
      { name: "off", reason: "is disabled" },
      { name: "old", reason: "speaks HTTP with SSE, the transport before Streamable HTTP" },
      { name: "sieve", reason: "is Sieve itself" },
      {
        name: "login",
        reason: "has a user or password in its `url`: set the header `Authorization` to `Basic ${NAME}` instead",
      },
      { name: "empty", reason: "has neither a `command` nor a `url`" },
    ]);
  });

  describe("that need a sign-in", () => {
    let gateways, open;
    before(async () => {
      const keys = [makeKey("ec").jwk];
      const auth = { issuer: "https://login.example", audience: ["https://gateway.example/mcp"], jwks: { keys } };
      open = await startRawServer({ lists: { tools: [{ name: "only", inputSchema: { type: "object" } }] } });
      gateways = await startWorkers([
        { name: "guarded", config: { auth, upstream: { url: open.url } }, assets: "none" },
      ]);
    });
    after(async () => {
      await gateways?.stop();
      open?.stop();
    });
    const servers = () => ({
      guarded: { url: `${gateways.urls.guarded}/mcp` },
      local: { command: process.execPath, args: [fixture] },
      open: { url: open.url },
      // The host has a credential for this one.
      keyed: { url: `${gateways.urls.guarded}/mcp?keyed`, headers: { Authorization: "Bearer s3cret" } },
    });
    test("are taken with the sign-in of the user, and named as the next step", async () => {
      const file = write("mcp.json", { mcpServers: servers() });
      const { report, servers: taken } = await imported(file);
      assert.deepEqual(report.files[0].left, []);
      assert.deepEqual(
        taken.map(({ name, auth }) => [name, auth]),
        [
          ["guarded", "user"],
          ["local", undefined],
          ["open", undefined],
          ["keyed", undefined],
        ],
      );
      assert.deepEqual(report.signIns, ["guarded"]);
      const { stdout } = await run(file, "--force");
      assert.match(stdout, /^ {2}guarded: taken$/m);
      assert.match(
        stdout,
        /^Servers to which you sign in, in your browser:\n {2}npx mcp-sieve login guarded --config \S+sieve\.jsonc$/m,
      );
      // The file is one that the other commands take.
      const checked = await command.run(["check", `${folder}/sieve.jsonc`]);
      assert.doesNotMatch(checked.stderr, /auth/);
      const login = await command.run(["login", "keyed", "--config", `${folder}/sieve.jsonc`]);
      assert.match(login.stderr, /the server `keyed` does not sign users in, expected one of `guarded`/);
    });

    test("are part of an installation, which asks them nothing", async () => {
      const { keyed, ...others } = servers();
      const file = write("mcp.json", { mcpServers: others });
      const { report } = await imported(file, "--install");
      assert.deepEqual([report.files[0].left, report.signIns], [[], ["guarded"]]);
      const { sieve, ...left } = parseConfig(read("mcp.json")).mcpServers;
      assert.deepEqual(left, {});
      assert.equal(sieve.command, process.execPath);
      // A file in which the user has said more of the sign-in is kept.
      const config = parseConfig(read("sieve.jsonc"));
      config.upstreams[0].auth = { type: "user", scopes: ["read"] };
      writeFileSync(at("sieve.jsonc"), JSON.stringify(config));
      assert.equal((await run(file, "--undo")).status, 0);
      const again = await run(file, "--install");
      assert.equal(again.status, 0, again.stderr);
      assert.deepEqual(parseConfig(read("sieve.jsonc")).upstreams[0].auth.scopes, ["read"]);
    });

    test("are asked without the headers and variables of the file", async (t) => {
      const asked = await startRawServer();
      t.after(() => asked.stop());
      const file = write("mcp.json", {
        mcpServers: {
          plain: { url: asked.url, headers: { "X-Team": "blue" } },
          secret: { url: `${asked.url}?a`, headers: { "X-Api-Key": "s3cret" } },
          variable: { url: `${asked.url}?b`, headers: { "X-Team": "${TEAM}" } },
          address: { url: `${asked.url}?\${HOME:-c}` },
        },
      });
      const { report } = await imported(file);
      assert.equal(report.files[0].taken.length, 4);
      assert.equal(asked.requests.length, 1);
      assert.deepEqual(
        ["x-team", "authorization"].map((name) => asked.requests[0][name]),
        [undefined, undefined],
      );
    });
  });

  test("are not looked for in a file of another kind, and no file is replaced unasked", async () => {
    const other = write("package.json", { name: "other" });
    assert.match((await run(other)).stderr, /expected the servers of a host, as `mcpServers` or `servers`/);
    assert.match((await run(write("broken.json", "{"))).stderr, /broken\.json: not JSON/);
    const file = write("mcp.json", { mcpServers: { good: { command: "good-mcp" } } });
    write("sieve.jsonc", "{}");
    const { status, stderr } = await run(file);
    assert.equal(status, 2);
    assert.match(stderr, /sieve\.jsonc exists already: add --force/);
    assert.equal(read("sieve.jsonc"), "{}");
  });
});

describe("an installation", () => {
  const text = `{
  // Kept as it is.
  "theme": "dark",\r
  "mcpServers": { "local": { "command": ${JSON.stringify(process.execPath)}, "args": [${JSON.stringify(fixture)}], "env": { "LOCAL_TOKEN": "s3cret" } }, "off": { "command": "x", "disabled": true } },
}`;

  test("starts Sieve with the secrets of the file, and is undone byte for byte", async () => {
    const file = write("mcp.json", text);
    chmodSync(at("mcp.json"), 0o600);
    const { status, stderr } = await run(file, "--install");
    assert.equal(status, 0, stderr);
    assert.match(read("mcp.json"), /^\{\n {2}\/\/ Kept as it is\.\n {2}"theme": "dark",\r\n/);
    const { mcpServers } = parseConfig(read("mcp.json"));
    assert.deepEqual(Object.keys(mcpServers), ["off", "sieve"]);
    assert.deepEqual(mcpServers.sieve, {
      command: process.execPath,
      args: [join(command.package, "cli/main.js"), "stdio", at("sieve.jsonc"), "--yes"],
      env: { LOCAL_TOKEN: "s3cret" },
    });
    assert.equal(statSync(at("mcp.json.sieve-backup")).mode & 0o777, 0o600);
    // The server started as a host would start it receives its secret.
    const transport = new StdioClientTransport({
      ...mcpServers.sieve,
      env: { ...process.env, ...mcpServers.sieve.env, TMPDIR: command.temporary },
      cwd: command.folder,
      stderr: "ignore",
    });
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(transport);
    const { content } = await client.callTool({ name: "environment" });
    assert.equal(JSON.parse(content[0].text).LOCAL_TOKEN, "s3cret");
    await client.close();
    const undone = await run(file, "--undo");
    assert.deepEqual([undone.status, undone.stderr], [0, ""]);
    assert.equal(read("mcp.json"), text);
    assert.equal(statSync(at("mcp.json")).mode & 0o777, 0o600);
    assert.ok(!existsSync(at("mcp.json.sieve-backup")));
  });

  test("leaves each host the servers that it had, under a preset of its own", async () => {
    const local = { command: process.execPath, args: [fixture] };
    const one = write("mcp.json", { mcpServers: { one: local } });
    const other = write(".cursor/mcp.json", { mcpServers: { two: { ...local, args: [fixture, "again"] } } });
    const { status, stdout, stderr } = await run(one, other, "--install");
    assert.equal(status, 0, stderr);
    assert.match(
      stdout,
      /\.cursor\/mcp\.json: starts Sieve instead, with the preset `cursor` for the servers that it had;/,
    );
    // Both servers list the same names, which belong to the first.
    for (const [path, preset, tool] of [
      ["mcp.json", "mcp", /^[a-z]+$/],
      [".cursor/mcp.json", "cursor", /^two_[a-z]+$/],
    ]) {
      const { sieve } = parseConfig(read(path)).mcpServers;
      assert.deepEqual(sieve.args.slice(-2), ["--preset", preset]);
      const transport = new StdioClientTransport({
        ...sieve,
        env: { ...process.env, TMPDIR: command.temporary },
        cwd: command.folder,
        stderr: "ignore",
      });
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
      await client.connect(transport);
      const { tools } = await client.listTools();
      assert.ok(tools.length > 0);
      for (const { name } of tools) assert.match(name, tool);
      await client.close();
    }
    // The file that was written has the presets, so it is kept, also for one host alone.
    const before = read("sieve.jsonc");
    await run(one, other, "--undo");
    for (const files of [[one, other], [other]]) {
      const again = await run(...files, "--install");
      assert.equal(again.status, 0, again.stderr);
      assert.equal(read("sieve.jsonc"), before);
      assert.deepEqual(parseConfig(read(".cursor/mcp.json")).mcpServers.sieve.args.slice(-2), ["--preset", "cursor"]);
      assert.equal((await run(...files, "--undo")).status, 0);
    }
    write("sieve.jsonc", JSON.stringify({ ...parseConfig(before), presets: [] }));
    const refused = await run(one, other, "--install");
    assert.match(refused.stderr, /has no preset `mcp`, without which each host would get the servers of all/);
    assert.ok(!existsSync(at("mcp.json.sieve-backup")));
  });

  test("keeps backups private, names them, and warns of those in a repository", async () => {
    const file = write("mcp.json", text);
    chmodSync(at("mcp.json"), 0o644);
    const outside = await run(file, "--install");
    assert.equal(outside.stderr, "");
    assert.match(outside.stdout, /the file as it was, with its secrets, is \S+\/mcp\.json\.sieve-backup\n/);
    assert.equal(statSync(at("mcp.json.sieve-backup")).mode & 0o777, 0o600);
    await run(file, "--undo");
    assert.deepEqual([read("mcp.json"), statSync(at("mcp.json")).mode & 0o777], [text, 0o644]);
    mkdirSync(at(".git"));
    const inside = await run(file, "--install");
    assert.match(inside.stderr, /^\S+\/mcp\.json is in a git work tree: commit neither the change/);
    await run(file, "--undo");
    const { report } = await imported(file, "--install", "--force");
    assert.deepEqual(report.backups, [`${file}.sieve-backup`]);
    assert.match(report.warnings[0], /is in a git work tree/);
  });

  test("gets the mode that is recommended for the host", async () => {
    const DISCLOSURE = {
      mode: "auto",
      budget: 8000,
      clients: [{ when: "client.name:claude-code", mode: "flat" }],
    };
    const local = { command: process.execPath, args: [fixture] };
    const hosts = [".cursor/mcp.json", ".mcp.json"];
    const files = hosts.map((path) => write(path, { mcpServers: { local } }));
    const { config } = await imported(...files, "--install");
    assert.deepEqual(config.disclosure, DISCLOSURE);
    const queries = () =>
      hosts.map((path) => parseConfig(read(path)).mcpServers.sieve.args.filter((word) => /disclosure/.test(word)));
    assert.deepEqual(queries(), [[], []]);
    assert.equal((await run(...files, "--undo")).status, 0);
    // A file that is kept, and says nothing of modes.
    const { disclosure: _, ...kept } = config;
    write("sieve.jsonc", kept);
    const again = await run(...files, "--install");
    assert.equal(again.status, 0, again.stderr);
    assert.deepEqual(parseConfig(read("sieve.jsonc")), kept);
    assert.deepEqual(queries(), [["disclosure=auto"], []]);
    assert.equal((await run(...files, "--undo")).status, 0);
    // A file that is kept with a mode of its own decides itself.
    write("sieve.jsonc", { ...kept, disclosure: { mode: "groups" } });
    assert.equal((await run(...files, "--install")).status, 0);
    assert.deepEqual(queries(), [[], []]);
  });

  test("is not undone over later changes, nor made twice", async () => {
    const file = write("mcp.json", text);
    await run(file, "--install");
    const again = await run(file, "--install", "--force");
    assert.equal(again.status, 2);
    assert.match(again.stderr, /Sieve is installed in .*mcp\.json already/);
    writeFileSync(at("mcp.json"), `${read("mcp.json")}\n`);
    const refused = await run(file, "--undo");
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /was changed since Sieve was installed: --force restores it/);
    assert.equal((await run(file, "--undo", "--force")).status, 0);
    assert.equal(read("mcp.json"), text);
  });

  test("keeps the file that was imported before, and every entry that stays", async () => {
    const servers = {
      local: { command: process.execPath, args: [fixture], env: { MODE: "${MODE:-fast}" } },
      sieve: { command: "x", disabled: true },
    };
    const file = write("mcp.json", { mcpServers: servers });
    await run(file);
    const edited = read("sieve.jsonc")
      .replace('"rules": [', '// mine\n  "rules": [')
      .replace('"name"', '"timeoutMs": 9000, "name"');
    write("sieve.jsonc", edited);
    const { status, stdout, stderr } = await run(file, "--install");
    assert.equal(status, 0, stderr);
    assert.match(stdout, /sieve\.jsonc: 1 server; the file stays as it is/);
    assert.match(stdout, /`\/\S+\/node \/\S+\/cli\/main\.js import --undo hosts-\d+\/mcp\.json` restores/);
    assert.equal(read("sieve.jsonc"), edited);
    const { mcpServers } = parseConfig(read("mcp.json"));
    assert.deepEqual(Object.keys(mcpServers), ["sieve", "sieve-2"]);
    assert.deepEqual(mcpServers.sieve, servers.sieve);
    assert.deepEqual(mcpServers["sieve-2"].env, { MODE: "${MODE:-fast}" });
    await run(file, "--undo");
    write("mcp.json", { mcpServers: { other: { command: process.execPath, args: [fixture] } } });
    const refused = await run(file, "--install");
    assert.match(refused.stderr, /sieve\.jsonc exists already and has other servers than your hosts/);
    assert.equal(read("sieve.jsonc"), edited);
  });

  test("changes all files or none", async () => {
    const [one, two] = ["one", "two"].map((word) => ({ command: process.execPath, args: [fixture, word] }));
    const first = write("mcp.json", { mcpServers: { one } });
    const second = write(".vscode/mcp.json", { servers: { two } });
    const before = [read("mcp.json"), read(".vscode/mcp.json")];
    // No backup can be written.
    symlinkSync("no-such-folder/file", at(".vscode/mcp.json.sieve-backup"));
    const { status, stderr } = await run(first, second, "--install");
    assert.equal(status, 2);
    assert.match(stderr, /^Sieve is installed in no file: .*\.vscode\/mcp\.json cannot be changed \(EEXIST/);
    assert.deepEqual([read("mcp.json"), read(".vscode/mcp.json")], before);
    assert.ok(!existsSync(at("mcp.json.sieve-backup")));
  });

  test("leaves servers that do not start in the file, and names them with the reason", async () => {
    const broken = { command: process.execPath, args: [fixture, "--exit"] };
    const servers = {
      good: { command: process.execPath, args: [fixture] },
      broken,
      missing: { command: "no-such-mcp" },
      unset: { command: process.execPath, args: [fixture], env: { A: "${NOT_SET_ANYWHERE}" } },
      remote: { url: "http://127.0.0.1:9/mcp" },
    };
    const file = write("mcp.json", { mcpServers: servers });
    const { status, stdout, stderr } = await run(file, "--install");
    assert.equal(status, 0, stderr);
    const stays = "left out: does not start, and stays in this file:";
    assert.match(stdout, /^ {2}good: taken$/m);
    assert.match(stdout, new RegExp(`^  broken: ${stays} .*its process ended with status 3`, "m"));
    assert.match(stdout, new RegExp(`^  missing: ${stays} .*cannot be started`, "m"));
    assert.match(stdout, new RegExp(`^  unset: ${stays} .*\`NOT_SET_ANYWHERE\``, "m"));
    assert.match(stdout, new RegExp(`^  remote: ${stays} \\S`, "m"));
    assert.match(stderr, /^broken: no configuration$/m);
    const { good: _, ...others } = servers;
    const { sieve, ...left } = parseConfig(read("mcp.json")).mcpServers;
    assert.deepEqual(left, others);
    assert.equal(sieve.command, process.execPath);
    assert.equal(parseConfig(read("sieve.jsonc")).upstream.name, "good");
    assert.equal((await run(file, "--undo")).status, 0);
    assert.deepEqual(parseConfig(read("mcp.json")).mcpServers, servers);
    // With none that starts, nothing is written.
    const dead = write("dead/mcp.json", { mcpServers: { broken } });
    const before = read("dead/mcp.json");
    const none = await command.run(["import", dead, "--install", "-o", `${folder}/dead/sieve.jsonc`]);
    assert.equal(none.status, 1);
    assert.match(none.stdout, /No server was imported, and nothing is written/);
    assert.equal(read("dead/mcp.json"), before);
    assert.ok(!existsSync(at("dead/sieve.jsonc")) && !existsSync(at("dead/mcp.json.sieve-backup")));
  });

  test("needs a command that answers `initialize`, and shows the standard error of one that does not", async () => {
    const file = write("mcp.json", text);
    // The servers start, and the command that the host would run has another configuration in its environment.
    const { status, stdout, stderr } = await command.run(["import", file, "--install", "-o", `${folder}/sieve.jsonc`], {
      env: { SIEVE_CONFIG: "{}" },
    });
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, /^ {2}`\S+\.jsonc` and the environment variable SIEVE_CONFIG both set the configuration/m);
    assert.match(
      stderr,
      /^Sieve is installed in no file: `\S+ \S+main\.js stdio .*` does not start: its process ended with/m,
    );
    assert.equal(read("mcp.json"), text);
    assert.deepEqual(readdirSync(at(".")), ["mcp.json"]);
  });

  test("is known as Sieve, whichever command it has", async () => {
    const sieves = [
      ["npx", "-y", "mcp-sieve@0.1.0", "stdio", "/a/sieve.jsonc", "--yes"],
      ["npx", "-y", "file:/a/build/mcp-sieve-0.1.0.tgz", "stdio", "/a/sieve.jsonc", "--yes"],
      ["/usr/bin/node", "/a/pkg/cli/main.js", "stdio", "/a/sieve.jsonc", "--yes"],
    ];
    const entries = sieves.map(([command, ...args], at) => [`sieve-${at}`, { command, args }]);
    const file = write("mcp.json", { mcpServers: { good: { command: "good-mcp" }, ...Object.fromEntries(entries) } });
    const { report } = await imported(file);
    assert.deepEqual(
      report.files[0].left,
      entries.map(([name]) => ({ name, reason: "is Sieve itself" })),
    );
  });

  test("gives no file the secrets of another", async () => {
    const private_ = write("mcp.json", text);
    const shared = write(".vscode/mcp.json", { servers: { other: { command: "other-mcp" } } });
    const { status, stderr } = await run(private_, shared, "--install");
    assert.equal(status, 2);
    assert.match(stderr, /\.vscode\/mcp\.json would get the value of `LOCAL_TOKEN`, which stands in .*mcp\.json/);
    assert.equal(read("mcp.json"), text);
    assert.ok(!existsSync(at("sieve.jsonc")));
  });
});
