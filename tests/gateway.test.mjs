// Several servers behind one Worker in workerd: one catalog, calls routed to their servers, and the reported status of
// servers that fail.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startEverythingOn, startPython } from "./support/foreign.mjs";
import { freePort } from "./support/port.mjs";
import { fixture } from "./support/protocol-worlds.mjs";
import { ask, send, session } from "./support/raw-client.mjs";
import { until } from "./support/until.mjs";
import { startUpstream } from "./support/upstream.mjs";
import { plainTool, startStatelessServer } from "./support/stateless-server.mjs";
import { startWorkers } from "./support/workerd.mjs";

const UPSTREAMS = "dev.mcpsieve/upstreams";
/** Maximum wait for an expected event, in milliseconds. */
const WAIT_MS = 30_000;
const METHODS = {
  tools: "tools/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
};
const ID = { tools: "name", resources: "uri", resourceTemplates: "uriTemplate", prompts: "name", skills: "uri" };

const answerOf = (events) => events.at(-1).message;
const list = async (url, kind, options) => answerOf(await ask(url, METHODS[kind], {}, options)).result;
const names = (result, kind) => result[kind].map((item) => item[ID[kind]]);

describe("several servers in one catalog", () => {
  // These servers list one thing only, and the gateway keeps a record.
  const rows = fixture("merge").filter(({ before, unrecorded }) => before === undefined && unrecorded === undefined);
  let behind;
  let workers;
  before(async () => {
    const worlds = Object.fromEntries(
      rows.flatMap(({ servers }, at) => servers.map(({ name, lists }) => [`${at}-${name}`, { lists }])),
    );
    behind = await startUpstream(worlds);
    workers = await startWorkers(
      rows.map(({ servers, rules = [] }, at) => {
        const upstreams = servers.map(({ name, prefix, prefixAll }) => ({
          name,
          prefix,
          prefixAll,
          url: behind.url(`${at}-${name}`),
        }));
        return { name: `row${at}`, config: { upstreams, rules } };
      }),
    );
  });
  after(async () => {
    await workers?.stop();
    await behind?.stop();
  });

  rows.forEach(({ name, servers, rules = [], shown, reports }, at) =>
    test(name, async () => {
      const url = `${workers.urls[`row${at}`]}/mcp`;
      // A server whose primitives are all hidden is not reported, nor is a single server.
      const visible = servers.filter(
        ({ name }) =>
          !rules.some(({ hide }) => hide) ||
          Object.values(shown)
            .flat()
            .some(([, server]) => server === name),
      );
      const reported = visible.length > 1 ? visible.map(({ name }) => [name, "ok"]) : [];
      for (const kind of Object.keys(METHODS)) {
        const result = await list(url, kind);
        assert.deepEqual(
          names(result, kind),
          (shown[kind] ?? []).map(([id]) => id),
          kind,
        );
        const told = result._meta?.[UPSTREAMS] ?? [];
        assert.deepEqual(
          told.map(({ name, status }) => [name, status]),
          reported,
        );
        // Lists do not name a server of which nothing is left.
        const isTold = ({ problem }) => told.some(({ name }) => problem.includes(` of \`${name}\` is left out`));
        const lost = reports.filter((report) => report.code === "name_taken" && isTold(report));
        assert.deepEqual(
          told.flatMap(({ leftOut = [] }) => leftOut.map(({ kind, id }) => [kind, id])),
          lost.map(({ kind, name }) => [kind, name]),
        );
      }
      for (const [id, , own] of shown.tools ?? []) {
        for (const asked of [(...question) => ask(url, ...question), await session(url)]) {
          const { result } = answerOf(await asked("tools/call", { name: id, arguments: {} }));
          assert.equal(result?.content[0].text, `called ${own} with {}`);
        }
      }
      for (const [id, , own] of shown.prompts ?? []) {
        const { result } = answerOf(await ask(url, "prompts/get", { name: id }));
        assert.equal(result?.messages[0].content.text, `prompt ${own} with {}`);
      }
      for (const [id] of shown.resources ?? []) {
        const { result } = answerOf(await ask(url, "resources/read", { uri: id }));
        assert.equal(result?.contents[0].text, `read ${id}`);
      }
      for (const { kind, name, problem } of reports) {
        assert.ok(workers.log().includes(`catalog: ${kind} \`${name}\`: ${problem}`), `${problem}\n${workers.log()}`);
      }
    }),
  );
});

describe("two servers that others wrote", () => {
  let everything;
  let python;
  let workers;
  let url;
  before(async () => {
    [everything, python] = await Promise.all([startEverythingOn(await freePort()), startPython()]);
    const upstreams = [
      { name: "everything", url: everything.url, ttlMs: 0 },
      { name: "python", url: python.url, prefix: "py_" },
    ];
    const rules = [{ match: "server:python name:route", name: "way" }];
    workers = await startWorkers([{ name: "gateway", config: { upstreams, rules } }]);
    url = `${workers.urls.gateway}/mcp`;
  });
  after(async () => {
    await workers?.stop();
    await Promise.all([everything?.stop(), python?.stop()]);
  });

  test("are listed one behind the other, in either era", async () => {
    const direct = await session(everything.url);
    for (const kind of Object.keys(METHODS)) {
      const theirs = answerOf(await direct(METHODS[kind], {})).result[kind];
      const others = answerOf(await ask(python.url, METHODS[kind])).result[kind].map((item) =>
        item.name === "route" ? { ...item, name: "way" } : item,
      );
      assert.deepEqual((await list(url, kind))[kind], [...theirs, ...others]);
      assert.deepEqual(answerOf(await (await session(url))(METHODS[kind], {})).result[kind], [...theirs, ...others]);
    }
  });

  test("get their own calls, reads, prompts and completions", async () => {
    const old = await session(url);
    for (const asked of [old, (...question) => ask(url, ...question)]) {
      const text = async (method, params) => JSON.stringify(answerOf(await asked(method, params)).result);
      assert.match(await text("tools/call", { name: "get-sum", arguments: { a: 2, b: 3 } }), /The sum of 2 and 3 is 5/);
      assert.match(await text("tools/call", { name: "add", arguments: { a: 2, b: 3 } }), /"text":"5"/);
      assert.match(await text("resources/read", { uri: "demo://resource/dynamic/text/7" }), /Resource 7/);
      assert.match(await text("resources/read", { uri: "note://first" }), /the first note/);
      assert.match(await text("resources/read", { uri: "note://second/text" }), /the note second/);
      assert.match(await text("prompts/get", { name: "simple-prompt" }), /simple prompt/);
      assert.match(await text("prompts/get", { name: "greet", arguments: { name: "Ada" } }), /Ada/);
      assert.match(
        await text("completion/complete", {
          ref: { type: "ref/prompt", name: "greet" },
          argument: { name: "name", value: "A" },
        }),
        /"values":\["A/,
      );
    }
  });

  test("are called by their own names, and headers repeat these", async () => {
    // The server compares `Mcp-Name` and `Mcp-Param-Region` with the body.
    const params = { name: "way", arguments: { region: "eu" } };
    const stateless = await ask(url, "tools/call", params, { headers: { "mcp-param-region": "eu" } });
    for (const events of [stateless, await (await session(url))("tools/call", params)]) {
      assert.equal(answerOf(events).result?.content[0].text, "routed to eu");
    }
    assert.equal(
      answerOf(await ask(url, "tools/call", { name: "route", arguments: {} })).error.message,
      "Unknown tool: route",
    );
  });

  test("one that goes down keeps nobody from the other, and comes back", { timeout: WAIT_MS }, async () => {
    const before = await list(url, "tools");
    assert.deepEqual(before._meta[UPSTREAMS], [
      { name: "everything", status: "ok" },
      { name: "python", status: "ok" },
    ]);
    await everything.stop();
    let during;
    const noticed = async () => (during = await list(url, "tools"))._meta[UPSTREAMS][0].status !== "ok";
    await until(noticed, "the state of the server that went down");
    assert.deepEqual(names(during, "tools"), names(before, "tools"));
    const [{ since, ...status }, other] = during._meta[UPSTREAMS];
    assert.deepEqual(status, { name: "everything", status: "stale", reason: "upstream_unreachable" });
    assert.match(since, /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual(other, { name: "python", status: "ok" });
    assert.ok(!JSON.stringify(during).includes("127.0.0.1"), "an address shows");
    const call = (name) => ask(url, "tools/call", { name, arguments: { a: 2, b: 3 } });
    assert.equal(answerOf(await call("get-sum")).error.data.reason, "upstream_unreachable");
    assert.equal(answerOf(await call("add")).result.content[0].text, "5");
    assert.ok(workers.log().includes("upstreams: upstream `everything` cannot be reached"));

    everything = await startEverythingOn(everything.port);
    await until(
      async () => (await list(url, "tools"))._meta[UPSTREAMS][0].status === "ok",
      "the server that came back in the list",
    );
    assert.match(JSON.stringify(answerOf(await call("get-sum"))), /is 5/);
  });
});

describe("a server that wants more than a request", () => {
  let server;
  let workers;
  /** The status and the headers of every call while the server is busy. */
  let busy;
  const one = (more) => ({ upstreams: [{ name: "plain", url: server.url, ...more }] });
  before(async () => {
    const results = {
      "tools/list": { tools: [plainTool("t")] },
      "tools/call": { content: [{ type: "text", text: "done" }] },
      initialize: {},
    };
    const intercept = ({ method }, response) =>
      busy && method === "tools/call" && response.writeHead(busy.status, busy.headers).end();
    server = await startStatelessServer(results, { intercept });
    const headers = { Authorization: "Bearer ${UPSTREAM_TOKEN}", "X-Plan": "5$$" };
    workers = await startWorkers([
      { name: "secret", config: one({ headers, passHeaders: ["X-Team"] }), env: { UPSTREAM_TOKEN: "of-news" } },
      { name: "passing", upstream: server.url, config: { upstream: { passHeaders: ["Authorization"] } } },
      { name: "file", config: { upstream: { name: "plain", url: server.url, minTtlMs: 0 } } },
      { name: "busy", config: one({}) },
      { name: "unknown", config: one({ headers }) },
      { name: "own", config: one({ headers: { "Mcp-Method": "x" } }) },
      { name: "both", upstream: server.url, config: one({}) },
      { name: "twice", upstream: server.url, config: { upstream: { url: server.url } } },
      { name: "nowhere", config: { upstreams: [{ name: "plain", url: "example.com/mcp" }] } },
    ]);
  });
  after(async () => {
    await workers?.stop();
    await server?.stop();
  });
  const mcp = (name) => `${workers.urls[name]}/mcp`;
  const call = (name, headers) => ask(mcp(name), "tools/call", { name: "t" }, { headers });

  test("gets the operator's headers, its secrets, and of the client's those that are named", async () => {
    server.seen.length = 0;
    const client = { authorization: "Bearer of-client", "x-team": "blue", "x-other": "1" };
    assert.equal(answerOf(await call("secret", client)).result.content[0].text, "done");
    // The server is listed without and with the capabilities of clients.
    assert.deepEqual(server.seen.map(({ method }) => method).sort(), [
      "initialize",
      "server/discover",
      "tools/call",
      "tools/list",
      "tools/list",
    ]);
    for (const { method, headers } of server.seen) {
      assert.equal(headers.authorization, "Bearer of-news", method);
      assert.equal(headers["x-plan"], "5$", method);
      assert.equal(headers["x-team"], method === "tools/call" ? "blue" : undefined, method);
      assert.equal(headers["x-other"], undefined, method);
    }
    assert.ok(!workers.log().includes("of-news"), "the secret is in the log");
  });

  test("gets a client's own token only where the operator says so", async () => {
    for (const [name, expected] of [
      ["passing", "Bearer of-client"],
      ["file", undefined],
    ]) {
      server.seen.length = 0;
      await call(name, { authorization: "Bearer of-client" });
      assert.deepEqual(
        server.seen.map(({ headers }) => headers.authorization),
        [undefined, undefined, undefined, undefined, expected],
      );
    }
  });

  test("whose lists are stale at once is not listed again for every call", async () => {
    const asked = () => server.seen.map(({ method }) => method);
    const refreshed = async () => {
      server.seen.length = 0;
      // Known lists are served at once, and refreshed in the background.
      await until(async () => (await list(mcp("file"), "tools"), asked().length > 1), "the lists of the server");
      assert.deepEqual(asked().slice(0, 2).sort(), ["server/discover", "tools/list"]);
    };
    await refreshed();
    server.seen.length = 0;
    await call("file");
    assert.deepEqual(asked(), ["tools/call"]);
    await refreshed();
  });

  test("that is busy gets no requests for the time that it states, and clients get that time", async () => {
    assert.ok(answerOf(await call("busy")).result);
    busy = { status: 503, headers: { "retry-after": "1800" } };
    const first = await send(mcp("busy"), "tools/call", { name: "t" });
    assert.equal(first.headers.get("retry-after"), "1800");
    assert.deepEqual((await first.json()).error, {
      code: -32603,
      message: "upstream `plain` answered `tools/call` with HTTP 503",
      data: { reason: "upstream_status", httpStatus: 503, retryAfter: 1800 },
    });
    busy = undefined;
    server.seen.length = 0;
    const second = await send(mcp("busy"), "tools/call", { name: "t" });
    const { error } = await second.json();
    assert.equal(error.data.reason, "upstream_paused");
    assert.ok(error.data.retryAfter > 1700 && error.data.retryAfter <= 1800, `${error.data.retryAfter}`);
    assert.equal(second.headers.get("retry-after"), String(error.data.retryAfter));
    assert.deepEqual(server.seen, [], "it was asked");
    // The last list of the server is still shown.
    let listed;
    const noticed = async () => (listed = await list(mcp("busy"), "tools"))._meta?.[UPSTREAMS];
    await until(noticed, "the state of the server");
    assert.deepEqual([names(listed, "tools"), listed._meta[UPSTREAMS][0].status], [["t"], "stale"]);
  });

  const refusals = {
    unknown: ["config", "upstream `plain`: header `Authorization`: `${UPSTREAM_TOKEN}` is no variable or secret here"],
    own: ["config", "SIEVE_CONFIG: upstreams[0].headers: `Mcp-Method` is a header that the gateway itself writes"],
    both: ["config", "UPSTREAM_URL and `upstreams` of the configuration both name the server, expected one of them"],
    twice: [
      "config",
      "UPSTREAM_URL and `upstream.url` of the configuration both name the server, expected one of them",
    ],
    nowhere: ["upstream_url", "the address of upstream `plain` is not an absolute http or https URL"],
  };
  for (const [name, [reason, message]] of Object.entries(refusals)) {
    test(`a file that cannot be used is refused: ${name}`, async () => {
      for (const method of ["tools/list", "server/discover"]) {
        assert.deepEqual(answerOf(await ask(mcp(name), method)).error, { code: -32603, message, data: { reason } });
      }
    });
  }
});

describe("a caller who may not see a server", () => {
  let behind;
  let workers;
  const tool = (name) => ({ name, inputSchema: { type: "object" } });
  before(async () => {
    behind = await startUpstream({
      open: { lists: { tools: [tool("a"), tool("c")] } },
      inner: { lists: { tools: [tool("b")] } },
      late: { lists: { tools: [tool("b"), tool("c"), tool("d")] } },
    });
    const upstreams = ["open", "inner", "late"].map((name) => ({ name, url: behind.url(name) }));
    const policies = [{ name: "inner", show: "-server:inner or header.x-team:blue" }];
    workers = await startWorkers([{ name: "gateway", config: { upstreams, policies } }]);
  });
  after(async () => {
    await workers?.stop();
    await behind?.stop();
  });

  test("learns neither of it nor of its primitives", async () => {
    const url = `${workers.urls.gateway}/mcp`;
    const outside = (await list(url, "tools"))._meta[UPSTREAMS];
    assert.deepEqual(outside, [
      { name: "open", status: "ok" },
      { name: "late", status: "ok", leftOut: [{ kind: "tool", id: "c", keptOf: "open" }] },
    ]);
    const inside = (await list(url, "tools", { headers: { "x-team": "blue" } }))._meta[UPSTREAMS];
    assert.deepEqual(inside, [
      { name: "open", status: "ok" },
      { name: "inner", status: "ok" },
      {
        name: "late",
        status: "ok",
        leftOut: [
          { kind: "tool", id: "b", keptOf: "inner" },
          { kind: "tool", id: "c", keptOf: "open" },
        ],
      },
    ]);
  });
});
