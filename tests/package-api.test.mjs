// The API of the packed package: the whole corpus, its errors, its memory.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { corpus, runners, textsOf, worlds } from "./support/package-corpus.mjs";
import { installTarball } from "./support/tarball.mjs";

const utf8 = { decoder: new TextDecoder(), encoder: new TextEncoder() };
const sieves = new Map();
let consumer;
let Filter;
let Sieve;
let SieveError;
let command;

before(async () => {
  consumer = await installTarball();
  ({ Filter, Sieve, SieveError } = await consumer.load());
  command = await import(pathToFileURL(join(consumer.package, "cli/lib/engine.js")));
});
after(() => consumer.remove());

const open = (world) => {
  assert.ok(world in worlds, `no world \`${world}\``);
  if (!sieves.has(world)) sieves.set(world, Sieve.compile(...textsOf(worlds[world])));
  return sieves.get(world);
};
const refused = (call, code, message) =>
  assert.throws(call, (error) => {
    assert.ok(error instanceof SieveError && error instanceof Error, String(error));
    assert.deepEqual([error.name, error.code, error.message], ["SieveError", code, message]);
    return true;
  });
const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });
const memoryOf = (sieve) => sieve.view().buffer.byteLength;

/** Opens a world through a snapshot. */
const openRestored = (world) => {
  const sieve = Sieve.restore(open(world).snapshot());
  assert.equal(sieve.hash, open(world).hash);
  return sieve;
};

for (const [file, rows, how] of Object.entries(corpus).flatMap((rows) => [
  [...rows, open],
  [...rows, openRestored],
])) {
  describe(`corpus: ${file}${how === open ? "" : ", restored"}`, () => {
    for (const row of rows) {
      test([row.name, ...row.ids].join(" "), () => {
        const run = runners({ Sieve, SieveError }, how, command)[file];
        assert.ok(run, `nothing runs ${file}.json`);
        run(row);
      });
    }
  });
}

test("a catalog is one, however it is handed over", () => {
  for (const [name, world] of Object.entries(worlds)) {
    const [lists, config] = textsOf(world);
    const inputs = [lists, utf8.encoder.encode(lists), Buffer.from(lists), ...("lists" in world ? [world.lists] : [])];
    const hashes = inputs.map((input) => Sieve.compile(input, world.config ?? config).hash);
    assert.deepEqual(new Set(hashes), new Set([open(name).hash]), name);
    assert.match(hashes[0], /^[0-9a-f]{32}$/);
  }
});

test("text goes over in parts, and comes together again", () => {
  // Characters of every length in UTF-8, so that chunks end within a character.
  const tools = Array.from({ length: 3_000 }, (_, at) =>
    tool(`t${at}`, { description: `${"é天😀a".repeat(at % 40)}${"x".repeat(at % 7)}\ud800` }),
  );
  const text = JSON.stringify({ tools });
  const lone = text.replace('"t0"', '"t0","title":"\ud800"');
  const bytes = utf8.encoder.encode(lone);
  assert.ok(bytes.length > 300_000);
  const [one, other] = [Sieve.compile(lone), Sieve.compile(bytes)];
  assert.equal(one.hash, other.hash);
  assert.deepEqual(one.list(), other.list());
  assert.equal(utf8.decoder.decode(Sieve.compile(text).list()), text);
});

test("a snapshot is refused unless it is one, whole, of this format", () => {
  const sieve = Sieve.compile(
    { tools: [tool("a", { groups: ["g"] })] },
    { policies: [{ name: "none", show: "-group:g" }] },
  );
  const snapshot = sieve.snapshot();
  const restored = Sieve.restore(snapshot);
  assert.deepEqual([restored.count(), restored.hash, restored.snapshot()], [0, sieve.hash, snapshot]);
  refused(() => Sieve.restore(), "snapshot", "expected the bytes of a snapshot, got undefined");
  refused(() => Sieve.restore(utf8.encoder.encode("{}")), "snapshot", "the snapshot is not a snapshot of a catalog");
  refused(
    () => Sieve.restore(snapshot.subarray(0, 100)),
    "snapshot",
    "the snapshot is damaged: its checksum is that of other bytes",
  );
  const format = snapshot[8];
  refused(
    () => Sieve.restore(snapshot.with(8, format + 1)),
    "snapshot",
    `the snapshot is of format ${format + 1}, expected ${format}: make it anew`,
  );
});

test("tokens add up over what matches", () => {
  const sieve = Sieve.compile({ tools: [tool("a", { groups: ["g"] }), tool("b"), tool("c")] });
  const [all, one] = [sieve.tokens(), sieve.tokens({ filter: { groups: ["g"] } })];
  assert.ok(all.count > one.count && one.count > 0 && !all.exact && !one.exact);
  assert.deepEqual(sieve.tokens({ filter: { groups: ["nobody"] } }), { count: 0, exact: true });
  assert.deepEqual(Sieve.restore(sieve.snapshot()).tokens(), all);
});

test("a compiled filter keeps its selection, any other is selected anew", () => {
  const sieve = Sieve.compile({ tools: [tool("a", { groups: ["x"] }), tool("b")] });
  const filter = sieve.filter({ groups: ["x"] });
  const first = sieve.select({ filter });
  assert.deepEqual(first, { count: 1, indices: Uint32Array.of(0) });
  assert.equal(sieve.select({ filter }), first);
  assert.notEqual(sieve.select({ filter: { groups: ["x"] } }), first);
  assert.deepEqual(sieve.select({ filter, kind: "prompts" }), { count: 0, indices: new Uint32Array() });
  sieve.free();
});

test("indices are places among the visible", () => {
  const lists = {
    tools: ["a", "b", "c", "d"].map((name) =>
      tool(name, { tags: name < "b" ? ["internal"] : name < "d" ? ["x"] : [] }),
    ),
  };
  const sieve = Sieve.compile(lists, { policies: [{ name: "no internals", show: "-tag:internal" }] });
  assert.deepEqual([sieve.count(), sieve.names()], [3, ["b", "c", "d"]]);
  assert.deepEqual(sieve.select({ filter: { tags: ["x"] } }), { count: 2, indices: Uint32Array.of(0, 1) });
  assert.deepEqual(sieve.explain("a"), { shown: false, reason: { rule: "unknown" } });
});

test("a filter may be compiled, plain, absent or null, for every kind", () => {
  const sieve = open("office");
  const filter = sieve.filter({ groups: ["mail"] });
  for (const [kind, count] of [
    ["tools", 4],
    ["resources", 1],
    ["resourceTemplates", 1],
    ["prompts", 1],
  ]) {
    // Twice, because the second result is cached.
    for (const _ of [1, 2]) assert.equal(sieve.count({ filter, kind }), count);
    assert.equal(sieve.count({ filter: { groups: ["mail"] }, kind }), count);
    assert.equal(sieve.count({ filter: null, kind }), sieve.count({ kind }));
    assert.equal(sieve.count({ filter: undefined, kind }), sieve.count({ kind }));
    assert.deepEqual(sieve.names({ filter, kind }), sieve.names({ filter: { groups: ["mail"] }, kind }));
  }
  assert.equal(JSON.stringify({ params: { filter } }), '{"params":{"filter":{"groups":["mail"]}}}');
  // A filter of another sieve still works when it arrives as JSON, as it would over the network.
  assert.equal(sieve.count({ filter: JSON.parse(JSON.stringify(filter)) }), 4);
});

test("plain filters are forgotten without being mistaken for one another", () => {
  const names = Array.from({ length: 200 }, (_, at) => `t${at}`);
  const sieve = Sieve.compile({ tools: names.map((name) => tool(name, { groups: [name] })) });
  const kept = sieve.filter({ groups: ["t7"] });
  const padding = "x".repeat(5_000); // too long to be cached
  for (const round of [1, 2]) {
    for (const name of names) {
      assert.deepEqual(sieve.names({ filter: { groups: [name] } }), [name], `round ${round}`);
      assert.deepEqual(sieve.names({ filter: { groups: [name], padding } }), [name]);
    }
  }
  assert.deepEqual(sieve.names({ filter: kept }), ["t7"]);
});

test("refusals of the package's own", () => {
  const sieve = Sieve.compile({ tools: [tool("a", { groups: ["g"] })] });
  const circle = {};
  circle.circle = circle;
  const lists = "expected list results, as objects, JSON text or UTF-8 bytes";
  refused(() => Sieve.compile(), "catalog", `${lists}, got undefined`);
  refused(() => Sieve.compile(() => {}), "catalog", `${lists}, got function`);
  refused(() => Sieve.compile(circle), "catalog", `${lists}, got what JSON cannot hold`);
  refused(() => Sieve.compile({ tools: 1n }), "catalog", `${lists}, got what JSON cannot hold`);
  refused(() => Sieve.compile(Uint8Array.of(0x7b, 0xff)), "json", "not UTF-8 at byte 1");
  refused(
    () => Sieve.compile({ tools: [] }, circle),
    "config",
    "expected a configuration, as an object or JSONC text, got what JSON cannot hold",
  );
  refused(() => sieve.filter(Symbol("x")), "filter_type", "expected a filter, as an object or JSON text, got symbol");
  refused(
    () => sieve.count({ filter: () => true }),
    "filter_type",
    "expected a filter, as an object or JSON text, got function",
  );
  assert.equal(sieve.count({ filter: '{"groups":["g"]}' }), sieve.count({ filter: { groups: ["g"] } }));
  refused(() => sieve.count({ filter: "tools" }), "json", "not JSON: expected ident at byte 1");
  const kinds = "expected one of `tools`, `resources`, `resourceTemplates`, `prompts`, `skills`";
  for (const ask of ["count", "select", "list", "view", "names", "tokens"]) {
    refused(() => sieve[ask]({ kind: "tool" }), "kind", `unknown kind \`tool\`, ${kinds}`);
    refused(() => sieve[ask]({ filter: { groups: ["g"] }, kind: null }), "kind", `unknown kind object, ${kinds}`);
  }
  refused(() => sieve.count({ kind: 0 }), "kind", `unknown kind number, ${kinds}`);
  refused(() => sieve.count({ kind: "toString" }), "kind", `unknown kind \`toString\`, ${kinds}`);
  refused(() => sieve.explain("a", { kind: "" }), "kind", `unknown kind \`\`, ${kinds}`);
  refused(() => sieve.search("a", { kind: "tool" }), "kind", `unknown kind \`tool\`, ${kinds}`);
  refused(() => sieve.search(), "query", "expected words as text, got undefined");
  for (const limit of [-1, 1.5, NaN, "3", null])
    refused(() => sieve.search("a", { limit }), "limit", "expected a whole number from 0, or `Infinity`");
  refused(() => sieve.explain(undefined), "invalid_name", "expected a name, uri or uriTemplate as text, got undefined");
  const options = "expected `filter`, `kind`";
  refused(() => sieve.names({ groups: ["g"] }), "invalid_option", `unknown option \`groups\`, ${options}`);
  refused(() => sieve.count({ filter: {}, kinds: "tools" }), "invalid_option", `unknown option \`kinds\`, ${options}`);
  refused(
    () => sieve.search("a", { top: 1 }),
    "invalid_option",
    `unknown option \`top\`, ${options}, \`limit\`, \`ranker\``,
  );
  refused(() => sieve.list(sieve.filter({})), "invalid_option", "expected options, such as `{ filter }`, got a filter");
  refused(() => sieve.select([]), "invalid_option", "expected options, such as `{ filter }`, got an array");
  refused(() => sieve.explain("a", "tools"), "invalid_option", "expected options, such as `{ filter }`, got string");
  assert.throws(() => new Sieve(), { name: "TypeError", message: "a Sieve is made by `Sieve.compile`" });
  assert.throws(() => new Filter(), { name: "TypeError", message: "a Filter is made by `sieve.filter`" });
  assert.equal(sieve.count({ filter: { groups: ["g"] } }), 1);
});

test("a huge filter is refused, and the next one answered", () => {
  const sieve = Sieve.compile({ tools: [tool("a")] });
  const groups = Array.from({ length: 100_000 }, (_, at) => `g${at}`);
  refused(() => sieve.filter({ groups }), "filter_limit", "filter.groups: a filter accepts at most 100 values here");
  refused(
    () => sieve.count({ filter: { tags: ["x".repeat(10_000_000)] } }),
    "filter_limit",
    "filter.tags[0]: a filter accepts at most 256 characters here",
  );
  refused(() => sieve.filter("[".repeat(1_000_000)), "json", "JSON nests deeper than 127 levels at byte 127");
  assert.equal(sieve.count({ filter: {} }), 1);
});

test("a freed object reports that it was freed, and others still work", () => {
  const sieve = Sieve.compile({ tools: [tool("a", { groups: ["g"] })] });
  const other = Sieve.compile({ tools: [tool("a", { groups: ["g"] })] });
  const [freed, kept] = [sieve.filter({ groups: ["g"] }), sieve.filter({ groups: ["h"] })];
  const questions = ["count", "select", "list", "view", "names", "tokens"];

  for (const ask of questions)
    refused(() => other[ask]({ filter: kept }), "foreign_filter", "this filter was compiled by another sieve");
  refused(() => other.explain("a", { filter: kept }), "foreign_filter", "this filter was compiled by another sieve");

  assert.equal(sieve.count({ filter: freed }), 1);
  freed.free();
  freed.free();
  for (const ask of questions) refused(() => sieve[ask]({ filter: freed }), "freed", "this filter was freed");
  for (const fact of ["hash", "applied", "ignored"]) refused(() => freed[fact], "freed", "this filter was freed");
  // A new filter reuses the slot of the freed one, which must stay unusable.
  const next = sieve.filter({ groups: ["g"] });
  refused(() => sieve.count({ filter: freed }), "freed", "this filter was freed");
  assert.deepEqual([sieve.count({ filter: next }), sieve.count({ filter: kept })], [1, 0]);

  assert.equal(sieve.hash, other.hash);
  sieve.free();
  sieve.free();
  for (const ask of questions) refused(() => sieve[ask]({ filter: kept }), "freed", "this sieve was freed");
  for (const fact of ["hash", "groups", "tags", "concerns", "reports"])
    refused(() => sieve[fact], "freed", "this sieve was freed");
  for (const call of [
    () => sieve.count(),
    () => sieve.snapshot(),
    () => sieve.filter({}),
    () => sieve.count({ filter: {} }),
    () => sieve.explain("a"),
    () => kept.hash,
  ]) {
    refused(call, "freed", "this sieve was freed");
  }
  kept.free();
  assert.equal(other.count(), 1);
});

test("disposal is freeing", () => {
  const sieve = Sieve.compile({ tools: [tool("a")] });
  const filter = sieve.filter({});
  assert.equal(sieve.count({ filter }), 1);
  filter[Symbol.dispose]();
  refused(() => sieve.count({ filter }), "freed", "this filter was freed");
  sieve[Symbol.dispose]();
  refused(() => sieve.count(), "freed", "this sieve was freed");
});

test("a list is the caller's own, a view lasts until the next call", () => {
  const sieve = open("office");
  const whole = sieve.list();
  const text = utf8.decoder.decode(whole);
  const view = sieve.view();
  assert.equal(utf8.decoder.decode(view), text);
  assert.equal(sieve.count({ filter: { groups: ["mail"] }, kind: "prompts" }), 1);
  sieve.view({ filter: { groups: ["mail"] }, kind: "prompts" });
  assert.notEqual(utf8.decoder.decode(view), text);
  assert.equal(utf8.decoder.decode(whole), text);
  whole.fill(0);
  assert.equal(utf8.decoder.decode(sieve.list()), text);

  const { indices } = sieve.select({ filter: { groups: ["issues"] } });
  sieve.select({ filter: { groups: ["mail"] } });
  assert.deepEqual([...indices], [6, 7]);
});

test("answers stay right when the memory grows under them", () => {
  const small = Sieve.compile({ tools: [tool("a"), tool("b", { tags: ["x"] })] });
  assert.deepEqual([...small.select({ filter: { tags: ["x"] } }).indices], [1]);
  const before = memoryOf(small);
  const view = small.view();
  const big = Sieve.compile({
    tools: Array.from({ length: 20_000 }, (_, at) => tool(`t${at}`, { description: "d".repeat(500) })),
  });
  assert.ok(memoryOf(big) > before, "the memory has grown");
  assert.equal(view.length, 0);
  assert.deepEqual([...small.select({ filter: { tags: ["x"] } }).indices], [1]);
  assert.deepEqual(
    [...big.select().indices],
    Array.from({ length: 20_000 }, (_, at) => at),
  );
  assert.equal(JSON.parse(utf8.decoder.decode(big.list())).tools.length, 20_000);
  big.free();
  assert.deepEqual(small.names(), ["a", "b"]);
});

test("compiling and freeing 200 times takes no more memory than a few times", async () => {
  // In a separate process, whose memory nothing else has grown.
  const [first, last] = JSON.parse(
    await consumer.print(
      "cycles.mjs",
      `
    import { Sieve } from "mcp-sieve";
    const tools = Array.from({ length: 500 }, (_, at) => ({ name: "t" + at, description: "d".repeat(500), inputSchema: { type: "object" }, groups: ["g" + at % 9] }));
    const sizes = [];
    for (let cycle = 0; cycle < 200; cycle += 1) {
      const sieve = Sieve.compile({ tools });
      for (let at = 0; at < 9; at += 1) {
        const filter = sieve.filter({ groups: ["g" + at] });
        if (sieve.count({ filter }) !== sieve.select({ filter }).indices.length) throw new Error("miscounted");
        sieve.list({ filter });
        filter.free();
      }
      sizes.push(sieve.view().buffer.byteLength);
      sieve.free();
    }
    console.log(JSON.stringify([sizes[9], sizes.at(-1)]));
  `,
    ),
  );
  assert.ok(last <= first + 4 * 65_536, `${first} bytes after 10 cycles, ${last} after 200`);
  assert.ok(last < 16 * 2 ** 20, `${last} bytes`);
});

test("objects that are not freed are garbage-collected", async () => {
  const [before, filters, after] = JSON.parse(
    await consumer.print(
      "garbage.mjs",
      `
    import { setImmediate as turn } from "node:timers/promises";
    import { Sieve } from "mcp-sieve";
    const tools = Array.from({ length: 100 }, (_, at) => ({ name: "t" + at, inputSchema: { type: "object" } }));
    const kept = Sieve.compile({ tools });
    const wanted = Array.from({ length: 100 }, (_, at) => "w".repeat(200) + at);
    const sizes = [];
    const note = () => sizes.push(kept.view().buffer.byteLength);
    const rounds = async (forget) => {
      for (let round = 0; round < 40; round += 1) {
        for (let at = 0; at < 50; at += 1) forget();
        gc();
        await turn();
      }
      note();
    };
    note();
    await rounds(() => kept.filter({ groups: wanted }));
    await rounds(() => Sieve.compile({ tools }).filter({}));
    console.log(JSON.stringify(sizes));
  `,
      "--expose-gc",
    ),
  );
  // 2,000 filters of 20 kB, then 2,000 sieves. All of them at once would need more than 40 MB each time.
  assert.ok(filters - before < 8 * 2 ** 20, `${filters - before} bytes more after forgotten filters`);
  assert.ok(after - filters < 16 * 2 ** 20, `${after - filters} bytes more after forgotten sieves`);
});

test("lists of several servers without their names are refused", async () => {
  const ways = 'name the server of each: `Sieve.compile([{ server: "tracker", lists }, …])`';
  const lists = (name) => ({ tools: [tool("search"), tool(name)] });
  const byServer = { tracker: lists("merge"), wiki: [lists("edit"), { prompts: [] }] };
  refused(
    () => Sieve.compile(byServer),
    "catalog",
    `expected the lists of one server, found them under \`tracker\`, \`wiki\`; ${ways}`,
  );
  refused(
    () => Sieve.compile({ tracker: { jsonrpc: "2.0", id: 1, result: lists("merge") } }),
    "catalog",
    `expected the lists of one server, found them under \`tracker\`; ${ways}`,
  );
  refused(() => Sieve.compile({ tools: lists("merge") }), "catalog", "tools: expected an array");
  refused(
    () => Sieve.compile({ items: [] }),
    "catalog",
    "expected one of `tools`, `resources`, `resourceTemplates`, `prompts`, `skills`",
  );

  const upstream = (name) => ({ name, url: `https://${name}.example/mcp`, prefix: `${name}_` });
  const upstreams = [upstream("tracker"), upstream("wiki")];
  const rules = [{ match: "server:wiki", groups: ["pages"] }];
  assert.throws(() => Sieve.compile(lists("merge"), { upstreams, rules }), {
    code: "config",
    path: "upstreams",
    message:
      "upstreams: several servers, but the lists are of one; name the server of each: `Sieve.compile([{ server, lists }, …], config)`",
  });
  // The lists belong to the only server of the configuration.
  assert.deepEqual(
    Sieve.compile(lists("edit"), { upstreams: upstreams.slice(1), rules }).names({ filter: { groups: ["pages"] } }),
    ["search", "edit"],
  );

  // Merges the lists as the gateway would, before the page is built.
  consumer.write("servers.jsonc", JSON.stringify({ upstreams, rules }));
  for (const { name } of upstreams) consumer.write(`${name}.json`, JSON.stringify(lists(name)));
  await consumer.print(
    "merge.mjs",
    `process.argv.push("snapshot", "tracker=tracker.json", "wiki=wiki.json", "--config", "servers.jsonc", "-o", "catalog.sieve");
    await import("./node_modules/mcp-sieve/cli/main.js");`,
  );
  const merged = Sieve.restore(new Uint8Array(readFileSync(join(consumer.folder, "catalog.sieve"))));
  assert.deepEqual(merged.names(), ["tracker_search", "tracker", "wiki_search", "wiki"]);
  assert.deepEqual(merged.names({ filter: { groups: ["pages"] } }), ["wiki_search", "wiki"]);
});

test("a misspelt option is refused: without it more would be shown, or stored for another user", async () => {
  const { Preferences, TaskRegistry, wrapClient } = await consumer.load();
  const lists = { tools: [tool("a")] };
  const snapshot = Sieve.compile(lists).snapshot();
  const client = { listTools() {} };
  for (const [call, message] of [
    [
      () => Sieve.compile(lists, {}, { predicate: [] }),
      "unknown option `predicate`, expected `predicates`, `caller`, `tags`, `lock`",
    ],
    [() => Sieve.compile(lists, {}, []), "expected an object with options, got an array"],
    [() => Sieve.restore(snapshot, { predicate: [] }), "unknown option `predicate`, expected `predicates`, `caller`"],
    [
      () => wrapClient(client, { rules: [] }),
      "unknown option `rules`, expected `filter`, `config`, `by`, `concerns`, `preferences`",
    ],
    [() => new Preferences("server", { users: "alice" }), "unknown option `users`, expected `user`, `storage`"],
    [() => new TaskRegistry({ pagesize: 5 }), "unknown option `pagesize`, expected `pageSize`"],
  ])
    refused(call, "invalid_option", message);
  const wrapped = wrapClient(client);
  const codes = [
    ["{groups", "json"],
    [3, "filter_type"],
  ];
  for (const [filter, code] of codes) await assert.rejects(wrapped.listTools({ filter }), { name: "SieveError", code });
});

test("a promise of lists is refused as such, and every row can be asked for", async () => {
  const lists = { tools: [tool("a"), tool("b")] };
  const expected = "expected list results, as objects, JSON text or UTF-8 bytes, got a promise: `await` it first";
  refused(() => Sieve.compile(Promise.resolve(lists)), "catalog", expected);
  const sieve = Sieve.compile(lists);
  await sieve.ready("picker");
  const picker = sieve.picker();
  assert.deepEqual([picker.rows(0, Infinity).length, picker.rows(-1, 1).length], [2, 1]);
});

test("a definition that nests too deeply costs itself alone", () => {
  const deep = (name, levels) => ({ ...tool(name), x: JSON.parse("[".repeat(levels - 1) + "]".repeat(levels - 1)) });
  const lists = {
    tools: [deep("a", 122), deep("b", 123), tool("c"), deep("d", 1_000), { ...tool("e"), description: "\ud83d" }],
  };
  const sieve = Sieve.compile(lists, { policies: [{ name: "p", show: "-meta.x:y" }] });
  const { tools } = JSON.parse(new TextDecoder().decode(sieve.list({})));
  assert.deepEqual(tools, [lists.tools[0], lists.tools[2], lists.tools[4]]);
  assert.deepEqual(
    sieve.reports.map(({ name, problem }) => [name, problem]),
    ["b", "d"].map((name) => [name, "nests deeper than 122 levels: left out"]),
  );
});
