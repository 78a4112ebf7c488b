// Restores altered snapshots, and compiles lists that are made to break the engine.
import { Sieve, SieveError } from "../../../pkg/loaders/node.js";
import { tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "mutated snapshots, and lists made to break the engine";

const COUNT = [400, 2_500];
const SLOW_MS = 3_000;

function mutate(bytes, random) {
  const copy = new Uint8Array(bytes);
  const at = random.below(copy.length);
  const change = random.pick([
    () => {
      copy[at] ^= 1 << random.below(8);
    },
    () => {
      copy[at] = random.below(256);
    },
    () => copy.slice(0, at),
    () => {
      copy.fill(0xff, at, at + random.below(40));
    },
    () => {
      copy.fill(0, at, at + random.below(40));
    },
    () => {
      copy.copyWithin(at, random.below(copy.length), random.below(copy.length));
    },
    () => Uint8Array.of(...copy, ...Array.from({ length: 1 + random.below(30) }, () => random.below(256))),
    () => new Uint8Array(random.below(64)),
    () => {
      new DataView(copy.buffer).setUint32(Math.min(at, copy.length - 4), 0xffffffff, true);
    },
  ]);
  return change() ?? copy;
}

export async function* attempt(stage, size, random) {
  const tools = Array.from({ length: 40 }, (_, at) =>
    tool(`tool_${at}`, { description: `Does the thing number ${at}` }),
  );
  const sieve = Sieve.compile({ tools }, { rules: [{ match: "name:tool_1*", groups: ["ones"], tags: ["x"] }] });
  const expected = JSON.stringify(sieve.names({ filter: { groups: ["ones"] } }));
  const snapshot = new Uint8Array(sieve.snapshot());
  const restored = Sieve.restore(snapshot);
  yield control(
    "a snapshot as it was gives the same",
    JSON.stringify(restored.names({ filter: { groups: ["ones"] } })) === expected,
    expected,
  );
  for (let number = 0; number < COUNT[size]; number += 1) {
    const bytes = mutate(snapshot, random);
    const begun = performance.now();
    let outcome;
    try {
      const made = Sieve.restore(bytes);
      outcome =
        JSON.stringify(made.names({ filter: { groups: ["ones"] } })) === expected ? "the same" : "another catalog";
      made.free?.();
    } catch (error) {
      outcome = error instanceof SieveError ? "refused" : String(error);
    }
    const quick = performance.now() - begun < SLOW_MS;
    yield tried(`mutation ${number} of a snapshot`, quick && ["refused", "the same"].includes(outcome), outcome);
  }
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const odd = [
    `{"tools":${deep}}`,
    { tools: [tool("n".repeat(2 ** 22))] },
    { tools: [tool("\ud800")] },
    { tools: [{ ...tool("a"), __proto__: null }] },
    '{"tools":[{"name":"a","inputSchema":{"type":"object"},"__proto__":{"x":1}}]}',
    { tools: [null] },
    { tools: 7 },
    "",
    "null",
    { tools: [tool("a", { groups: ["__proto__", "constructor"] })] },
  ];
  for (const lists of odd) {
    let outcome;
    try {
      outcome = Array.isArray(Sieve.compile(lists).names({ filter: {} })) ? "compiled" : "odd";
    } catch (error) {
      outcome = error instanceof SieveError ? "refused" : String(error);
    }
    yield tried(
      `lists ${(typeof lists === "string" ? lists : JSON.stringify(lists)).slice(0, 60)}`,
      ["compiled", "refused"].includes(outcome) && {}.x === undefined,
      outcome,
    );
  }
  const after = Sieve.compile({ tools });
  yield control(
    "the module still works",
    after.names({ filter: {} }).length === 40,
    after.names({ filter: {} }).length,
  );
}
