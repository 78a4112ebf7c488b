// The groups, tags and concerns in lists: the rows of servers in front of which a gateway stands, and what only a host does.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Sieve } from "../pkg/loaders/node.js";

const rows = JSON.parse(readFileSync(new URL("fixtures/declared.json", import.meta.url), "utf8"));
/** Rows about requests that fail. A host does not pass what it did not get. */
const REQUESTS = ["a list that is refused costs no tool"];
/** Reports on declarations without an effect, which a gateway makes elsewhere. */
const IDLE = /it has no members$|no primitive has it$|no primitive has a value$/;

/** Returns the lists that a host requests of a server of a row. */
function listsOf({ capabilities, answers }) {
  const { filtering = {}, groups, concerns, extensions = {} } = capabilities;
  const halves = { ...filtering, ...extensions["dev.mcpsieve/filtering"], ...(groups && { groups }) };
  const methods = ["tools/list", ...["groups", "tags"].filter((half) => halves[half]).map((half) => `${half}/list`)];
  const listed = ["listConcerns", "concerns/list"].map((method) => answers[method]).find((answer) => answer?.concerns);
  const declared = listed ?? (Array.isArray(concerns) ? { concerns } : undefined);
  return [...methods.map((method) => answers[method]), ...(declared ? [declared] : [])];
}

/** Returns a group or tag of a row as a sieve has it. */
const asInSieve = ({ parents, _meta, ...item }) => ({
  ...item,
  ...(parents && { parent: parents.length > 1 ? parents : parents[0] }),
});

for (const { name, config, renames = {}, servers, groups = [], tags = [], concerns = [], problems = [] } of rows) {
  if (REQUESTS.includes(name)) continue;
  test(name, () => {
    const lists = servers.map((server) => ({ server: server.name, lists: listsOf(server), ...renames }));
    const sieve = Sieve.compile(lists, config);
    const reports = sieve.reports.filter(({ code }) => code === "declaration");
    const idle = reports.filter(({ problem }) => IDLE.test(problem));
    const own = (config.concerns ?? []).map((concern) => concern.name);
    const valueless = idle.flatMap(({ problem }) => /^the concern `(.*)` filters/.exec(problem)?.[1] ?? []);
    assert.deepEqual(sieve.groups, groups.map(asInSieve));
    assert.deepEqual(sieve.tags, tags.map(asInSieve));
    assert.deepEqual(
      sieve.concerns.filter((concern) => own.includes(concern.name) || !valueless.includes(concern.name)),
      concerns,
    );
    assert.deepEqual(
      reports.filter((report) => !idle.includes(report)).map(({ name, problem }) => [name, problem]),
      problems,
    );
    const restored = Sieve.restore(sieve.snapshot());
    assert.deepEqual([restored.groups, restored.tags], [sieve.groups, sieve.tags]);
    if (!config.policies) assert.deepEqual(restored.concerns, sieve.concerns);
    sieve.free();
    restored.free();
  });
}

const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });
const declared = {
  tools: [tool("a", { groups: ["user"], tags: ["stable"], _meta: { concerns: { cost: "low" } } })],
  groups: [{ name: "user", title: "Users" }, { name: "empty" }, { title: "?" }],
  tags: [{ name: "stable", description: "Ready" }, { name: "never" }],
  concerns: [
    { name: "cost", values: ["low", "high"], default: "low" },
    { name: "risk", values: ["some"] },
  ],
};

test("lists with declarations are the same in one object, as results, as responses, as text and as bytes", () => {
  const results = Object.entries(declared).map(([key, value]) => ({ [key]: value }));
  const responses = results.map((result, id) => ({ jsonrpc: "2.0", id, result }));
  const text = JSON.stringify(results);
  for (const lists of [declared, results, responses, [...results].reverse(), text, new TextEncoder().encode(text)]) {
    const sieve = Sieve.compile(lists);
    assert.deepEqual(sieve.groups, [{ name: "user", title: "Users" }]);
    assert.deepEqual(sieve.tags, [{ name: "stable", description: "Ready" }]);
    // The server may apply a concern of which its lists show no value.
    assert.deepEqual(sieve.concerns, declared.concerns);
    assert.deepEqual(
      sieve.reports.map(({ code, kind, name, problem }) => [code, kind, name, problem]),
      [
        "a group without a name is left out",
        "the group `empty` is left out: it has no members",
        "the tag `never` is left out: no primitive has it",
        "the concern `risk` filters nothing: no primitive has a value",
      ].map((problem) => ["declaration", "server", "upstream", problem]),
    );
    assert.deepEqual(sieve.names({ filter: { concerns: { cost: "high" } } }), []);
    sieve.free();
  }
});

test("a configuration takes precedence over lists, and is filled by them", () => {
  const config = `{
    // The members of both count, those of the file first.
    "groups": [{ "name": "user", "description": "Ours" }, { "name": "empty" }],
    "concerns": [{ "name": "cost", "values": ["low", "high"], "applyDefault": true }],
  }`;
  const sieve = Sieve.compile(declared, config);
  assert.deepEqual(sieve.groups, [{ name: "user", title: "Users", description: "Ours" }, { name: "empty" }]);
  assert.deepEqual(sieve.concerns, declared.concerns);
  const restored = Sieve.restore(sieve.snapshot());
  assert.deepEqual([restored.groups, restored.concerns], [sieve.groups, sieve.concerns]);
  assert.deepEqual(restored.filter({}).applied, sieve.filter({}).applied);
});

test("what is no list of declarations is reported", () => {
  const sieve = Sieve.compile({ tools: [], groups: "many", tags: null, concerns: { cost: [] } });
  assert.deepEqual(
    sieve.reports.map(({ problem }) => problem),
    ["groups: expected an array, left out", "concerns: expected an array, left out"],
  );
});

test("a server's tag that looks like an own one is left out, declared or not", () => {
  const lists = { ...declared, tags: [{ name: "user:favorites" }, ...declared.tags] };
  const sieve = Sieve.compile(lists, {}, { tags: { mine: { tools: ["a"] } } });
  assert.deepEqual(sieve.tags.map(({ name }) => name).sort(), ["stable", "user:mine"]);
});
