// Unit tests of the bridge to local servers: messages changed in place, and limits.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, mock, test } from "node:test";
import { fileURLToPath } from "node:url";
import { looksSecret, isSecret } from "../pkg/cli/lib/credentials.js";
import { openBridge } from "../pkg/cli/stdio/bridge.js";
import { argumentsOf, environmentOf } from "../pkg/cli/stdio/environment.js";
import { UnsetVariables } from "../pkg/cli/lib/unset-variables.js";
import { Front } from "../pkg/cli/stdio/front.js";
import { argumentHeaders, statelessHeaders } from "../pkg/cli/stdio/http-headers.js";
import { find, replaced, written } from "../pkg/cli/stdio/json-text.js";
import { MAX_LINE, eachLine } from "../pkg/cli/stdio/lines.js";
import { FIRST_PAUSE_MS, IDLE_MS, LocalServer, MAX_PROCESSES, Unavailable } from "../pkg/cli/stdio/local-server.js";
import { read } from "../pkg/cli/stdio/message.js";
import "./support/home.mjs";
import { until } from "./support/until.mjs";

const fixture = fileURLToPath(new URL("support/stdio-server.mjs", import.meta.url));
const settings = (...flags) => ({
  name: "local",
  command: [process.execPath, fixture, ...flags],
  env: { PATH: process.env.PATH },
  probeMs: 1_000,
});

/** Whether a process runs. One that has ended stays as a zombie until its parent has seen that. */
function isRunning(pid) {
  try {
    return !/ Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

describe("JSON text", () => {
  const text =
    ' { "id" : 1.0, "a\\"b": [{"id": 2}], "params":{"_meta":{"progressToken":"t","n":12345678901234567890}}, "id": 7 } ';

  test("a member is found by its path, the last of several of one name", () => {
    assert.equal(written(text, ["id"]), "7");
    assert.equal(written(text, ['a"b']), '[{"id": 2}]');
    assert.equal(written(text, ["params", "_meta", "progressToken"]), '"t"');
    for (const path of [["none"], ["id", "x"], ["params", "none", "x"], ['a"b', "id"]])
      assert.equal(find(text, path), undefined);
    for (const other of ["{}", "[]", '"x"', "1", '{"a":{}}']) assert.equal(find(other, ["id"]), undefined);
  });

  test("values are replaced in place, and all else keeps its bytes", () => {
    const changed = replaced(text, [
      [["id"], "99"],
      [["params", "_meta", "progressToken"], "5"],
      [["none"], "0"],
    ]);
    assert.equal(changed, text.replace('"id": 7', '"id": 99').replace('"t"', "5"));
  });

  test("a message is one line of JSON-RPC 2.0", () => {
    const kinds = {
      '{"jsonrpc":"2.0","id":1,"method":"a"}': "request",
      '{"jsonrpc":"2.0","method":"a"}': "notification",
      '{"jsonrpc":"2.0","id":null,"error":{}}': "response",
      '{"jsonrpc":"2.0","id":1,"result":null}': "response",
    };
    for (const [line, kind] of Object.entries(kinds)) assert.equal(read(line)?.kind, kind, line);
    for (const line of [
      "",
      "text",
      "[]",
      "null",
      '{"id":1,"method":"a"}',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":1}',
    ])
      assert.equal(read(line), undefined, line);
    assert.equal(read('{"jsonrpc":"2.0",\r\n"method":"a\\n"}\n')?.text, '{"jsonrpc":"2.0", "method":"a\\n"}');
  });
});

describe("lines", () => {
  test("are read across chunks, and no longer than the limit", () => {
    const stream = new PassThrough();
    const [lines, tooLong] = [[], mock.fn()];
    eachLine(stream, { line: (text) => lines.push(text), tooLong });
    for (const chunk of ["on", "e\r\n\ntw", "o\nthr"]) stream.emit("data", chunk);
    assert.deepEqual(lines, ["one\r", "two"]);
    stream.emit("data", "x".repeat(MAX_LINE));
    assert.equal(tooLong.mock.callCount(), 1);
    stream.emit("data", "\nnever read\n");
    assert.equal(tooLong.mock.callCount(), 1);
    assert.equal(lines.length, 2);
  });
});

describe("variables", () => {
  test("are expanded, and nothing else of the environment is passed", () => {
    const outer = { PATH: "/bin", TOKEN: "t", OTHER: "o", EMPTY: "" };
    const unsetIn = (expand) => {
      const unset = new UnsetVariables();
      expand(unset);
      unset.refuse();
    };
    const environment = (env, unset) => environmentOf({ name: "a", env }, outer, unset);
    assert.deepEqual(environment({ A: "x${TOKEN}$$y" }), { PATH: "/bin", A: "xt$y" });
    assert.throws(
      () => unsetIn((unset) => environment({ A: "${EMPTY}" }, unset)),
      /: `EMPTY` \(`env\.A` of the server `a`\)$/,
    );
    assert.throws(() => environment({ A: "$5" }), /`env\.A` of the server `a`: expected `\$\{NAME\}`, or `\$\$`/);
    const words = (unset, ...command) => argumentsOf({ name: "a", command }, outer, unset);
    assert.deepEqual(words(undefined, "--token=${TOKEN}", "$5", "$${TOKEN}", "${not a name}"), [
      "--token=t",
      "$5",
      "${TOKEN}",
      "${not a name}",
    ]);
    assert.throws(() => unsetIn((unset) => words(unset, "${NONE}")), /: `NONE` \(`command` of the server `a`\)$/);
  });

  test("that are not set leave out their servers, unless none is left or a middleware server refers to one", () => {
    const unset = new UnsetVariables();
    unset.refuseUnlessSome(["a"]);
    unset.add("A", "header `X` of the server `a`", "a");
    unset.add("B", "`env.B` of the server `a`", "a");
    assert.deepEqual([unset.of("a"), unset.of("b")], [["A", "B"], []]);
    unset.refuseUnlessSome(["a", "b"]);
    assert.throws(() => unset.refuseUnlessSome(["a"]), /: `A` \(header `X` of the server `a`\), `B` \(/);
    unset.add("C", "header `X` of the server `pii`");
    assert.throws(() => unset.refuseUnlessSome(["a", "b"]), /`C` \(header `X` of the server `pii`\)$/);
  });

  test("secrets are told from settings", () => {
    for (const [name, value] of [
      ["API_KEY", "x"],
      ["githubToken", "x"],
      ["A", "ghp_abc"],
      ["URL", "postgres://a:b@c/d"],
      ["A", "3f2a9c41d07b4e5f8a6b9c0d"],
    ])
      assert.ok(isSecret(name, value), `${name}=${value}`);
    for (const [name, value] of [
      ["REGION", "eu-central-1"],
      ["KEYBOARD", "de"],
      ["TOKEN", ""],
      ["URL", "https://a.example/path"],
      ["LOG_LEVEL", "debug"],
    ])
      assert.ok(!isSecret(name, value), `${name}=${value}`);
    assert.ok(!looksSecret("@modelcontextprotocol/server-everything"));
  });
});

test("headers repeat the name of a request and the arguments that its tool wants", () => {
  const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
  const { "mcp-name": name } = statelessHeaders({ method: "tools/call", params: { name: "größe", _meta } });
  assert.equal(name, `=?base64?${Buffer.from("größe").toString("base64")}?=`);
  assert.equal(statelessHeaders({ method: "tools/list", params: { _meta } })["mcp-name"], undefined);
  const schema = {
    properties: {
      region: { "x-mcp-header": "Region" },
      where: { properties: { port: { "x-mcp-header": "Port" } } },
      other: {},
    },
  };
  assert.deepEqual(argumentHeaders(schema, { region: "eu", where: { port: 8 }, other: "x" }), {
    "mcp-param-Region": "eu",
    "mcp-param-Port": "8",
  });
  assert.deepEqual(argumentHeaders(schema, { region: null }), {});
  assert.deepEqual(argumentHeaders(undefined, undefined), {});
});

describe("the client on standard input", () => {
  /** Returns a client in front of a server that listens on a free port, and the messages that it passes on. */
  async function inFrontOf(t, http, gateway) {
    await once(http.listen(0, "127.0.0.1"), "listening");
    const received = [];
    const url = `http://127.0.0.1:${http.address().port}`;
    const front = new Front(url, (line) => received.push(JSON.parse(line)), gateway);
    t.after(async () => {
      await front.close();
      http.closeAllConnections();
      http.close();
    });
    return { front, received };
  }

  test("holds requests until all servers have been listed, except those that read no list", async (t) => {
    const methods = [];
    const http = createServer(async (request, response) => {
      const { id, method } = JSON.parse(await text(request));
      methods.push(method);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
    });
    let listed;
    const { front, received } = await inFrontOf(t, http, { listed: new Promise((done) => (listed = done)) });
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const take = (message) => front.take(JSON.stringify({ jsonrpc: "2.0", ...message }));
    take({ id: 1, method: "server/discover", params: { _meta } });
    take({ id: 2, method: "tools/list", params: { _meta } });
    take({ id: 3, method: "prompts/list", params: { _meta } });
    take({ id: 4, method: "ping", params: { _meta } });
    await until(() => received.length > 0, "an answer");
    take({ method: "notifications/cancelled", params: { requestId: 3 } });
    assert.deepEqual(methods, ["ping"]);
    listed();
    await until(() => received.length === 3, "the other answers");
    // Requests beside each other may arrive in any order.
    assert.deepEqual(methods.sort(), ["ping", "server/discover", "tools/list"]);
  });

  /**
   * Returns a client in front of a gateway that knows the session of the number `session` alone. `streams` are the statuses of the
   * next streams that it does not open.
   */
  async function gateway(t, initialized) {
    const known = {
      session: 0,
      methods: [],
      bodies: [],
      isForgetful: false,
      begun: [],
      initialized: 0,
      streams: [],
      opened: [],
      resumed: [],
      rests: [],
    };
    const http = createServer(async (request, response) => {
      const id = request.headers["mcp-session-id"];
      const isKnown = id === String(known.session) && !known.isForgetful;
      if (request.method === "DELETE") return response.writeHead(204).end();
      if (request.method === "GET" && request.headers["last-event-id"] !== undefined) {
        known.resumed.push(`${id} ${request.headers["last-event-id"]}`);
        const rest = known.rests.shift();
        if (rest === undefined) return response.writeHead(404).end();
        return response.writeHead(200, { "content-type": "text/event-stream" }).end(rest);
      }
      if (request.method === "GET") {
        const status = known.streams.shift() ?? (isKnown ? 200 : 404);
        known.opened.push(`${id} ${status}`);
        if (status !== 200) return response.writeHead(status).end();
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        return response.write(`data: {"jsonrpc":"2.0","method":"notifications/s${id}"}\n\n`);
      }
      const message = JSON.parse(await text(request));
      const answer = (status, members, headers = {}) =>
        response
          .writeHead(status, { "content-type": "application/json", ...headers })
          .end(JSON.stringify({ jsonrpc: "2.0", id: message.id ?? null, ...members }));
      if (message.method === "initialize") {
        known.begun.push(message);
        await new Promise((done) => setTimeout(done, 20));
        known.session += 1;
        const result = { protocolVersion: "2025-11-25" };
        return answer(200, { result }, { "mcp-session-id": String(known.session) });
      }
      known.methods.push(`${id} ${message.method} ${message.params?.uri ?? ""}`);
      known.bodies.push({ session: id, ...message });
      if (!isKnown)
        return answer(404, {
          error: { code: -32600, message: "no such session", data: { reason: "session_unknown" } },
        });
      if (message.params?.concerns?.refused) return answer(200, { error: { code: -32602, message: "refused" } });
      if (message.params?.stream) {
        const events = [{ method: "notifications/message" }, { id: message.id, result: {} }];
        if (message.params.unanswered) events.pop();
        response.writeHead(200, { "content-type": "text/event-stream" });
        return response.end(
          events.map((event) => `id: 1\r\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...event })}\r\n\r\n`).join(""),
        );
      }
      if (message.id !== undefined)
        return answer(200, { result: { session: id, version: request.headers["mcp-protocol-version"] } });
      known.initialized += Number(message.method === "notifications/initialized");
      return response.writeHead(202).end();
    });
    const { front, received } = await inFrontOf(t, http);
    const take = (message) => front.take(JSON.stringify({ jsonrpc: "2.0", ...message }));
    const arrived = (count) => until(() => received.length >= count, `${count} messages`);
    take({ id: "begin", method: "initialize", params: { clientInfo: { name: "test" } } });
    take({ method: "notifications/initialized", params: initialized });
    await arrived(2);
    received.length = 0;
    return { known, take, received, arrived };
  }

  test("is told to begin with `initialize`, and nothing of headers", async (t) => {
    const error = { code: -32600, message: "header Mcp-Session-Id is missing", data: { reason: "session_required" } };
    const http = createServer((request, response) => {
      request.resume();
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: "a", error }));
    });
    const { front, received } = await inFrontOf(t, http);
    front.take('{"jsonrpc":"2.0","id":"a","method":"tools/list"}');
    await until(() => received.length === 1, "the answer");
    const message = "the session has not begun: expected `initialize` before other requests";
    assert.deepEqual(received, [{ jsonrpc: "2.0", id: "a", error: { ...error, message } }]);
  });

  test("gets the answer of a stream that the gateway has closed meanwhile", async (t) => {
    const { known, take, received, arrived } = await gateway(t);
    const answer = { jsonrpc: "2.0", id: 1, result: { late: true } };
    known.rests = ["id: 2\nretry: 100\ndata:\n\n", "", `id: 3\ndata: ${JSON.stringify(answer)}\n\n`];
    take({ id: 1, method: "tools/call", params: { stream: true, unanswered: true } });
    await arrived(2);
    assert.deepEqual(received[1], answer);
    const session = String(known.session);
    assert.deepEqual(known.resumed, [`${session} 1`, `${session} 2`, `${session} 2`]);
  });

  test("is told that there is no answer if resumed streams bring nothing", async (t) => {
    const { known, take, received, arrived } = await gateway(t);
    known.rests = Array(10).fill("retry: 100\n\n");
    take({ id: 1, method: "tools/call", params: { stream: true, unanswered: true } });
    await arrived(2);
    assert.equal(received[1].error.message, "the gateway ended its response without an answer");
    assert.equal(known.resumed.length, 3);
  });

  test("gets no response to a request of a session that it has cancelled", async (t) => {
    const { known, take, received, arrived } = await gateway(t);
    known.rests = Array(10).fill("retry: 100\n\n");
    take({ id: 1, method: "tools/call", params: { stream: true, unanswered: true } });
    await arrived(1);
    take({ method: "notifications/cancelled", params: { requestId: 1 } });
    take({ id: 2, method: "ping" });
    await arrived(2);
    await new Promise((done) => setTimeout(done, 1_500));
    assert.deepEqual(
      received.map(({ id, method }) => id ?? method),
      ["notifications/message", 2],
    );
    assert.deepEqual(known.resumed, []);
  });

  test("gets a new session when the gateway has forgotten its own, once for all requests", async (t) => {
    const { known, take, received, arrived } = await gateway(t);
    known.session = 5;
    for (const id of [1, 2, 3]) take({ id, method: "tools/list" });
    await arrived(4);
    const result = { session: "6", version: "2025-11-25" };
    const answers = received.filter(({ id }) => id !== undefined).sort((one, other) => one.id - other.id);
    assert.deepEqual(
      answers,
      [1, 2, 3].map((id) => ({ jsonrpc: "2.0", id, result })),
    );
    assert.deepEqual(known.begun[1], known.begun[0]);
    assert.deepEqual([known.begun.length, known.initialized], [2, 2]);
    // The stream is that of the new session.
    assert.deepEqual(
      received.filter(({ id }) => id === undefined).map(({ method }) => method),
      ["notifications/s6"],
    );
  });

  test("keeps its subscriptions in the new session", async (t) => {
    const { known, take, arrived } = await gateway(t);
    const asked = [
      ["resources/subscribe", { uri: "a:1" }],
      ["resources/subscribe", { uri: "a:2" }],
      ["logging/setLevel", { level: "error" }],
      ["resources/unsubscribe", { uri: "a:1" }],
    ];
    for (const [at, [method, params]] of asked.entries()) {
      take({ id: at, method, params });
      await arrived(at + 1);
    }
    known.session = 5;
    take({ id: 9, method: "tools/list" });
    await arrived(6);
    assert.deepEqual(
      known.methods.filter((line) => line.startsWith("6 ")),
      ["6 notifications/initialized ", "6 resources/subscribe a:2", "6 logging/setLevel ", "6 tools/list "],
    );
  });

  test("C-17: keeps its concerns in the new session", async (t) => {
    const { known, take, arrived } = await gateway(t, { concerns: { cost: "minimal" } });
    take({ id: 1, method: "concerns/update", params: { concerns: { security: "high" } } });
    await arrived(1);
    take({ id: 2, method: "updateConcerns", params: { concerns: { security: "low" } } });
    await arrived(2);
    // A refused update has no effect, so it is not repeated.
    take({ id: 3, method: "updateConcerns", params: { concerns: { refused: "x" } } });
    await arrived(3);
    known.session = 5;
    take({ id: 4, method: "tools/list" });
    await arrived(4);
    const again = known.bodies.filter(({ session }) => session === "6").map(({ method, params }) => [method, params]);
    assert.deepEqual(again, [
      ["notifications/initialized", { concerns: { cost: "minimal" } }],
      ["updateConcerns", { concerns: { security: "low" } }],
      ["tools/list", undefined],
    ]);
  });

  test("gets one response to a request that is answered with a stream, whatever its id", async (t) => {
    const { take, received, arrived } = await gateway(t);
    const ids = [1, "a", 1.5, "1"];
    for (const id of ids) take({ id, method: "tools/call", params: { stream: true } });
    await arrived(2 * ids.length);
    // The gateway ends this stream without a response.
    take({ id: "none", method: "tools/call", params: { stream: true, unanswered: true } });
    await arrived(2 * ids.length + 2);
    await new Promise((done) => setTimeout(done, 100));
    const answers = received.filter(({ method }) => method === undefined);
    assert.deepEqual(answers.map(({ id }) => id).sort(), [...ids, "none"].sort());
    assert.deepEqual(
      answers.filter(({ error }) => error !== undefined).map(({ id }) => id),
      ["none"],
    );
  });

  test("gets the error if a new session is forgotten too", async (t) => {
    const { known, take, received, arrived } = await gateway(t);
    known.isForgetful = true;
    take({ id: 1, method: "tools/list" });
    await arrived(1);
    assert.match(received[0].error.message, /no such session/);
    assert.equal(known.begun.length, 2);
  });

  test("opens its stream again after a failure, unless the gateway has none", async (t) => {
    const { known, take } = await gateway(t);
    known.opened.length = 0;
    known.streams.push(503, 429, 405);
    take({ method: "notifications/initialized" });
    await until(() => known.opened.length === 3, "three attempts");
    await new Promise((done) => setTimeout(done, 1_200));
    assert.deepEqual(known.opened, ["1 503", "1 429", "1 405"]);
  });
});

describe("processes", () => {
  const message = read('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}');
  const begun = (server) => {
    const { id, connection } = server.begin();
    return new Promise((finish) =>
      connection.request(message, { send() {}, finish: () => finish({ id, connection }) }),
    );
  };

  test("are limited in number, and an idle one makes room", async (t) => {
    const server = new LocalServer(settings());
    t.after(() => server.stop());
    const sessions = [];
    while (sessions.length < MAX_PROCESSES) sessions.push(await begun(server));
    const [first] = sessions;
    await begun(server);
    assert.equal(server.session(first.id), undefined);
    await until(() => first.connection.over !== undefined, "the process that made room has ended");
  });

  test("with open requests make no room", async (t) => {
    const server = new LocalServer(settings("--silent"));
    t.after(() => server.stop());
    for (let count = 0; count < MAX_PROCESSES; count += 1) begun(server);
    assert.throws(
      () => server.begin(),
      (error) => error instanceof Unavailable && /has 8 processes, all of them with open requests/.test(error.message),
    );
  });

  test("are ended after an hour without a request", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const server = new LocalServer(settings());
    t.after(() => server.stop());
    const { id, connection } = await begun(server);
    connection.streams.add({ send() {}, finish() {} });
    t.mock.timers.tick(IDLE_MS);
    assert.equal(server.session(id), connection);
    connection.streams.clear();
    t.mock.timers.tick(IDLE_MS);
    assert.equal(server.session(id), undefined);
    t.mock.timers.reset();
  });

  test("that end without an answer are started again after a pause", async (t) => {
    const server = new LocalServer(settings("--exit"));
    t.after(() => server.stop());
    server.stateless = false;
    const { connection } = server.begin();
    await until(() => connection.over !== undefined, "the process has ended");
    assert.throws(
      () => server.begin(),
      ({ message, seconds }) => {
        assert.match(
          message,
          /^the server `local` is not running: its process ended with status 3; it is started again in 1 s$/,
        );
        return seconds === FIRST_PAUSE_MS / 1_000;
      },
    );
  });

  test("keep what they print, their command and their folder from callers", async (t) => {
    const bridge = await openBridge();
    t.after(() => bridge.close());
    const printed = [];
    t.mock.method(process.stderr, "write", (line) => printed.push(line));
    const cwd = fileURLToPath(new URL("support", import.meta.url));
    const noFolder = `${cwd}/no-such-folder`;
    const urls = await bridge.use([
      settings("--exit"),
      settings("--crash"),
      { ...settings(), command: ["no-such-program-anywhere"], cwd },
      { ...settings(), cwd: noFolder },
      // A word that no process can be started with. Node repeats it in its message.
      settings("--secret=\0t0ken"),
    ]);
    const answers = [];
    for (const url of urls)
      for (const id of [1, 2])
        for (const body of [message, { text: message.text.replace("initialize", "server/discover") }]) {
          const response = await fetch(url, { method: "POST", body: body.text.replace('"id":1', `"id":${id}`) });
          answers.push(await response.text());
        }
    for (const answer of answers) {
      assert.match(answer, /local server|the server `local`|the server has sessions/);
      assert.doesNotMatch(answer, /no configuration|database|t0ken|no-such|node|support|\//, answer);
    }
    const log = printed.join("");
    for (const words of [
      /^local: no configuration$/m,
      /no database/,
      /no program `no-such-program-anywhere`/,
      noFolder,
      /t0ken/,
    ])
      assert.match(log, typeof words === "string" ? new RegExp(`no folder ${words}`) : words);
  });

  test("end with the process that started them, though they ignore its end", async (t) => {
    const path = JSON.stringify(new URL("../pkg/cli/stdio/local-server.js", import.meta.url).href);
    const script = `
      const { LocalServer } = await import(${path});
      for (let count = 0; count < 2; count += 1) new LocalServer(JSON.parse(process.argv[1])).begin();
      setInterval(() => {}, 1000);`;
    const program = ["--input-type=module", "-e", script, JSON.stringify(settings("--deaf"))];
    const holder = spawn(process.execPath, program, { stdio: ["ignore", "ignore", "pipe"] });
    let printed = "";
    holder.stderr.setEncoding("utf8").on("data", (chunk) => (printed += chunk));
    const pids = await until(() => {
      const found = [...printed.matchAll(/deaf (\d+) (\d+)/g)].flatMap(([, ...both]) => both.map(Number));
      return found.length === 4 && found;
    }, "two servers with a child each");
    const running = () => pids.filter(isRunning);
    t.after(() => running().forEach((pid) => process.kill(pid, "SIGKILL")));
    assert.deepEqual(running(), pids);
    holder.kill("SIGKILL");
    await until(
      () => running().length === 0,
      () => `the end of ${running()}`,
    );
  });

  test("are told of each cancelled call once, also before its first message", async (t) => {
    const bridge = await openBridge();
    t.after(() => bridge.close());
    const printed = [];
    t.mock.method(process.stderr, "write", (line) => printed.push(line));
    const [url] = await bridge.use([settings()]);
    const post = (message, { id, signal } = {}) =>
      fetch(url, {
        method: "POST",
        headers: id && { "mcp-session-id": id },
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
        signal,
      });
    const id = (await post({ id: 1, method: "initialize", params: {} })).headers.get("mcp-session-id");
    const call = (number) => {
      const controller = new AbortController();
      const params = { name: "wait" };
      const over = post({ id: number, method: "tools/call", params }, { id, signal: controller.signal }).catch(
        () => {},
      );
      return { close: () => (controller.abort(), over) };
    };
    const cancel = (requestId) => post({ method: "notifications/cancelled", params: { requestId } }, { id });
    const tried = () => post({ id: 9, method: "tools/call", params: { name: "pid" } }, { id });
    const calls = [call(2), call(3)];
    await tried();
    await calls[0].close();
    await until(() => printed.length > 0, "a cancelled call");
    await cancel(2);
    await cancel(3);
    await calls[1].close();
    await tried();
    await until(() => printed.length > 1, "another cancelled call");
    assert.deepEqual(printed, ["local: cancelled 2\n", "local: cancelled 3\n"]);
  });

  for (const oneClient of [false, true]) {
    test(`get what names no call where ${oneClient ? "all callers are one client" : "one call alone is in progress"}`, async (t) => {
      const bridge = await openBridge({ oneClient });
      t.after(() => bridge.close());
      const [url] = await bridge.use([settings()]);
      const post = (message, id) =>
        fetch(url, {
          method: "POST",
          headers: id && { "mcp-session-id": id },
          body: JSON.stringify({ jsonrpc: "2.0", ...message }),
        });
      const id = (await post({ id: 1, method: "initialize", params: {} })).headers.get("mcp-session-id");
      const call = async (number, name, args) =>
        (await post({ id: number, method: "tools/call", params: { name, arguments: args } }, id)).text();
      assert.match(await call(2, "log", { data: "alone" }), /alone.*logged/s);

      // The server logs and asks for the first call, while the second is the latest.
      const stream = await fetch(url, { headers: { "mcp-session-id": id } });
      const events = stream.body.pipeThrough(new TextDecoderStream()).getReader();
      const first = Promise.all([
        call(3, "log", { afterMs: 300, data: "of the first" }),
        call(4, "ask", { afterMs: 400 }),
      ]);
      const second = post({ id: 5, method: "tools/call", params: { name: "wait" } }, id);
      if (oneClient) {
        const reader = (await second).body.pipeThrough(new TextDecoderStream()).getReader();
        let read = "";
        while (!read.includes("question-0")) read += (await reader.read()).value;
        assert.match(read, /of the first/);
      } else {
        // A log message has no answer, so it is on the stream of the session too, which the gateway does not forward.
        let read = "";
        while (!read.includes("question-0")) read += (await events.read()).value;
        assert.match(read, /of the first.*elicitation\/create/s);
        // The gateway reads that stream only after the response to a call has begun.
        const begun = await Promise.race([second, new Promise((done) => setTimeout(done, 5_000).unref())]);
        assert.equal(begun?.headers.get("content-type"), "text/event-stream");
      }
      await post({ id: "question-0", result: { action: "accept" } }, id);
      const [logged, asked] = await first;
      assert.doesNotMatch(logged, /of the first/);
      assert.match(asked, /accept/);
    });
  }

  test("are reached under a secret path only", async (t) => {
    const bridge = await openBridge();
    t.after(() => bridge.close());
    const [url] = await bridge.use([settings()]);
    const post = (address) => fetch(address, { method: "POST", body: message?.text });
    assert.equal((await post(url)).headers.get("content-type"), "application/json");
    const { origin, pathname } = new URL(url);
    for (const path of [
      "/",
      "/0",
      pathname.replace(/[0-9a-f]/, (digit) => (digit === "0" ? "1" : "0")),
      `${pathname}1`,
    ])
      assert.equal((await post(origin + path)).status, 404, path);
    // A web page that knows it is not served either.
    assert.equal((await fetch(url, { method: "POST", headers: { origin: "http://localhost" } })).status, 404);
    assert.equal((await fetch(url)).status, 405);
    assert.equal((await fetch(url, { headers: { "mcp-session-id": "none" } })).status, 404);
    assert.equal((await fetch(url, { method: "POST", body: "text" })).status, 400);
  });
});
