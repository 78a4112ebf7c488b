// Context middleware at the edge: the endpoints of the Worker in workerd, and what its functions return.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  TOKEN,
  VERSION,
  alike,
  at,
  call,
  invoke,
  manage,
  middlewareWorkers,
  own,
  ownRows,
  pointer,
  post,
  rows,
} from "./support/middleware-workers.mjs";

middlewareWorkers();

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
