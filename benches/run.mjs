// Compares the engine with alternatives that a developer would write, in one run. Prints tables, writes RESULTS.md, and
// exits with 1 if a compiled filter is slower than `Array.filter`, or if results differ.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { Sieve } from "../pkg/loaders/node.js";
import { Engine, Inbox, initSync } from "../pkg/dist/sieve.js";
import { recordedSizes, sizesOf } from "../scripts/size.mjs";
import { catalog, filters } from "./generate.mjs";
import { median, race } from "./measure.mjs";
import { bitset, naive, slices } from "./peers.mjs";

const SIZES = [1, 4, 16, 100, 1_000, 10_000, 100_000];
/**
 * Maximum number of tools for which results in bytes are measured. Beyond it, a result has tens of megabytes, and
 * selection matters.
 */
const BYTES_UP_TO = 10_000;
const LOADS = 5;

const wasm = readFileSync(new URL("../pkg/dist/sieve_bg.wasm", import.meta.url));
const { memory } = initSync({ module: wasm });
const utf8 = new TextEncoder();
let sink = 0; // keeps results alive

function same(what, expected, found) {
  if (String(expected) !== String(found)) throw new Error(`${what}: ${expected} is not ${found}`);
}

function measure(size) {
  const list = catalog(size);
  const text = JSON.stringify(list);
  const [plain, expert, prepared] = [naive(list), bitset(list), slices(list)];
  const sieve = Sieve.compile(text);
  const bytes = utf8.encode(text);
  const inbox = new Inbox(bytes.length);
  const at = inbox.room(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  const engine = new Engine(inbox);
  const rows = {};
  for (const [name, filter] of Object.entries(filters)) {
    const asked = JSON.stringify(filter);
    const compiled = sieve.filter(filter);
    const clauses = expert.compile(filter);
    const slot = engine.pin(asked);
    const matched = plain.select(filter).length;
    same(`count of ${name}`, matched, sieve.count({ filter: compiled }));
    same(`count of ${name}`, matched, expert.count(clauses));
    same(
      `selection of ${name}`,
      plain.select(filter).map((tool) => list.tools.indexOf(tool)),
      sieve.select({ filter: compiled }).indices,
    );
    const contenders = {
      naive: () => {
        sink += plain.select(filter).length;
      },
      expert: () => {
        sink += expert.count(clauses);
      },
      evaluate: () => {
        sink += engine.count(slot, 0);
      },
      count: () => {
        sink += sieve.count({ filter: compiled });
      },
      select: () => {
        sink += sieve.select({ filter: compiled }).indices.length;
      },
      indices: () => {
        sink += engine.indices(slot, 0);
      },
    };
    if (size <= BYTES_UP_TO) {
      // The engine writes memberships in both places, so the bytes are compared by the tools that they list.
      const names = (bytes) => JSON.parse(new TextDecoder().decode(bytes)).tools.map((tool) => tool.name);
      same(`list of ${name}`, names(prepared.answer(asked)), names(sieve.list({ filter: asked })));
      contenders.slices = () => {
        sink += prepared.answer(asked).length;
      };
      contenders.view = () => {
        sink += sieve.view({ filter: asked }).length;
      };
      contenders.list = () => {
        sink += sieve.list({ filter: asked }).length;
      };
    }
    rows[name] = { matched, ...race(contenders) };
  }
  const expression = size === SIZES.at(-1) ? expressionOf(list, engine) : undefined;
  engine.free();
  sieve.free();
  return { rows, expression };
}

/**
 * Measures an expression of ten leaves: a predicate over objects, and the engine, which parses and evaluates the
 * expression each time.
 */
function expressionOf(list, engine) {
  const filter = JSON.stringify({
    where: {
      any: [
        { all: [{ group: "group-1" }, { tag: "stable" }, { not: { tag: "tag-3" } }] },
        { all: [{ group: "group-2" }, { tag: "tag-5" }] },
        {
          all: [
            { tag: "tag-7" },
            { not: { group: "group-3" } },
            { any: [{ tag: "tag-8" }, { tag: "tag-9" }, { group: "group-4" }] },
          ],
        },
      ],
    },
  });
  const predicate = ({ groups, tags }) =>
    (groups.includes("group-1") && tags.includes("stable") && !tags.includes("tag-3")) ||
    (groups.includes("group-2") && tags.includes("tag-5")) ||
    (tags.includes("tag-7") &&
      !groups.includes("group-3") &&
      (tags.includes("tag-8") || tags.includes("tag-9") || groups.includes("group-4")));
  const ask = () => {
    const slot = engine.pin(filter);
    const matched = engine.count(slot, 0);
    engine.release(slot);
    return matched;
  };
  same("count of an expression", list.tools.filter(predicate).length, ask());
  return race({
    naive: () => {
      sink += list.tools.filter(predicate).length;
    },
    ours: () => {
      sink += ask();
    },
  });
}

/**
 * Returns bytes of WebAssembly memory, which never shrinks: `peak` while one catalog is compiled, and `resident` for
 * each kept.
 */
function memoryOf(bytes) {
  const before = memory.buffer.byteLength;
  const sieves = [Sieve.compile(bytes)];
  const peak = memory.buffer.byteLength - before;
  // The next catalog reuses memory that compiling one needed temporarily. Growth after that is what each catalog keeps.
  while (sieves.length < 2) sieves.push(Sieve.compile(bytes));
  const two = memory.buffer.byteLength;
  while (sieves.length < 6) sieves.push(Sieve.compile(bytes));
  const resident = (memory.buffer.byteLength - two) / 4;
  sieves.forEach((sieve) => sieve.free());
  return { peak, resident };
}

/** Returns the milliseconds to parse 10,000 tools, to compile them, and to restore them from a snapshot. */
function load() {
  const text = JSON.stringify(catalog(10_000));
  const bytes = utf8.encode(text);
  const parses = [];
  const compiles = [];
  const restores = [];
  const { peak, resident } = memoryOf(bytes);
  const snapshot = Sieve.compile(bytes).snapshot();
  for (let turn = 0; turn < LOADS; turn += 1) {
    let start = performance.now();
    sink += JSON.parse(text).tools.length;
    parses.push(performance.now() - start);
    start = performance.now();
    const sieve = Sieve.compile(bytes);
    compiles.push(performance.now() - start);
    sieve.free();
    start = performance.now();
    const restored = Sieve.restore(snapshot);
    restores.push(performance.now() - start);
    same("size of the restored", 10_000, restored.count());
    restored.free();
  }
  const [parse, compile, restore] = [parses, compiles, restores].map(median);
  return { size: bytes.length, snapshot: snapshot.length, parse, compile, restore, peak, resident };
}

const us = (value) =>
  value === undefined ? "–" : value < 0.1 ? value.toFixed(3) : value < 10 ? value.toFixed(2) : value.toFixed(0);
const three = (rows, of) => ["narrow", "medium", "wide"].map((name) => of(rows[name])).join(" / ");
const count = (number) => number.toLocaleString("en");
const table = (head, lines) =>
  [
    `| ${head.join(" | ")} |`,
    `|${head.map(() => "---").join("|")}|`,
    ...lines.map((line) => `| ${line.join(" | ")} |`),
  ].join("\n");

const loaded = load();
const results = new Map();
let expression;
for (const size of SIZES) {
  const measured = measure(size);
  results.set(size, measured.rows);
  ({ expression } = measured);
  console.error(`measured ${count(size)} tools`);
}

const losses = [];
for (const [size, rows] of results) {
  for (const [name, row] of Object.entries(rows)) {
    for (const ours of ["count", "select"])
      if (row[ours] > row.naive) losses.push(`${ours} of ${name} at ${count(size)}`);
  }
}

const columns = ["naive", "expert", "evaluate", "count", "select"];
const selection = table(
  [
    "tools",
    "`Array.filter`",
    "JS bitset",
    "ours, evaluated",
    "ours, `count`",
    "ours, `select`",
    "`Array.filter` ÷ evaluated",
  ],
  [...results].map(([size, rows]) => [
    count(size),
    ...columns.map((column) => three(rows, (row) => us(row[column]))),
    three(rows, (row) => `${us(row.naive / row.evaluate)}×`),
  ]),
);
const answers = table(
  ["tools", "matched", "JS, slices", "ours, `view`", "ours, `list`", "JS ÷ view"],
  [...results]
    .filter(([size]) => size <= BYTES_UP_TO)
    .map(([size, rows]) => [
      count(size),
      three(rows, (row) => row.matched),
      ...["slices", "view", "list"].map((column) => three(rows, (row) => us(row[column]))),
      three(rows, (row) => `${us(row.slices / row.view)}×`),
    ]),
);
const sizes = table(
  ["module", "raw", "gzip", "brotli"],
  recordedSizes().flatMap(({ name, file }) => {
    const url = new URL(`../${file}`, import.meta.url);
    if (!existsSync(url)) return [];
    return [[name, ...Object.values(sizesOf(readFileSync(url))).map(count)]];
  }),
);
const report = `# Results

Written by \`make bench\`. Microseconds a call, narrow / medium / wide filter; medians, contenders in turn.
Node ${process.version}, ${os.arch()}, ${os.cpus().length} cores (${os.cpus()[0].model}), ${new Date().toISOString().slice(0, 10)}.

## Selection

\`count\` and \`select\` are the package's calls on a compiled filter, which keeps its answer: neither it nor its
catalog ever changes. *Evaluated* is the engine's own count, made anew each time.

${selection}

Sizes at which \`count\` or \`select\` loses to \`Array.filter\`: ${losses.length === 0 ? "none" : losses.join("; ")}.

An expression of ten leaves over ${count(SIZES.at(-1))} tools: ${us(expression.naive)} by a predicate, ${us(expression.ours)} by the engine, read, compiled and
decided anew each time (${us(expression.naive / expression.ours)}×).

## From a filter's JSON to the bytes of the list

${answers}

## Loading 10,000 tools

${count(loaded.size)} bytes of JSON: \`JSON.parse\` ${loaded.parse.toFixed(1)} ms, \`Sieve.compile\` ${loaded.compile.toFixed(1)} ms
(${(loaded.parse / loaded.compile).toFixed(2)}× as fast), \`Sieve.restore\` of a snapshot of ${count(loaded.snapshot)} bytes ${loaded.restore.toFixed(1)} ms (${(loaded.parse / loaded.restore).toFixed(1)}×).
While it was compiled WebAssembly memory grew by ${count(loaded.peak)} bytes, ${(loaded.peak / loaded.size).toFixed(2)}× the JSON; a catalog that is
kept takes ${count(loaded.resident)} bytes of it, ${(loaded.resident / loaded.size).toFixed(2)}×.

## Size

Bytes. CI fails if a file is more than 3 % larger than [recorded](sizes.json).

${sizes}
`;
console.log(report);
writeFileSync(new URL("RESULTS.md", import.meta.url), report);
if (sink === 0 || losses.length > 0) process.exitCode = 1;
