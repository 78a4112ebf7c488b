// Functions of middleware servers: the rows in the package, and chains of a Worker that use another Worker and a server
// on the official SDK.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { startMiddlewareServer, startSdkMiddlewareServer } from "./support/middleware-server.mjs";
import { startSessionServer } from "./support/session-server.mjs";
import { installTarball } from "./support/tarball.mjs";
import { SHIPPED, startWorkers } from "./support/workerd.mjs";

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const page = readFileSync(new URL("../docs/middleware.md", import.meta.url), "utf8");
const rows = read("fixtures/middleware-servers.json");
const consumer = await installTarball();
consumer.write("middleware.mjs", 'export * from "mcp-sieve/middleware";');
const { Middleware, SieveError } = await import(pathToFileURL(join(consumer.folder, "middleware.mjs")).href);
after(() => consumer.remove());

const TOKEN = "an application's token";
const SECRET = "jane@example.com";
const bearer = (token) => ({ Authorization: `Bearer ${token}` });

/** Asserts the message of an error, and that it contains no token, no text and no URL. */
function checkError(error, { code = "middleware_failed", includes }) {
  assert.ok(error instanceof SieveError, error.stack);
  assert.equal(error.code, code, error.message);
  for (const part of includes) assert.ok(error.message.includes(part), error.message);
  const all = JSON.stringify([error.message, error.stack, error.cause]).replaceAll(/"?file:[^"\s]*/g, "");
  for (const secret of ["my secret", "sesame", "127.0.0.1"]) assert.ok(!all.includes(secret), all);
}

async function runRow(row) {
  const [started, warnings] = [[], []];
  const middleware = new Middleware({ warn: (problem) => warnings.push(problem) });
  try {
    const connect = async () => {
      for (const described of row.servers) {
        const { name, shows, timeoutMs, fallback, functions } = described;
        const server = await startMiddlewareServer(described);
        started.push([name, server]);
        await middleware.connect(name, {
          url: server.url,
          headers: shows && bearer(shows),
          timeoutMs,
          fallback,
          functions,
        });
      }
    };
    if (row.connect) {
      await assert.rejects(connect, (error) => checkError(error, row.connect) ?? true);
      return;
    }
    await connect();
    const conversation = middleware.pipeline({ outbound: row.steps }).start();
    const context = row.context ?? [{ type: "text", text: "my secret" }];
    if (row.error) {
      await assert.rejects(
        conversation.outbound(context),
        (error) => checkError(error, { includes: row.error }) ?? true,
      );
    } else {
      const ran = await conversation.outbound(context);
      if (row.size) assert.equal(ran.content[0].text.length, row.size);
      else assert.deepEqual(ran.content, row.content);
      assert.equal(ran.refusal?.reason, row.refusal);
      if (row.metadata) assert.deepEqual(ran.metadata, [{ function: "first/redact", metadata: row.metadata }]);
      assert.doesNotMatch(JSON.stringify(ran.reports), /my secret|sesame/);
    }
    const sent = started.map(([name, server]) => [
      name,
      server.requests.filter(({ message }) => message.method === "middleware/invoke"),
    ]);
    assert.deepEqual(Object.fromEntries(sent.map(([name, calls]) => [name, calls.length])), row.calls);
    assert.equal(warnings.length, row.warnings ?? (row.error ? 1 : 0));
    for (const warning of warnings)
      checkError(new SieveError("middleware_failed", warning), { includes: ["first/redact: "] });
    if (row.sent) assert.deepEqual(sent.at(-1)[1].at(-1).message.params.arguments, row.sent);
  } finally {
    middleware.free();
    for (const [, server] of started) server.stop();
  }
}

for (const row of rows) test(`the package: ${row.name}`, () => runRow(row));

test("the package: requests say who asks, by which revision", async () => {
  const server = await startMiddlewareServer({ invoke: { text: "x" } });
  const middleware = new Middleware();
  assert.deepEqual(await middleware.connect("a", { url: server.url }), ["a/redact"]);
  assert.ok(middleware.list().some(({ name }) => name === "a/redact"));
  assert.deepEqual(await middleware.invoke("a/redact", []), { content: [{ type: "text", text: "x" }] });
  const { headers, message } = server.requests.at(-1);
  assert.equal(headers["mcp-protocol-version"], "2026-07-28");
  assert.equal(headers["mcp-method"], "middleware/invoke");
  assert.deepEqual(message.params._meta["io.modelcontextprotocol/clientInfo"], {
    name: "mcp-sieve",
    version: read("../pkg/package.json").version,
  });
  server.stop();
});

test("the package: options that contradict themselves are refused", async () => {
  const server = await startMiddlewareServer({ invoke: { text: "x" } });
  const { url } = server;
  const middleware = new Middleware();
  await middleware.connect("a", { url });
  for (const [name, options, includes] of [
    ["a", { url }, "there is a middleware server `a` already"],
    ["a/b", { url }, "expected a name"],
    ["", { url }, "expected a name"],
    ["b", { url: "/mcp" }, "is not an absolute http or https URL"],
    ["b", { url: "file:///sesame" }, "is not an absolute http or https URL"],
    ["b", { url, fallback: "c" }, "the fallback `c` of `b` is not connected"],
    ["b", { url, fallback: ["a", "b"] }, "the fallback `b` of `b` is not connected"],
    ["b", { url, headers: { Authorization: "open sesame\n\u0000" } }, "cannot be sent"],
    ["b", { url, timeoutMs: 0 }, "timeoutMs"],
    ["b", { url, timeoutMs: "5" }, "timeoutMs"],
  ])
    await assert.rejects(
      middleware.connect(name, options),
      (error) => checkError(error, { code: "config", includes: [includes] }) ?? true,
    );
  middleware.free();
  await assert.rejects(middleware.connect("c", { url }), { code: "freed" });
  server.stop();
});

test("the package: a session that a server has lost is begun anew", async () => {
  const server = await startSdkMiddlewareServer({
    shout: (context) => ({ content: context.map((item) => ({ ...item, text: item.text.toUpperCase() })) }),
    fail: () => Promise.reject(new Error("my secret")),
  });
  const middleware = new Middleware();
  await middleware.connect("sdk", { url: server.url });
  const shout = () => middleware.invoke("sdk/shout", [{ type: "text", text: "hello" }]);
  assert.equal((await shout()).content[0].text, "HELLO");
  server.forget();
  assert.equal((await shout()).content[0].text, "HELLO");
  assert.equal(server.handshakes, 1);
  await assert.rejects(
    middleware.invoke("sdk/fail", []),
    (error) => checkError(error, { includes: ["-32603"] }) ?? true,
  );
  server.stop();
});

test("the package: a server that fails again and again is left alone, and its fallback called at once", async (context) => {
  // The clock stands still, except for the test's ticks.
  context.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const [first, second] = await Promise.all([
    startMiddlewareServer({ invoke: { status: 503 } }),
    startMiddlewareServer({ invoke: { text: "by the second" } }),
  ]);
  const warnings = [];
  const middleware = new Middleware({ warn: (problem) => warnings.push(problem) });
  await middleware.connect("second", { url: second.url });
  await middleware.connect("first", { url: first.url, fallback: "second" });
  const call = () => middleware.invoke("first/redact", []);
  const asked = () => first.requests.filter(({ message }) => message.method === "middleware/invoke").length;
  for (let failures = 0; failures < 4; failures += 1) await call();
  // Concurrent calls count as one failure.
  await Promise.all([call(), call()]);
  assert.equal(asked(), 6);
  assert.equal((await call()).content[0].text, "by the second");
  assert.equal(asked(), 6);
  assert.match(warnings.at(-1), /^first\/redact: middleware server `first` is not called again for 1 s/);
  context.mock.timers.tick(1_000);
  await call();
  assert.equal(asked(), 7);
  await call();
  assert.equal(asked(), 7, "one call goes out to see");
  context.mock.timers.tick(60_000);
  first.does({ text: "well again" });
  for (let calls = 0; calls < 2; calls += 1) assert.equal((await call()).content[0].text, "well again");
  assert.equal(asked(), 9);
  first.does({ status: 429, retryAfter: "7" });
  await call();
  context.mock.timers.tick(6_999);
  await call();
  assert.equal(asked(), 10);
  context.mock.timers.tick(1);
  await call();
  assert.equal(asked(), 11);
  for (const server of [first, second]) server.stop();
});

// ---------------------------------------------------------------------------------------------------------------------
// Workers

let workers;
let servers;
const heard = [];

before(async () => {
  const tools = await startSessionServer({
    name: "tools",
    tools: ["echo"],
    call: ({ params }) => {
      heard.push(params.arguments.text);
      return { content: [{ type: "text", text: params.arguments.text }] };
    },
  });
  const sdk = await startSdkMiddlewareServer({
    shout: (context) => ({ content: JSON.parse(JSON.stringify(context).replaceAll("hello", "HELLO")) }),
  });
  const broken = await startMiddlewareServer({ lists: [{ name: "pii_redaction" }], invoke: { status: 503 } });
  const slow = await startMiddlewareServer({ lists: [{ name: "pii_redaction" }], invoke: { hang: true } });
  const redirecting = await startMiddlewareServer({
    lists: [{ name: "pii_redaction" }],
    invoke: { status: 307, location: "https://elsewhere.test/" },
  });
  servers = { tools, sdk, broken, slow, redirecting };
  const functions = await startWorkers([
    {
      name: "functions",
      build: SHIPPED,
      config: { middleware: {} },
      env: { SIEVE_MIDDLEWARE_TOKEN: TOKEN },
      assets: "none",
    },
  ]);
  const mount = { url: `${functions.urls.functions}/middleware`, headers: { Authorization: "Bearer ${PII_TOKEN}" } };
  const chain = (servers, { request, response = [], ...rest }) => ({
    upstream: { url: tools.url },
    log: true,
    middleware: { servers, chains: [{ on: ["tools/call"], request, response }], ...rest },
  });
  const service = (name, config, env = {}) => ({ name, config, env: { PII_TOKEN: TOKEN, ...env }, assets: "none" });
  const [, documented] = /<!-- file: middleware-servers\.jsonc -->\n```jsonc\n([^]*?)```/.exec(page);
  const served = documented
    .replace('"https://pii.example/middleware"', `"${slow.url}", "timeoutMs": 200`)
    .replace("https://spare.example/middleware", mount.url);
  const used = { request: ["pii/pii_redaction"], response: ["pii/pii_restoration"] };
  const gateways = await startWorkers([
    service("round", chain({ pii: mount }, used)),
    { ...service("documented", served), upstream: tools.url },
    service("wrong", chain({ pii: mount }, used), { PII_TOKEN: "a wrong token" }),
    service("sdk", chain({ sdk: { url: sdk.url } }, { request: ["sdk/shout"] })),
    service("closed", chain({ pii: { url: broken.url } }, { request: ["pii/pii_redaction"] })),
    service("late", chain({ pii: { url: slow.url, timeoutMs: 200 } }, { request: ["pii/pii_redaction"] })),
    service("moved", chain({ pii: { url: redirecting.url } }, { request: ["pii/pii_redaction"] })),
    service("fallback", chain({ pii: { url: slow.url, timeoutMs: 200, fallback: "spare" }, spare: mount }, used)),
    service("open", chain({ pii: { url: broken.url } }, { request: [{ use: "pii/pii_redaction", failOpen: true }] })),
    service("unlisted", chain({ pii: mount }, { request: ["pii/pii_redactoin"] })),
    service("unknown", chain({ pii: mount }, { request: ["pii2/pii_redaction"] })),
    service("unallowed", chain({ pii: { ...mount, functions: ["tool_filter"] } }, { request: ["pii/pii_redaction"] })),
    service("offered", chain({ pii: mount }, { ...used, functions: ["tool_filter", "pii/secret_detection"] }), {
      SIEVE_MIDDLEWARE_TOKEN: "of the second",
    }),
    service("local", chain({ pii: mount }, used), { SIEVE_MIDDLEWARE_TOKEN: "of the second" }),
  ]);
  workers = {
    urls: { ...functions.urls, ...gateways.urls },
    log: () => functions.log() + gateways.log(),
    stop: () => Promise.all([functions.stop(), gateways.stop()]),
  };
});
after(async () => {
  await workers?.stop();
  for (const server of Object.values(servers ?? {})) server.stop();
});

/** Calls the tool `echo` through a gateway. */
async function echo(name, text) {
  const response = await fetch(`${workers.urls[name]}/mcp`, {
    method: "POST",
    headers: {
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": "echo",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "echo",
        arguments: { text },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  const body = await response.text();
  const data = /^data: (.*"id".*)$/m.exec(body)?.[1] ?? body;
  return JSON.parse(data);
}

const textOf = ({ result, error }) => result?.content[0].text ?? error;

test("a gateway redacts and restores by the mount of another Worker", async () => {
  heard.length = 0;
  assert.equal(textOf(await echo("round", `Mail ${SECRET}`)), `Mail ${SECRET}`);
  assert.deepEqual(heard, ["Mail [EMAIL_1]"]);
});

test("a gateway uses a server with sessions on the official SDK", async () => {
  heard.length = 0;
  for (let call = 0; call < 2; call += 1) assert.equal(textOf(await echo("sdk", "hello")), "HELLO");
  assert.deepEqual(heard, ["HELLO", "HELLO"]);
  assert.equal(servers.sdk.handshakes, 1);
  servers.sdk.forget();
  assert.equal(textOf(await echo("sdk", "hello")), "HELLO");
});

test("a gateway whose middleware server does not answer is closed", async () => {
  heard.length = 0;
  for (const name of ["closed", "late", "moved", "wrong", "unlisted"]) {
    const { code, data, message } = textOf(await echo(name, `Mail ${SECRET}`));
    assert.deepEqual([code, data], [-32603, { reason: "middleware" }], name);
    assert.equal(message, "a function that this call goes through has failed");
  }
  assert.deepEqual(heard, []);
});

test("the operator's log says why", () => {
  for (const expected of [
    "middleware: pii/pii_redaction: middleware server `pii` answered `middleware/invoke` with HTTP 503",
    "middleware: pii/pii_redaction: middleware server `pii` did not finish its answer to `middleware/invoke` within 200 ms",
    "middleware: pii/pii_redaction: middleware server `pii` answered `initialize` with HTTP 401",
    "middleware: pii/pii_redactoin: middleware server `pii` lists no function `pii_redactoin`",
  ])
    assert.ok(workers.log().includes(expected), workers.log());
});

test("a gateway uses the fallback of a server that is too slow", async () => {
  heard.length = 0;
  for (const name of ["fallback", "documented"])
    assert.equal(textOf(await echo(name, `Mail ${SECRET}`)), `Mail ${SECRET}`, name);
  assert.deepEqual(heard, ["Mail [EMAIL_1]", "Mail [EMAIL_1]"]);
});

test("a step that fails open lets a call go on unchanged", async () => {
  heard.length = 0;
  assert.equal(textOf(await echo("open", "hello")), "hello");
  assert.deepEqual(heard, ["hello"]);
});

test("a chain with a function that no server may run is a mistake of the configuration", async () => {
  for (const name of ["unknown", "unallowed"]) {
    const { data, message } = textOf(await echo(name, "hello"));
    assert.equal(data.reason, "config", name);
    assert.match(message, /^middleware\.chains\[0\]\.request\[0\]: there is no function `pii2?\/pii_redaction`$/);
  }
});

test("a mount offers functions of other servers only if they are named", async () => {
  for (const [name, expected] of [
    ["offered", ["tool_filter", "pii/secret_detection"]],
    ["local", new Middleware().list().map((one) => one.name)],
  ]) {
    const middleware = new Middleware();
    const url = `${workers.urls[name]}/middleware`;
    const added = await middleware.connect("second", { url, headers: bearer("of the second") });
    assert.deepEqual(
      added,
      expected.map((one) => `second/${one}`),
    );
    if (name !== "offered") continue;
    const context = [{ type: "text", text: "password=hunter2hunter2" }];
    const outcome = await middleware.invoke("second/pii/secret_detection", context);
    assert.doesNotMatch(outcome.content[0].text, /hunter2/);
  }
});

test("the package connects to the mount of a Worker", async () => {
  const middleware = new Middleware();
  const url = `${workers.urls.functions}/middleware`;
  await assert.rejects(middleware.connect("pii", { url, headers: bearer("open sesame") }), (error) => {
    checkError(error, { includes: ["HTTP 401"] });
    return true;
  });
  const added = await middleware.connect("pii", { url, headers: bearer(TOKEN) });
  assert.deepEqual(
    added,
    new Middleware().list().map(({ name }) => `pii/${name}`),
  );
  const steps = { outbound: ["pii/pii_redaction"], inbound: ["pii/pii_restoration"] };
  const conversation = middleware.pipeline(steps).start();
  const out = await conversation.outbound([{ type: "text", text: `Mail ${SECRET}` }]);
  assert.equal(out.content[0].text, "Mail [EMAIL_1]");
  assert.doesNotMatch(JSON.stringify(out.metadata), /jane/);
  const back = await conversation.inbound([{ type: "text", text: "To [EMAIL_1]" }]);
  assert.equal(back.content[0].text, `To ${SECRET}`);
  await assert.rejects(middleware.invoke("pii/tool_filter", [], { availableTools: 1 }), { code: "arguments_invalid" });
  const { refusal } = await middleware.invoke(
    "pii/secret_detection",
    [{ type: "text", text: "password=hunter2hunter2" }],
    {
      action: "refuse",
    },
  );
  assert.equal(refusal?.reason, "remote");
});

test("no log names a token or a text", () => {
  const log = workers.log();
  for (const secret of [TOKEN, "a wrong token", "of the second", SECRET, "hunter2"])
    assert.ok(!log.includes(secret), log);
});
