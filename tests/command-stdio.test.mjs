// Local servers behind `dev` and `run`, and the gateway as a stdio server, with real processes.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Front } from "../pkg/cli/stdio/front.js";
import { installCommand } from "./support/command.mjs";
import "./support/home.mjs";
import { freePort } from "./support/port.mjs";
import { workerdOf } from "./support/process.mjs";
import { startRawServer } from "./support/raw-server.mjs";
import { CLIENTS, connect as connectTo } from "./support/sdk-clients.mjs";
import { until } from "./support/until.mjs";

const require = createRequire(import.meta.url);
const everything = [
  process.execPath,
  require.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
  "stdio",
];
const path = fileURLToPath(new URL("support/stdio-server.mjs", import.meta.url));
const fixture = (...flags) => [process.execPath, path, ...flags];
let command;

before(async () => {
  command = await installCommand();
  command.install("workerd");
});
after(() => command?.remove());

/** Running commands and clients, which are stopped even if a test fails. */
const all = new Set();
function start(args, options) {
  const started = command.start(args, options);
  all.add(started);
  started.over.then(() => all.delete(started));
  return started;
}
afterEach(async () => {
  await Promise.all([...all].map(({ stop }) => stop()));
  all.clear();
  await until(() => readdirSync(command.temporary).length === 0, "no temporary file is left");
});
const event = async (running, name) => JSON.parse(await running.line(new RegExp(`^\\{"event":"${name}"`)));
const configuration = (name, config) => {
  command.write(name, JSON.stringify(config));
  return name;
};
const textOf = ({ content }) => content[0].text;
const isRunning = (pid) => existsSync(`/proc/${pid}`);

/** Returns a client over HTTP. `answers` is its answer to elicitation. */
async function connected(url, { mode = "auto", answers } = {}) {
  const capabilities = answers === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode } });
  if (answers !== undefined) client.setRequestHandler("elicitation/create", () => answers);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

describe("local servers behind the gateway", () => {
  const faulty = {
    upstreams: [
      { name: "good", command: fixture("--banner"), prefix: "good_" },
      { name: "gone", command: fixture("--exit") },
      { name: "missing", command: ["no-such-program-anywhere"] },
      { name: "silent", command: fixture("--silent"), timeoutMs: 2_000 },
    ],
  };

  test("those that fail are named, and the others are served", async () => {
    const running = start(["run", configuration("faulty.json", faulty), "--port", "0", "--json"]);
    const { mcp, servers } = await event(running, "ready");
    assert.deepEqual(servers[1], { name: "gone", command: fixture("--exit") });
    const client = await connected(mcp);
    await until(
      async () => (await client.listTools({}, { cacheMode: "refresh" })).tools.length > 0,
      "a tool is listed",
    );
    assert.match(textOf(await client.callTool({ name: "pid" })), /^\d+$/);
    await client.close();
    const reports = [];
    for (const _ of servers) reports.push(await event(running, "server"));
    const messages = Object.fromEntries(reports.map(({ name, status, message }) => [name, message ?? status]));
    assert.equal(messages.good, "ok");
    // What callers may not read is in the log alone.
    assert.match(messages.gone, /its process ended with status 3 \(-32603\)$/);
    assert.match(messages.missing, /cannot be started \(-32603\)$/);
    assert.match(messages.silent, /did not answer/);
    const { status, stderr } = await running.stop();
    assert.equal(status, 0, stderr);
    // The output of a server is prefixed with its name.
    assert.match(stderr, /^gone: no configuration$/m);
    assert.match(stderr, /^missing: there is no program `no-such-program-anywhere`/m);
    assert.match(
      stderr,
      /^good: prints what is no JSON-RPC message on standard output, which is left out: Welcome to the fixture!$/m,
    );
  });

  for (const [revision, flags] of [
    ["2025-11-25", []],
    ["2026-07-28", ["--stateless"]],
  ]) {
    test(`a server of ${revision} answers long messages, reports progress and ends with the gateway`, async () => {
      const config = { upstream: { name: "local", command: fixture(...flags), env: { TOKEN: "${LOCAL_TOKEN}" } } };
      const env = { LOCAL_TOKEN: "t0ken", OTHER_SECRET: "hidden" };
      const running = start(["run", configuration("one.json", config), "--port", "0", "--json"], { env });
      const { mcp } = await event(running, "ready");
      for (const mode of ["auto", "legacy"]) {
        const client = await connected(mcp, { mode });
        const large = await client.callTool({ name: "large", arguments: { bytes: 1_000_000 } });
        assert.equal(textOf(large).length, 1_000_000);
        const steps = [];
        await client.callTool({ name: "count" }, { onprogress: ({ progress }) => steps.push(progress) });
        assert.deepEqual(steps, [1, 2, 3]);
        const environment = JSON.parse(textOf(await client.callTool({ name: "environment" })));
        assert.deepEqual([environment.TOKEN, environment.OTHER_SECRET], ["t0ken", undefined]);
        assert.ok(environment.PATH);
        await client.close();
      }
      const client = await connected(mcp);
      const pid = Number(textOf(await client.callTool({ name: "pid" })));
      assert.ok(isRunning(pid));
      await client.close();
      await running.stop();
      assert.ok(!isRunning(pid));
    });
  }

  test("a server that ends during a call is started again", async () => {
    const config = { upstream: { name: "local", command: fixture() } };
    const running = start(["run", configuration("crash.json", config), "--port", "0", "--json"]);
    const { mcp } = await event(running, "ready");
    const client = await connected(mcp);
    const first = textOf(await client.callTool({ name: "pid" }));
    await assert.rejects(client.callTool({ name: "crash" }), /the server `local` ended during the request: .*status 7/);
    const second = textOf(await client.callTool({ name: "pid" }));
    assert.notEqual(first, second);
    await client.close();
  });

  test("a question reaches the caller whose request is in progress", async () => {
    const config = { upstream: { name: "local", command: fixture() } };
    const running = start(["run", configuration("ask.json", config), "--port", "0", "--json"]);
    const { mcp } = await event(running, "ready");
    const others = await connected(mcp);
    for (const mode of ["auto", "legacy"]) {
      const client = await connected(mcp, { mode, answers: { action: "accept", content: { mode } } });
      const [answered] = await Promise.all([client.callTool({ name: "ask" }), others.callTool({ name: "count" })]);
      assert.deepEqual(JSON.parse(textOf(answered)), { action: "accept", content: { mode } });
      await client.close();
    }
    await others.close();
  });

  test("a change of the file starts its servers anew", async () => {
    const config = (name) => ({ upstream: { name, command: fixture() } });
    const running = start(["dev", configuration("watched.json", config("one")), "--port", "0", "--json"]);
    const { mcp } = await event(running, "ready");
    const pidOf = async () => {
      const client = await connected(mcp);
      const pid = Number(textOf(await client.callTool({ name: "pid" })));
      await client.close();
      return pid;
    };
    const before = await pidOf();
    configuration("watched.json", config("two"));
    await event(running, "changed");
    assert.notEqual(await pidOf(), before);
    assert.ok(!isRunning(before));
  });

  test("all variables that are not set are named at once, and a deployment refuses the file", async () => {
    const local = { name: "local", command: [...fixture(), "${NO_SUCH_WORD}"], env: { TOKEN: "${NO_SUCH_TOKEN}" } };
    const remote = { name: "remote", url: "http://127.0.0.1:9/mcp", headers: { "X-Key": "${NO_SUCH_KEY}" } };
    const file = configuration("unset.json", { upstreams: [local, remote] });
    const { status, stderr } = await start(["run", file, "--port", "0"]).over;
    assert.deepEqual(
      [status, stderr],
      [
        2,
        "the configuration refers to variables that are not set in the environment:\n" +
          "  `NO_SUCH_WORD` (`command` of the server `local`)\n  `NO_SUCH_TOKEN` (`env.TOKEN` of the server `local`)\n" +
          "  `NO_SUCH_KEY` (header `X-Key` of the server `remote`)\n",
      ],
    );
    const deployed = await start(["deploy", file, "--public", "--dry-run"]).over;
    assert.equal(deployed.status, 2);
    assert.match(deployed.stderr, /^nothing is deployed:\n {2}the server `local` is started by its `command`/m);
  });

  describe("of which one refers to a variable that is not set", () => {
    const remote = (name) => ({
      name,
      url: "http://127.0.0.1:9/mcp",
      headers: { "X-A": "${NO_SUCH_A}", "X-B": "Bearer ${NO_SUCH_B}" },
    });
    const rows = {
      "in its `env`": [
        { name: "unset", command: fixture(), env: { TOKEN: "${NO_SUCH_TOKEN}" } },
        "the variable `NO_SUCH_TOKEN` is not set",
      ],
      "in its `command`": [
        { name: "unset", command: [...fixture(), "--key=${NO_SUCH_WORD}"] },
        "the variable `NO_SUCH_WORD` is not set",
      ],
      "in its headers": [remote("unset"), "the variables `NO_SUCH_A`, `NO_SUCH_B` are not set"],
    };
    for (const [place, [unset, problem]] of Object.entries(rows)) {
      test(`${place}, leave that one out`, async () => {
        const upstreams = [unset, { name: "good", command: fixture() }];
        const file = configuration("one-unset.json", { upstreams });
        const running = start(["run", file, "--port", "0", "--json"]);
        const { mcp } = await event(running, "ready");
        const { ms: _, url, command, ...report } = JSON.parse(await running.line(/"name":"unset".*"status"/));
        assert.deepEqual(report, {
          event: "server",
          name: "unset",
          status: "down",
          reason: "upstream_variable",
          message: `upstream \`unset\` is left out: ${problem}`,
        });
        const client = await connected(mcp);
        const { tools, _meta } = await client.listTools();
        assert.ok(tools.some(({ name }) => name === "count"));
        const [left, good] = _meta["dev.mcpsieve/upstreams"];
        assert.deepEqual([left.status, left.reason, good.status], ["down", "upstream_variable", "ok"]);
        await client.close();
        await running.stop();
        const { status, stderr } = await start(["run", file, "--port", "0", "--strict"]).over;
        assert.equal(status, 2);
        assert.match(stderr, /^the configuration refers to variables that are not set in the environment:\s+`NO_SUCH_/);
        const checked = await start(["check", file, "--live"]).over;
        assert.match(checked.stderr, new RegExp(`^unset \\(.*\\): is left out: ${problem}$`, "m"));
        assert.match(checked.stderr, /^one server was not listed/m);
      });
    }

    test("and all servers do, refuse the file", async () => {
      const upstreams = [rows["in its `env`"][0], remote("other")];
      const { status, stderr } = await start(["run", configuration("all-unset.json", { upstreams }), "--port", "0"])
        .over;
      assert.deepEqual([status, stderr.match(/NO_SUCH_\w+/g)], [2, ["NO_SUCH_TOKEN", "NO_SUCH_A", "NO_SUCH_B"]]);
    });

    test("and it protects the others as a middleware server, refuse the file", async () => {
      const upstreams = [
        { name: "good", command: fixture() },
        { name: "other", command: fixture() },
      ];
      const middleware = {
        servers: { pii: { url: "http://127.0.0.1:9/mcp", headers: { "X-A": "${NO_SUCH_A}" } } },
      };
      const file = configuration("middleware-unset.json", { upstreams, middleware });
      const { status, stderr } = await start(["run", file, "--port", "0"]).over;
      assert.equal(status, 2);
      assert.match(stderr, /`NO_SUCH_A` \(header `X-A` of the server `pii`\)\n$/);
    });
  });

  test("`check --live` tries the rules on what they list", async () => {
    const rules = [{ match: "name:pid", tags: ["quick"] }];
    const file = configuration("live.json", { upstream: { command: fixture() }, tags: [{ name: "quick" }], rules });
    const { status, stdout } = await start(["check", file, "--live"]).over;
    const [found, note] = stdout.split("\n");
    assert.deepEqual([status, found], [0, "0 findings in 1 rule, 0 policies, 8 primitives"]);
    assert.match(note, /^upstreams: `upstream` keeps sessions; each session of a client has one of its own, /);
  });
});

describe("the gateway as a stdio server", () => {
  const hiding = (server) => ({ upstream: server, policies: [{ name: "no-environment", show: "-name:environment" }] });
  /** Returns the command line that a host starts. */
  const server = (...args) => ({
    command: process.execPath,
    args: [join(command.package, "cli/main.js"), ...args],
    cwd: command.folder,
    env: { ...process.env, TMPDIR: command.temporary },
    stderr: "pipe",
  });
  const clients = {
    "2026-07-28": async (parameters) => {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
      const transport = new StdioClientTransport(parameters);
      await client.connect(transport);
      return { client, call: (name, args, options) => client.callTool({ name, arguments: args }, options) };
    },
    "2025-11-25": async (parameters) => {
      const client = new OldClient({ name: "test", version: "1" }, { capabilities: {} });
      await client.connect(new OldStdioClientTransport(parameters));
      return { client, call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options) };
    },
    "2024-11-05": async (parameters) => {
      const { Client: FirstClient } = await import("mcp-sdk-1.10/client/index.js");
      const { StdioClientTransport: FirstTransport } = await import("mcp-sdk-1.10/client/stdio.js");
      const client = new FirstClient({ name: "test", version: "1" }, { capabilities: {} });
      await client.connect(new FirstTransport(parameters));
      return { client, call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options) };
    },
  };

  for (const [revision, connect] of Object.entries(clients)) {
    test(`serves a client of ${revision}, applies policies, and ends with it`, async () => {
      const file = configuration("stdio.json", hiding({ name: "local", command: fixture() }));
      const { client, call } = await connect(server("stdio", file));
      all.add({ stop: () => client.close() });
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ["pid", "crash", "large", "ask", "count", "region", "wait"],
      );
      // A hidden tool and a missing tool have the same response.
      const refusals = [];
      for (const name of ["environment", "environmenu"])
        refusals.push(
          await call(name, {}).then(assert.fail, ({ code, message }) => ({
            code,
            message: message.replaceAll(name, "NAME"),
          })),
        );
      assert.deepEqual(refusals[0], refusals[1]);
      const steps = [];
      await call("count", {}, { onprogress: ({ progress }) => steps.push(progress) });
      // Clients of the SDK drop notifications that arrive together with the response.
      assert.deepEqual(steps, [1, 2, 3].slice(0, Math.max(1, steps.length)));
      assert.equal(textOf(await call("large", { bytes: 1_000_000 })).length, 1_000_000);
      const pid = Number(textOf(await call("pid", {})));
      assert.ok(isRunning(pid));
      await client.close();
      await until(() => !isRunning(pid), "the server has ended");
    });

    test(`waits for a server that starts slowly, for a client of ${revision}`, async () => {
      const upstream = { name: "local", command: fixture("--slow"), listWaitMs: 0 };
      const { client } = await connect(server("stdio", configuration("slow.json", { upstream })));
      all.add({ stop: () => client.close() });
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === "count"));
    });

    test(`the first list has the tools of all servers, for a client of ${revision}`, async () => {
      const upstreams = ["fast", "slow", "dead"].map((name) => ({ name, prefix: `${name}_`, prefixAll: true }));
      upstreams[0].command = fixture();
      Object.assign(upstreams[1], { command: fixture("--slow"), listWaitMs: 0 });
      upstreams[2].command = fixture("--exit");
      const { client } = await connect(server("stdio", configuration("several.json", { upstreams })));
      all.add({ stop: () => client.close() });
      const { tools } = await client.listTools();
      const counts = tools.map(({ name }) => name).filter((name) => /count/.test(name));
      assert.deepEqual(counts, ["fast_count", "slow_count"]);
    });

    test(`wraps the reference server for a client of ${revision} without a file`, async () => {
      const { client, call } = await connect(server("--", ...everything));
      all.add({ stop: () => client.close() });
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === "echo"));
      assert.equal(textOf(await call("echo", { message: "hé" })), "Echo: hé");
    });
  }

  for (const generation of CLIENTS)
    test(`what a server lists later is announced, to a client of the SDK ${generation}`, async (t) => {
      const port = await freePort();
      const upstreams = [
        { name: "fast", command: fixture() },
        { name: "late", url: `http://127.0.0.1:${port}/mcp` },
      ];
      const file = join(command.folder, configuration("late.json", { upstreams }));
      const { command: node, args, env } = server("stdio", file);
      const { client, notes, stateless, close } = await connectTo(generation, [node, ...args], { env });
      all.add({ stop: close });
      const isThere = async () => {
        const { tools } = await client.listTools({}, { cacheMode: "refresh" });
        return tools.some(({ name }) => name === "late");
      };
      if (stateless) await client.listen({ toolsListChanged: true });
      assert.equal(await isThere(), false);
      const late = await startRawServer({
        port,
        lists: { tools: [{ name: "late", inputSchema: { type: "object" } }] },
      });
      t.after(() => late.stop());
      const changes = () => notes.filter(({ method }) => method === "notifications/tools/list_changed");
      await until(() => changes().length > 0, "an announcement of the tools that came later");
      assert.equal(await isThere(), true);
    });

  for (const [mode, flags] of [
    ["auto", []],
    ["auto", ["--stateless"]],
    ["legacy", []],
  ]) {
    test(`passes questions and cancellations (client ${mode}, server ${flags.join() || "with sessions"})`, async () => {
      const file = configuration("questions.json", { upstream: { name: "local", command: fixture(...flags) } });
      const capabilities = { elicitation: { form: {} } };
      const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode } });
      client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { mode } }));
      await client.connect(new StdioClientTransport(server("stdio", file)));
      all.add({ stop: () => client.close() });
      const stop = new AbortController();
      const waiting = client.callTool({ name: "wait" }, { signal: stop.signal });
      await client.callTool({ name: "count" });
      stop.abort("enough");
      await assert.rejects(waiting);
      assert.equal(textOf(await client.callTool({ name: "region", arguments: { region: "eu ✓" } })), "eu ✓");
      // A stateless server asks in its results, and this one does not.
      if (flags.includes("--stateless")) return;
      const answered = await client.callTool({ name: "ask" });
      assert.deepEqual(JSON.parse(textOf(answered)), { action: "accept", content: { mode } });
    });
  }

  test("a call that is cancelled before its first message ends at the server too", async () => {
    const file = configuration("cancelled.json", { upstream: { name: "local", command: fixture() } });
    const { client, call } = await clients["2025-11-25"](server("stdio", file));
    all.add({ stop: () => client.close() });
    let printed = "";
    client.transport.stderr.on("data", (text) => {
      printed += text;
    });
    const stop = new AbortController();
    const waiting = call("wait", {}, { signal: stop.signal });
    await call("count", {});
    stop.abort("enough");
    await assert.rejects(waiting);
    await until(() => /^local: cancelled \d+$/m.test(printed), "the server is told");
  });

  /** Returns a client on standard input, in front of the gateway at `mcp`. */
  function frontOf(mcp, t) {
    const received = [];
    const fetched = t.mock.method(globalThis, "fetch");
    const front = new Front(mcp, (line) => received.push(JSON.parse(line)));
    t.after(() => front.close());
    const take = (message) => front.take(JSON.stringify({ jsonrpc: "2.0", ...message }));
    const answer = (id) => until(() => received.find((message) => message.id === id), `an answer to ${id}`);
    const sessions = () =>
      fetched.mock.calls.map((call) => call.arguments[1].headers["mcp-session-id"]).filter(Boolean);
    const endSession = async () => {
      const headers = { "mcp-session-id": sessions().at(-1), "mcp-protocol-version": "2025-11-25" };
      assert.ok((await fetch(mcp, { method: "DELETE", headers })).ok);
    };
    return { take, line: (text) => front.take(text), answer, sessions, endSession };
  }
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };

  test("a client goes on when the gateway has ended its session", async (t) => {
    const running = start([
      "run",
      configuration("ended.json", { upstream: { name: "local", command: fixture() } }),
      "--port",
      "0",
      "--json",
    ]);
    const { mcp } = await event(running, "ready");
    const { take, answer, sessions, endSession } = frontOf(mcp, t);
    take({ id: 1, method: "initialize", params });
    take({ method: "notifications/initialized" });
    take({ id: 2, method: "tools/list" });
    const { result } = await answer(2);
    await endSession();
    take({ id: 3, method: "tools/list" });
    assert.deepEqual((await answer(3)).result, result);
    assert.equal(new Set(sessions()).size, 2);
  });

  test("a client of 2024-11-05 sends batches, each of which gets one array", async (t) => {
    const config = { upstream: { name: "local", command: fixture() } };
    const running = start(["run", configuration("batch.json", config), "--port", "0", "--json"]);
    const { mcp } = await event(running, "ready");
    const received = [];
    const front = new Front(mcp, (line) => received.push(JSON.parse(line)));
    t.after(() => front.close());
    const send = (message) => front.take(JSON.stringify(message));
    const call = (id, method, rest) => ({ jsonrpc: "2.0", id, method, ...rest });
    const next = () => until(() => received.shift(), "a message");
    send([call(0, "ping")]);
    const early = await next();
    assert.deepEqual(
      [early.id, early.error.message],
      [null, "the session has not begun: expected `initialize` before other requests"],
    );
    send(call(1, "initialize", { params: { ...params, protocolVersion: "2024-11-05" } }));
    assert.equal((await next()).result.protocolVersion, "2024-11-05");
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized", params: null };
    const count = { params: { name: "count", arguments: {}, _meta: { progressToken: "p" } } };
    send([call("a", "ping"), initialized, call(2, "tools/call", count), call(3, "no/such", { params: null })]);
    const steps = [];
    let answers = await next();
    for (; !Array.isArray(answers); answers = await next()) steps.push(answers.method);
    assert.deepEqual(new Set(steps), new Set(["notifications/progress"]));
    assert.deepEqual(
      answers.map(({ id, result, error }) => [id, error?.code ?? typeof result]),
      [
        ["a", "object"],
        [2, "object"],
        [3, -32601],
      ],
    );
    // A batch without requests has no answer.
    send([initialized]);
    send([]);
    const empty = await next();
    assert.deepEqual([empty.id, empty.error.message], [null, "a batch holds at least one message"]);
    front.take("7");
    assert.equal((await next()).error.message, "expected a JSON-RPC message on each line");
  });

  test("a client of 2025-11-25 has no batches", async (t) => {
    const config = { upstream: { name: "local", command: fixture() } };
    const running = start(["run", configuration("no-batch.json", config), "--port", "0", "--json"]);
    const { mcp } = await event(running, "ready");
    const front = frontOf(mcp, t);
    front.take({ id: 1, method: "initialize", params });
    await front.answer(1);
    front.line(JSON.stringify([{ jsonrpc: "2.0", id: 2, method: "ping" }]));
    const { error } = await front.answer(null);
    assert.equal(
      error.message,
      "batches exist only in the revisions 2025-03-26 and 2024-11-05: send one message per request",
    );
  });

  test("C-14: concerns before the initialize response are ignored, also by the session after a lost one", async (t) => {
    const config = {
      upstream: { name: "local", command: fixture() },
      concerns: [{ name: "cost", values: ["low", "high"] }],
      concernMapping: { pid: { cost: "low" }, count: { cost: "high" } },
    };
    const running = start(["run", configuration("early.json", config), "--port", "0", "--json"]);
    const { mcp } = await event(running, "ready");
    const { take, answer, endSession } = frontOf(mcp, t);
    const listed = async (id) => {
      take({ id, method: "tools/list" });
      const names = (await answer(id)).result.tools.map(({ name }) => name);
      return ["pid", "count"].filter((name) => names.includes(name));
    };
    const initialized = { method: "notifications/initialized", params: { concerns: { cost: "low" } } };
    take(initialized);
    take({ id: 1, method: "initialize", params });
    assert.deepEqual(await listed(2), ["pid", "count"]);
    await endSession();
    assert.deepEqual(await listed(3), ["pid", "count"]);
    take(initialized);
    assert.deepEqual(await listed(4), ["pid"]);
    await endSession();
    assert.deepEqual(await listed(5), ["pid"]);
  });

  test("Q-25: a client on standard input has no headers and no identity", async () => {
    const config = {
      upstream: { name: "local", command: fixture() },
      policies: [
        { name: "header", show: "-name:count or header.x-team:blue" },
        { name: "identity", show: "-name:large or claim.sub:*" },
      ],
    };
    const file = configuration("caller.json", config);
    const names = async (client) => (await client.listTools()).tools.map(({ name }) => name);
    const { client } = await clients["2026-07-28"](server("stdio", file));
    all.add({ stop: () => client.close() });
    const local = await names(client);
    assert.deepEqual([local.includes("pid"), local.includes("count"), local.includes("large")], [true, false, false]);

    const running = start(["run", file, "--port", "0", "--json"]);
    const { mcp } = await event(running, "ready");
    const remote = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await remote.connect(
      new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers: { "X-Team": "blue" } } }),
    );
    assert.ok((await names(remote)).includes("count"));
    await remote.close();
  });

  test("Q-20: a policy tells a client on standard input from one over HTTP", async () => {
    const policies = [
      { name: "here", show: "-name:pid or transport:stdio" },
      { name: "there", show: "-name:count or transport:http" },
    ];
    const file = configuration("transport.json", { upstream: { name: "local", command: fixture() }, policies });
    const running = start(["run", file, "--port", "0", "--json"]);
    const { client } = await clients["2026-07-28"](server("stdio", file));
    all.add({ stop: () => client.close() });
    const remote = await connected((await event(running, "ready")).mcp);
    all.add({ stop: () => remote.close() });
    const seen = async (asking) => {
      const { tools } = await asking.listTools({}, { cacheMode: "refresh" });
      return tools.map(({ name }) => name).filter((name) => name === "pid" || name === "count");
    };
    assert.deepEqual(await seen(client), ["pid"]);
    await until(async () => (await seen(remote)).join() === "count", "the list over HTTP");
  });

  test("serves a preset, and the selection of a query", async () => {
    const config = {
      upstream: { name: "local", command: fixture() },
      groups: [{ name: "long" }],
      rules: [{ match: "name:ask or name:large", groups: ["long"] }],
      presets: [{ name: "quick", filter: { namePatterns: ["pid", "count"] } }],
    };
    const file = configuration("preset.json", config);
    const listed = async (...args) => {
      const { client } = await clients["2026-07-28"](server("stdio", file, ...args));
      all.add({ stop: () => client.close() });
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    assert.deepEqual(await listed("--preset", "quick"), ["pid", "count"]);
    assert.deepEqual(await listed("--query", "groups=long"), ["large", "ask"]);
  });

  test("says what of a preset or a query selects nothing", async () => {
    const config = { upstream: { name: "local", command: fixture() }, presets: [{ name: "quick", filter: {} }] };
    const file = configuration("selection.json", config);
    for (const [args, why] of [
      [["--preset", "slow"], "--preset: the configuration has no preset `slow` for clients without a token\n"],
      [["--query", "group=long"], "--query: ?group: unknown field (did you mean `groups`?)\n"],
    ]) {
      const { status, stdout, stderr } = await start(["stdio", file, ...args]).over;
      assert.deepEqual([status, stdout], [2, ""]);
      assert.ok(stderr.endsWith(why), stderr);
    }
    const running = start(["stdio", file, "--preset", "quick", "--query", "groups=long"]);
    await until(
      () => running.printed.stderr.endsWith("\n--query: groups[0]: unknown group\n"),
      "the report on the query",
    );
    assert.equal((await running.stop()).status, 0);
  });

  test("ends while its input is open: by a signal, with the gateway, and if it cannot start", async () => {
    const file = configuration("held.json", { upstream: { name: "local", command: fixture() } });
    const begun = async (...args) => {
      const running = start(args);
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
      running.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
      await running.line(/"id":1/);
      return running;
    };
    for (const args of [
      ["stdio", file],
      ["--", ...fixture()],
    ]) {
      for (const signal of ["SIGTERM", "SIGINT"]) {
        const running = await begun(...args);
        running.child.kill(signal);
        const { status, stderr } = await running.over;
        assert.equal(status, 0, stderr);
      }
    }
    const running = await begun("stdio", file);
    process.kill(Number(workerdOf(running.child)), "SIGKILL");
    const { status, stderr } = await running.over;
    assert.equal(status, 2);
    assert.match(stderr, /workerd ended by itself \(SIGKILL\)/);
    const unset = configuration("held-unset.json", {
      upstream: { command: fixture(), env: { TOKEN: "${NO_SUCH_TOKEN}" } },
    });
    assert.equal((await start(["stdio", unset]).over).status, 2);
  });

  test("says on standard error how many tools and tokens all servers have", async () => {
    const many = await startRawServer({
      lists: { tools: Array.from({ length: 60 }, (_, at) => ({ name: `t${at}`, inputSchema: { type: "object" } })) },
    });
    try {
      const running = start(["stdio", configuration("total.json", { upstream: { name: "many", url: many.url } })]);
      await until(() => /^total:/m.test(running.printed.stderr), "the total");
      assert.match(
        running.printed.stderr,
        /^ {2}many {2}ok {2}60 tools {2}\d+ ms\ntotal: 60 tools, [\d,]+ tokens; Cursor takes 40 tools; with search a model reads \d+ tokens first\n/m,
      );
      assert.equal(running.printed.stdout, "");
      running.child.stdin.end();
      await running.over;
    } finally {
      many.stop();
    }
  });

  test("writes nothing but messages on standard output", async () => {
    const file = configuration("quiet.json", hiding({ name: "local", command: fixture("--banner") }));
    const running = start(["stdio", file]);
    const ask = (message) => running.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    ask({ id: "first", method: "initialize", params });
    assert.equal(JSON.parse(await running.line(/"first"/)).result.protocolVersion, "2025-11-25");
    ask({ method: "notifications/initialized" });
    running.child.stdin.write("no message\n");
    assert.equal(JSON.parse(await running.line(/error/)).error.code, -32600);
    ask({ id: 2, method: "tools/list" });
    assert.equal(JSON.parse(await running.line(/"id":2/)).result.tools.length, 7);
    ask({ id: 3, method: "tools/call", params: { name: "count", _meta: { progressToken: "mine" } } });
    for (const progress of [1, 2, 3]) {
      const { method, params } = JSON.parse(await running.line(/"progress"/));
      assert.deepEqual([method, params], ["notifications/progress", { progressToken: "mine", progress }]);
    }
    assert.equal(textOf(JSON.parse(await running.line(/"id":3/)).result), "3");
    running.child.stdin.end();
    const [status] = await once(running.child, "close");
    const { stdout, stderr } = await running.over;
    assert.equal(status, 0, stderr);
    for (const line of stdout.trim().split("\n")) assert.equal(JSON.parse(line).jsonrpc, "2.0");
    assert.match(stderr, /^local: prints what is no JSON-RPC message/m);
  });
});
