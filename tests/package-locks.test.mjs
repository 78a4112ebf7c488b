// The lock in a host: the rows of `lock.json` in the package, and what a host learns of changes.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { definitions } from "../pkg/cli/lib/engine.js";
import { Sieve } from "../pkg/loaders/node.js";

const rows = JSON.parse(readFileSync(new URL("fixtures/lock.json", import.meta.url), "utf8"));
/** The tags and groups of a row that no text of a server may add to. */
const FACETS = ["groups", "tags"];

const textOf = (row, member) =>
  row[`${member}Text`] ?? (row[member] === undefined ? undefined : JSON.stringify(row[member]));
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/** The text of a lock that accepts these lists of the only server. */
function lockOf(lists, lock = {}) {
  const config = JSON.stringify({ lock: { content: "{}", ...lock } });
  const digests = Object.entries(JSON.parse(definitions(config, "", lists))).map(([kind, all]) => [
    kind,
    Object.fromEntries(all.map(([name, text]) => [name, sha256(text)])),
  ]);
  return JSON.stringify({ version: 3, servers: { upstream: Object.fromEntries(digests) } });
}

for (const row of rows) {
  test(row.name, () => {
    const config = { ...row.config, ...(row.lock && { lock: { file: "sieve.lock.json", ...row.lock } }) };
    const content = textOf(row, "content") ?? (row.noContent ? undefined : lockOf(textOf(row, "accepted"), row.lock));
    const sieve = Sieve.compile(textOf(row, "listed"), config, { lock: content });
    for (const [kind, names] of Object.entries(row.see)) {
      const asked = { filter: row.filter, kind };
      assert.deepEqual(sieve.names(asked), names, kind);
      const list = Buffer.from(sieve.list(asked)).toString();
      for (const [name, text] of Object.entries(row.items ?? {}))
        if (names.includes(name)) assert.ok(list.includes(text), `${name}: ${list}`);
    }
    if (row.changes !== undefined) {
      const word = (kind) => (kind === "template" ? "resourceTemplate" : kind);
      assert.deepEqual(
        sieve.changes.map(({ server, kind, name, state }) => {
          assert.equal(server, row.config?.upstream?.name ?? "upstream");
          return `${state} ${word(kind)} ${name}`;
        }),
        row.changes,
      );
    }
    for (const facet of FACETS)
      if (row[facet])
        assert.deepEqual(
          sieve[facet].map(({ name }) => name),
          row[facet],
        );
    sieve.free();
  });
}

test("a lock is text or parsed, for one server or several, and follows an update", () => {
  const tool = (name, title) => ({ name, ...(title && { title }), inputSchema: { type: "object" } });
  const text = lockOf(JSON.stringify({ tools: [tool("send")] }));
  const of = (lock, config) => Sieve.compile({ tools: [tool("send", "Send")] }, config, { lock });
  for (const lock of [text, JSON.parse(text)]) {
    assert.deepEqual(of(lock).names(), []);
    // The configuration may be JSONC.
    assert.deepEqual(of(lock, '{ // the words\n "lock": { "changed": "serve" }, }').names(), ["send"]);
  }
  assert.deepEqual(
    of("no lock").changes.map(({ state }) => state),
    ["unreadable"],
  );
  assert.throws(() => of(text, '{"lock":{"changed":"drop"}}'), { code: "config", path: "lock.changed" });
  const { upstream } = JSON.parse(text).servers;
  const lock = { version: 3, servers: { mail: upstream, wiki: upstream } };
  const lists = ["mail", "wiki"].map((server) => ({ server, lists: { tools: [tool("send")] } }));
  const config = {
    upstreams: [
      { name: "mail", prefix: "mail_", url: "https://a.example/mcp" },
      { name: "wiki", prefix: "wiki_", url: "https://b.example/mcp", lock: { changed: "refuse" } },
    ],
  };
  const sieve = Sieve.compile(lists, config, { lock });
  assert.deepEqual([sieve.names(), sieve.changes], [["mail_send", "wiki_send"], []]);
  const later = sieve.update("wiki", { tools: [tool("send", "Obey")] });
  assert.deepEqual(later.changes, [{ server: "wiki", kind: "tool", name: "send", state: "changed" }]);
  assert.ok(!Buffer.from(later.list()).toString().includes("Obey"));
});

test("a declaration that was not accepted loses its texts, and no more", () => {
  const lists = (text) => ({
    tools: [{ name: "send", inputSchema: { type: "object" }, groups: ["mail"], tags: ["safe"] }],
    groups: [
      { name: "mail", title: text, description: text, _meta: { note: text, "dev.mcpsieve/parent": "all" } },
      { name: "all", title: "All" },
    ],
    tags: [{ name: "safe", description: text }],
    concerns: [{ name: "cost", description: text, values: ["low", "high"] }],
  });
  const declared = (now, lock) => {
    const before = JSON.stringify(lists("Ours."));
    const content = JSON.parse(lockOf(before));
    // A host declares the members themselves, and the command what `check --live` saves.
    const { groups, tags, concerns } = lists("Ours.");
    const items = { groups: { items: groups }, tags: { items: tags }, concerns: { items: concerns } };
    const page = JSON.stringify([lists("Ours."), { "dev.mcpsieve/declared": items, tools: [] }]);
    content.servers.upstream = JSON.parse(lockOf(page)).servers.upstream;
    const sieve = Sieve.compile(lists(now), { lock: { file: "a", changed: lock } }, { lock: content });
    return [sieve.names(), sieve.groups, sieve.tags];
  };
  const [, all] = lists("Ours.").groups;
  const kept = { name: "mail", title: "Ours.", description: "Ours.", parent: "all" };
  assert.deepEqual(declared("Ours.", "hide"), [["send"], [kept, all], [{ name: "safe", description: "Ours." }]]);
  for (const words of ["hide", "refuse"])
    assert.deepEqual(declared("Obey.", words), [
      ["send"],
      [{ name: "mail", parent: "all" }, all],
      [{ name: "safe", description: "" }],
    ]);
  assert.equal(declared("Obey.", "serve")[1][0].title, "Obey.");
});
