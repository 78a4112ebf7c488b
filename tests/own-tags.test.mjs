// A person's own tags: in the catalog, in filters, together with the server's tags, and their storage.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Preferences, Sieve, SieveError, wrapClient } from "../pkg/loaders/node.js";

const tool = (name, tags) => ({ name, inputSchema: { type: "object" }, ...(tags && { tags }) });
const LISTS = {
  tools: [tool("read", ["stable"]), tool("write"), tool("wipe", ["destructive"])],
  resources: [{ uri: "notes://today", name: "today" }],
  resourceTemplates: [{ uriTemplate: "notes://{day}", name: "day" }],
  prompts: [{ name: "read" }, { name: "triage" }],
};
const FAVORITES = { favorites: { tools: ["read", "wipe"], resourceTemplates: ["notes://{day}"] } };
const filter = { tags: ["user:favorites"] };

function memory() {
  const kept = new Map();
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => kept.set(key, text),
    removeItem: (key) => kept.delete(key),
  };
}
const open = (storage = memory()) => new Preferences("https://mcp.example.com/mcp", { user: "alice", storage });

test("own tags filter every kind, by exact name, beside tags of the server", () => {
  const sieve = Sieve.compile(LISTS, undefined, { tags: FAVORITES });
  const names = (kind, more) => sieve.names({ kind, filter: { ...filter, ...more } });
  assert.deepEqual(names("tools"), ["read", "wipe"]);
  assert.deepEqual(names("resources"), []);
  assert.deepEqual(names("resourceTemplates"), ["notes://{day}"]);
  assert.deepEqual(names("prompts"), [], "the prompt of that name has no tag");
  assert.deepEqual(names("tools", { not: { tags: ["destructive"] } }), ["read"]);
  assert.deepEqual(sieve.names({ filter: { not: { tags: ["user:favorites"] } } }), ["write"]);
  assert.deepEqual(sieve.names({ filter: { where: "tag:user:favorites" } }), ["read", "wipe"]);
  assert.deepEqual(sieve.tags[0], { name: "user:favorites", description: "", title: "favorites", own: true });
  assert.deepEqual(sieve.explain("write", { filter }).reason, { rule: "tags", wanted: ["user:favorites"], found: [] });
  const picker = sieve.picker();
  picker.mark("user:favorites", "must");
  const [{ title, own, mark, members, left }] = picker.tags;
  assert.deepEqual([title, own, mark, members, left], ["favorites", true, "must", 2, 2]);
  assert.deepEqual(picker.filter, filter);
});

test("a server's tags are never own tags, whatever their names are", () => {
  const hostile = {
    tools: [
      tool("bait", ["user:favorites", "user:other", "stable"]),
      { ...tool("hook"), _meta: { "dev.mcpsieve/tags": ["user:favorites"] } },
      { ...tool("line"), _meta: { fastmcp: { tags: ["user:favorites"] }, tags: "user:favorites" } },
      { ...tool("net"), _meta: { _fastmcp: { tags: ["user:other"] }, deep: { labels: "user:favorites" } } },
      { ...tool("trap"), annotations: { tags: ["user:favorites"] } },
      tool("read"),
    ],
  };
  const config = {
    tags: [{ name: "user:favorites" }],
    rules: [{ match: "name:bait", tags: ["user:favorites"] }],
    tagsFrom: ["meta.deep.labels"],
  };
  const forms = [
    hostile,
    [hostile],
    { result: hostile },
    JSON.stringify(hostile),
    new TextEncoder().encode(JSON.stringify(hostile)),
  ];
  for (const lists of forms) {
    for (const tags of [FAVORITES, {}]) {
      const sieve = Sieve.compile(lists, config, { tags });
      assert.deepEqual(sieve.names({ filter }), tags === FAVORITES ? ["read"] : []);
      assert.deepEqual(
        sieve.tags.map(({ name }) => name),
        tags === FAVORITES ? ["user:favorites", "stable"] : ["stable"],
      );
      assert.deepEqual(sieve.names({ filter: { tags: ["stable"] } }), ["bait"]);
    }
  }
});

test("a configuration of any form goes with them, and its names are those that a person sees", () => {
  const config = `{
    // a comment, with "quotes" and a comma,
    "rules": [{ "match": "name:write", "name": "say // it", "groups": ["g,]"] },], /* the end */
  }`;
  const tags = { mine: { tools: ["say // it"] } };
  const sieve = Sieve.compile(LISTS, config, { tags });
  assert.deepEqual(sieve.names({ filter: { tags: ["user:mine"], groups: ["g,]"] } }), ["say // it"]);
  assert.throws(() => Sieve.compile(LISTS, "{ rules", { tags }), { code: "json" });
  assert.throws(() => Sieve.compile(LISTS, { rule: [] }, { tags }), { code: "config" });
  assert.throws(() => Sieve.compile({ tool: [] }, undefined, { tags }), { code: "catalog" });
});

test("another sieve has other tags, and a snapshot has none", () => {
  const sieve = Sieve.compile(LISTS, undefined, { tags: {} });
  const tagged = sieve.tagged(FAVORITES);
  assert.deepEqual([sieve.names({ filter }), tagged.names({ filter })], [[], ["read", "wipe"]]);
  const plain = Sieve.compile(LISTS);
  assert.deepEqual(tagged.snapshot(), plain.snapshot());
  assert.throws(() => plain.tagged(FAVORITES), { code: "invalid_option" });
  assert.throws(() => Sieve.restore(tagged.snapshot()).tagged(FAVORITES), { code: "invalid_option" });
  sieve.free();
  assert.throws(() => sieve.tagged(FAVORITES), { code: "freed" });
  assert.deepEqual(tagged.tagged({}).tags, plain.tags);
});

test("own tags are kept with the other preferences, for each server and user", () => {
  const storage = memory();
  const preferences = open(storage);
  assert.deepEqual(preferences.tags, {});
  assert.equal(preferences.tag("read", ["favorites", "user:daily"]), true);
  assert.equal(preferences.tag("notes://{day}", "favorites", { kind: "resourceTemplates" }), true);
  assert.deepEqual(preferences.tags, {
    daily: { tools: ["read"] },
    favorites: { resourceTemplates: ["notes://{day}"], tools: ["read"] },
  });
  const sieve = Sieve.compile(LISTS, undefined, { tags: preferences.tags });
  const picker = sieve.picker();
  picker.setDisabled("wipe");
  picker.setFavorite("write");
  assert.equal(preferences.save(picker), true);
  // Saving a picker keeps the tags, and tagging keeps the rest.
  assert.equal(preferences.untag("read", "daily"), true);
  const again = open(storage);
  assert.deepEqual(Object.keys(again.tags), ["favorites"], "a tag that nothing has is gone");
  const other = sieve.picker();
  assert.equal(again.apply(other), true);
  assert.deepEqual(other.summary.favorites, [["tools", "write"]]);
  assert.deepEqual(sieve.names({ filter: again.filter(sieve, filter) }), ["read"]);
  // Export and import to another place, and deletion.
  const elsewhere = new Preferences("https://mcp.example.com/mcp", { user: "bob", storage });
  assert.deepEqual(elsewhere.tags, {});
  assert.equal(elsewhere.import(again.export(), sieve.picker()), true);
  assert.deepEqual(elsewhere.tags, again.tags);
  assert.equal(elsewhere.forget(), true);
  assert.deepEqual([elsewhere.tags, Object.keys(again.tags)], [{}, ["favorites"]]);
});

test("names, numbers of tags and shapes have limits, and a refused change has no effect", () => {
  const preferences = open();
  const refused = (change, code, path) =>
    assert.throws(change, (error) => {
      assert.ok(error instanceof SieveError);
      assert.deepEqual([error.code, error.path], [code, path]);
      return true;
    });
  for (const name of ["", "user:", " spaced ", "x".repeat(65), "line\nbreak", 7, null])
    refused(() => preferences.tag("read", [name]), "preferences", "tags");
  refused(() => preferences.tag("read", "a", { kind: "tool" }), "kind");
  refused(() => preferences.tag(undefined, "a"), "invalid_name");
  assert.equal(preferences.tag("read", "__proto__"), true);
  assert.deepEqual(Object.keys(preferences.tags), ["__proto__"], "a name as any other");
  assert.equal(preferences.untag("read", "__proto__"), true);
  assert.equal(preferences.tag("read", "x".repeat(64)), true);
  const many = Array.from({ length: 101 }, (_, at) => `tag ${at}`);
  refused(() => preferences.tag("read", many), "preferences", "tags");
  assert.deepEqual(Object.keys(preferences.tags), ["x".repeat(64)]);
  const names = Array.from({ length: 1001 }, (_, at) => `tool ${at}`);
  refused(() => Sieve.compile(LISTS, undefined, { tags: { all: { tools: names } } }), "preferences", "tags");
  const all = { tools: names.slice(1).map((name) => tool(name)) };
  const sieve = Sieve.compile(all, undefined, { tags: { all: { tools: names.slice(1) } } });
  assert.equal(sieve.count({ filter: { tags: ["user:all"] } }), 1000);
  for (const [tags, path] of [
    [[], "tags"],
    ["favorites", "tags"],
    [{ a: ["read"] }, "tags.a"],
    [{ a: { tool: ["read"] } }, "tags.a.tool"],
    [{ a: { tools: [1] } }, "tags.a.tools"],
  ])
    refused(() => Sieve.compile(LISTS, undefined, { tags }), "preferences", path);
});

test("without a storage they last as long as the page, and unreadable ones stay as they are", () => {
  const full = {
    ...memory(),
    setItem: () => {
      throw new Error("QuotaExceededError");
    },
  };
  const preferences = open(full);
  assert.equal(preferences.tag("read", "favorites"), false);
  assert.deepEqual([preferences.problem, preferences.tags], ["full", { favorites: { tools: ["read"] } }]);
  for (const [text, problem, kept] of [
    ['{"version":2,"tags":{"a":{"tools":["read"]}}}', "preferences", false],
    ['{"version":1,"tags":{"a":["read"]}}', "preferences", false],
    ["{", "json", true],
  ]) {
    const storage = memory();
    const damaged = open(storage);
    storage.setItem(damaged.key, text);
    assert.deepEqual([damaged.tags, damaged.problem], [{}, problem]);
    assert.equal(damaged.tag("read", "b"), kept);
    assert.equal(damaged.export() === text, !kept);
  }
});

test("a wrapped client filters by them itself, and sends none", async () => {
  const requests = [];
  const client = {
    getServerCapabilities: () => ({
      tools: {},
      extensions: { "dev.mcpsieve/filtering": { fields: ["tags", "groups"] } },
    }),
    listTools: async (params) => {
      requests.push(params);
      return { tools: LISTS.tools };
    },
    request: async (request) => {
      requests.push(request);
      return { tools: LISTS.tools };
    },
  };
  const preferences = open();
  preferences.tag("read", "favorites");
  for (const by of ["auto", "server", "client"]) {
    const mcp = wrapClient(client, { preferences, by });
    assert.equal(mcp.filteredBy(filter), "client");
    const { tools } = await mcp.listTools({ filter: { tags: ["stable", "user:favorites"] } });
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["read"],
    );
    const sieve = await mcp.catalog();
    assert.deepEqual(sieve.names({ filter }), ["read"]);
    preferences.tag("write", "favorites");
    assert.deepEqual(sieve.tagged(preferences.tags).names({ filter }), ["read", "write"]);
    preferences.untag("write", "favorites");
  }
  assert.doesNotMatch(JSON.stringify(requests), /user:|favorites/);
});
