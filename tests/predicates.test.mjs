// Policies as JavaScript functions, together with those of the configuration.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Sieve, SieveError } from "../pkg/loaders/node.js";

const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });
const lists = { tools: [tool("a"), tool("b", { title: "B" }), tool("c")], prompts: [{ name: "a" }] };

test("Q-1, Q-21: a predicate is told of a primitive as it is sent, and of its kind and server", () => {
  const told = [];
  const predicate = {
    name: "n",
    test: (primitive, context) => {
      told.push([primitive, context]);
      return primitive.name !== "a";
    },
  };
  const sieve = Sieve.compile({ tools: lists.tools.slice(1, 2), prompts: lists.prompts }, null, {
    predicates: [predicate],
  });
  assert.deepEqual(told, [
    [tool("b", { title: "B" }), { kind: "tools", server: "upstream" }],
    [{ name: "a" }, { kind: "prompts", server: "upstream" }],
  ]);
  assert.deepEqual([sieve.names(), sieve.names({ filter: null, kind: "prompts" })], [["b"], []]);
  sieve.free();
});

test("a predicate gets the caller for which a catalog is compiled or restored", () => {
  const predicates = [{ name: "own", test: ({ name }, { caller }) => caller.tools.includes(name) }];
  const sieve = Sieve.compile(lists, null, { predicates, caller: { tools: ["b"] } });
  assert.deepEqual(sieve.names(), ["b"]);
  const other = Sieve.restore(sieve.snapshot(), { predicates, caller: { tools: ["c", "a"] } });
  assert.deepEqual(other.names(), ["a", "c"]);
});

test("Q-4 to Q-7: one order with the file's policies, and who is hidden is asked about no more", () => {
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

test("Q-9, Q-10: one that throws, or gives neither true nor false, hides; or shows, where it is to fail open", () => {
  for (const [failOpen, names, end] of [
    [false, ["a"], "hidden"],
    [true, ["a", "b", "c"], "shown"],
  ]) {
    const predicate = {
      name: "n",
      kinds: ["tools"],
      failOpen,
      test: ({ name }) => {
        if (name === "b") throw new Error("no idea");
        return name === "c" ? Promise.resolve(true) : true;
      },
    };
    const sieve = Sieve.compile(lists, undefined, { predicates: [predicate] });
    assert.deepEqual(sieve.names(), names);
    assert.deepEqual(sieve.reports, [
      { code: "undecided", kind: "tool", name: "b", problem: `policy \`n\`: no idea, ${end}` },
      {
        code: "undecided",
        kind: "tool",
        name: "c",
        problem: `policy \`n\`: it gave object, and not true or false, ${end}`,
      },
    ]);
  }
});

test("a predicate may compile a catalog of its own, and is given again to what is restored", () => {
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
    [{}, "expected an array of predicates"],
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
