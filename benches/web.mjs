// Compares the module of the browser crate with the npm package's, in one run: their size, and the time of a selection,
// a list and an explanation. Prints a section and writes it to RESULTS.md. Needs `make build` and `wasm-pack build web
// --target web`.
import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { Sieve as Fast } from "../pkg/loaders/node.js";
import { initSync, Sieve as Typed } from "../web/pkg/mcp_sieve_web.js";
import { catalog, filters } from "./generate.mjs";
import { race } from "./measure.mjs";
import { section } from "./results.mjs";

const TOOLS = 1_000;
const read = (path) => readFileSync(new URL(path, import.meta.url));
const modules = {
  "npm package": [read("../pkg/dist/sieve_bg.wasm"), read("../pkg/dist/sieve.js")],
  "browser crate": [read("../web/pkg/mcp_sieve_web_bg.wasm"), read("../web/pkg/mcp_sieve_web.js")],
};
initSync({ module: modules["browser crate"][0] });

const lists = JSON.stringify(catalog(TOOLS));
const fast = Fast.compile(lists);
const typed = new Typed(lists).view();
let sink = 0; // keeps results alive

/** Runs a function on a selection of the browser crate, and frees the selection. */
function selected(filter, use) {
  const selection = typed.select("tools", filter);
  sink += use(selection);
  selection.free();
}

const us = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(0));
const rows = Object.entries(filters).flatMap(([name, filter]) => {
  const hidden = `no_such_tool`;
  const pairs = {
    select: [() => (sink += fast.count({ filter })), () => selected(filter, ({ count }) => count)],
    names: [
      () => (sink += fast.names({ filter }).length),
      () => selected(filter, (selection) => selection.names().length),
    ],
    list: [
      () => (sink += fast.list({ filter }).length),
      () => selected(filter, (selection) => selection.list().length),
    ],
    explain: [
      () => (sink += Number(fast.explain(hidden, { filter }).shown)),
      () => selected(filter, (selection) => Number(selection.explain(hidden).shown)),
    ],
  };
  return Object.entries(pairs).map(([call, [ours, theirs]]) => {
    const times = race({ ours, theirs });
    return `| ${call}, ${name} | ${us(times.ours)} | ${us(times.theirs)} | ${(times.theirs / times.ours).toFixed(1)}× |`;
  });
});
const sizes = Object.entries(modules).map(([name, files]) => {
  const sizes = [
    (bytes) => bytes.length,
    (bytes) => gzipSync(bytes, { level: 9 }).length,
    (bytes) => brotliCompressSync(bytes).length,
  ];
  const sum = (size) => files.reduce((total, bytes) => total + size(bytes), 0).toLocaleString("en");
  return `| ${name} | ${sizes.map(sum).join(" | ")} |`;
});
if (sink === 0) throw new Error("nothing was measured");

section(
  "The browser crate",
  `Bytes of the whole module with its bindings. A page that uses the npm package loads less first, and searches and the picker when
they are first used (see [Size](#size)).

| module | raw | gzip | brotli |
|---|---|---|---|
${sizes.join("\n")}

Microseconds a call on ${TOOLS.toLocaleString("en")} tools, each with its filter as an object: the package recognizes a filter
that it has seen, the crate reads it each time.

| call | npm package | browser crate | crate ÷ package |
|---|---|---|---|
${rows.join("\n")}`,
);
