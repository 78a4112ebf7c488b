// The canonical form of JSON, of which locks have digests: RFC 8785, compared with another author's implementation.
import assert from "node:assert/strict";
import { test } from "node:test";
import canonicalize from "canonicalize";
import { canonical } from "../pkg/cli/lib/engine.js";

/** Number of random definitions. `SIEVE_DEFINITIONS=100000` compares as many as a release does. */
const COUNT = Number(process.env.SIEVE_DEFINITIONS ?? 4_000);
/** The seed, for a run that fails. */
const SEED = Number(process.env.SIEVE_SEED ?? 8785);

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomOf(SEED);
const below = (count) => Math.floor(random() * count);
const pick = (all) => all[below(all.length)];
const LETTERS = [
  "a",
  "B",
  "é",
  "€",
  "\u{1f600}",
  "\ufb33",
  "\u0080",
  "\n",
  "\u0007",
  '"',
  "\\",
  "/",
  "\u2028",
  "_",
  "0",
  " ",
];
const text = () => Array.from({ length: below(9) }, () => pick(LETTERS)).join("");
const bits = new DataView(new ArrayBuffer(8));
function double() {
  bits.setUint32(0, below(2 ** 32));
  bits.setUint32(4, below(2 ** 32));
  const number = bits.getFloat64(0);
  return Number.isFinite(number) ? number : 0;
}
const number = () =>
  pick([() => below(100), () => -below(1e9), double, () => below(1e6) / 1000, () => 10 ** below(25)])();
const KEYS = ["type", "properties", "enum", "maximum", "description", "items", "$ref", "x-mcp-header"];

/** A random value, at most `depth` levels deep. */
function value(depth) {
  const leaves = [() => null, () => random() < 0.5, number, text, text];
  const nested = [
    () => Array.from({ length: below(4) }, () => value(depth - 1)),
    () =>
      Object.fromEntries(
        Array.from({ length: below(5) }, () => [random() < 0.5 ? pick(KEYS) : text(), value(depth - 1)]),
      ),
  ];
  return pick(depth > 0 ? [...leaves, ...nested, ...nested] : leaves)();
}

const definition = () => ({
  name: text(),
  description: text(),
  inputSchema: { type: "object", properties: value(4) },
  _meta: value(2),
});

test(`${COUNT} random definitions have the form that another implementation gives them`, () => {
  for (let at = 0; at < COUNT; at += 1) {
    const one = definition();
    const written = JSON.stringify(one, undefined, below(3));
    assert.equal(canonical(written), canonicalize(one), `seed ${SEED}, definition ${at}: ${written}`);
  }
});

test("numbers that a double does not hold are written as they stand", () => {
  for (const [written, expected = written] of [
    ["9007199254740992"],
    ["9007199254740993"],
    ["-9007199254740993"],
    ["123456789012345678901234567890"],
    ["1e400"],
    ["-1e400"],
    ["1e21", "1e+21"],
    ["100000000000000000000"],
    ["-0", "0"],
    ["1.0", "1"],
    ["1E2", "100"],
    ["0.1000000000000000055", "0.1"],
  ])
    assert.equal(canonical(written), expected, written);
});
