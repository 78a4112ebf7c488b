// `wrapClient` of the packed package around the official clients, in front of a server that filters and one that does
// not.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startEverything } from "./support/everything.mjs";
import { connect, generations } from "./support/generations.mjs";
import "./support/home.mjs";
import { world } from "./support/protocol-worlds.mjs";
import { api, consumer, upstream, workers, wrappedWorlds } from "./support/wrapped-worlds.mjs";

const WORLDS = Object.fromEntries(
  ["office", "two-a-page", "encryption", "mapped", "pinned", "no-tags"].map((name) => [name, world(name)]),
);
const REPORT = "dev.mcpsieve/filter";

wrappedWorlds(WORLDS, ["office", "encryption", "pinned", "no-tags"]);

const names = ({ tools }) => tools.map(({ name }) => name);
const filter = { groups: ["mail"], tags: ["stable"], where: "-tag:destructive" };

for (const [name, generation] of Object.entries(generations)) {
  test(`${name}: a server that filters is asked to`, async (t) => {
    const client = await connect(generation, `${workers.urls.office}/mcp`);
    t.after(() => client.close());
    const wrapped = api.wrapClient(client);
    assert.equal(wrapped.filteredBy(filter), "server");
    const result = await wrapped.listTools({ filter });
    assert.deepEqual(names(result), ["send_mail", "invite"]);
    assert.equal(result._meta[REPORT].by, undefined);
    assert.match(result._meta[REPORT].resultHash, /^[0-9a-f]{32}$/);
    assert.deepEqual(
      (await wrapped.listGroups()).groups.map((group) => group.name),
      ["mail", "calendar", "issues", "places", "account"],
    );
    assert.equal((await wrapped.listTags()).tags[0].name, "stable");
    assert.match((await wrapped.callTool({ name: "ping", arguments: {} })).content[0].text, /^called ping/);
  });

  test(`${name}: what a filtering server adds to a list stays in it (H-9)`, async (t) => {
    const client = await connect(generation, `${workers.urls.pinned}/mcp`);
    t.after(() => client.close());
    const wrapped = api.wrapClient(client);
    const patterns = { namePatterns: ["si*"] };
    assert.equal(wrapped.filteredBy(patterns), "server");
    assert.deepEqual(names(await wrapped.listTools({ filter: patterns })), ["stop", "sing"]);
  });

  test(`${name}: what a server ignores is done here (G-55)`, async (t) => {
    const client = await connect(generation, upstream.url("two-a-page"));
    t.after(() => client.close());
    const wrapped = api.wrapClient(client, { config: { rules: [{ match: "name:*_mail", groups: ["post"] }] } });
    assert.equal(wrapped.filteredBy(filter), "client");
    // Two primitives a page: the list is filtered to its end, and no cursor remains.
    const result = await wrapped.listTools({ filter: { groups: ["post"] } });
    assert.deepEqual(names(result), ["send_mail", "draft_mail", "delete_mail"]);
    assert.equal(result.nextCursor, undefined);
    assert.deepEqual(result._meta[REPORT], {
      applied: { groups: ["post"] },
      ignored: [],
      total: 11,
      matched: 3,
      by: "client",
    });
    const own = await wrapped.listTools({ filter });
    assert.deepEqual(names(own), ["send_mail", "invite"]);
    // The default filter applies until it is replaced. A request's own filter takes precedence.
    wrapped.filter = { namePatterns: ["*_issue"] };
    assert.deepEqual(names(await wrapped.listTools()), ["create_issue", "close_issue"]);
    assert.deepEqual(names(await wrapped.listTools({ filter: { groups: ["post"] } })).length, 3);
    assert.deepEqual((await wrapped.listPrompts()).prompts.length, 0);
    wrapped.filter = undefined;
    assert.equal((await wrapped.listPrompts({ filter: { groups: ["mail"] } })).prompts[0].name, "summarize_thread");
    assert.match((await wrapped.callTool({ name: "ping", arguments: {} })).content[0].text, /^called ping/);
  });

  test(`${name}: groups and tags are refused where there are none (G-15)`, async (t) => {
    const client = await connect(generation, upstream.url("encryption"));
    t.after(() => client.close());
    for (const by of ["auto", "server", "client"]) {
      const wrapped = api.wrapClient(client, { by });
      for (const method of ["listGroups", "listTags"]) {
        await assert.rejects(
          wrapped[method](),
          (error) => error instanceof api.SieveError && error.code === "capability",
        );
      }
    }
  });

  test(`${name}: a plain server has the groups and tags of its primitives and of the host's configuration`, async (t) => {
    const client = await connect(generation, upstream.url("office"));
    const filtering = await connect(generation, `${workers.urls.office}/mcp`);
    t.after(() => Promise.all([client.close(), filtering.close()]));
    const groups = async (options, params) => (await api.wrapClient(client, options).listGroups(params)).groups;
    assert.deepEqual((await groups()).map((group) => group.name).sort(), ["account", "calendar", "issues", "mail"]);
    assert.deepEqual((await groups({ config: { groups: [{ name: "post", title: "Post" }] } }))[0], {
      name: "post",
      title: "Post",
    });
    await assert.rejects(groups({ by: "server" }), { code: "capability" });
    // The same configuration gives the same lists here and in a gateway.
    const [here, there] = [api.wrapClient(client, { config: WORLDS.office.config }), api.wrapClient(filtering)];
    for (const params of [undefined, {}, { counts: true }, { parent: null }, { parent: "mail", counts: true }]) {
      assert.deepEqual((await here.listGroups(params)).groups, (await there.listGroups(params)).groups);
      assert.deepEqual((await here.listTags(params)).tags, (await there.listTags(params)).tags);
    }
    for (const params of [{ parent: 7 }, { counts: "yes" }]) {
      const refused = await here.listGroups(params).catch((error) => error);
      assert.deepEqual([refused.code, refused.path], ["filter_type", Object.keys(params)[0]]);
    }
  });

  test(`${name}: each half is asked for where its server has it (G-15)`, async (t) => {
    const client = await connect(generation, `${workers.urls["no-tags"]}/mcp`);
    t.after(() => client.close());
    const wrapped = api.wrapClient(client);
    assert.ok((await wrapped.listGroups()).groups.length > 0);
    await assert.rejects(
      wrapped.listTags(),
      (error) =>
        error instanceof api.SieveError && error.code === "capability" && /filtering\.tags/.test(error.message),
    );
  });

  test(`${name}: a host fetches everything, and chooses later by groups, tags and words (G-47)`, async (t) => {
    const client = await connect(generation, upstream.url("office"));
    const wrapped = api.wrapClient(client);
    const sieve = await wrapped.catalog();
    t.after(() => sieve.free());
    // The choices need no requests.
    await client.close();
    assert.deepEqual(
      [
        sieve.count(),
        sieve.count({ kind: "resources" }),
        sieve.count({ kind: "resourceTemplates" }),
        sieve.count({ kind: "prompts" }),
      ],
      [11, 3, 2, 3],
    );
    assert.deepEqual(sieve.groups.map((group) => group.name).sort(), ["account", "calendar", "issues", "mail"]);
    assert.ok(sieve.tags.some((tag) => tag.name === "destructive"));
    assert.deepEqual(sieve.names({ filter: { groups: ["issues"] } }), ["create_issue", "close_issue"]);
    assert.deepEqual(sieve.names({ filter: { tags: ["destructive"] } }), ["delete_mail", "delete_event"]);
    assert.equal(sieve.search("write somebody a message")[0].name, "send_mail");
  });

  test(`${name}: a catalog knows the concerns that its server declares, and who has which value`, async (t) => {
    const client = await connect(generation, `${workers.urls.encryption}/mcp`);
    t.after(() => client.close());
    const wrapped = api.wrapClient(client);
    const sieve = await wrapped.catalog();
    const picker = sieve.picker();
    t.after(() => [picker, sieve].forEach((one) => one.free()));
    const { concerns } = WORLDS.encryption.config;
    assert.deepEqual(sieve.concerns, concerns);
    assert.deepEqual(
      picker.concerns.map(({ options, ...declared }) => declared),
      concerns,
    );
    for (const { name: concern, values } of concerns) {
      for (const value of values) {
        const asked = { concerns: { [concern]: value } };
        const there = names(await wrapped.listTools({ filter: asked }));
        assert.deepEqual(sieve.names({ filter: asked }), there, `${concern} ${value}`);
        picker.set(asked);
        assert.deepEqual(
          picker.rows(0, 100).map((row) => row.name),
          there,
        );
      }
    }
  });
}

test("few requests of a catalog are under way at once: servers bound them", async (t) => {
  let [open, most, sent] = [0, 0, 0];
  const counted = async (...args) => {
    most = Math.max(most, (open += 1));
    sent += 1;
    return fetch(...args).finally(() => {
      open -= 1;
    });
  };
  const url = `${workers.urls.encryption}/mcp`;
  const client = await connect(generations["version 2, stateless"], url, { fetch: counted });
  t.after(() => client.close());
  (await api.wrapClient(client).catalog()).free();
  assert.ok(sent > 8 && most <= 5, `${most} of ${sent}`);
});

test("concerns that nobody declares are those that primitives carry", async (t) => {
  const client = await connect(generations["version 2, handshake"], upstream.url("mapped"));
  t.after(() => client.close());
  const sieve = await api.wrapClient(client).catalog();
  t.after(() => sieve.free());
  const carried = WORLDS.mapped.lists.tools.map(({ _meta }) => ({
    ..._meta?.concerns,
    ..._meta?.["dev.mcpsieve/concerns"],
  }));
  const values = (name) => [...new Set(carried.flatMap((concerns) => concerns[name] ?? []))].sort();
  assert.deepEqual(
    sieve.concerns.find(({ name }) => name === "security"),
    { name: "security", values: values("security") },
  );
  const bare = WORLDS.mapped.lists.tools.filter((_, at) => [carried[at].security ?? "high"].flat().includes("high"));
  assert.deepEqual(
    sieve.names({ filter: { concerns: { security: "high" } } }),
    bare.map(({ name }) => name),
  );
});

test("who filters may be said", async (t) => {
  const client = await connect(generations["version 1"], `${workers.urls.office}/mcp`);
  t.after(() => client.close());
  const here = api.wrapClient(client, { by: "client", filter });
  const result = await here.listTools();
  assert.deepEqual(
    [names(result), result._meta[REPORT].by, here.filteredBy()],
    [["send_mail", "invite"], "client", "client"],
  );
  const sieve = await here.catalog();
  assert.deepEqual(
    sieve.groups[0],
    { name: "mail", title: "Mail", description: "Reading and writing messages" },
    "as the server declares it",
  );
  assert.equal(sieve.tags[0].description, "Production-ready");
  sieve.free();
  const there = api.wrapClient(client, { by: "server" });
  assert.equal((await there.listTools({ filter: { groups: ["mail"] } }))._meta[REPORT].matched, 4);
  assert.throws(() => api.wrapClient({}), { code: "client" });
  assert.throws(() => api.wrapClient(client, { by: "nobody" }), { code: "invalid_option" });
  await assert.rejects(here.listTools({ filter: { groups: 1 } }), { code: "filter_type" });
});

test("tools in another shape are picked by name", () => {
  const sieve = api.Sieve.compile({
    tools: [
      { name: "a", inputSchema: {}, groups: ["g"] },
      { name: "b", inputSchema: {} },
    ],
  });
  assert.deepEqual(api.filterTools({ b: 1, a: 2 }, sieve, { filter: { groups: ["g"] } }), { a: 2 });
  assert.deepEqual(api.filterTools([{ name: "b" }, { name: "a" }], sieve, { filter: { groups: ["g"] } }), [
    { name: "a" },
  ]);
  assert.deepEqual(api.filterTools({ b: 1, c: 2 }, sieve), { b: 1 });
  // A host that joins several servers puts the name of each in front of its tools.
  const options = { filter: { groups: ["g"] }, originalName: (name) => name.replace(/^one__/, "") };
  assert.deepEqual(api.filterTools({ one__a: 1, one__b: 2, two__a: 3 }, sieve, options), { one__a: 1 });
  assert.deepEqual(api.filterTools([{ name: "one__b" }, { name: "one__a" }], sieve, options), [{ name: "one__a" }]);
});

test("the README's snippets print what they say, before a server that others wrote", async (t) => {
  const everything = await startEverything();
  t.after(everything.stop);
  // Installs only the official client, whose dependencies are next to it.
  mkdirSync(join(consumer.folder, "node_modules/@modelcontextprotocol"), { recursive: true });
  symlinkSync(
    fileURLToPath(new URL("node_modules/@modelcontextprotocol/client", import.meta.url)),
    join(consumer.folder, "node_modules/@modelcontextprotocol/client"),
  );
  const page = readFileSync(join(consumer.package, "README.md"), "utf8");
  for (const name of ["wrap", "concerns", "servers", "discovery"]) {
    const [, code] = new RegExp(`<!-- snippet: ${name} -->\n\`\`\`ts\n([^]*?)\`\`\``).exec(page);
    const file = consumer.write(`${name}.mjs`, code);
    const { stdout } = await promisify(execFile)(process.execPath, [file, everything.url], {
      cwd: consumer.folder,
      timeout: 30_000,
    });
    assert.deepEqual(
      stdout.trimEnd().split("\n"),
      [...code.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, said]) => said),
    );
  }
});
