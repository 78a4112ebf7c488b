// Discovery over a sieve: definitions for each provider, and calls that are answered locally or by a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Sieve, SieveError, discovery } from "../pkg/loaders/node.js";

const number = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
const TOOLS = [
  {
    name: "list_issues",
    description: "Lists issues.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  },
  { name: "close_issue", title: "Close", description: "Closes an issue. For good.", inputSchema: number },
  { name: "send_mail", description: "Sends a letter.", inputSchema: { type: "object" } },
  { name: "status", description: "Says how it is.", inputSchema: { type: "object" } },
  { name: "secret", description: "Closes an issue in secret.", inputSchema: { type: "object" } },
];
const CONFIG = {
  groups: [{ name: "issues", title: "Issues" }],
  rules: [
    { match: "name:*issue*", groups: ["issues"] },
    { match: "name:status", tags: ["core"] },
  ],
  policies: [{ name: "secret", show: "-name:secret" }],
};
const SEARCH = ["search_tools", "describe_tools", "call_read_only_tool", "call_tool"];
const names = (tools) => tools.map(({ name }) => name);

function over(options, config = CONFIG) {
  const calls = [];
  const call = async (made, context) => {
    calls.push({ ...made, context });
    return { content: [{ type: "text", text: `did ${made.name}` }] };
  };
  return { calls, ...{ found: discovery(Sieve.compile({ tools: TOOLS }, config), { call, ...options }) } };
}

test("each mode lists its tools, and those that every mode lists", () => {
  const { found } = over({ mode: "search", always: "tag:core" });
  assert.equal(found.mode, "search");
  assert.deepEqual(names(found.tools()), [...SEARCH, "status"]);
  assert.deepEqual(names(over({ mode: "groups" }).found.tools()).slice(0, 2), ["list_tool_groups", "open_tool_group"]);
  assert.deepEqual(names(over({ mode: "flat" }).found.tools()), ["list_issues", "close_issue", "send_mail", "status"]);
  assert.deepEqual(names(over({ mode: "flat", filter: { groups: ["issues"] } }).found.tools()), [
    "list_issues",
    "close_issue",
  ]);
  assert.equal(over({}).found.mode, "flat");
  assert.equal(over({ budget: 10 }).found.mode, "search");
});

test("the instructions count the tools that can be found", () => {
  const { found } = over({ mode: "search" });
  assert.match(found.instructions(), /^This server has 4 tools.*Groups and their numbers of tools: issues \(2\)/s);
  assert.equal(over({ mode: "flat" }).found.instructions(), "");
});

test("a model searches, describes and calls", async () => {
  const { found, calls } = over({ mode: "search" });
  const searched = await found.handle("search_tools", { query: "close an issue" });
  assert.equal(searched.structuredContent.tools[0].name, "close_issue");
  assert.equal(searched.structuredContent.tools[0].description, "Closes an issue.");
  assert.ok(!JSON.stringify(searched).includes("secret"));
  const described = await found.handle("describe_tools", '{"names":["close_issue","secret"]}');
  assert.deepEqual(described.structuredContent.tools[0].inputSchema, number);
  assert.deepEqual(described.structuredContent.unknown, [{ name: "secret" }]);
  const done = await found.handle("call_tool", { name: "close_issue", arguments: { id: 7 } }, "turn 1");
  assert.deepEqual(done, { content: [{ type: "text", text: "did close_issue" }] });
  await found.handle("call_read_only_tool", { name: "list_issues" }, "turn 2");
  const at = { server: "upstream" };
  assert.deepEqual(calls, [
    { tool: "close_issue", name: "close_issue", arguments: { id: 7 }, ...at, context: "turn 1" },
    { tool: "list_issues", name: "list_issues", arguments: {}, ...at, context: "turn 2" },
  ]);
});

test("a ranker orders the results of a search, and gets the names that can be found", async (t) => {
  const asked = [];
  const ranker = async (query, given) => {
    asked.push([query, given]);
    return given.map((name) => (name === "send_mail" ? 1 : Number.NaN));
  };
  const { found } = over({ mode: "search", ranker });
  const { structuredContent } = await found.handle("search_tools", { query: " tell a friend " });
  assert.deepEqual(names(structuredContent.tools), ["send_mail"]);
  // First in one of two orders: half of the maximum score.
  assert.equal(structuredContent.tools[0].score, 500);
  assert.deepEqual(asked, [["tell a friend", ["list_issues", "close_issue", "send_mail", "status"]]]);

  const both = await found.handle("search_tools", { query: "close an issue" });
  assert.deepEqual(names(both.structuredContent.tools).slice(0, 2).sort(), ["close_issue", "send_mail"]);
  const grouped = await found.handle("search_tools", { query: "close an issue", group: "issues" });
  assert.ok(!names(grouped.structuredContent.tools).includes("send_mail"));

  // Rejected queries and other tools do not use the model.
  assert.equal((await found.handle("search_tools", { query: 1 })).isError, true);
  assert.equal((await found.handle("search_tools", { query: " " })).structuredContent.tools.length, 0);
  await found.handle("describe_tools", { names: ["status"] });
  assert.equal(asked.length, 3);

  const filtered = over({ mode: "search", ranker, filter: { groups: ["issues"] } });
  await filtered.found.handle("search_tools", { query: "close" });
  assert.deepEqual(asked.at(-1), ["close", ["list_issues", "close_issue"]]);
  const warned = t.mock.method(console, "warn", () => {});
  const failing = [
    [() => [1], /expected an array of 4 scores/],
    [() => Promise.reject(new Error("model down")), /model down/],
  ];
  for (const [broken, reason] of failing) {
    const { found: alone } = over({ mode: "search", ranker: broken });
    const answer = await alone.handle("search_tools", { query: "close" });
    assert.deepEqual(names(answer.structuredContent.tools), ["close_issue"]);
    assert.match(warned.mock.calls.at(-1).arguments[1].message, reason);
  }
  assert.throws(() => over({ ranker: "model" }), /expected a function from a query and names to scores/);
});

test("a ranker of one sieve gives no scores to another", async () => {
  const of = (tool) =>
    Sieve.compile({ tools: [{ name: tool, description: "Closes.", inputSchema: { type: "object" } }] });
  let sieve = of("first");
  const given = [];
  const ranker = async (_, all) => {
    given.push(...all);
    if (all[0] === "first") sieve = of("second");
    return all.map(() => 1);
  };
  const found = discovery(() => sieve, { mode: "search", call: () => undefined, ranker });
  const { structuredContent } = await found.handle("search_tools", { query: "close" });
  assert.deepEqual(names(structuredContent.tools), ["second"]);
  assert.deepEqual(given, ["first", "second"]);
});

test("a tool that is listed itself is called by its name", async () => {
  const { found, calls } = over({ mode: "search", always: "tag:core" });
  await found.handle("status", { a: 1 });
  assert.deepEqual(calls[0].arguments, { a: 1 });
});

test("a refused call is a result with the reason", async () => {
  const { found, calls } = over({ mode: "search", filter: { groups: ["issues"] } });
  const said = async (name, args) => {
    const { isError, content } = await found.handle(name, args);
    return isError && content[0].text;
  };
  assert.equal(await said("call_tool", { name: "secret" }), "Unknown tool: secret");
  assert.equal(await said("call_tool", { name: "never" }), "Unknown tool: never");
  assert.equal(await said("call_tool", { name: "send_mail" }), "Unknown tool: send_mail");
  assert.equal(await said("send_mail", {}), "Unknown tool: send_mail");
  assert.equal(
    await said("call_tool", { name: "close_isue" }),
    "Unknown tool: close_isue (did you mean `close_issue`?)",
  );
  assert.equal(await said("close_isue", {}), "Unknown tool: close_isue (did you mean `close_issue`?)");
  assert.equal(await said("call_tool", { name: "search_tools" }), "Unknown tool: search_tools (call it directly)");
  const changes = await said("call_read_only_tool", { name: "close_issue", arguments: { id: 1 } });
  assert.equal(changes, "This tool may change things. Call it with call_tool.");
  assert.match(
    await said("call_tool", { name: "close_issue" }),
    /^arguments: missing `id`\. The inputSchema of this tool is: \{/,
  );
  assert.equal(await said("search_tools", "no JSON"), "arguments: expected an object");
  assert.deepEqual(calls, []);
});

test("definitions are those that providers take", () => {
  const { found } = over({ mode: "search" });
  const [anthropic] = found.anthropic();
  assert.deepEqual(Object.keys(anthropic), ["name", "description", "input_schema"]);
  assert.equal(anthropic.input_schema.required[0], "query");
  const [responses] = found.openai();
  assert.deepEqual(Object.keys(responses), ["type", "name", "description", "parameters", "strict"]);
  const [chat] = found.openai({ api: "chat" });
  assert.deepEqual([chat.type, chat.function.name], ["function", "search_tools"]);
  assert.deepEqual(Object.keys(found.aiSdk()), SEARCH);
});

test("schemas that providers refuse are replaced by those of the same arguments", async () => {
  const [id, title, note, more] = ["integer", "string", "boolean", "number"].map((type) => ({ type }));
  const schemas = {
    bare: { type: "object" },
    either: {
      type: "object",
      properties: { id },
      required: ["id"],
      anyOf: [{ required: ["id"] }, { properties: { title }, required: ["title"] }],
    },
    deep: { type: "object", oneOf: [{ allOf: [{ properties: { note } }] }, true], not: { required: ["more"] } },
    all: { type: "object", additionalProperties: false, allOf: [{ properties: { id, more }, required: ["more"] }] },
    plain: { type: "object", properties: { id: { anyOf: [id, title] } } },
  };
  const expected = {
    bare: { type: "object", properties: {} },
    either: { type: "object", properties: { title, id }, required: ["id"] },
    deep: { type: "object", properties: { note } },
    all: { type: "object", additionalProperties: false, properties: { id, more }, required: ["more"] },
    plain: schemas.plain,
  };
  const tools = Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema }));
  const calls = [];
  const found = discovery(Sieve.compile({ tools }), { mode: "flat", call: (made) => calls.push(made.arguments) });
  const given = (list, schemaOf) => Object.fromEntries(list.map((tool) => [tool.name, schemaOf(tool)]));
  assert.deepEqual(
    given(found.anthropic(), (tool) => tool.input_schema),
    expected,
  );
  assert.deepEqual(
    given(found.openai(), (tool) => tool.parameters),
    expected,
  );
  const chat = found.openai({ api: "chat" }).map((tool) => tool.function);
  assert.deepEqual(
    given(chat, (tool) => tool.parameters),
    expected,
  );
  for (const [name, tool] of Object.entries(found.aiSdk()))
    assert.deepEqual(tool.inputSchema.jsonSchema, expected[name]);
  assert.deepEqual(
    given(found.tools(), (tool) => tool.inputSchema),
    schemas,
  );
  await found.handle("either", { id: 1, title: "a" });
  assert.deepEqual(calls, [{ id: 1, title: "a" }]);
});

test("a model of the AI SDK reads the content of a result once", async () => {
  const { toModelOutput, execute } = over({ mode: "search" }).found.aiSdk().search_tools;
  const output = await execute({ query: "close an issue" });
  const [{ text }] = output.content;
  assert.deepEqual(toModelOutput({ toolCallId: "1", input: {}, output }), {
    type: "content",
    value: [{ type: "text", text }],
  });
  const link = { type: "resource_link", uri: "file:///a", name: "a" };
  const image = { type: "image", data: "aGk=", mimeType: "image/png" };
  const content = [{ type: "text", text: "two files", annotations: {} }, image, link];
  const read = (type) => ({
    type: "content",
    value: [
      { type: "text", text: "two files" },
      { type, data: "aGk=", mediaType: "image/png" },
      { type: "text", text: JSON.stringify(link) },
    ],
  });
  assert.deepEqual(toModelOutput({ toolCallId: "1", input: {}, output: { content } }), read("image-data"));
  assert.deepEqual(toModelOutput({ content }), read("media"), "the result alone, as version 5 passes it");
  assert.deepEqual(toModelOutput({ toolCallId: "1", input: {}, output: { id: 7 } }), {
    type: "json",
    value: { id: 7 },
  });
  assert.deepEqual(toModelOutput({ toolCallId: "1", input: {} }), { type: "json", value: null });
});

test("names that providers refuse are replaced, and lead to their tools", async () => {
  const long = "x".repeat(65);
  const refused = ["files.read", "files/read", long];
  const tools = [...refused, "fine"].map((name) => ({ name, inputSchema: { type: "object" } }));
  const calls = [];
  const found = discovery(Sieve.compile({ tools }), { mode: "flat", call: ({ name }) => calls.push(name) });
  const given = names(found.anthropic());
  assert.equal(new Set(given).size, 4);
  for (const name of given) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
  assert.match(given[0], /^files_read_/);
  assert.equal(given[3], "fine");
  assert.deepEqual(names(found.openai()), given);
  assert.deepEqual(Object.keys(found.aiSdk()), given);
  assert.deepEqual(names(found.tools()), [...refused, "fine"]);
  for (const name of [...given, long]) await found.handle(name, {});
  await found.aiSdk()[given[1]].execute({});
  assert.deepEqual(calls, [...refused, "fine", long, "files/read"]);
});

test("no tool takes the name that another one has at a provider", async () => {
  const compiled = (tools) => Sieve.compile({ tools: tools.map((name) => ({ name, title: name, inputSchema: {} })) });
  const over = (tools) => discovery(compiled(tools), { mode: "flat", call: ({ name }) => name });
  const [{ name: taken }] = over(["files.delete"]).anthropic();
  for (const tools of [
    ["files.delete", taken, "files/delete"],
    [taken, "files.delete", "fine"],
  ]) {
    const found = over(tools);
    const given = names(found.anthropic());
    assert.equal(new Set(given).size, 3);
    assert.equal(given[0], taken);
    assert.deepEqual(names(found.openai()), given);
    assert.deepEqual(Object.keys(found.aiSdk()), given);
    for (const { name, description } of found.anthropic()) {
      assert.equal(await found.handle(name, {}), description);
      assert.equal(await found.aiSdk()[name].execute({}), description);
    }
  }
});

test("arguments that a model wrote as text are read, and anything but an object is refused", async () => {
  const { found, calls } = over({ mode: "search", always: "tag:core" });
  await found.handle("call_tool", { name: "close_issue", arguments: '{"id":7}' });
  assert.deepEqual(calls[0].arguments, { id: 7 });
  for (const args of [7, [], "7", 10n, () => {}]) {
    const { isError, content } = await found.handle("status", args);
    assert.deepEqual([isError, /^arguments: expected an object/.test(content[0].text)], [true, true]);
  }
  assert.equal(calls.length, 1);
});

test("a new sieve takes the place of the old one", async () => {
  let sieve = Sieve.compile({ tools: TOOLS }, CONFIG);
  const found = discovery(() => sieve, {
    call: () => ({ content: [] }),
    mode: "search",
    filter: { groups: ["issues"] },
  });
  assert.match(found.instructions(), /^This server has 2 tools/);
  sieve = Sieve.compile({ tools: TOOLS.slice(0, 1) }, CONFIG);
  assert.match(found.instructions(), /^This server has 1 tool,/);
  const described = await found.handle("describe_tools", { names: ["close_issue"] });
  assert.deepEqual(described.structuredContent.tools, []);
});

test("wrong options are refused at once", () => {
  const sieve = Sieve.compile({ tools: TOOLS });
  const call = () => {};
  for (const [options, message] of [
    [{}, "call: expected a function that calls a tool of a server"],
    [{ call, mode: "lazy" }, "mode: expected one of `flat`, `search`, `groups`, `outline`, `auto`"],
    [{ call, budget: "many" }, "budget: expected a number of tokens"],
    [{ call, tools: [] }, "unknown option `tools`, expected `call`, `filter`, `always`, `mode`, `budget`, `ranker`"],
  ])
    assert.throws(() => discovery(sieve, options), new SieveError("invalid_option", message));
  assert.throws(() => discovery({}, { call }), { code: "invalid_option", message: "expected a `Sieve`" });
  assert.throws(() => discovery(sieve, { call, always: "tag:" }), { code: "expression" });
});
