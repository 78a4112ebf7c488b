// What other programs, users and web pages of the machine can do with a gateway that the command serves there: nothing, where
// they have no token.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { bearerOf } from "../pkg/cli/lib/bearer.js";
import { GATE, gated } from "../pkg/cli/lib/gate.js";
import { installCommand } from "./support/command.mjs";
import "./support/home.mjs";
import { familyOf, portsOf } from "./support/process.mjs";
import { startRawServer } from "./support/raw-server.mjs";
import { digest, tokensVariable } from "./support/tokens.mjs";
import { until } from "./support/until.mjs";

const PATHS = [
  "/",
  "/mcp",
  "/mcp/none",
  "/health",
  "/upstreams",
  "/audit",
  "/catalog/tools",
  "/middleware",
  "/middleware/x",
];
const STATELESS = {
  "content-type": "application/json",
  "mcp-method": "tools/list",
  "mcp-protocol-version": "2026-07-28",
};
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: META } });
const SECRET = /[0-9a-f]{64}/;
const local = [process.execPath, fileURLToPath(new URL("support/stdio-server.mjs", import.meta.url))];

let command;
before(async () => {
  command = await installCommand();
  command.install("workerd");
});
after(() => command?.remove());
const all = new Set();
function start(args, options) {
  const started = command.start(args, options);
  all.add(started);
  return started;
}
afterEach(async () => {
  await Promise.all([...all].map(({ stop }) => stop()));
  all.clear();
});
const event = async (running, name) => JSON.parse(await running.line(new RegExp(`^\\{"event":"${name}"`)));

/** Sends a request with any header, such as `Host`. Resolves with its status, headers and body. */
const sent = (port, { method = "GET", path = "/mcp", headers = {} } = {}) =>
  new Promise((done, fail) => {
    const asked = request({ host: "127.0.0.1", port, method, path, headers }, async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      done({ status: response.statusCode, headers: response.headers, text });
    });
    asked.once("error", fail).end(method === "POST" ? LIST : undefined);
  });

describe("`stdio`", () => {
  let running;
  let ports;
  /** Starts the gateway and has its host call a tool, so that all of it runs. */
  async function served(name, config) {
    command.write(name, JSON.stringify(config));
    running = start(["stdio", name]);
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "host", version: "1" } };
    for (const message of [
      { id: 1, method: "initialize", params },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: { name: "pid" } },
    ])
      running.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    assert.match(await running.line(/"id":2/), /"text":"\d+"/);
    ports = portsOf(familyOf(running.child.pid));
  }

  test("serves no request but those of its host, at any path, by any method, on any port", async () => {
    await served("alone.json", { upstream: { name: "local", command: local }, middleware: {} });
    // That of workerd, and that of the bridge to the local server.
    assert.equal(ports.length, 2);
    const pages = [
      "http://localhost:3000",
      "http://evil.example",
      "null",
      ...ports.map((port) => `http://127.0.0.1:${port}`),
    ];
    const headers = [
      {},
      STATELESS,
      { accept: "text/event-stream", "mcp-session-id": "x" },
      { authorization: "Bearer guessed" },
      { [GATE]: "guessed" },
      { [GATE]: "" },
      { authorization: `Basic ${Buffer.from("a:b").toString("base64")}` },
      ...pages.map((origin) => ({ origin })),
      // A name of another site that leads to this machine.
      { host: "rebound.example" },
    ];
    let count = 0;
    for (const port of ports)
      for (const path of [...PATHS, "//mcp", "/mcp?groups=x", "/%6dcp", "/.well-known/oauth-protected-resource"])
        for (const method of ["GET", "POST", "DELETE", "OPTIONS", "HEAD"])
          for (const given of headers) {
            const { status, text } = await sent(port, { method, path, headers: given });
            assert.ok([401, 403, 404].includes(status), `${method} ${path} ${JSON.stringify(given)}: ${status}`);
            assert.doesNotMatch(text, /result|pid|status/);
            count += 1;
          }
    assert.ok(count > 1_000);
  });

  test("another user gets nothing", { skip: process.getuid?.() !== 0 }, async () => {
    await served("other-user.json", { upstream: { name: "local", command: local } });
    const script = `
      for (const port of process.argv.slice(1))
        console.log((await fetch("http://127.0.0.1:" + port + "/mcp", { method: "POST", headers: ${JSON.stringify(STATELESS)}, body: ${JSON.stringify(LIST)} })).status);`;
    const other = [
      "--reuid=65534",
      "--clear-groups",
      process.execPath,
      "--input-type=module",
      "-e",
      script,
      ...ports.map(String),
    ];
    assert.deepEqual(execFileSync("setpriv", other, { encoding: "utf8" }).trim().split("\n").sort(), ["401", "404"]);
  });

  test("its token is in no process list and in no file of others", async () => {
    await served("hidden.json", { upstream: { name: "local", command: local } });
    const family = familyOf(running.child.pid);
    assert.ok(family.length >= 5);
    for (const pid of family) assert.doesNotMatch(readFileSync(`/proc/${pid}/cmdline`, "latin1"), SECRET);
    const [folder, ...more] = readdirSync(command.temporary).filter((name) => !name.startsWith("node-compile-cache"));
    assert.deepEqual(more, []);
    assert.equal(statSync(join(command.temporary, folder)).mode & 0o777, 0o700);
    const server = readFileSync(`/proc/${family.at(-1)}/environ`, "latin1");
    assert.doesNotMatch(server, SECRET);
    assert.doesNotMatch(running.printed.stderr + running.printed.stdout, SECRET);
  });
});

describe("the gate", () => {
  const token = "a".repeat(64);
  const worker = { fetch: (request) => Response.json([...request.headers], { status: 200 }) };
  const through = (gate, headers, path = "/mcp") =>
    gated(worker, { digest: digest(token), ...gate }).fetch(
      new Request(`http://localhost${path}`, { headers }),
      {},
      {},
    );

  test("takes the token off a request and leaves the rest of it", async () => {
    for (const [headers, left] of [
      [{ [GATE]: token, authorization: "Bearer alice" }, [["authorization", "Bearer alice"]]],
      [{ authorization: `Bearer ${token}`, x: "1" }, [["x", "1"]]],
      [{ authorization: `bearer  ${token}` }, []],
    ])
      assert.deepEqual(await (await through({ alone: false }, headers)).json(), left);
  });

  test("refuses everything else", async () => {
    for (const headers of [
      { authorization: token },
      { authorization: `Basic ${token}` },
      { authorization: `Bearer ${token}, Bearer ${token}` },
      { authorization: `Bearer ${token}a` },
      { authorization: `Bearer ${token.slice(1)}` },
      // The wrong one of both is not made up for.
      { authorization: `Bearer ${token}`, [GATE]: "guessed" },
      { [GATE]: digest(token) },
      { cookie: `${GATE}=${token}` },
    ])
      assert.equal((await through({ alone: false }, headers)).status, 401, JSON.stringify(headers));
    assert.equal((await through({ alone: false }, {}, `/mcp?${GATE}=${token}`)).status, 401);
  });

  test("refuses web pages where the command is the only client, also those that know the token", async () => {
    const headers = { [GATE]: token, origin: "http://localhost:3000" };
    assert.equal((await through({ alone: true }, headers)).status, 403);
    assert.equal((await through({ alone: false }, headers)).status, 200);
    for (const path of ["/health", "/", "/app.js"])
      assert.equal((await through({ alone: true }, {}, path)).status, 401);
  });

  test("passes on the files of the demo page, and nothing beside them", async () => {
    const status = async (path, { method = "GET", headers = {} } = {}) => {
      const request = new Request(`http://localhost${path}`, { method, headers });
      return (await gated(worker, { digest: digest(token), alone: false }).fetch(request, {}, {})).status;
    };
    for (const path of ["/", "/index.html", "/more.html", "/app.js", "/dist/sieve_bg.wasm", "/src/core/load.js", "/?x"])
      assert.equal(await status(path), 200, path);
    for (const path of [
      "/mcp",
      "/x",
      "/dist/worker/worker.js",
      "/cli/main.js",
      "/package.json",
      "//",
      "/src/../mcp",
      "/upstreams",
    ])
      assert.equal(await status(path), 401, path);
    assert.equal(await status("/", { method: "POST" }), 401);
    assert.equal(await status("/", { headers: { authorization: `Bearer ${token}x` } }), 401);
  });
});

describe("`run --bearer`", () => {
  /** Returns the tools that are listed under some headers, and calls the first. */
  const listed = async (mcp, headers) => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers } }));
    const { tools } = await client.listTools();
    for (const { name } of tools.slice(0, 1)) await client.callTool({ name });
    await client.close();
    return tools.map(({ name }) => name);
  };

  test("prints a token, and every request without it gets 401", async () => {
    command.write("bearer.json", JSON.stringify({ upstream: { name: "local", command: local } }));
    const running = start(["run", "bearer.json", "--port", "0", "--bearer", "--json"]);
    const { mcp, bearer } = await event(running, "ready");
    assert.match(bearer, SECRET);
    const { port } = new URL(mcp);
    for (const path of [
      ...PATHS.filter((path) => path !== "/health" && path !== "/"),
      "/health/",
      "/.well-known/oauth-protected-resource",
    ])
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const missing = await sent(port, { method, path, headers: { ...STATELESS, accept: "*/*" } });
        assert.deepEqual(
          [missing.status, missing.headers["www-authenticate"]],
          [401, 'Bearer realm="mcp-sieve"'],
          path,
        );
        const wrong = await sent(port, { method, path, headers: { authorization: `Bearer ${bearer}x` } });
        assert.deepEqual(
          [wrong.status, wrong.headers["www-authenticate"]],
          [401, 'Bearer realm="mcp-sieve", error="invalid_token"'],
        );
        assert.equal(JSON.parse(wrong.text).error.data.reason, "unauthorized");
      }
    // Probes learn whether the gateway serves, and no more.
    const health = await sent(port, { path: "/health" });
    assert.deepEqual([health.status, health.text], [200, ""]);
    assert.ok((await listed(mcp, { authorization: `Bearer ${bearer}` })).includes("pid"));
    assert.ok((await listed(mcp, { [GATE]: bearer })).includes("pid"));
    const status = (await event(running, "server")).status;
    assert.equal(status, "ok");
    assert.ok(!readFileSync(`/proc/${running.child.pid}/cmdline`, "latin1").includes(bearer));
  });

  test("takes the token of SIEVE_BEARER, beside those of the operator, and hands it to no one", async () => {
    const upstream = await startRawServer({
      lists: { tools: [{ name: "one", inputSchema: { type: "object" } }] },
      answers: { "tools/call": { content: [] } },
    });
    try {
      const config = {
        upstream: { name: "up", url: upstream.url, passHeaders: ["Authorization", GATE] },
        policies: [{ name: "alice", show: "claim.sub:alice" }],
      };
      command.write("beside.json", JSON.stringify(config));
      const env = { SIEVE_BEARER: "b".repeat(16), SIEVE_TOKENS: tokensVariable({ "alice-token": { sub: "alice" } }) };
      // The variable is enough: a token that is not asked for would protect nothing.
      const running = start(["run", "beside.json", "--port", "0"], { env });
      const [, mcp] = /MCP\s+(\S+)/.exec(await running.line(/MCP/));
      await running.line(/Ctrl-C/);
      assert.ok(!running.printed.stdout.includes(env.SIEVE_BEARER));
      const alice = { authorization: "Bearer alice-token" };
      await assert.rejects(listed(mcp, alice), /401|authorized/i);
      assert.deepEqual(await listed(mcp, { authorization: `Bearer ${env.SIEVE_BEARER}` }), []);
      assert.deepEqual(await listed(mcp, { [GATE]: env.SIEVE_BEARER, ...alice }), ["one"]);
      assert.ok(upstream.requests.some(({ authorization }) => authorization === alice.authorization));
      assert.ok(!JSON.stringify(upstream.requests).includes(env.SIEVE_BEARER));
    } finally {
      upstream.stop();
    }
  });

  test("refuses a token that could be guessed or that no header can have, without repeating it", () => {
    assert.deepEqual(bearerOf(false, {}), { made: false });
    assert.deepEqual(bearerOf(false, { SIEVE_BEARER: "" }), { made: false });
    assert.notEqual(bearerOf(true, {}).token, bearerOf(true, {}).token);
    for (const token of ["short-secret", "with a space inside", "with-a-line-end-\n", "ümlaute-0123456789"])
      assert.throws(
        () => bearerOf(true, { SIEVE_BEARER: token }),
        ({ message }) => /^SIEVE_BEARER: expected a token of at least 16/.test(message) && !message.includes(token),
      );
  });

  test("is what protects a gateway that other machines can reach", async () => {
    const running = start([
      "run",
      "--upstream",
      "http://127.0.0.1:9/mcp",
      "--host",
      "0.0.0.0",
      "--port",
      "0",
      "--bearer",
    ]);
    await running.line(/^ {2}header {4}Authorization: Bearer [0-9a-f]{64}$/);
    assert.match(running.printed.stdout, /if they are let in: callers need its bearer token/);
  });
});

test("a variable in a `command` is reported: its value stands in the process list", async () => {
  const config = {
    upstreams: [
      { name: "told", command: [...local, "--token=${LOCAL_TOKEN}"] },
      { name: "plain", command: [...local, "$${LOCAL_TOKEN}", "$HOME"], prefix: "p_" },
    ],
  };
  command.write("arguments.json", JSON.stringify(config));
  const warning = /the `command` of the server `told` refers to a variable: every user of this machine can read/;
  const env = { LOCAL_TOKEN: "t0ken" };
  const running = start(["run", "arguments.json", "--port", "0"], { env });
  assert.match(await running.line(/refers to a variable/), warning);
  await running.line(/Ctrl-C/);
  assert.doesNotMatch(running.printed.stdout, /`plain` refers|t0ken/);
  const host = start(["stdio", "arguments.json"], { env });
  await until(() => warning.test(host.printed.stderr), "the warning of `stdio`");
});
