// Context middleware at the edge: the endpoints of the Worker in workerd, its documents and its stored data.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { digest, tokensVariable } from "./support/tokens.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";

const TOKEN = "an application's token";
const OPERATOR = "the operator's token";
/** The Worker's limit for each address and minute. */
const WRONG_TOKENS = 30;
const VERSION = "2026-07-28";
const fixture = (name) => JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8"));
const { rows: ownRows, ...file } = fixture("middleware-own");
const own = { policies: file.policies, patterns: file.patterns };
const rows = ["middleware", "middleware-pii", "middleware-secrets", "middleware-moderation"].flatMap(fixture);

/** The chains of the world `told`: one that changes contexts, one that only audits, and one that refuses. */
const CHAINS = [
  {
    on: ["tools/call"],
    request: ["pii_redaction", { use: "secret_detection", arguments: { action: "refuse" } }],
    response: ["pii_restoration", { use: "content_moderation", mode: "audit" }],
  },
  {
    on: ["prompts/get"],
    request: [{ use: "tool_filter", mode: "audit", arguments: { availableTools: ["create_note"] } }],
  },
];

/** Levels of a content policy, each with the severity from which it blocks. Callers have the level as a claim. */
const BLOCK_AT = { consumer: "high", enterprise: "medium", regulated: "low" };
const LEVELS = Object.keys(BLOCK_AT);
const levels = {
  presets: LEVELS.map((name) => ({ name, when: `claim.level:${name}`, filter: { where: "kind:*" } })),
  middleware: {
    chains: LEVELS.map((name) => ({
      on: ["tools/call"],
      presets: [name],
      request: [{ use: "content_moderation", arguments: { blockAt: BLOCK_AT[name], warning: false } }],
    })),
  },
};

let workers;
let at;

before(async () => {
  const secrets = { SIEVE_MIDDLEWARE_TOKEN: TOKEN, SIEVE_OPERATOR: digest(OPERATOR) };
  workers = await startWorkers([
    { name: "on", config: { middleware: { keep: true, interceptors: true } }, env: secrets },
    { name: "few", config: { middleware: { functions: ["timestamp_injector"] } }, env: secrets },
    {
      name: "hidden",
      config: { middleware: {}, policies: [{ name: "none", show: "-name:delete_label" }] },
      env: secrets,
    },
    { name: "gone", config: { middleware: {}, rules: [{ match: "name:delete_label", hide: true }] }, env: secrets },
    { name: "off", config: {}, env: secrets },
    { name: "tokenless", config: { middleware: { interceptors: true } } },
    {
      name: "misspelt",
      config: { middleware: { functions: ["timestamp_injector", "pii_redactoin"] } },
      env: secrets,
      assets: "none",
    },
    { name: "own", config: { middleware: own }, env: secrets, assets: "none" },
    {
      name: "wrong",
      config: { middleware: { patterns: { DESK: { pattern: "D(?=1)" } } } },
      env: secrets,
      assets: "none",
    },
    {
      name: "told",
      config: { log: true, middleware: { keep: true, interceptors: true, chains: CHAINS } },
      env: secrets,
      assets: "none",
    },
    {
      name: "levels",
      config: levels,
      env: {
        ...secrets,
        SIEVE_TOKENS: tokensVariable(
          Object.fromEntries(LEVELS.map((level) => [`${level} token`, { sub: level, level }])),
        ),
      },
      assets: "none",
    },
    {
      name: "people",
      config: { middleware: {} },
      env: { ...secrets, SIEVE_TOKENS: tokensVariable({ "a person's token": { sub: "alice" } }) },
      assets: "none",
    },
  ]);
  at = (name, path) => new URL(path, workers.urls[name]);
});
after(() => workers?.stop());

async function post(name, path, method, params = {}, { token = TOKEN, headers = {} } = {}) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return fetch(at(name, path), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": VERSION,
      "mcp-method": method,
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
}

const call = async (...request) => (await post(...request)).json();
const invoke = (params) => call("on", "/middleware", "middleware/invoke", params);

async function manage(method, path, body) {
  const response = await fetch(at("on", path), {
    method,
    headers: { authorization: `Bearer ${TOKEN}` },
    body: body && JSON.stringify(body),
  });
  assert.equal(response.status, 200, await response.clone().text());
  return response.json();
}

/** Removes the parts of a result that depend on the environment: times, and the rarity of words among candidates. */
const alike = (value) =>
  JSON.parse(
    JSON.stringify(value, (key, part) =>
      key === "relevance" ? 0 : typeof part === "string" ? part.replace(/\[Current time: [^\]]*\]/, "[now]") : part,
    ),
  );

const pointer = (value, path) =>
  path
    .split("/")
    .slice(1)
    .reduce((found, key) => found?.[key] ?? null, value);

test("M-2 M-38: nothing is there unless the file and the secret say so", async () => {
  for (const name of ["off", "tokenless"]) {
    for (const path of ["/middleware", "/interceptors", "/middleware/documents"]) {
      const response = await post(name, path, "middleware/list");
      assert.equal(response.status, (await fetch(at(name, "/no-such-file"))).status, `${name} ${path}`);
      await response.body?.cancel();
    }
    const { result } = await call(name, "/mcp", "server/discover", {}, { token: null });
    assert.equal(result.capabilities.contextMiddleware, undefined, name);
    assert.ok(result.capabilities.tools, name);
  }
  const few = await call("few", "/middleware", "middleware/list");
  assert.deepEqual(
    few.result.middleware.map(({ name }) => name),
    ["timestamp_injector"],
  );
  assert.notEqual((await post("few", "/interceptors", "interceptors/list")).status, 200);
});

test("M-51: the server's own endpoint knows nothing of it", async () => {
  const discovered = await call("on", "/mcp", "server/discover", {}, { token: null });
  assert.equal(JSON.stringify(discovered).toLowerCase().includes("middleware"), false);
  const asked = await call("on", "/mcp", "middleware/list", {}, { token: null });
  assert.equal(asked.error.code, -32601);
  // Clients get the same from a server with middleware as from one without it.
  const without = await call("off", "/mcp", "server/discover", {}, { token: null });
  assert.deepEqual(discovered.result.capabilities, without.result.capabilities);
  const tools = (name) => call(name, "/mcp", "tools/list", {}, { token: null });
  assert.deepEqual((await tools("on")).result.tools, (await tools("off")).result.tools);
});

test("M-37: one server offers tools, resources, prompts and middleware together", async () => {
  const listed = async (path, kind) => {
    const token = path === "/mcp" ? null : TOKEN;
    const { result } = await call("on", path, `${kind}/list`, {}, { token });
    return result[kind];
  };
  const use = async (path, method, params, name) => {
    const token = path === "/mcp" ? null : TOKEN;
    const { result, error } = await call("on", path, method, params, { token, headers: name && { "mcp-name": name } });
    assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const { capabilities } = await use("/mcp", "server/discover");
  for (const kind of ["tools", "resources", "prompts"]) assert.ok(capabilities[kind], kind);
  assert.deepEqual((await use("/middleware", "server/discover")).capabilities.contextMiddleware, {});

  const names = (await listed("/mcp", "tools")).map(({ name }) => name);
  assert.ok(names.includes("create_note"), names.join());
  const note = { title: "Mail jane@example.com", body: "today" };
  const made = await use("/mcp", "tools/call", { name: "create_note", arguments: note }, "create_note");
  assert.notEqual(made.isError, true, JSON.stringify(made));
  const [{ uri }] = await listed("/mcp", "resources");
  assert.equal((await use("/mcp", "resources/read", { uri }, uri)).contents[0].uri, uri);
  const [{ name: prompt, arguments: needed = [] }] = await listed("/mcp", "prompts");
  const given = Object.fromEntries(needed.map(({ name }) => [name, "1"]));
  assert.ok((await use("/mcp", "prompts/get", { name: prompt, arguments: given }, prompt)).messages.length > 0);

  assert.ok((await listed("/middleware", "middleware")).some(({ name }) => name === "pii_redaction"));
  const context = [{ type: "text", text: note.title }];
  const redacted = await use("/middleware", "middleware/invoke", { name: "pii_redaction", context });
  assert.equal(redacted.content[0].text, "Mail [EMAIL_1]");
});

test("M-39: middleware is configured and opened apart from the users' endpoint", async () => {
  // Users receive the same with and without middleware, whatever its configuration.
  for (const [method, key] of [
    ["server/discover", "capabilities"],
    ["tools/list", "tools"],
    ["prompts/list", "prompts"],
    ["resources/list", "resources"],
  ]) {
    const [on, few, off] = await Promise.all(
      ["on", "few", "off"].map((name) => call(name, "/mcp", method, {}, { token: null })),
    );
    assert.deepEqual(on.result[key], off.result[key], method);
    assert.deepEqual(few.result[key], off.result[key], method);
  }
  // A user's token opens the endpoint for users and no middleware. The application's token does not open the users'
  // endpoint.
  const person = "a person's token";
  const statuses = async (path, method, token) => {
    const response = await post("people", path, method, {}, { token });
    await response.body?.cancel();
    return response.status;
  };
  assert.deepEqual(
    [await statuses("/mcp", "tools/list", person), await statuses("/mcp", "tools/list", TOKEN)],
    [200, 401],
  );
  for (const path of ["/middleware", "/middleware/documents"])
    assert.deepEqual([await statuses(path, "middleware/list", person), path], [401, path]);
  assert.equal(await statuses("/middleware", "middleware/list", TOKEN), 200);
});

test("M-1 M-44: the mount describes itself to callers with the token", async () => {
  const discovered = await call("on", "/middleware", "server/discover");
  assert.deepEqual(discovered.result.capabilities.contextMiddleware, {});
  assert.equal((await post("on", "/middleware", "middleware/list", {}, { token: null })).status, 401);
  assert.equal((await post("on", "/middleware", "middleware/list", {}, { token: "another" })).status, 401);
  assert.equal(
    (await post("on", "/middleware", "middleware/list", {}, { headers: { origin: at("on", "/").origin } })).status,
    403,
  );
});

test("the rows of middleware.json and its scanners", async () => {
  let library = [];
  const left = [];
  for (const row of rows) {
    // Rows that the edge cannot reproduce: another clock, missing tools, servers that answer correctly.
    if (row.tools || row.reaches || row.error?.code === "middleware_failed") {
      left.push(row.name);
      continue;
    }
    const documents = row.documents ?? [];
    if (JSON.stringify(documents) !== JSON.stringify(library)) {
      for (const { id } of library) await manage("DELETE", `/middleware/documents?id=${id}`);
      for (const document of documents) await manage("PUT", "/middleware/documents", document);
      library = documents;
    }
    const { result, error } = await invoke({ name: row.function, arguments: row.arguments, context: row.context });
    if (row.error) {
      assert.deepEqual([error?.code, error?.data.reason], [-32602, row.error.code], row.name);
      if (row.error.message) assert.equal(error.message, row.error.message, row.name);
      continue;
    }
    assert.equal(error, undefined, `${row.name}: ${JSON.stringify(error)}`);
    const { content, metadata } = result;
    const found = { content, ...(metadata && { metadata }) };
    if (row.result) assert.deepEqual(alike(found), alike(row.result), row.name);
    for (const [path, expected] of Object.entries(row.at ?? {}))
      assert.deepEqual(alike(pointer(found, path)), alike(expected), `${row.name} ${path}`);
  }
  assert.ok(left.length < 8, left.join());
});

test("the rows of middleware-own.json, under its policies and patterns", async () => {
  for (const row of ownRows) {
    const params = { name: row.function, arguments: row.arguments, context: row.context };
    const { result, error } = await call("own", "/middleware", "middleware/invoke", params);
    assert.equal(error?.message, row.error?.message, row.name);
    if (row.result) assert.deepEqual({ content: result.content, metadata: result.metadata }, row.result, row.name);
    for (const [path, expected] of Object.entries(row.at ?? {}))
      assert.deepEqual(pointer(result, path), expected, `${row.name} ${path}`);
  }
  // The list names the available policies and patterns to clients.
  const listed = (await call("own", "/middleware", "middleware/list")).result.middleware;
  const described = (name, argument) =>
    listed.find((one) => one.name === name).inputSchema.properties[argument].description;
  for (const [name, { description }] of Object.entries(own.policies))
    assert.ok(
      described("content_moderation", "policies").includes(description ? `${name} (${description})` : name),
      name,
    );
  for (const name of Object.keys(own.patterns)) assert.ok(described("pii_redaction", "types").includes(name), name);
  const message =
    "middleware.patterns.DESK.pattern: look-around (`(?=`) is not supported: patterns are matched in linear time";
  assert.equal((await call("wrong", "/middleware", "middleware/list")).error.message, message);
});

test("a ranking treats hidden tools like tools that do not exist", async () => {
  const rank = async (name) => {
    await call(name, "/mcp", "tools/list", {}, { token: null }); // an isolate knows tools only after a list
    const params = {
      name: "tool_filter",
      arguments: { availableTools: ["delete_label"] },
      context: [{ type: "text", text: "take it off every issue for good" }],
    };
    return (await call(name, "/middleware", "middleware/invoke", params)).result.metadata;
  };
  const [hidden, gone, seen] = [await rank("hidden"), await rank("gone"), await rank("on")];
  assert.deepEqual(hidden, gone);
  assert.notDeepEqual(hidden, seen);
});

test("the clock and the zones are the platform's", async () => {
  const time = async (args) =>
    (await invoke({ name: "timestamp_injector", arguments: args, context: [] })).result.content[0].text;
  const iso = /^\[Current time: (.*)\]$/.exec(await time({ format: "iso", timeZone: "Asia/Kolkata" }))[1];
  assert.match(iso, /\+05:30$/);
  assert.ok(Math.abs(Date.parse(iso) - Date.now()) < 60_000, iso);
  assert.match(await time({ timeZone: "America/New_York" }), / (EST|EDT|GMT-[45])\]$/);
});

test("documents are the operator's, added, replaced, listed and removed", async () => {
  const listed = async () => (await manage("GET", "/middleware/documents")).documents.map(({ id }) => id).sort();
  for (const id of await listed()) await manage("DELETE", `/middleware/documents?id=${id}`);
  const put = (id, text, source = "s") =>
    manage("PUT", "/middleware/documents", { id, source, title: `Title ${id}`, text });
  assert.deepEqual(await put("a", "the harbour closes at nine"), { replaced: false });
  assert.deepEqual(await put("b", 'a "quoted" harbour AND (NOT open) OR * near'), { replaced: false });
  assert.deepEqual(await put("a", "the lighthouse closes at ten"), { replaced: true });
  assert.deepEqual(await listed(), ["a", "b"]);
  const found = async (text) => {
    const { result } = await invoke({ name: "document_retrieval", context: [{ type: "text", text }] });
    return result.metadata.sources.map(({ title }) => title);
  };
  assert.deepEqual(await found("when does the lighthouse close?"), ["Title a"]);
  assert.deepEqual(await found('harbour" OR text:* NEAR('), ["Title b"]);
  assert.deepEqual(await found("?!"), []);
  assert.deepEqual(await manage("DELETE", "/middleware/documents?id=a"), { removed: true });
  assert.deepEqual(await manage("DELETE", "/middleware/documents?id=a"), { removed: false });
  assert.deepEqual(await found("lighthouse"), []);
  const good = { id: "c", source: "s", title: "t", text: "x" };
  for (const [sent, status, why] of [
    ["{}", 400, /^expected a document: missing field `id`/],
    ["[".repeat(10_000), 400, /^expected a document: /],
    [JSON.stringify({ ...good, id: "" }), 400, /^expected an `id`$/],
    [JSON.stringify({ ...good, title: "t".repeat(1025) }), 400, /^expected at most 1024 bytes of `title`$/],
    [JSON.stringify({ ...good, text: "x".repeat(1 + (1 << 20)) }), 400, /^expected at most 1048576 bytes of `text`$/],
    [JSON.stringify({ ...good, text: "x".repeat(5 << 20) }), 413, /^the body is larger than 4194304 bytes$/],
  ]) {
    const refused = await fetch(at("on", "/middleware/documents"), {
      method: "PUT",
      headers: { authorization: `Bearer ${TOKEN}` },
      body: sent,
    });
    assert.equal(refused.status, status, sent.slice(0, 40));
    assert.match((await refused.json()).error.message, why);
  }
  // Ignored, a missing `id` would be reported as done, and an invalid cursor would return the first page again and again.
  for (const [method, path, why] of [
    ["DELETE", "/middleware/documents", "expected the `id` of a document"],
    ["DELETE", "/middleware/documents?id=", "expected the `id` of a document"],
    ["GET", "/middleware/documents?after=x", "expected `after` as the `next` of a page"],
    ["GET", "/middleware/records?after=x", "expected `after` as the `next` of a page"],
    ["GET", "/middleware/records?after=-1", "expected `after` as the `next` of a page"],
    ["GET", "/middleware/records?after=null", "expected `after` as the `next` of a page"],
  ]) {
    const refused = await fetch(at("on", path), { method, headers: { authorization: `Bearer ${TOKEN}` } });
    assert.deepEqual([refused.status, (await refused.json()).error.message], [400, why], path);
  }
  // A cursor beyond the largest possible id returns an empty page.
  for (const after of ["9007199254740993", "18446744073709551615"]) {
    assert.deepEqual((await manage("GET", `/middleware/documents?after=${after}`)).documents, []);
    assert.deepEqual((await manage("GET", `/middleware/records?after=${after}`)).records, []);
    const audit = await fetch(at("on", `/audit?after=${after}`), { headers: { authorization: `Bearer ${OPERATOR}` } });
    assert.deepEqual([audit.status, (await audit.json()).operations], [200, []]);
  }
  assert.equal((await fetch(at("on", "/middleware/documents"))).status, 401);
});

test("kept contexts are read in pages of bounded size, and deleted", async () => {
  const keep = async (label, bytes) => {
    const context = [{ type: "text", text: "x".repeat(bytes) }];
    const { result } = await invoke({ name: "context_logger", arguments: { reason: "size", label }, context });
    return result.metadata.record;
  };
  const [first, second, third] = [
    await keep("one", 1_500_000),
    await keep("two", 1_500_000),
    await keep("three", 1_500_000),
  ];
  const [large, small] = [await keep("large", 1_950_000), await keep("small", 10)];
  const before = Number(first) - 1;
  const page = await manage("GET", `/middleware/records?after=${before}`);
  assert.deepEqual([page.records.map(({ id }) => id), page.next], [[first, second], Number(second)]);
  const rest = await manage("GET", `/middleware/records?after=${page.next}`);
  assert.deepEqual([rest.records.map(({ id }) => id), rest.next], [[third, large, small], null]);
  assert.match(rest.records[1].context.omitted, /^1950\d+ bytes, at most 1900000$/);

  assert.deepEqual(await manage("DELETE", `/middleware/records?id=${small}`), { removed: 1 });
  assert.deepEqual(await manage("DELETE", `/middleware/records?id=${small}`), { removed: 0 });
  for (const query of ["", "?id=x", "?before=yesterday", `?id=${first}&before=1`]) {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const refused = await fetch(at("on", `/middleware/records${query}`), { method: "DELETE", headers });
    assert.equal(refused.status, 400);
    assert.match((await refused.json()).error.message, /^expected `id`, or `before` in milliseconds since 1970$/);
  }
  assert.ok((await manage("DELETE", `/middleware/records?before=${rest.records[2].at + 1}`)).removed >= 4);
  assert.deepEqual((await manage("GET", "/middleware/records")).records, []);
});

test("M-32 M-40 M-46: a context is kept where that was asked for, and nowhere else", async () => {
  const secret = "a very particular sentence";
  const context = [
    { type: "text", text: secret },
    { type: "image", data: "aGk=", mimeType: "image/png" },
  ];
  const { result } = await invoke({
    name: "context_logger",
    arguments: { reason: "before the model", label: "turn 9" },
    context,
  });
  assert.deepEqual(result.content, context);
  const { records } = await manage("GET", "/middleware/records");
  const kept = records.find(({ id }) => id === result.metadata.record);
  assert.deepEqual([kept.reason, kept.label, kept.context], ["before the model", "turn 9", context]);

  await invoke({ name: "timestamp_injector", context });
  let log;
  const logged = async () => {
    log = (await operationsOf("on")).filter(({ kind }) => kind === "timestamp_injector");
    return log.find(({ reason }) => reason === "changed");
  };
  const line = await until(logged, () => `a line of the changed context in ${JSON.stringify(log)}`);
  assert.equal(line.method, "middleware/invoke", JSON.stringify(log));
  assert.equal(JSON.stringify(log).includes(secret), false);
  assert.equal(workers.log().includes(secret), false);
});

/** Returns the lines of a Worker's audit log. */
async function operationsOf(name) {
  const response = await fetch(at(name, "/audit"), { headers: { authorization: `Bearer ${OPERATOR}` } });
  return (await response.json()).operations;
}

/** Waits until a Worker's audit log has a line of each of these functions, and returns its lines. */
async function audited(name, functions) {
  let missing;
  const logged = async () => {
    const operations = await operationsOf(name);
    missing = functions.filter((function_) => !operations.some(({ kind }) => kind === function_));
    return missing.length === 0 && operations;
  };
  return until(logged, () => `a line of each of ${missing}`);
}

test("M-40 M-46: no log has any of the passed content, for every outcome", async () => {
  const canary = "Canary-7f3a";
  const said = [
    { type: "text", text: `${canary} wrote to ${canary}@example.com, password=${canary}Zq9!x` },
    { type: "tool_use", id: canary, name: canary, input: { [canary]: canary } },
  ];
  const {
    result: { middleware },
  } = await call("told", "/middleware", "middleware/list");
  const names = middleware.map(({ name }) => name);
  const given = {
    pii_restoration: { redactions: { [canary]: canary } },
    tool_filter: { availableTools: [canary] },
    hallucination_check: { given: [canary], tools: [canary] },
    context_logger: { reason: "r", label: "l" },
    document_retrieval: { sources: [canary] },
    secret_detection: { action: "refuse" },
  };
  for (const name of names) {
    for (const args of [given[name] ?? {}, { [canary]: canary }, canary])
      await call("told", "/middleware", "middleware/invoke", { name, arguments: args, context: said });
    await call("told", "/middleware", "middleware/invoke", { name, context: canary });
    for (const phase of ["request", "response"])
      await call("told", "/interceptors", "interceptor/invoke", {
        name,
        event: "llm/completion",
        phase,
        payload: said,
        config: given[name],
      });
  }
  await call("told", "/middleware", "middleware/invoke", { name: canary, context: said });
  await call("told", "/middleware", `middleware/${canary}`, { context: said });
  const outcomes = [];
  for (const [method, params] of [
    ["tools/call", { name: "create_note", arguments: { title: canary, body: `${canary}@example.com` } }],
    ["tools/call", { name: "create_note", arguments: { title: "key", body: `ghp_${"a1B2c3D4e5F6".repeat(3)}` } }],
    ["tools/call", { name: "create_note", arguments: { [canary]: canary } }],
    ["prompts/get", { name: "triage_issue", arguments: { issue: canary } }],
  ])
    outcomes.push(await call("told", "/mcp", method, params, { token: null, headers: { "mcp-name": params.name } }));
  assert.equal(outcomes[1].error?.data.reason, "middleware_refused", JSON.stringify(outcomes[1]));

  const operations = await audited("told", names);
  // With `"log": true`, one line per request reports the work of all its functions, in numbers.
  const treated = workers
    .log()
    .split("\n")
    .filter((line) => line.includes('"dev.mcpsieve.middleware"'))
    .map((line) => JSON.parse(line));
  assert.ok(treated.every(({ time }) => !Number.isNaN(Date.parse(time))));
  const chained = treated
    .map((line) => line["dev.mcpsieve.middleware"])
    .filter(([{ method }]) => method === "tools/call");
  assert.deepEqual(
    chained[0].map(({ function: name, mode }) => [name, mode]),
    [
      ["pii_redaction", "enforce"],
      ["secret_detection", "enforce"],
      ["pii_restoration", "enforce"],
      ["content_moderation", "audit"],
    ],
  );
  assert.ok(chained[0].every(({ bytes, items, ms }) => bytes.length === 2 && items.length === 2 && ms >= 0));
  assert.equal(
    operations.filter(
      ({ method, kind, reason }) => method === "tools/call" && kind === "pii_redaction" && reason === "changed",
    ).length,
    1,
    "calls that end alike are one line",
  );
  assert.ok(operations.some(({ method, kind }) => method === "tools/call" && kind === "pii_redaction"));
  assert.ok(
    operations.some(({ reason }) => reason === "secret"),
    "a refusal is a line",
  );
  assert.ok(
    operations.some(({ reason }) => reason.startsWith("audit:")),
    "what is only told is a line",
  );
  for (const text of [JSON.stringify(operations), workers.log()]) {
    assert.equal(
      text.includes(canary),
      false,
      text.slice(Math.max(0, text.indexOf(canary) - 200), text.indexOf(canary) + 200),
    );
    assert.equal(text.includes("ghp_"), false);
  }
});

test("M-49: each level's decisions are lines of the audit log, with the caller and the number", async () => {
  const texts = { low: "What a load of bullshit", medium: "He would beat you up", high: "how to make a bomb" };
  const decided = {};
  for (const level of LEVELS) {
    for (const [severity, body] of Object.entries(texts)) {
      const params = { name: "create_note", arguments: { title: severity, body } };
      const options = { token: `${level} token`, headers: { "mcp-name": "create_note" } };
      const { error } = await call("levels", "/mcp", "tools/call", params, options);
      decided[level] = [...(decided[level] ?? []), error?.data.reason ?? "allowed"];
    }
  }
  const refused = "middleware_refused";
  assert.deepEqual(decided, {
    consumer: ["allowed", "allowed", refused],
    enterprise: ["allowed", refused, refused],
    regulated: [refused, refused, refused],
  });
  const decisions = async () =>
    (await operationsOf("levels"))
      .filter(({ kind }) => kind === "content_moderation")
      .map(({ who, method, reason, count }) => `${who}: ${method} ${reason} ${count}`)
      .sort();
  const expected = [
    "consumer: tools/call moderation 1",
    "consumer: tools/call unchanged 2",
    "enterprise: tools/call moderation 2",
    "enterprise: tools/call unchanged 1",
    "regulated: tools/call moderation 3",
  ];
  let found;
  const written = async () => {
    found = await decisions();
    return found.length >= expected.length;
  };
  await until(written, () => `all decisions in ${JSON.stringify(found)}`);
  assert.deepEqual(found, expected);
});

test("M-54: a call with a progress token on a stream is answered at once and whole", async () => {
  const params = { name: "timestamp_injector", context: [{ type: "text", text: "x" }], _meta: {} };
  for (const accept of ["text/event-stream, application/json", "text/event-stream"]) {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "middleware/invoke",
      params: {
        ...params,
        _meta: {
          progressToken: 7,
          "io.modelcontextprotocol/protocolVersion": VERSION,
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    });
    const headers = {
      "content-type": "application/json",
      accept,
      "mcp-protocol-version": VERSION,
      "mcp-method": "middleware/invoke",
      authorization: `Bearer ${TOKEN}`,
    };
    const response = await fetch(at("on", "/middleware"), { method: "POST", headers, body });
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, "application/json"]);
    assert.equal((await response.json()).result.resultType, "complete");
  }
  const listened = await call("on", "/middleware", "subscriptions/listen", {
    notifications: { toolsListChanged: true },
  });
  assert.equal(listened.error.code, -32601);
});

test("M-50: each secret opens its own door and no other", async () => {
  const person = "a person's token";
  const status = async (path, token, init = {}) => {
    const response = await fetch(at("people", path), { ...init, headers: { authorization: `Bearer ${token}` } });
    await response.body?.cancel();
    return response.status;
  };
  const doors = {
    "/middleware": TOKEN,
    "/middleware/documents": TOKEN,
    "/middleware/records": TOKEN,
    "/audit": OPERATOR,
    "/catalog/tools": person,
  };
  for (const [path, key] of Object.entries(doors)) {
    const init = path === "/middleware" ? { method: "POST" } : {};
    for (const token of [TOKEN, OPERATOR, person]) {
      const found = await status(path, token, init);
      assert.equal(found === 401, token !== key, `${path}: ${found}`);
    }
  }
  for (const [token, served] of [
    [TOKEN, false],
    [OPERATOR, false],
    [person, true],
  ]) {
    assert.equal((await call("people", "/mcp", "tools/list", {}, { token })).result !== undefined, served);
  }
});

test("wrong tokens at the mounts are logged, and refused for a while beyond a limit", async () => {
  const from = async (address, path, token) => {
    const headers = { authorization: `Bearer ${token}`, "cf-connecting-ip": address };
    const response = await fetch(at("on", path), { method: "POST", headers });
    await response.body?.cancel();
    return response.status;
  };
  const statuses = [];
  for (let round = 0; round < WRONG_TOKENS + 5; round += 1)
    statuses.push(await from("203.0.113.20", "/middleware", `guess-${round}`));
  assert.deepEqual(statuses.slice(0, WRONG_TOKENS), Array(WRONG_TOKENS).fill(401));
  assert.ok(statuses.slice(WRONG_TOKENS).includes(429), statuses.join());
  assert.ok([401, 429].includes(await from("203.0.113.20", "/middleware/documents", "guess")));
  assert.equal(await from("203.0.113.21", "/middleware", "guess"), 401, "others are counted for themselves");
  assert.equal(await from("203.0.113.20", "/middleware", TOKEN), 415, "the right token always passes");
  let line;
  const counted = async () => {
    line = (await operationsOf("on")).find(({ kind, reason }) => kind === "middleware" && reason === "unauthorized");
    return line?.count >= WRONG_TOKENS + 5;
  };
  await until(counted, () => `every wrong token in ${JSON.stringify(line)}`);
});

test("an unknown function is an error of the file, and every request gets it", async () => {
  const expected = "middleware.functions[1]: there is no function `pii_redactoin`";
  assert.equal((await call("misspelt", "/mcp", "tools/list", {}, { token: null })).error.message, expected);
  assert.equal((await call("misspelt", "/middleware", "middleware/list")).error.message, expected);
});

test("M-56: the same functions as interceptors", async () => {
  const { capabilities } = (await call("on", "/interceptors", "server/discover")).result;
  assert.ok(capabilities.extensions["io.modelcontextprotocol/interceptors"].supportedEvents.includes("tools/call"));
  const listed = await call("on", "/interceptors", "interceptors/list", { event: "llm/completion" });
  assert.ok(listed.result.interceptors.some(({ name, type }) => name === "timestamp_injector" && type === "mutation"));
  assert.ok(listed.result.interceptors.every(({ failOpen, mode }) => failOpen === false && mode === "active"));
  const hints = listed.result.interceptors.map(({ priorityHint }) => priorityHint.request);
  assert.deepEqual(
    hints,
    hints.toSorted((a, b) => a - b),
  );
  const params = {
    name: "timestamp_injector",
    event: "llm/completion",
    phase: "request",
    payload: [{ type: "text", text: "x" }],
    timeoutMs: 10_000,
  };
  const called = await call("on", "/interceptors", "interceptor/invoke", params);
  assert.equal(called.result.modified, true);
  assert.match(called.result.payload[0].text, /^\[Current time: .*\]\n\nx$/);
});
