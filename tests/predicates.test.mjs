// Policies as JavaScript functions, together with those of the configuration.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Sieve, SieveError } from "../pkg/loaders/node.js";

const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });
const lists = { tools: [tool("a"), tool("b", { title: "B" }), tool("c")], prompts: [{ name: "a" }] };

test("Q-1, Q-21: a predicate gets each primitive as it is sent, with its kind and server", () => {
  const told = [];
  const predicate = {
    name: "n",
    test: (primitive, context) => {
      told.push([primitive, context]);
      return primitive.name !== "a";
    },
  };
  const inputSchema = { type: "object", properties: { city: { type: "string" } } };
  const known = { title: "B", description: "Does b", annotations: { readOnlyHint: true }, _meta: { x: 1 } };
  const given = {
    tools: [tool("a"), { ...tool("b", known), inputSchema }],
    resources: [
      { uri: "r:a", name: "a" },
      { uri: "r:b", name: "b" },
    ],
    resourceTemplates: [
      { uriTemplate: "t:a/{x}", name: "a" },
      { uriTemplate: "t:b/{x}", name: "b" },
    ],
    prompts: [{ name: "a" }, { name: "b" }],
  };
  const sieve = Sieve.compile(given, null, { predicates: [predicate] });
  const expected = Object.entries(given).flatMap(([kind, primitives]) =>
    primitives.map((primitive) => [primitive, { kind, server: "upstream" }]),
  );
  assert.deepEqual(told, expected);
  const names = (kind) => sieve.names({ filter: null, kind });
  assert.deepEqual(Object.keys(given).map(names), [["b"], ["r:b"], ["t:b/{x}"], ["b"]]);
  sieve.free();
});

test("a predicate gets the caller for which a catalog is compiled or restored", () => {
  const predicates = [{ name: "own", test: ({ name }, { caller }) => caller.tools.includes(name) }];
  const sieve = Sieve.compile(lists, null, { predicates, caller: { tools: ["b"] } });
  assert.deepEqual(sieve.names(), ["b"]);
  const other = Sieve.restore(sieve.snapshot(), { predicates, caller: { tools: ["c", "a"] } });
  assert.deepEqual(other.names(), ["a", "c"]);
});

test("Q-4, Q-5, Q-6, Q-7: predicates and policies run in one order, and none runs for a hidden tool", () => {
  const asked = [];
  const noting = (name, priority, holds = true) => ({
    name,
    priority,
    kinds: ["tools"],
    test: (primitive) => {
      asked.push(`${name} ${primitive.name}`);
      return holds;
    },
  });
  const config = { policies: [{ name: "m", priority: 5, show: "-name:b" }] };
  const predicates = [noting("last", -1), noting("z", 5), noting("c", 5), noting("no", 0, false)];
  const sieve = Sieve.compile(lists, config, { predicates });
  assert.deepEqual(sieve.names(), []);
  assert.deepEqual(asked, ["c a", "c b", "c c", "z a", "z c", "no a", "no c"]);
});

test("Q-9, Q-10: a predicate that throws hides the tool; with failOpen, the next predicate runs", () => {
  for (const [failOpen, names, end] of [
    [false, ["a", "c"], "hidden"],
    [true, ["a", "b", "c"], "shown"],
  ]) {
    const predicate = {
      name: "n",
      kinds: ["tools"],
      failOpen,
      test: ({ name }) => {
        if (name === "b") throw new Error("no idea");
        return true;
      },
    };
    const asked = [];
    const next = { name: "next", priority: -1, kinds: ["tools"], test: ({ name }) => asked.push(name) > 0 };
    const sieve = Sieve.compile(lists, undefined, { predicates: [predicate, next] });
    assert.deepEqual(sieve.names(), names);
    assert.deepEqual(asked, names);
    assert.deepEqual(sieve.reports, [
      { code: "undecided", kind: "tool", name: "b", problem: `policy \`n\`: no idea, ${end}` },
    ]);
  }
});

test("Q-8: a predicate is synchronous: the promise of a result is no result", () => {
  for (const [failOpen, names, end] of [
    [false, ["a", "b"], "hidden"],
    [true, ["a", "b", "c"], "shown"],
  ]) {
    const test = ({ name }) => (name === "c" ? Promise.resolve(true) : true);
    const predicates = [{ name: "n", kinds: ["tools"], failOpen, test }];
    const sieve = Sieve.compile(lists, undefined, { predicates });
    assert.deepEqual(sieve.names(), names);
    const problem = `policy \`n\`: it returned object, expected true or false, ${end}`;
    assert.deepEqual(sieve.reports, [{ code: "undecided", kind: "tool", name: "c", problem }]);
  }
});

test("a predicate may compile a catalog of its own, and is passed again at restore", () => {
  const inner = { name: "inner", test: ({ name }) => name === "b" };
  const outer = {
    name: "outer",
    test: ({ name }) => Sieve.compile({ tools: [tool(name)] }, null, { predicates: [inner] }).count() === 1,
  };
  const predicates = [outer, { name: "z", test: ({ name }) => name !== "c" }];
  const sieve = Sieve.compile(lists, null, { predicates });
  assert.deepEqual(sieve.names(), ["b"]);
  assert.deepEqual(Sieve.restore(sieve.snapshot(), { predicates }).names(), ["b"]);
  assert.deepEqual(Sieve.restore(sieve.snapshot()).names(), ["a", "b", "c"]);
});

test("predicates that are none are refused, and nothing is compiled", () => {
  const refusals = [
    [{}, "predicates: expected an array of predicates"],
    [
      [{ name: "n", test: () => true, kind: ["tools"] }],
      "predicates[0]: unknown option `kind`, expected `name`, `priority`, `kinds`, `failOpen`, `test`",
    ],
    [[{ test: () => true }], "predicates[0]: expected `name`, text"],
    [[{ name: "n", test: () => true, priority: 0.5 }], "predicates[0]: expected `priority`, a whole number"],
    [[{ name: "n" }], "predicates[0]: expected `test`, a function"],
    [
      [{ name: "n", kinds: ["tool"], test: () => true }],
      "unknown kind `tool`, expected one of `tools`, `resources`, `resourceTemplates`, `prompts`, `skills`",
    ],
  ];
  for (const [predicates, message] of refusals) {
    assert.throws(
      () => Sieve.compile(lists, null, { predicates }),
      (error) => error instanceof SieveError && error.message === message,
      message,
    );
  }
});
