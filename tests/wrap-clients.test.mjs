// Several servers in one sieve, and several clients as one.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { Sieve, SieveError, discovery, wrapClient, wrapClients } from "../pkg/loaders/node.js";
import { startUpstream } from "./support/upstream.mjs";

const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });
const FORGE = {
  tools: [tool("search", { description: "Finds issues." }), tool("open_issue", { description: "Opens an issue." })],
  resources: [{ uri: "issue://1", name: "first" }],
  prompts: [{ name: "triage" }],
};
const WIKI = {
  tools: [tool("search", { description: "Finds pages." }), tool("edit_page", { description: "Edits a page." })],
  resourceTemplates: [{ uriTemplate: "page://{name}", name: "page" }],
  prompts: [{ name: "triage" }],
};
const CONFIG = { rules: [{ match: "server:wiki", groups: ["pages"] }] };
const servers = (more) => [
  { server: "forge", lists: FORGE },
  { server: "wiki", lists: [{ tools: WIKI.tools }, { ...WIKI, tools: [] }], prefix: "wiki_", ...more },
];
const names = (list) => list.map(({ name }) => name);

describe("a sieve of several servers", () => {
  test("tells equal names apart by their prefixes, as the gateway does", () => {
    const sieve = Sieve.compile(servers(), CONFIG);
    assert.deepEqual(sieve.names(), ["search", "open_issue", "wiki_search", "edit_page"]);
    assert.deepEqual(sieve.names({ filter: { groups: ["pages"] } }), ["wiki_search", "edit_page"]);
    assert.deepEqual(sieve.names({ kind: "prompts" }), ["triage", "wiki_triage"]);
    const all = Sieve.compile(servers({ prefixAll: true }), CONFIG);
    assert.deepEqual(all.names(), ["search", "open_issue", "wiki_search", "wiki_edit_page"]);
  });

  test("has the prefixes of the configuration unless it is given others", () => {
    const upstreams = ["forge", "wiki"].map((name) => ({ name, url: "https://a.example/mcp", prefix: `${name}-` }));
    const sieve = Sieve.compile([{ server: "wiki", lists: WIKI, prefix: "w_" }, servers()[0]], { upstreams });
    assert.deepEqual(sieve.names(), ["w_search", "edit_page", "forge-search", "open_issue"]);
  });

  test("has other names for the groups and tags of a server, as the gateway has", () => {
    const grouped = { tools: [tool("list", { groups: ["docs", "old"], tags: ["beta"] })] };
    const renames = { groups: { docs: "pages", old: null }, tags: { beta: "preview" } };
    const upstreams = ["forge", "wiki"].map((name) => ({ name, url: "https://a.example/mcp" }));
    const configured = { upstreams: [upstreams[0], { ...upstreams[1], ...renames }] };
    for (const lists of [grouped, { jsonrpc: "2.0", id: 1, result: grouped }, JSON.stringify([grouped])])
      for (const [more, config] of [
        [renames, undefined],
        [{}, configured],
      ]) {
        const sieve = Sieve.compile([{ server: "wiki", lists, ...more }, servers()[0]], config);
        assert.deepEqual(names(sieve.groups), ["pages"]);
        assert.deepEqual(names(sieve.tags), ["preview"]);
        assert.deepEqual(sieve.names({ filter: { groups: ["pages"], tags: ["preview"] } }), ["list"]);
      }
  });

  test("leaves a name out that nothing tells apart, and reports it", () => {
    const sieve = Sieve.compile(servers({ prefix: undefined }));
    assert.deepEqual(sieve.names(), ["open_issue", "edit_page"]);
    assert.equal(sieve.origin("search"), undefined);
    assert.deepEqual(names(sieve.reports), ["search", "search", "triage", "triage"]);
    // A rule says which server has the name.
    const rules = [{ match: "server:wiki name:search", name: "search" }];
    const given = Sieve.compile(servers({ prefix: undefined }), { rules });
    assert.deepEqual(given.origin("search"), { server: "wiki", name: "search" });
  });

  test("knows where each primitive comes from", () => {
    const sieve = Sieve.compile(servers(), CONFIG);
    assert.deepEqual(sieve.origin("wiki_search"), { server: "wiki", name: "search" });
    assert.deepEqual(sieve.origin("edit_page"), { server: "wiki", name: "edit_page" });
    assert.deepEqual(sieve.origin("wiki_triage", { kind: "prompts" }), { server: "wiki", name: "triage" });
    assert.deepEqual(sieve.origin("issue://1", { kind: "resources" }), { server: "forge", name: "issue://1" });
    assert.deepEqual(sieve.origin("page://home", { kind: "resources" }), { server: "wiki", name: "page://home" });
    assert.equal(sieve.origin("never"), undefined);
    // A template answers for no URI of another server.
    const any = { server: "any", lists: { resourceTemplates: [{ uriTemplate: "{+any}", name: "any" }] } };
    const three = Sieve.compile([any, ...servers()], { policies: [{ name: "p", show: "-uri:issue*" }] });
    const from = (uri) => three.origin(uri, { kind: "resources" })?.server;
    assert.deepEqual(["issue://1", "page://home", "other://1"].map(from), [undefined, undefined, "any"]);
    const hidden = Sieve.compile(servers(), { policies: [{ name: "p", show: "-server:wiki" }] });
    assert.equal(hidden.origin("wiki_search"), undefined);
    assert.deepEqual(Sieve.compile(FORGE).origin("search"), { server: "upstream", name: "search" });
  });

  test("is the same when it is restored", () => {
    const sieve = Sieve.compile(servers(), CONFIG);
    const again = Sieve.restore(sieve.snapshot());
    assert.equal(again.hash, sieve.hash);
    assert.deepEqual(again.origin("wiki_search"), { server: "wiki", name: "search" });
  });

  test("is updated with the lists of one server", () => {
    const predicates = [{ name: "never", test: ({ name }) => name !== "never" }];
    const sieve = Sieve.compile(servers(), CONFIG, { predicates });
    const next = sieve.update("wiki", { tools: [tool("search"), tool("never"), tool("archive")] });
    assert.deepEqual(next.names(), ["search", "open_issue", "wiki_search", "archive"]);
    assert.deepEqual(next.names({ filter: { groups: ["pages"] } }), ["wiki_search", "archive"]);
    assert.deepEqual(sieve.names(), ["search", "open_issue", "wiki_search", "edit_page"], "the other one stays");
    assert.deepEqual(next.update("wiki", WIKI).names(), sieve.names());
    const tagged = Sieve.compile(servers(), CONFIG, { tags: { mine: { tools: ["search"] } } });
    const mine = { filter: { tags: ["user:mine"] } };
    assert.deepEqual(tagged.update("wiki", { tools: [] }).names(mine), ["search"]);
    assert.equal(sieve.taggable, false);
    const refusal = (of, server, message) =>
      assert.throws(() => of.update(server, WIKI), { code: "invalid_option", message });
    refusal(sieve, "tracker", "unknown server `tracker`, expected one of `forge`, `wiki`");
    const only = "only a sieve that was compiled from the lists of several servers can be updated";
    refusal(Sieve.compile(FORGE), "upstream", only);
    refusal(Sieve.restore(sieve.snapshot()), "wiki", only);
    assert.throws(() => sieve.update("wiki", { tools: "x" }), { code: "catalog", path: "[1].lists.tools" });
  });

  test("takes own tags", () => {
    const sieve = Sieve.compile(servers(), CONFIG, { tags: { mine: { tools: ["wiki_search"] } } });
    assert.deepEqual(sieve.names({ filter: { tags: ["user:mine"] } }), ["wiki_search"]);
  });

  test("refuses servers that cannot be told apart, with the place", () => {
    for (const [lists, code, path] of [
      [[servers()[0], servers()[0]], "config", "[1].server"],
      [[servers()[0], { tools: [] }], "catalog", "[1].server"],
      [[{ server: "", lists: FORGE }], "catalog", "[0].server"],
      [[{ server: 7, lists: FORGE }], "catalog", "[0].server"],
      [[{ server: "forge" }], "catalog", "[0].lists"],
      [[{ server: "forge", lists: { tools: "x" } }], "catalog", "[0].lists.tools"],
      [[{ server: "forge", lists: FORGE, url: "x" }], "catalog", "[0].url"],
      [[{ server: "forge", lists: FORGE, prefix: "not so" }], "config", "[0].prefix"],
      [[{ server: "forge", lists: FORGE, groups: { a: 7 } }], "config", "[0].groups.a"],
      [Array.from({ length: 501 }, (_, at) => ({ server: `s${at}`, lists: FORGE })), "config", "[500].server"],
    ])
      assert.throws(
        () => Sieve.compile(lists),
        (error) => {
          assert.ok(error instanceof SieveError, String(error));
          assert.deepEqual([error.code, error.path], [code, path], error.message);
          return true;
        },
      );
  });
});

const WORLDS = { forge: { lists: FORGE }, wiki: { lists: WIKI } };
const CLIENTS = {
  "SDK v1": async (url) => {
    const client = new ClientV1({ name: "host", version: "1" });
    await client.connect(new TransportV1(new URL(url)));
    return client;
  },
  "SDK v2": async (url) => {
    const client = new ClientV2({ name: "host", version: "1" });
    await client.connect(new TransportV2(new URL(url)));
    return client;
  },
};

for (const [sdk, connect] of Object.entries(CLIENTS)) {
  describe(`several clients of the ${sdk}`, () => {
    let upstream;
    let mcp;
    before(async () => {
      upstream = await startUpstream(WORLDS);
      const [forge, wiki] = await Promise.all([connect(upstream.url("forge")), connect(upstream.url("wiki"))]);
      mcp = wrapClients(
        [
          { server: "forge", client: forge },
          { server: "wiki", client: wiki, prefix: "wiki_" },
        ],
        {
          config: CONFIG,
        },
      );
    });
    after(async () => {
      await mcp?.close();
      await upstream?.stop();
    });

    test("list and search over all servers", async () => {
      const { tools, _meta } = await mcp.listTools();
      assert.deepEqual(names(tools), ["search", "open_issue", "wiki_search", "edit_page"]);
      assert.deepEqual(_meta["dev.mcpsieve/upstreams"], [
        { name: "forge", status: "ok" },
        { name: "wiki", status: "ok" },
      ]);
      const pages = await mcp.listTools({ filter: { groups: ["pages"] } });
      assert.deepEqual(names(pages.tools), ["wiki_search", "edit_page"]);
      assert.equal(pages._meta["dev.mcpsieve/filter"].total, 4);
      assert.equal((await mcp.search("edit a page"))[0].name, "edit_page");
      assert.deepEqual(names((await mcp.listPrompts()).prompts), ["triage", "wiki_triage"]);
      assert.equal((await mcp.listResources()).resources[0].uri, "issue://1");
      assert.equal((await mcp.listResourceTemplates()).resourceTemplates[0].uriTemplate, "page://{name}");
    });

    test("call the server that has it, under its own name", async () => {
      const said = async (name) => (await mcp.callTool({ name, arguments: { a: 1 } })).content[0].text;
      assert.equal(await said("wiki_search"), 'called search with {"a":1}');
      assert.equal(await said("open_issue"), 'called open_issue with {"a":1}');
      await assert.rejects(mcp.callTool({ name: "never" }), { code: -32602, message: "Unknown tool: never" });
      const { messages } = await mcp.getPrompt({ name: "wiki_triage" });
      assert.equal(messages[0].content.text, "prompt triage with {}");
      assert.equal((await mcp.readResource({ uri: "issue://1" })).contents[0].text, "read issue://1");
      assert.equal((await mcp.readResource({ uri: "page://home" })).contents[0].text, "read page://home");
      const ref = { type: "ref/prompt", name: "wiki_triage" };
      const { completion } = await mcp.complete({ ref, argument: { name: "a", value: "x" } });
      assert.deepEqual(completion.values, ["x-one", "x-two"]);
    });

    test("are found by a model through discovery", async () => {
      const found = discovery(await mcp.catalog(), {
        mode: "search",
        call: ({ tool: name, arguments: args }) => mcp.callTool({ name, arguments: args }),
      });
      const { structuredContent } = await found.handle("search_tools", { query: "edit a page" });
      assert.equal(structuredContent.tools[0].name, "edit_page");
      const { content } = await found.handle("call_tool", { name: "wiki_search", arguments: {} });
      assert.equal(content[0].text, "called search with {}");
    });
  });
}

/** Connects a client to a server in this process whose list a test changes. */
async function changing(tools) {
  const server = new Server({ name: "changing", version: "1" }, { capabilities: { tools: { listChanged: true } } });
  const state = { tools, asked: 0, fails: false, until: undefined };
  server.setRequestHandler(ListToolsRequestSchema, async () => {
    state.asked += 1;
    await state.until;
    if (state.fails) throw new Error("out of order");
    return { tools: state.tools };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({ content: [{ type: "text", text: params.name }] }));
  const [one, other] = InMemoryTransport.createLinkedPair();
  const client = new ClientV1({ name: "host", version: "1" });
  await Promise.all([server.connect(one), client.connect(other)]);
  return { state, client, tell: () => server.sendToolListChanged() };
}

test("a list that changes is fetched again, and no other", async (t) => {
  const [forge, wiki] = await Promise.all([changing([tool("one")]), changing([tool("two")])]);
  const mcp = wrapClients([
    { server: "forge", client: forge.client },
    { server: "wiki", client: wiki.client },
  ]);
  t.after(() => mcp.close());
  await mcp.listTools();
  const before = [forge.state.asked, wiki.state.asked];
  await mcp.listTools();
  assert.deepEqual([forge.state.asked, wiki.state.asked], before, "both are kept");
  const changed = new Promise((done) => mcp.onChange(done));
  wiki.state.tools = [tool("two"), tool("three")];
  await wiki.tell();
  assert.deepEqual(await changed, { server: "wiki", list: "tools" });
  assert.deepEqual(names((await mcp.listTools()).tools), ["one", "two", "three"]);
  assert.equal(forge.state.asked, before[0]);
});

test("a server that fails keeps its last lists, and takes no other away", async (t) => {
  const [forge, wiki] = await Promise.all([changing([tool("one")]), changing([tool("two")])]);
  wiki.state.fails = true;
  const mcp = wrapClients([
    { server: "forge", client: forge.client },
    { server: "wiki", client: wiki.client },
  ]);
  t.after(() => mcp.close());
  const { tools, _meta } = await mcp.listTools();
  assert.deepEqual(names(tools), ["one"]);
  const [, { status, error, since }] = _meta["dev.mcpsieve/upstreams"];
  assert.deepEqual([status, /out of order/.test(error)], ["down", true]);
  assert.equal(new Date(since).toISOString(), since);
  wiki.state.fails = false;
  assert.deepEqual(names((await mcp.listTools()).tools), ["one", "two"]);
  assert.deepEqual(mcp.servers()[1], { name: "wiki", status: "ok" });
  forge.state.fails = true;
  await forge.tell();
  await sleep(50);
  assert.deepEqual(names((await mcp.listTools()).tools), ["one", "two"], "what it had stays");
  assert.equal(mcp.servers()[0].status, "stale");
});

test("a server that does not answer delays the others once, and is announced when it does", async (t) => {
  const [forge, wiki] = await Promise.all([changing([tool("one")]), changing([tool("two")])]);
  let answer;
  wiki.state.until = new Promise((done) => (answer = done));
  const mcp = wrapClients(
    [
      { server: "forge", client: forge.client },
      { server: "wiki", client: wiki.client },
    ],
    { listWaitMs: 20 },
  );
  t.after(() => mcp.close());
  assert.deepEqual(names((await mcp.listTools()).tools), ["one"]);
  const { status, error } = mcp.servers()[1];
  assert.deepEqual([status, error], ["down", "no lists within 20 ms"]);
  assert.deepEqual(names((await mcp.listTools()).tools), ["one"]);
  assert.equal(wiki.state.asked, 2, "one attempt: the list as the client reads it, and as it is");
  const arrived = new Promise((done) => mcp.onChange(done));
  answer();
  assert.deepEqual(await arrived, { server: "wiki", list: "tools" });
  assert.deepEqual(names((await mcp.listTools()).tools), ["one", "two"]);
  assert.deepEqual(mcp.servers()[1], { name: "wiki", status: "ok" });
});

test("a client whose requests never end is asked again", async (t) => {
  const [forge, wiki] = await Promise.all([changing([tool("one")]), changing([tool("two")])]);
  const entries = [
    { server: "forge", client: forge.client },
    { server: "wiki", client: wiki.client },
  ];
  const mcp = wrapClients(entries, { listWaitMs: 20 });
  t.after(() => mcp.close());
  wiki.state.until = new Promise(() => {});
  assert.deepEqual(names((await mcp.listTools()).tools), ["one"]);
  wiki.state.until = undefined;
  const now = Date.now();
  for (const [after, listed] of [
    [119_000, ["one"]],
    [121_000, ["one", "two"]],
  ]) {
    t.mock.method(Date, "now", () => now + after);
    assert.deepEqual(names((await mcp.listTools()).tools), listed, `${after} ms later`);
  }
});

test("a list that is aborted is not kept as an outage of the server", async (t) => {
  const forge = await changing([tool("one")]);
  const mcp = wrapClients([{ server: "forge", client: forge.client }]);
  t.after(() => mcp.close());
  await assert.rejects(mcp.listTools({}, { signal: AbortSignal.abort() }));
  assert.deepEqual(mcp.servers(), [{ name: "forge", status: "ok" }]);
  assert.deepEqual(names((await mcp.listTools()).tools), ["one"]);
  assert.deepEqual(mcp.servers(), [{ name: "forge", status: "ok" }]);
});

/** Returns a client of a server that declares a group and a concern, but does not filter by them. */
async function declaring({ group, value, tools, cost = { values: ["low", "high"], default: "low" } }) {
  const extensions = {
    "dev.mcpsieve/filtering": { groups: {} },
    "dev.mcpsieve/concerns": { concerns: [{ name: "cost", ...cost }] },
  };
  const server = new Server({ name: "declaring", version: "1" }, { capabilities: { tools: {}, extensions } });
  const carried = { groups: [group.name], _meta: { "dev.mcpsieve/concerns": { cost: value } } };
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map((one) => ({ ...one, ...carried })) }));
  const asked = { method: z.literal("groups/list"), params: z.any() };
  server.setRequestHandler(z.object(asked), () => ({ groups: [group, { name: "shared", title: group.title }] }));
  const [one, other] = InMemoryTransport.createLinkedPair();
  const client = new ClientV1({ name: "host", version: "1" });
  await Promise.all([server.connect(one), client.connect(other)]);
  return client;
}

/** Returns a client of a server with these concerns that it maps itself, and applies to its session alone (#1936). */
async function mapping(concerns, levels, more) {
  let configured = {};
  const extensions = { "dev.mcpsieve/concerns": { concerns } };
  const server = new Server({ name: "mapping", version: "1" }, { capabilities: { tools: {}, extensions } });
  server.setRequestHandler(ListToolsRequestSchema, () => {
    const admitted = Object.entries(levels).filter(([, level]) => level === (configured.security ?? level));
    return { tools: admitted.map(([name]) => tool(name, more)) };
  });
  const asked = { method: z.literal("updateConcerns"), params: z.any() };
  server.setRequestHandler(z.object(asked), ({ params }) => {
    configured = params.concerns;
    return {};
  });
  const [one, other] = InMemoryTransport.createLinkedPair();
  const client = new ClientV1({ name: "host", version: "1" });
  await Promise.all([server.connect(one), client.connect(other)]);
  return client;
}

test("a concern that a server applies to its session alone is reported as such", async (t) => {
  const declared = [{ name: "security", values: ["low", "high"] }];
  const client = await mapping(declared, { open: "low", sign: "high" });
  t.after(() => client.close());
  const filter = { concerns: { security: "high", colour: "red" } };
  const reason = "the server applies it to the session only: see `updateConcerns`";
  const ignored = [
    { field: "concerns.colour", reason: "unknown concern" },
    { field: "concerns.security", reason },
  ];
  const mcp = wrapClient(client);
  for (const wrapped of [mcp, wrapClients([{ server: "one", client }])]) {
    const { tools, _meta } = await wrapped.listTools({ filter });
    assert.deepEqual(names(tools), ["open", "sign"]);
    const report = _meta["dev.mcpsieve/filter"];
    assert.deepEqual([report.applied, report.ignored], [{}, ignored]);
  }
  // A success without a body, as the proposal has it.
  assert.deepEqual(await mcp.updateConcerns(filter.concerns), {
    concerns: { security: "high" },
    ignored: [{ field: "concerns.colour", reason: "unknown concern" }],
  });
  assert.deepEqual(names((await mcp.listTools()).tools), ["sign"]);
});

test("a list result without its list is an error of the server", async (t) => {
  const server = new Server({ name: "bare", version: "1" }, { capabilities: { prompts: {} } });
  server.setRequestHandler(z.object({ method: z.literal("prompts/list"), params: z.any() }), () => ({}));
  const [one, other] = InMemoryTransport.createLinkedPair();
  const client = new ClientV1({ name: "host", version: "1" });
  t.after(() => client.close());
  await Promise.all([server.connect(one), client.connect(other)]);
  const message = "prompts/list: the result has no array `prompts`";
  await assert.rejects(wrapClient(client).catalog(), { name: "SieveError", code: "catalog", message });
  const all = wrapClients([{ server: "one", client }]);
  assert.deepEqual((await all.listPrompts()).prompts, []);
  assert.equal(all.servers()[0].error, message);
});

test("one declaration that cannot be used costs no list", async (t) => {
  const odd = [
    { name: "level", values: [1, true] },
    { name: "size", values: "1-3" },
    { name: "security", values: ["low", "high"] },
    { name: "security", values: ["other"] },
  ];
  const carried = { _meta: { concerns: { level: "2", size: "2", security: "low" } } };
  const client = await mapping(odd, { open: "low", sign: "high" }, carried);
  t.after(() => client.close());
  const errors = [];
  client.onerror = (error) => errors.push(error.path);
  const sieve = await wrapClient(client, { by: "client" }).catalog();
  assert.deepEqual(sieve.names({ filter: { concerns: { security: "low" } } }), ["open", "sign"]);
  assert.deepEqual(
    sieve.concerns.map(({ name }) => name),
    ["security"],
  );
  sieve.free();
  assert.deepEqual(errors, ["concerns[0].values", "concerns[0].values", "concerns[1]"]);
  assert.deepEqual(names((await wrapClients([{ server: "one", client }]).listTools()).tools), ["open", "sign"]);
});

test("many declarations that cannot be used cost neither time nor lists", async (t) => {
  const many = Array.from({ length: 2_000 }, (_, at) => ({ name: `c${at}` }));
  const carried = { _meta: { concerns: Object.fromEntries(many.map(({ name }) => [name, "x"])) } };
  const client = await mapping(many, { open: "low" }, carried);
  t.after(() => client.close());
  const errors = [];
  client.onerror = (error) => errors.push(error.code);
  const sieve = await wrapClient(client, { by: "client" }).catalog();
  assert.deepEqual([sieve.names(), sieve.concerns, errors.length], [["open"], [], 65]);
  sieve.free();
});

test("groups and concerns that servers declare hold over all of them", async (t) => {
  const forge = await declaring({ group: { name: "code", title: "Code" }, value: "low", tools: [tool("search")] });
  const wiki = await declaring({ group: { name: "pages", title: "Pages" }, value: "high", tools: [tool("search")] });
  const mcp = wrapClients([
    { server: "forge", client: forge },
    { server: "wiki", client: wiki, prefix: "wiki_" },
  ]);
  t.after(() => mcp.close());
  assert.deepEqual(names((await mcp.listTools({ filter: { groups: ["pages"] } })).tools), ["wiki_search"]);
  assert.deepEqual(names((await mcp.listTools({ filter: { concerns: { cost: "low" } } })).tools), ["search"]);
  const sieve = await mcp.catalog();
  const titles = Object.fromEntries(sieve.groups.map(({ name, title }) => [name, title]));
  assert.deepEqual([titles.code, titles.pages], ["Code", "Pages"]);
  assert.deepEqual(names(sieve.concerns), ["cost"]);
  sieve.free();
});

test("what the first server leaves out of a declaration comes from the next, and differences are reported", async (t) => {
  const [bare, titled, other] = await Promise.all([
    declaring({ group: { name: "code" }, value: "low", tools: [tool("one")], cost: { values: ["low", "moderate"] } }),
    declaring({
      group: { name: "code", title: "Code" },
      value: "high",
      tools: [tool("two")],
      cost: { values: ["low", "high"], description: "What a call costs", default: "low" },
    }),
    declaring({
      group: { name: "code", title: "Source code" },
      value: "high",
      tools: [tool("three")],
      cost: { values: ["low", "moderate"], description: "What a call costs", default: "moderate" },
    }),
  ]);
  const problems = [];
  for (const client of [bare, titled, other]) client.onerror = ({ code, message }) => problems.push([code, message]);
  const mcp = wrapClients([
    { server: "bare", client: bare },
    { server: "titled", client: titled },
    { server: "other", client: other },
  ]);
  t.after(() => mcp.close());
  const sieve = await mcp.catalog();
  assert.equal(sieve.groups.find(({ name }) => name === "code").title, "Code");
  const [cost] = sieve.concerns;
  assert.deepEqual(
    [cost.values, cost.description, cost.default],
    [["low", "moderate", "high"], "What a call costs", undefined],
  );
  assert.deepEqual(sieve.names({ filter: { concerns: { cost: "high" } } }), ["two", "three"]);
  sieve.free();
  assert.deepEqual(problems, [
    ["conflict", "the concern `cost` has other values in `titled` than in `bare`: the values of both can be chosen"],
    ["conflict", "the group `code` has another title in `other` than in `titled`, which counts"],
    ["conflict", "the group `shared` has another title in `other` than in `titled`, which counts"],
    ["conflict", "the concern `cost` has other values in `other` than in `bare`: the values of both can be chosen"],
  ]);
});

test("the host gives other names to what servers declare", async (t) => {
  const forge = await declaring({ group: { name: "code", title: "Code" }, value: "low", tools: [tool("one")] });
  const mcp = wrapClients([
    { server: "forge", client: forge, groups: { code: "source", shared: null }, concerns: { cost: "price" } },
  ]);
  t.after(() => mcp.close());
  const sieve = await mcp.catalog();
  assert.deepEqual(
    sieve.groups.map(({ name, title }) => [name, title]),
    [["source", "Code"]],
  );
  assert.deepEqual(names(sieve.concerns), ["price"]);
  sieve.free();
  assert.deepEqual(names((await mcp.listTools({ filter: { groups: ["source"] } })).tools), ["one"]);
  assert.deepEqual((await mcp.listTools({ filter: { concerns: { price: "high" } } })).tools, []);
});

test("what one server declares wrongly takes nothing of the others away", async (t) => {
  const forge = await declaring({ group: { name: "code", title: "Code" }, value: "low", tools: [tool("one")] });
  const wiki = await declaring({ group: { name: 7 }, value: "low", tools: [tool("two")] });
  const problems = [];
  wiki.onerror = (error) => problems.push(error.code);
  const mcp = wrapClients([
    { server: "wiki", client: wiki },
    { server: "forge", client: forge },
  ]);
  t.after(() => mcp.close());
  assert.deepEqual(names((await mcp.listTools()).tools), ["two", "one"]);
  assert.deepEqual(names((await mcp.listTools({ filter: { groups: ["code"] } })).tools), ["one"]);
  assert.equal(problems[0], "config");
});

test("wrong clients and options are refused at once", async () => {
  const { client } = await changing([]);
  for (const [entries, options, code, message] of [
    [[], {}, "invalid_option", "expected `[{ server, client }, …]`"],
    [[{ server: "a", client: {} }], {}, "client", /^\[0\]\.client: expected a client/],
    [[{ client }], {}, "invalid_option", "[0].server: expected the name of a server"],
    [[{ server: "a", client, url: "x" }], {}, "invalid_option", /^\[0\]: unknown option `url`, expected `server`/],
    [[{ server: "a", client, prefix: "not so" }], {}, "config", /^\[0\]\.prefix: expected 1 to 64/],
    [
      [
        { server: "a", client },
        { server: "a", client },
      ],
      {},
      "config",
      /^\[1\]\.server: `a` occurs twice/,
    ],
    [
      [{ server: "a", client }],
      { concerns: {} },
      "invalid_option",
      "unknown option `concerns`, expected `config`, `filter`, `listWaitMs`",
    ],
    [
      [{ server: "a", client }],
      { listWaitMs: -1 },
      "invalid_option",
      "listWaitMs: expected a number of milliseconds from 0, or `Infinity`",
    ],
    [[{ server: "a", client }], { config: { rulez: [] } }, "config", /^rulez: unknown field/],
  ])
    assert.throws(() => wrapClients(entries, options), { code, message });
});
