// The pages of docs/: their links, and those that describe the configuration, compared with the schema and the engine.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { test } from "node:test";
import { Sieve } from "../pkg/loaders/node.js";
import { written } from "../scripts/reference.mjs";
import { recordedSizes } from "../scripts/size.mjs";

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const page = read("docs/expressions.md");

test("the tables of the configuration are those of its schema", () => {
  assert.equal(read("docs/configuration.md"), written(), "run `node scripts/reference.mjs`");
});

/** Sections of the reference and members of theirs, one for each form of schema, with their types. */
const TYPES = [
  ["The file", "onInvalidConcern", '`"ignore"` or `"clamp"` or `"error"`'],
  ["`concerns[]`", "values", "array (at least 1) of (string or number) or [range](#a-range-of-values)"],
  ["A range of `values`", "step", "number (more than 0)"],
  ["`presets[]`", "filter.tags", "array (at most 100) of string (at most 256 characters)"],
  [
    "`presets[]`",
    "filter.concerns",
    "object of (string (at most 256 characters) or number or array (at most 100) of (string (at most 256 characters) or number) or `{ min, max }`)",
  ],
  ["`upstream`, `upstreams[]`", "tags", "object of (string (not empty) or null)"],
  ["`upstream`, `upstreams[]`", "requiredCapabilities", '`"hide"` or `"annotate"`'],
  ["`passMethods[]`", "method", "string (1 to 129 characters)"],
  ["`auth`", "jwks", "string or `{ keys }` or `{ kv }`"],
  ["`disclosure`", "mode", '`"flat"` or `"search"` or `"groups"` or `"outline"` or `"auto"`'],
  ["`drafts`", "serverCard", "boolean or [serverCard](#draftsservercard)"],
  ["`middleware`", "servers", "object (at most 16) of [middlewareServer](#middlewareserversname)"],
  ["A phrase", "weight", "integer (1 to 9)"],
  ["A chain", "steps", "array (at most 32) of (string (not empty) or [step](#a-step))"],
];

test("the tables state choices, alternatives, bounds and references", () => {
  const sections = read("docs/configuration.md").split("\n### ");
  for (const [heading, member, type] of TYPES) {
    const section = sections.find((text) => text.startsWith(`${heading}\n`));
    const [, stated] = new RegExp(`^\\| \`${member}\` \\| (.*?) \\|`, "m").exec(section);
    assert.equal(stated, type, `${heading}: ${member}`);
  }
});

test("every member of the schema has a type", () => {
  assert.doesNotMatch(read("docs/configuration.md"), /^\| `[^`]+` \| *\|/m);
});

test("the page about operation has the figures of the results", () => {
  const rows = [...read("benches/RESULTS.md").matchAll(/^\| 5,000 sessions \| (.+?) \| (.+?) \|/gm)];
  const figures = Object.fromEntries(rows.map(([, what, figure]) => [what, figure]));
  for (const what of ["memory", "open files"]) {
    const measured = [figures[`${what} when the last was opened`], figures[`${what} when idle`]];
    assert.ok(read("docs/operating.md").includes(`| ${what} | ${measured.join(" | ")} |`), measured.join());
  }
});

test("the page about scale has the figures of the results", () => {
  const rows = [...read("benches/RESULTS.md").matchAll(/^\| `[A-Z]+` \| (.+?) \| .+? \| (.+?) \| .+? \|$/gm)];
  const rates = Object.fromEntries(rows.map(([, request, rate]) => [request, rate]));
  for (const [request, stated] of [
    ["append denied requests, 50 at once", "RATE a second with 50 denied requests each"],
    ["append allowed calls, 500 at once", "RATE with 500 calls each"],
    ["read the catalog of 1,000 tools", "RATE a second with 1,000 tools"],
    ["search 1,000 documents of 1 KB", "RATE searches a second of 1,000 documents"],
    ["search 10,000 documents of 1 KB", "RATE of 10,000"],
  ])
    assert.ok(
      read("docs/scaling.md").includes(stated.replace("RATE", rates[request])),
      `${request}: ${rates[request]}`,
    );
});

test("the page names every binding of the Worker", () => {
  const bindings = [...read("worker/wrangler.jsonc").matchAll(/"(?:name|binding)": "([A-Z_]+)"/g)];
  assert.ok(bindings.length >= 11);
  for (const [, name] of bindings)
    assert.match(read("docs/configuration.md"), new RegExp(`^\\| \`${name}\` \\|`, "m"), name);
});

const guides = readdirSync(new URL("../docs", import.meta.url))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);

test("the page of the package states the recorded sizes", () => {
  const recorded = new Map(recordedSizes().map(({ file, sizes }) => [file, sizes]));
  const kilobytes = (file, measure) => `${Math.round(recorded.get(`pkg/dist/${file}`)[measure] / 1000)} kB`;
  const both = (file) => `${kilobytes(file, "raw")}, ${kilobytes(file, "brotli")} after brotli`;
  const [search, picker, discovery] = ["search", "picker", "discovery"].map((part) =>
    kilobytes(`parts/${part}.wasm`, "brotli"),
  );
  const engine = ["raw", "brotli"].map((measure) => kilobytes("parts/engine.wasm", measure));
  const text = read("pkg/README.md").replaceAll("\n", " ");
  for (const stated of [
    `(about ${both("middleware_bg.wasm")})`,
    `about ${engine[0]} of WebAssembly, ${engine[1]} after brotli`,
    `\`search\` (${search} after brotli), \`picker\` (${picker}) and \`discovery\` (${discovery})`,
  ])
    assert.ok(text.includes(stated), stated);
});

test("the page of the package has the size of the modules that no page fetches", () => {
  const modules = ["sieve_bg.wasm", "command_bg.wasm", "handler_bg.wasm", "worker/index_bg.wasm"];
  const sizes = modules.map((name) => statSync(new URL(`../pkg/dist/${name}`, import.meta.url)).size);
  const megabytes = Math.ceil(sizes.reduce((sum, size) => sum + size) / 1_000_000);
  const stated = `some ${megabytes} MB unpacked that no page fetches`;
  assert.ok(read("pkg/README.md").includes(stated), stated);
});

test("the page of context middleware names every built-in policy", () => {
  const [, named] = /<!-- built-in policies -->\nThe built-in policies are ([^.]+)\./.exec(read("docs/middleware.md"));
  const policies = [...read("crates/redact/src/moderation/policies.txt").matchAll(/^! (\w+)/gm)].map(
    ([, name]) => name,
  );
  assert.deepEqual(
    [...named.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    policies,
  );
});

test("the page about the corpus describes every file", () => {
  const corpus = read("tests/fixtures/README.md");
  for (const name of readdirSync(new URL("fixtures", import.meta.url)).filter((name) => name.endsWith(".json")))
    assert.match(corpus, new RegExp(`^(?:## .*)?\`${name}\``, "m"), name);
});

test("the index names every page of docs/, each with what it is for", () => {
  const rows = read("docs/README.md").match(/^\| [^|]+ \| .+ \|$/gm);
  for (const page of guides.filter((name) => name !== "docs/README.md"))
    assert.ok(
      rows.some((row) => row.includes(`](${page.slice("docs/".length)})`)),
      page,
    );
});

test("the README links every page of docs/", () => {
  for (const page of guides) assert.match(read("README.md"), new RegExp(`\\(${page}[#)]`), page);
});

test("links between pages lead to a file, and to a heading in it", () => {
  const headings = (text) =>
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    );
  const others = [
    "README.md",
    "DESIGN.md",
    "SECURITY.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "tests/stress/README.md",
    "benches/SIZES.md",
    "examples/cluster/README.md",
  ];
  for (const page of [...others, ...guides]) {
    const text = read(page).replaceAll(/```[^]*?```/g, "");
    for (const [, link] of text.matchAll(/\]\(([^)\s:]+)\)/g)) {
      const [path, heading] = link.split("#");
      const file = new URL(path || page.split("/").at(-1), new URL(`../${page}`, import.meta.url));
      assert.ok(existsSync(file), `${page}: ${link}`);
      if (heading) assert.ok(headings(readFileSync(file, "utf8")).includes(heading), `${page}: ${link}`);
    }
  }
});

test("every member of the schema has a description", () => {
  assert.doesNotMatch(read("docs/configuration.md"), /^\|.*\|\s*\|$/m);
});

test("the example of the configuration has no fault", () => {
  const [, text] = /```jsonc\n([^]*?)```/.exec(read("docs/configuration.md"));
  assert.ok(Sieve.compile({ tools: [] }, text).hash);
});

test("each example of an expression matches the tools that the page names", () => {
  const [, lists] = /<!-- file: tools\.json -->\n```json\n([^]*?)```/.exec(page);
  const sieve = Sieve.compile(lists);
  const [, rows] = /\| expression \| tools \|\n\|---\|---\|\n([^]*?)\n\n/.exec(page);
  const examples = [...rows.matchAll(/^\| `(.+)` \| (.+) \|$/gm)];
  assert.equal(examples.length, rows.split("\n").length);
  for (const [, text, names] of examples) {
    const where = text.startsWith("{") ? JSON.parse(text) : text;
    assert.equal(sieve.names({ filter: { where } }).sort().join(", "), names, text);
  }
});

test("the page names every field and every limit of the language", () => {
  const source = read("src/expr/field.rs");
  const fields = [...source.matchAll(/= (?:text|measured)\("([\w.]+)", /g)].map(([, name]) => name);
  assert.ok(fields.length >= 26, fields.join());
  for (const name of fields) assert.match(page, new RegExp(`\`${name}(?:\\.(?:NAME|PATH))?\``), name);
  const limits = [...read("src/expr/limits.rs").matchAll(/pub const MAX_(\w+): usize = ([^;]+);/g)];
  assert.equal(limits.length, 5);
  for (const [, name, value] of limits) {
    const number = value.split("*").reduce((product, factor) => product * Number(factor), 1);
    assert.match(page, new RegExp(`\\| ${number.toLocaleString("en")}(?: \\w+)? \\|`), name);
  }
});
