// Third-party servers behind the Worker: a caller receives the same through it as directly.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startEverythingOn, startPython } from "./support/foreign.mjs";
import { freePort } from "./support/port.mjs";
import { ask, session } from "./support/raw-client.mjs";
import { startWorkers } from "./support/workerd.mjs";

/** Returns the response, without the id of this request. */
const answerOf = (events) => {
  const { id: _, jsonrpc: __, ...answer } = events.at(-1).message;
  return answer;
};

/** Removes the times at which a server wrote its text, which always differ. */
const timeless = (value) => JSON.parse(JSON.stringify(value).replace(/\d+:\d+:\d+( [AP]M)?/g, "TIME"));

const timelessBlob = (answer) => {
  const text = JSON.stringify(answer).replace(/"blob":"([^"]+)"/, (_, blob) =>
    JSON.stringify({ blob: Buffer.from(blob, "base64").toString() }).slice(1, -1),
  );
  return timeless(JSON.parse(text));
};

describe("server-everything, of the handshake era", () => {
  let server;
  let workers;
  let direct;
  let through;
  let url;

  before(async () => {
    server = await startEverythingOn(await freePort());
    workers = await startWorkers([{ name: "gateway", upstream: server.url }]);
    url = `${workers.urls.gateway}/mcp`;
    direct = await session(server.url);
    through = await session(url);
  });
  after(async () => {
    await workers?.stop();
    await server?.stop();
  });

  const lists = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
  };
  for (const [method, key] of Object.entries(lists)) {
    test(`${method} is complete and byte for byte the server's (G-30)`, async () => {
      const theirs = answerOf(await direct(method, {})).result[key];
      const ours = answerOf(await through(method, {})).result[key];
      const stateless = answerOf(await ask(url, method)).result[key];
      assert.ok(theirs.length > 0);
      // As text, so that the order of members counts too.
      assert.equal(JSON.stringify(ours), JSON.stringify(theirs));
      assert.equal(JSON.stringify(stateless), JSON.stringify(theirs));
    });
  }

  const questions = [
    ["tools/call", { name: "echo", arguments: { message: 'größer 🎉 \n "' } }],
    ["tools/call", { name: "get-sum", arguments: { a: 2, b: 3 } }],
    ["tools/call", { name: "get-sum", arguments: { a: "two" } }],
    ["tools/call", { name: "get-structured-content", arguments: { location: "New York" } }],
    ["tools/call", { name: "get-tiny-image", arguments: {} }],
    ["tools/call", { name: "get-annotated-message", arguments: { messageType: "error", includeImage: true } }],
    ["tools/call", { name: "get-resource-links", arguments: { count: 3 } }],
    ["tools/call", { name: "get-resource-reference", arguments: { resourceType: "Text", resourceId: 1 } }],
    ["resources/read", { uri: "demo://resource/static/document/features.md" }],
    ["resources/read", { uri: "demo://resource/dynamic/text/7" }],
    ["resources/read", { uri: "demo://resource/dynamic/blob/7" }],
    ["prompts/get", { name: "simple-prompt" }],
    ["prompts/get", { name: "args-prompt", arguments: { city: "Bern", state: "BE" } }],
    ["prompts/get", { name: "args-prompt", arguments: {} }],
    ["prompts/get", { name: "resource-prompt", arguments: { resourceType: "Text", resourceId: "2" } }],
    [
      "completion/complete",
      {
        ref: { type: "ref/prompt", name: "completable-prompt" },
        argument: { name: "name", value: "D" },
        context: { arguments: { department: "Sales" } },
      },
    ],
    [
      "completion/complete",
      {
        ref: { type: "ref/resource", uri: "demo://resource/dynamic/text/{resourceId}" },
        argument: { name: "resourceId", value: "12" },
      },
    ],
  ];
  for (const [method, params] of questions) {
    test(`${method} ${JSON.stringify(params)} is answered as it answers itself`, async () => {
      const theirs = timelessBlob(answerOf(await direct(method, params)));
      assert.deepEqual(timelessBlob(answerOf(await through(method, params))), theirs);
      const stateless = timelessBlob(answerOf(await ask(url, method, params)));
      if (theirs.error) {
        assert.equal(stateless.error?.message, theirs.error.message);
      } else {
        const {
          resultType,
          ttlMs: _,
          cacheScope: __,
          _meta: { "io.modelcontextprotocol/serverInfo": info, ...meta },
          ...rest
        } = stateless.result;
        assert.equal(resultType, "complete");
        assert.ok(info.name);
        const { _meta: theirMeta = {}, ...theirRest } = theirs.result;
        assert.deepEqual({ rest, meta }, { rest: theirRest, meta: theirMeta });
      }
    });
  }

  test("a resource that is not there is refused in the server's words", async () => {
    const uri = "demo://resource/none";
    const refused = async (asked) => answerOf(await asked("resources/read", { uri })).error;
    const expected = await refused(direct);
    assert.ok(expected);
    assert.deepEqual(await refused(through), expected);
    assert.deepEqual(await refused((...question) => ask(url, ...question)), expected);
  });

  test("progress arrives before the result, as it happens", async () => {
    const [duration, steps] = [1.2, 4];
    const call = (token) => [
      "tools/call",
      {
        name: "trigger-long-running-operation",
        arguments: { duration, steps },
        _meta: { progressToken: token },
      },
    ];
    for (const [token, asked] of [
      ["text", through],
      [7, (...question) => ask(url, ...question)],
    ]) {
      const seen = await asked(...call(token));
      const notes = seen.slice(0, -1).map(({ message }) => message);
      const expected = Array.from({ length: steps }, (_, at) => ({
        method: "notifications/progress",
        params: { progress: at + 1, total: steps, progressToken: token },
        jsonrpc: "2.0",
      }));
      assert.deepEqual(notes, expected);
      assert.match(answerOf(seen).result.content[0].text, /completed/);
      const spread = seen.at(-1).at - seen[0].at;
      assert.ok(spread > (duration / steps) * 1000, `everything came within ${spread} ms`);
    }
  });

  test("calls run side by side", async () => {
    const slow = { name: "trigger-long-running-operation", arguments: { duration: 1, steps: 1 } };
    const begun = Date.now();
    const all = await Promise.all([
      ...Array.from({ length: 5 }, () => ask(url, "tools/call", slow)),
      ...Array.from({ length: 5 }, (_, a) => ask(url, "tools/call", { name: "get-sum", arguments: { a, b: 1 } })),
    ]);
    assert.ok(Date.now() - begun < 3_000, "one after the other");
    const texts = all.map((events) => answerOf(events).result.content[0].text);
    assert.deepEqual(
      texts.slice(5),
      [0, 1, 2, 3, 4].map((a) => `The sum of ${a} and 1 is ${a + 1}.`),
    );
  });

  test("a server that was restarted is met anew", async () => {
    const call = ["tools/call", { name: "get-sum", arguments: { a: 2, b: 3 } }];
    const before = answerOf(await ask(url, ...call));
    await server.stop();
    const down = answerOf(await ask(url, ...call));
    assert.equal(down.error.data.reason, "upstream_unreachable");
    server = await startEverythingOn(server.port);
    assert.deepEqual(answerOf(await ask(url, ...call)), before);
    assert.deepEqual(answerOf(await through(...call)).result.content, before.result.content);
  });
});

describe("a server on the Python SDK, which speaks both revisions", () => {
  let server;
  let direct;
  let workers;
  let through;
  let url;

  before(async () => {
    server = await startPython();
    direct = await session(server.url);
    workers = await startWorkers([{ name: "gateway", upstream: server.url }]);
    url = `${workers.urls.gateway}/mcp`;
    through = await session(url);
  });
  after(async () => {
    await workers?.stop();
    await server?.stop();
  });

  const lists = { "tools/list": "tools", "resources/list": "resources", "prompts/list": "prompts" };
  for (const [method, key] of Object.entries(lists)) {
    test(`${method} is complete and byte for byte the server's (G-30)`, async () => {
      const theirs = answerOf(await ask(server.url, method)).result[key];
      assert.ok(theirs.length > 0);
      for (const ours of [await ask(url, method), await through(method, {})]) {
        assert.equal(JSON.stringify(answerOf(ours).result[key]), JSON.stringify(theirs));
      }
    });
  }

  const region = { headers: { "mcp-param-region": "eu" } };
  const questions = [
    ["tools/call", { name: "add", arguments: { a: 2, b: 3 } }],
    ["tools/call", { name: "add", arguments: { a: "two" } }],
    ["tools/call", { name: "fail", arguments: {} }],
    ["tools/call", { name: "größe", arguments: { text: "größer" } }],
    ["tools/call", { name: "route", arguments: { region: "eu" } }, region],
    ["resources/read", { uri: "note://first" }],
    ["resources/read", { uri: "note://second/text" }],
    ["resources/read", { uri: "note://gr%C3%B6%C3%9Fer/text" }],
    ["resources/read", { uri: "nowhere://to/be/found" }],
    ["prompts/get", { name: "greet", arguments: { name: "Ada" } }],
    ["prompts/get", { name: "greet", arguments: {} }],
    [
      "completion/complete",
      {
        ref: { type: "ref/prompt", name: "greet" },
        argument: { name: "name", value: "A" },
      },
    ],
  ];
  for (const [method, params, options] of questions) {
    test(`${method} ${JSON.stringify(params)} is answered as it answers itself`, async () => {
      const theirs = answerOf(await ask(server.url, method, params, options));
      const ours = answerOf(await ask(url, method, params, options));
      const older = answerOf(await through(method, params));
      const theirsOlder = answerOf(await direct(method, params));
      if (theirs.error) {
        assert.equal(ours.error?.code, theirs.error.code);
        // For a resource that is not listed, the gateway has its own message, so that hidden ones read like missing
        // ones.
        const { message } = method === "resources/read" ? ours.error : theirsOlder.error;
        assert.equal(older.error?.message, message);
        return;
      }
      assert.deepEqual(ours, theirs);
      assert.deepEqual(older.result, theirsOlder.result);
    });
  }

  test("progress arrives before the result, as it happens", async () => {
    const params = { name: "count", arguments: { steps: 3, seconds: 0.9 }, _meta: { progressToken: "p" } };
    for (const asked of [through, (...question) => ask(url, ...question)]) {
      const seen = await asked("tools/call", params);
      const notes = seen
        .slice(0, -1)
        .map(({ message }) => [message.method, message.params.progress, message.params.progressToken]);
      assert.deepEqual(
        notes,
        [1, 2, 3].map((step) => ["notifications/progress", step, "p"]),
      );
      assert.equal(answerOf(seen).result.content[0].text, "counted");
      const spread = seen.at(-1).at - seen[0].at;
      assert.ok(spread > 300, `everything came within ${spread} ms`);
    }
  });
});

describe("the gateway in front of itself", () => {
  let inner;
  let outer;

  before(async () => {
    inner = await startWorkers([{ name: "inner" }]);
    outer = await startWorkers([{ name: "outer", upstream: `${inner.urls.inner}/mcp` }]);
  });
  after(async () => {
    await outer?.stop();
    await inner?.stop();
  });

  test("shows and does the same", async () => {
    const [near, far] = [`${inner.urls.inner}/mcp`, `${outer.urls.outer}/mcp`];
    for (const [method, params] of [
      ["tools/list", {}],
      ["tools/list", { filter: { groups: ["issues"], tags: ["stable"] } }],
      ["resources/templates/list", {}],
      ["prompts/list", {}],
      ["tools/call", { name: "get_issue", arguments: { issue: 1 } }],
      ["resources/read", { uri: "issue://1" }],
    ]) {
      const [{ result: first, error }, { result: second }] = await Promise.all(
        [near, far].map(async (url) => answerOf(await ask(url, method, params))),
      );
      assert.equal(error, undefined);
      const key = ["tools", "resourceTemplates", "prompts", "content", "contents"].find((key) => key in first);
      assert.ok(first[key].length > 0);
      assert.deepEqual(second[key], first[key], `${method} ${JSON.stringify(params)}`);
    }
  });
});

describe("the gateway in front of itself, with groups, tags and concerns", () => {
  const declares = {
    exposeConcerns: true,
    groups: [
      { name: "work", title: "Work" },
      { name: "issues", title: "Issues", parent: "work", _meta: { "example/color": "red" } },
      { name: "unused" },
    ],
    tags: [{ name: "safe", description: "Changes nothing" }],
    concerns: [
      { name: "cost", description: "The work of a call", values: ["low", "high"], ordered: true, default: "low" },
    ],
    rules: [
      { match: "name:*issue*", groups: ["issues"], concerns: { cost: "low" } },
      { match: "annotation.readOnlyHint:true", tags: ["safe"] },
      { match: "name:create_issue", concerns: { cost: "high" } },
    ],
  };
  const renames = {
    groups: { issues: "forge-issues" },
    tags: { safe: null },
    concerns: { cost: "price" },
  };
  let inner;
  let outer;
  const result = async (name, method, params = {}) =>
    answerOf(await ask(`${name === "inner" ? inner.urls.inner : outer.urls[name]}/mcp`, method, params)).result;
  const names = async (name, filter) => (await result(name, "tools/list", { filter })).tools.map(({ name }) => name);

  before(async () => {
    inner = await startWorkers([{ name: "inner", config: declares }]);
    const upstream = `${inner.urls.inner}/mcp`;
    outer = await startWorkers([
      { name: "outer", upstream },
      { name: "renaming", upstream, config: { upstream: renames } },
      { name: "hiding", upstream, config: { policies: [{ name: "no issues", show: "-group:issues" }] } },
    ]);
  });
  after(async () => {
    await outer?.stop();
    await inner?.stop();
  });

  test("declares the same", async () => {
    const used = ({ name }) => name !== "unused";
    for (const [method, key] of [
      ["groups/list", "groups"],
      ["tags/list", "tags"],
      ["listConcerns", "concerns"],
    ]) {
      const [first, second] = [await result("inner", method), await result("outer", method)];
      assert.ok(first[key].length > 0, method);
      assert.deepEqual(second[key], first[key].filter(used), method);
    }
    const { capabilities } = await result("outer", "server/discover");
    assert.deepEqual(capabilities.concerns, (await result("inner", "server/discover")).capabilities.concerns);
  });

  test("filters by what the server declares", async () => {
    for (const filter of [
      { groups: ["work"] },
      { tags: ["safe"] },
      { concerns: { cost: "high" } },
      { applyDefaults: true },
    ]) {
      const expected = await names("inner", filter);
      assert.ok(expected.length > 0, JSON.stringify(filter));
      assert.deepEqual(await names("outer", filter), expected, JSON.stringify(filter));
    }
  });

  test("knows only the names that the operator gives", async () => {
    const titled = (await result("renaming", "groups/list")).groups.filter(({ title }) => title);
    assert.deepEqual(titled, [
      { name: "work", title: "Work" },
      {
        name: "forge-issues",
        title: "Issues",
        _meta: { "example/color": "red", "dev.mcpsieve/parent": "work" },
      },
    ]);
    const { tags } = await result("renaming", "tags/list");
    assert.ok(!tags.some(({ name }) => name === "safe"));
    assert.deepEqual(
      (await result("renaming", "listConcerns")).concerns.map(({ name }) => name),
      ["price"],
    );
    assert.deepEqual(
      await names("renaming", { groups: ["forge-issues"] }),
      await names("inner", { groups: ["issues"] }),
    );
    assert.deepEqual(await names("renaming", { groups: ["issues"] }), []);
    assert.deepEqual(
      await names("renaming", { concerns: { price: "high" } }),
      await names("inner", { concerns: { cost: "high" } }),
    );
    const { tools } = await result("renaming", "tools/list");
    const memberships = tools.map(({ groups, tags, _meta }) => ({ groups, tags, _meta }));
    assert.doesNotMatch(JSON.stringify(memberships), /"issues"|"safe"|"cost"/);
  });

  test("declares nothing of what is hidden", async () => {
    const { groups } = await result("hiding", "groups/list");
    assert.ok(groups.every(({ name, title }) => title === undefined && !["work", "issues"].includes(name)));
    assert.deepEqual((await result("hiding", "listConcerns")).concerns, []);
    const { capabilities } = await result("hiding", "server/discover");
    assert.equal(capabilities.concerns, undefined);
  });
});
