// Concerns with `wrapClient`: a server that implements them, and one of the official SDK that does not. The same calls
// return the same results.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clientOf, connect, generations } from "./support/generations.mjs";
import { world } from "./support/protocol-worlds.mjs";
import { api, upstream, workers, wrappedWorlds } from "./support/wrapped-worlds.mjs";

const NAMES = ["encryption", "mapped", "undisclosed", "unannounced", "strict", "exposed"];
const encryption = world("encryption");
const WORLDS = {
  encryption,
  mapped: world("mapped"),
  undisclosed: world("undisclosed"),
  exposed: world("exposed"),
  // One world declares concerns with `listConcerns` only. The other rejects values that no concern accepts.
  unannounced: { ...encryption, config: { ...encryption.config, filtering: { declareConcerns: false } } },
  strict: { ...encryption, config: { ...encryption.config, onInvalidConcern: "error" } },
};
const REPORT = "dev.mcpsieve/filter";

wrappedWorlds(WORLDS, NAMES);

/** Connects a wrapped client and records the messages that it sends. */
async function connected(t, generation, url, options, connectOptions) {
  const client = clientOf(generation);
  const sent = [];
  const recorded = (input, init) => {
    if (typeof init?.body === "string") sent.push(JSON.parse(init.body));
    return fetch(input, init);
  };
  const mcp = api.wrapClient(client, options);
  t.after(() => client.close());
  await mcp.connect(new generation.Transport(new URL(url), { fetch: recorded }), connectOptions);
  return { client, mcp, sent };
}
const at = (name) => `${workers.urls[name]}/mcp`;
const LISTS = {
  listTools: ({ tools }) => tools.map(({ name }) => name),
  listResources: ({ resources }) => resources.map(({ uri }) => uri),
  listResourceTemplates: ({ resourceTemplates }) => resourceTemplates.map(({ uriTemplate }) => uriTemplate),
  listPrompts: ({ prompts }) => prompts.map(({ name }) => name),
};
const methods = (sent) => sent.map(({ method }) => method);
/** Returns the names in every list, and the concerns in its report. */
async function listed(mcp, params) {
  const found = {};
  for (const [method, names] of Object.entries(LISTS)) {
    const result = await mcp[method](params);
    const { applied, ignored, total, matched } = result._meta?.[REPORT] ?? {};
    found[method] = { names: names(result), applied, ignored, total, matched };
  }
  return found;
}

for (const [name, generation] of Object.entries(generations)) {
  test(`${name}: a server that implements concerns and one that does not return the same`, async (t) => {
    const { config } = WORLDS.encryption;
    const there = await connected(t, generation, at("encryption"));
    const here = await connected(t, generation, upstream.url("encryption"), { config });
    assert.deepEqual(await there.mcp.listConcerns(), { concerns: config.concerns });
    assert.deepEqual(await here.mcp.listConcerns(), await there.mcp.listConcerns());
    for (const concerns of [
      { security: "high", cost: "minimal" },
      { security: "high", cost: "moderate" },
      { cost: ["minimal", "unlimited"] },
      { security: "low", colour: "red" },
      { security: "utmost" },
      { security: null, cost: "moderate" },
      {},
    ]) {
      const answer = await there.mcp.updateConcerns(concerns);
      assert.deepEqual(await here.mcp.updateConcerns(concerns), answer, JSON.stringify(concerns));
      const lists = await listed(there.mcp);
      assert.deepEqual(await listed(here.mcp), lists, JSON.stringify(concerns));
      if (concerns.cost === "minimal")
        assert.deepEqual([answer, lists.listTools.names], [{ concerns }, ["encryptData", "validateData"]]);
      if (concerns.colour) assert.deepEqual(answer.ignored, [{ field: "concerns.colour", reason: "unknown concern" }]);
    }
    // A request's own concerns are merged with the configured ones by name; `null` unsets one.
    await Promise.all([there, here].map(({ mcp }) => mcp.updateConcerns({ security: "high", cost: "minimal" })));
    for (const concerns of [{ cost: "moderate" }, { cost: null }]) {
      const lists = await listed(there.mcp, { filter: { concerns } });
      assert.deepEqual(await listed(here.mcp, { filter: { concerns } }), lists);
    }
    assert.ok(!methods(here.sent).includes("updateConcerns"));
  });

  test(`${name}: a client that knows no concerns ignores those that primitives carry (C-39)`, async (t) => {
    const client = await connect(generation, at("exposed"));
    t.after(() => client.close());
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["one", "two", "three"],
    );
    assert.deepEqual(tools[1]._meta.concerns, { security: "low" });
    assert.match((await client.callTool({ name: "two", arguments: {} })).content[0].text, /^called two/);
  });

  test(`${name}: refused configurations have the same codes and change nothing`, async (t) => {
    const { config } = WORLDS.strict;
    const there = await connected(t, generation, at("strict"));
    const here = await connected(t, generation, upstream.url("strict"), { config });
    const messages = new Map();
    for (const { mcp } of [there, here]) {
      await mcp.updateConcerns({ security: "high", cost: "minimal" });
      for (const [concerns, code] of [
        [{ security: "utmost" }, "concern_value"],
        [{ security: true }, "filter_type"],
        [{ security: "x".repeat(257) }, "filter_limit"],
        [undefined, "filter_type"],
        [["high"], "filter_type"],
      ]) {
        const refused = await mcp.updateConcerns(concerns).catch((error) => error);
        assert.ok(refused instanceof api.SieveError, `${refused}`);
        assert.deepEqual([refused.code, refused.path?.split(".")[0]], [code, "concerns"]);
        // Libraries prepend the number of the error.
        const message = refused.message.replace(/^MCP error -32602: /, "");
        const key = JSON.stringify(concerns);
        assert.equal(message, messages.get(key) ?? message);
        messages.set(key, message);
      }
      assert.deepEqual((await listed(mcp)).listTools.names, ["encryptData", "validateData"]);
    }
  });

  test(`${name}: concerns are configured before the client connects`, async (t) => {
    const concerns = { security: "high", cost: "minimal" };
    const modern = name.includes("stateless");
    const { client, mcp, sent } = await connected(t, generation, at("encryption"), undefined, { concerns });
    const expected = { ...(await listed(mcp)) };
    assert.deepEqual(expected.listTools.names, ["encryptData", "validateData"]);
    const initialized = sent.find(({ method }) => method === "notifications/initialized");
    assert.deepEqual(initialized?.params?.concerns, modern ? undefined : concerns);
    assert.ok(!methods(sent).includes("updateConcerns"));
    const [first] = sent.filter(({ method }) => method === "tools/list");
    assert.deepEqual(first.params?.filter?.concerns, modern ? concerns : undefined);
    // As an option of `wrapClient`, and for a client that is already connected or connects without the wrapper.
    const early = await connected(t, generation, at("encryption"), { concerns });
    assert.deepEqual(await listed(early.mcp), expected);
    const late = api.wrapClient(client, { concerns: { security: "low" } });
    const both = await Promise.all([late.listTools(), late.listTools()]);
    assert.deepEqual(both.map(LISTS.listTools), Array(2).fill(["logData", "validateData", "archiveData"]));
    assert.equal(methods(sent).filter((method) => method === "updateConcerns").length, modern ? 0 : 1);
    // The catalog contains everything regardless of the concerns, including values that the server does not disclose.
    const sieve = await late.catalog();
    t.after(() => sieve.free());
    assert.deepEqual(
      sieve.names(),
      encryption.lists.tools.map((tool) => tool.name),
    );
    assert.deepEqual(sieve.names({ filter: { concerns } }), ["encryptData", "validateData"]);
    // A server without concerns receives them too, as the proposal requires. Its lists are filtered locally.
    const { config } = WORLDS.encryption;
    const here = await connected(t, generation, upstream.url("encryption"), { concerns, config });
    assert.deepEqual(await listed(here.mcp), expected);
  });

  test(`${name}: concerns that only \`listConcerns\` declares are the server's`, async (t) => {
    const { mcp, sent } = await connected(t, generation, at("unannounced"));
    assert.deepEqual(await mcp.listConcerns(), { concerns: encryption.config.concerns });
    await mcp.updateConcerns({ security: "high", cost: "minimal" });
    assert.deepEqual((await listed(mcp)).listTools.names, ["encryptData", "validateData"]);
    assert.ok(methods(sent).includes("listConcerns") && methods(sent).includes("updateConcerns"));
  });

  test(`${name}: without a configuration, concerns are those that primitives carry`, async (t) => {
    const { mcp } = await connected(t, generation, upstream.url("mapped"));
    assert.deepEqual(await mcp.listConcerns(), {
      concerns: [
        { name: "security", values: ["high", "low", "medium"] },
        { name: "cost", values: ["minimal"] },
      ],
    });
    const answer = await mcp.updateConcerns({ security: "low", cost: "none" });
    assert.deepEqual(answer.concerns, { security: "low" });
    assert.deepEqual(
      answer.ignored.map(({ field }) => field),
      ["concerns.cost"],
    );
    const { names, ignored } = (await listed(mcp)).listTools;
    assert.deepEqual([names, ignored], [["both", "several", "nothing"], answer.ignored]);
    // Only the host's configuration declares them.
    const { config } = WORLDS.mapped;
    const declared = await connected(t, generation, upstream.url("mapped"), { config });
    assert.deepEqual(await declared.mcp.listConcerns(), { concerns: config.concerns });
  });

  test(`${name}: stored concerns of a user apply to a server that knows none, and are not sent (C-20)`, async (t) => {
    const kept = new Map();
    const storage = {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, text) => kept.set(key, text),
      removeItem: (key) => kept.delete(key),
    };
    const url = upstream.url("encryption");
    const preferences = (user) => new api.Preferences(url, { user, storage });
    const { config } = WORLDS.encryption;
    const visit = async (user, choose) => {
      const { mcp, sent } = await connected(t, generation, url, { config, preferences: preferences(user) });
      const sieve = await mcp.catalog();
      await sieve.ready("picker");
      const picker = sieve.picker();
      t.after(() => [picker, sieve].forEach((one) => one.free()));
      choose?.(picker);
      mcp.filter = preferences(user).filter(sieve);
      const names = LISTS.listTools(await mcp.listTools());
      assert.ok(!JSON.stringify(sent).includes("oncerns"));
      return names;
    };
    const first = (picker) => {
      picker.setConcern("security", "high");
      picker.setConcern("cost", "minimal");
      assert.equal(preferences("alice").save(picker), true);
    };
    assert.deepEqual(await visit("alice", first), ["encryptData", "validateData"]);
    assert.deepEqual(await visit("alice"), ["encryptData", "validateData"]);
    assert.equal((await visit("bob")).length, encryption.lists.tools.length);
    // A storage that ends with the session ends the choice.
    kept.clear();
    assert.equal((await visit("alice")).length, encryption.lists.tools.length);
  });

  test(`${name}: the client's own filter and the server's concerns apply together`, async (t) => {
    const { mcp, sent } = await connected(t, generation, at("encryption"), { concerns: { security: "high" } });
    // A person's own tags make the client filter, but only the server knows the values of concerns.
    const before = sent.length;
    const tags = await mcp.listTools({ filter: { concerns: { cost: "minimal" }, tags: ["user:none"] } });
    assert.deepEqual(tags.tools, []);
    assert.equal(tags._meta[REPORT].by, "client");
    assert.ok(!JSON.stringify(sent.slice(before)).includes("user:none"));
    assert.equal((await mcp.listTools({ filter: { concerns: { cost: "minimal" } } })).tools.length, 2);
    // Local filtering uses cached lists, but follows changes of the configuration.
    const preferences = { tags: { mine: { tools: encryption.lists.tools.map((tool) => tool.name) } } };
    const own = await connected(t, generation, at("encryption"), { preferences, concerns: { security: "high" } });
    const mine = async () => LISTS.listTools(await own.mcp.listTools({ filter: { tags: ["user:mine"] } }));
    assert.deepEqual(await mine(), ["encryptData", "validateData", "archiveData", "compressData"]);
    await own.mcp.updateConcerns({ security: "low" });
    assert.deepEqual(await mine(), ["logData", "validateData", "archiveData"]);
    await own.mcp.updateConcerns({});
    assert.equal((await mine()).length, 5);
  });
}

test("the client may do everything itself, or leave everything to the server", async (t) => {
  const [, generation] = Object.entries(generations)[0];
  const { config } = encryption;
  const here = await connected(t, generation, at("encryption"), {
    by: "client",
    config,
    concerns: { security: "low" },
  });
  assert.deepEqual(LISTS.listTools(await here.mcp.listTools()), ["logData", "validateData", "archiveData"]);
  assert.deepEqual(
    methods(here.sent).filter((method) => /oncerns/.test(method)),
    [],
  );
  assert.equal(here.sent.find(({ method }) => method === "notifications/initialized").params, undefined);
  const there = await connected(t, generation, upstream.url("encryption"), { by: "server" });
  await assert.rejects(there.mcp.updateConcerns({ security: "low" }), { code: "capability" });
  await assert.rejects(there.mcp.listConcerns(), { code: -32601 });
  assert.throws(() => api.wrapClient(clientOf(generation), { concerns: "security" }), {
    code: "invalid_option",
    path: "concerns",
  });
});

/** Returns a client of a server that consists of its answers. */
function answering(capabilities, answers, era = "legacy") {
  const requests = [];
  const answer = (method, params) => {
    requests.push([method, params]);
    if (!(method in answers)) throw Object.assign(new Error("no such method"), { code: answers.code ?? -32601 });
    return structuredClone(answers[method]);
  };
  return {
    requests,
    transport: {},
    getProtocolEra: () => era,
    getServerCapabilities: () => ({ tools: {}, ...capabilities }),
    listTools: async (params) => answer("tools/list", params),
    request: async ({ method, params }) => answer(method, params),
  };
}
const TOOLS = {
  tools: [
    { name: "cheap", _meta: { concerns: { cost: "low" } } },
    { name: "plain" },
    { name: "dear", _meta: { concerns: { cost: "high" } } },
  ].map((tool) => ({ ...tool, inputSchema: { type: "object" } })),
};
const COSTS = [{ name: "cost", values: ["low", "high"] }];

test("a stateless server without filters gets the configuration in `_meta`", async () => {
  const extensions = { "dev.mcpsieve/concerns": { concerns: COSTS } };
  const client = answering(
    { extensions, tasks: { list: {} } },
    { "tools/list": TOOLS, "tasks/list": { tasks: [] } },
    "modern",
  );
  const mcp = api.wrapClient(client, { concerns: { cost: "low" } });
  await mcp.listTools({ _meta: { "vendor/trace": "t" } });
  await mcp.listTasks();
  const configured = { "dev.mcpsieve/concerns": { cost: "low" }, concerns: { cost: "low" } };
  assert.deepEqual(client.requests, [
    ["tools/list", { _meta: { "vendor/trace": "t", ...configured } }],
    ["tasks/list", { _meta: configured }],
  ]);
});

test("a server that declares concerns without `updateConcerns` says so, and others are taken to have none", async () => {
  const declared = answering({ concerns: COSTS }, { "tools/list": TOOLS });
  const mcp = api.wrapClient(declared);
  assert.deepEqual(await mcp.listConcerns(), { concerns: COSTS });
  await assert.rejects(mcp.updateConcerns({ cost: "low" }), { code: "capability" });
  assert.deepEqual(LISTS.listTools(await mcp.listTools()), ["cheap", "plain", "dear"]);
  // Some libraries report an unknown method as an invalid request, or as invalid parameters.
  for (const code of [-32601, -32600, -32602]) {
    const client = answering({}, { "tools/list": TOOLS, code });
    const here = api.wrapClient(client, { concerns: { cost: "low" } });
    assert.deepEqual(LISTS.listTools(await here.listTools()), ["cheap", "plain"]);
    await here.listTools();
    assert.equal(client.requests.filter(([method]) => method === "listConcerns").length, 1, "asked once");
    await here.updateConcerns({});
    assert.equal((await here.listTools()).tools.length, 3);
  }
  // After any other error, the request is repeated.
  const failing = answering({}, { "tools/list": TOOLS, code: -32603 });
  const later = api.wrapClient(failing, { concerns: { cost: "low" } });
  await assert.rejects(later.listTools(), { code: -32603 });
  await assert.rejects(later.listTools(), { code: -32603 });
  assert.equal(failing.requests.length, 2);
});

test("declarations that changed are asked for again", async () => {
  const client = answering({ concerns: COSTS }, { "tools/list": TOOLS, listConcerns: { concerns: [] } });
  const mcp = api.wrapClient(client);
  assert.deepEqual(await mcp.listConcerns(), { concerns: COSTS });
  client.transport.onmessage({ jsonrpc: "2.0", method: "notifications/concerns/list_changed" });
  assert.deepEqual(await mcp.listConcerns(), { concerns: [] });
  assert.deepEqual(await mcp.listConcerns(), { concerns: [] });
});
