// Measures how long a page loads on slow connections, with the engine in parts and with the whole engine as its first
// module: `node benches/loading.mjs [RUNS]`, after `make build`. Prints a section and writes it to RESULTS.md.
//
// The page, a bundle and the modules are compressed with brotli and served from loopback. Chromium adds the latency to
// each request and limits the throughput. Each load has an empty cache.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { launch } from "../tests/support/site.mjs";
import { median } from "./measure.mjs";
import { section } from "./results.mjs";

const { build } = createRequire(new URL("../tests/package.json", import.meta.url))("esbuild");

const RUNS = Number(process.argv[2] ?? 11);
const CONNECTIONS = {
  "Slow 4G (1.6 Mbit/s, 150 ms)": { downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8, latency: 150 },
  "3G (0.75 Mbit/s, 300 ms)": { downloadThroughput: 750_000 / 8, uploadThroughput: 250_000 / 8, latency: 300 },
};
const MARK = `const mark = (name) => (globalThis.marks = { ...globalThis.marks, [name]: performance.now() });`;
const LIST = `import { Sieve } from "../pkg/loaders/web.js";
import { catalog } from "./generate.mjs";
${MARK}
const sieve = Sieve.compile(catalog(1_000));
sieve.list({ filter: { where: "name:*issue*" } });
mark("first list");`;
const PICKER = `import "../pkg/src/element/picker.js";
${LIST}
const element = document.querySelector("mcp-sieve-picker");
element.sieve = sieve;
const until = (holds, then) => (holds() ? then() : setTimeout(until, 4, holds, then));
until(() => element.shadowRoot.querySelector("[role=gridcell]"),
  () => requestAnimationFrame(() => setTimeout(() => mark("picker drawn"))));`;
/** The scripts of the pages, the parts that a page preloads, and the marks that it sets, the last one last. */
const PAGES = {
  "lists, then searches": {
    script: `${LIST}\nawait sieve.ready("search");\nsieve.search("create an issue");\nmark("first search");`,
    marks: ["first list", "first search"],
  },
  "shows the picker": { script: PICKER, marks: ["first list", "picker drawn"] },
  "shows the picker, with `preload`": {
    script: PICKER,
    marks: ["first list", "picker drawn"],
    preloads: ["engine", "search", "picker"],
  },
};
const VARIANTS = ["parts", "whole"];

const dist = (path) => readFileSync(new URL(`../pkg/dist/${path}`, import.meta.url));
const modules = {
  parts: (name) => dist(`parts/${name}`),
  whole: (name) => (name === "engine.wasm" ? dist("sieve_bg.wasm") : undefined),
};
if (dist("parts/engine.wasm").equals(dist("sieve_bg.wasm")))
  throw new Error("expected a package with the engine in parts");

/** The compressed files, with their types, by path: `/VARIANT/PAGE/…`. */
const files = new Map();
const serve = (path, type, content) => files.set(path, { type, body: brotliCompressSync(content) });
for (const [at, { script, preloads = [] }] of Object.values(PAGES).entries()) {
  const stdin = { contents: script, resolveDir: fileURLToPath(new URL(".", import.meta.url)), loader: "js" };
  const options = { bundle: true, minify: true, format: "esm", target: "es2022", write: false };
  const { outputFiles } = await build({ stdin, ...options });
  for (const variant of VARIANTS) {
    const folder = `/${variant}/${at}`;
    // The modules are where the bundle looks for them: the first one a folder above it, parts two folders.
    const place = (name) => `${folder}/${name === "engine" ? "host/" : ""}dist/parts/${name}.wasm`;
    for (const name of ["engine", "search", "picker"]) {
      const bytes = modules[variant](`${name}.wasm`);
      if (bytes) serve(place(name), "application/wasm", bytes);
    }
    const links = preloads
      .filter((name) => files.has(place(name)))
      .map((name) => `<link rel="preload" href="${place(name)}" as="fetch" type="application/wasm" crossorigin>`);
    const page = `<!doctype html><html lang="en"><title>A host</title><link rel="icon" href="data:,">${links.join("")}
<script type="module" src="${folder}/host/js/page.js"></script><mcp-sieve-picker></mcp-sieve-picker>`;
    serve(folder, "text/html", page);
    serve(`${folder}/host/js/page.js`, "text/javascript", outputFiles[0].contents);
  }
}

const missing = [];
const server = createServer((request, response) => {
  const file = files.get(request.url);
  if (!file) {
    missing.push(request.url);
    return response.writeHead(404).end();
  }
  const headers = { "content-type": file.type, "content-encoding": "br", "content-length": file.body.length };
  response.writeHead(200, headers).end(file.body);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await launch();

async function load(path, connection, last) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", { offline: false, ...connection });
  await page.goto(origin + path, { waitUntil: "commit" });
  await page.waitForFunction((name) => globalThis.marks?.[name], last, { timeout: 60_000 });
  const marks = await page.evaluate(() => globalThis.marks);
  await context.close();
  return marks;
}

const seconds = (ms) => (ms / 1_000).toFixed(2);
const cell = (times) => `${seconds(median(times))} (${seconds(Math.min(...times))}–${seconds(Math.max(...times))})`;
const rows = [];
try {
  for (const [at, [title, { marks: names }]] of Object.entries(PAGES).entries())
    for (const [name, connection] of Object.entries(CONNECTIONS)) {
      const times = { parts: [], whole: [] };
      // The first load of each warms the browser up and does not count.
      for (let run = 0; run <= RUNS; run += 1)
        for (const variant of run % 2 ? VARIANTS : VARIANTS.toReversed()) {
          const marks = await load(`/${variant}/${at}`, connection, names.at(-1));
          if (run > 0) times[variant].push(marks);
        }
      for (const mark of names) {
        const [parts, whole] = VARIANTS.map((variant) => times[variant].map((marks) => marks[mark]));
        const change = (median(parts) / median(whole) - 1) * 100;
        rows.push(
          `| ${title} | ${name} | ${mark} | ${cell(parts)} | ${cell(whole)} | ${change < 0 ? "−" : "+"}${Math.abs(change).toFixed(0)} % |`,
        );
      }
    }
} finally {
  await browser.close();
  server.close();
}
if (missing.length > 0) throw new Error(`not found: ${missing.join(", ")}`);

section(
  "Loading on slow connections",
  `Seconds from the start of the navigation: medians of ${RUNS} loads with an empty cache, in turn, with the shortest and the longest in
brackets. A page is one bundle. It compiles 1,000 tools that it makes itself. Written by \`node benches/loading.mjs\`.

| page | connection | until | engine in parts | whole engine | change |
|---|---|---|---|---|---|
${rows.join("\n")}`,
);
