// The engine in parts: the module that a page loads first, the parts that it loads on request, and the errors until
// then. The built package in Chromium.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isSplit } from "../scripts/size.mjs";
import "./support/home.mjs";
import { corpus, runners, textsOf, worlds } from "./support/package-corpus.mjs";
import { launch, startSite } from "./support/site.mjs";

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL("../pkg", import.meta.url));
const START = "<!doctype html><html lang=en><title>A host</title><link rel=icon href=data:,><h1>Start</h1>";
const tool = (name, description) => ({ name, description, inputSchema: { type: "object" } });
const LISTS = { tools: [tool("create_issue", "Open a ticket"), tool("book_flight", "Reserve a seat")] };

/** A package that was built without `split` has no parts: its pages are tested below. */
const split = { skip: !isSplit() && "the package was built without `split`" };

let browser, site, view, asked;
before(async () => {
  browser = await launch();
  site = await startSite({ folders: { "/mcp-sieve": PACKAGE }, pages: { "/": START } });
});
after(async () => {
  await browser?.close();
  site?.stop();
});
beforeEach(async () => {
  await view?.close();
  view = await browser.newPage();
  asked = [];
  view.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (extname(pathname) === ".wasm") asked.push(pathname.split("/").pop());
  });
  await view.goto(site.url);
});

/**
 * Runs `steps` in the page with the package, a compiled sieve, and a function that returns the text of a thrown error.
 */
async function inPage(steps) {
  const host = await view.evaluateHandle(async (lists) => {
    const all = await import("/mcp-sieve/loaders/web.js");
    const refusal = async (work) => {
      try {
        await work();
        return "none";
      } catch (error) {
        return `${error.name} ${error.code} ${error.part}: ${error.message}`;
      }
    };
    const sieve = all.Sieve.compile(lists, { concerns: [{ name: "cost", values: ["low", "high"] }] });
    return { ...all, sieve, refusal };
  }, LISTS);
  return view.evaluate(steps, host);
}

const missing = (what, part) =>
  `SieveError part ${part}: ${what} needs a part of the engine that is loaded on demand: call \`await sieve.ready("${part}")\` before`;

test("a page lists, filters, counts and explains with the first module alone", {
  ...split,
  timeout: 60_000,
}, async () => {
  const said = await inPage(({ Sieve, sieve }) => {
    const filter = sieve.filter({ where: "name:*issue", limit: { count: 1 } });
    const list = JSON.parse(new TextDecoder().decode(sieve.list({ filter })));
    const again = Sieve.restore(sieve.snapshot());
    const several = Sieve.compile([
      { server: "one", lists: { tools: [{ name: "a", inputSchema: { type: "object" } }] } },
      { server: "two", lists: { tools: [{ name: "a", inputSchema: { type: "object" } }] }, prefix: "two_" },
    ]);
    return [
      list.tools.map(({ name }) => name),
      [...sieve.select({ filter }).indices],
      sieve.tokens({ filter }).exact,
      sieve.explain("book_flight", { filter }).reason.rule,
      again.hash === sieve.hash,
      several.names(),
      sieve.concerns.map(({ name }) => name),
    ];
  });
  assert.deepEqual(said, [["create_issue"], [0], false, "where", true, ["a", "two_a"], ["cost"]]);
  assert.deepEqual(asked, ["engine.wasm"]);
});

test("a call that needs another module names it, and changes nothing", split, async () => {
  const said = await inPage(async ({ Preferences, discovery, refusal, sieve }) => [
    await refusal(() => sieve.search("ticket")),
    await refusal(() => sieve.filter({ query: "ticket" })),
    await refusal(() => sieve.names({ filter: { query: "ticket" } })),
    await refusal(() => sieve.names({ filter: { query: "ticket" } })),
    await refusal(() => sieve.filter(new URLSearchParams("query=ticket"))),
    await refusal(() => sieve.picker()),
    await refusal(() => new Preferences("here").filter(sieve, {})),
    await refusal(() => discovery(sieve, { call: () => {} })),
    await refusal(() => sieve.ready("words")),
    sieve.names().join(),
  ]);
  assert.deepEqual(said, [
    missing("`search`", "search"),
    ...Array(4).fill(missing("a filter with `query`", "search")),
    missing("`picker`", "picker"),
    missing("`picker`", "picker"),
    missing("`discovery`", "discovery"),
    "SieveError invalid_option undefined: unknown part `words`, expected one of `search`, `picker`, `discovery`",
    "create_issue,book_flight",
  ]);
  assert.deepEqual(asked, ["engine.wasm"]);
});

test("`ready` loads a part once, and what it needs", split, async () => {
  const said = await inPage(async ({ Sieve, discovery, sieve }) => {
    const before = sieve.names({ filter: { where: "name:*issue" } });
    await Promise.all([sieve.ready("search"), sieve.ready("search")]);
    await sieve.ready("search");
    const found = sieve.search("file a ticket").map(({ name }) => name);
    const queried = sieve.names({ filter: { query: "ticket" } });
    await sieve.ready("picker", "discovery");
    const picker = Sieve.compile({ tools: [{ name: "lone", inputSchema: { type: "object" } }] }).picker();
    picker.words = "lone";
    const tools = discovery(sieve, { mode: "search", call: () => {} });
    const { structuredContent } = await tools.handle("search_tools", { query: "flight" });
    return [before, found, queried, picker.rows(0, 9).map(({ name }) => name), structuredContent.tools[0].name];
  });
  assert.deepEqual(said, [["create_issue"], ["create_issue"], ["create_issue"], ["lone"], "book_flight"]);
  assert.deepEqual(asked.sort(), ["discovery.wasm", "engine.wasm", "picker.wasm", "search.wasm"]);
});

test("a part that cannot be loaded is named, and asked for again", split, async () => {
  const answers = [
    { status: 503 },
    { status: 200, contentType: "application/wasm", body: Buffer.from("0061736d01000000", "hex") },
  ];
  await view.route("**/search.wasm", (route) => {
    const answer = answers.shift();
    return answer ? route.fulfill(answer) : route.continue();
  });
  const said = await inPage(async ({ refusal, sieve }) => [
    await refusal(() => sieve.ready("picker")),
    await refusal(() => sieve.search("ticket")),
    // A module with other code adds nothing to the engine.
    await refusal(() => sieve.ready("search")),
    await refusal(() => sieve.search("ticket")),
    await refusal(() => sieve.ready("search")),
    sieve.search("ticket").length,
  ]);
  const url = `${site.url}/mcp-sieve/dist/parts/search.wasm`;
  assert.deepEqual(said, [
    `SieveError load undefined: could not load the WebAssembly from ${url}: the server answered 503, expected 200`,
    missing("`search`", "search"),
    `SieveError load undefined: could not load the WebAssembly from ${url}: the file belongs to another version of mcp-sieve: it is no part of this engine`,
    missing("`search`", "search"),
    "none",
    1,
  ]);
});

test("the element loads its parts while it shows that it loads", split, async () => {
  const said = await inPage(async ({ sieve }) => {
    await import("/mcp-sieve/src/element/picker.js");
    const element = document.createElement("mcp-sieve-picker");
    document.body.append(element);
    element.sieve = sieve;
    const status = () => element.shadowRoot.querySelector("[role=status]").textContent;
    const before = [element.picker, status()];
    element.filter = { where: "name:*issue" };
    while (!element.picker) await new Promise((done) => setTimeout(done, 5));
    return [before, element.filter, status()];
  });
  assert.deepEqual(said[0], [undefined, "Loading…"]);
  assert.deepEqual(said[1], { where: "name:*issue" });
  assert.match(said[2], /^1 of 2/);
});

test("the element says that its parts cannot be loaded, and takes the sieve again", split, async () => {
  const answers = [{ status: 404 }];
  await view.route("**/picker.wasm", (route) => (answers.length ? route.fulfill(answers.pop()) : route.continue()));
  const said = await inPage(async ({ sieve }) => {
    await import("/mcp-sieve/src/element/picker.js");
    const element = document.createElement("mcp-sieve-picker");
    document.body.append(element);
    element.sieve = sieve;
    while (!element.error) await new Promise((done) => setTimeout(done, 5));
    const { error } = element;
    element.sieve = sieve;
    while (!element.picker) await new Promise((done) => setTimeout(done, 5));
    return [error, element.error, element.picker.summary.total];
  });
  const url = `${site.url}/mcp-sieve/dist/parts/picker.wasm`;
  assert.deepEqual(said, [
    `could not load the WebAssembly from ${url}: the server answered 404, expected 200`,
    undefined,
    2,
  ]);
});

test("a page with an engine that is not split loads no part", async (t) => {
  const built = mkdtempSync(join(tmpdir(), "sieve-whole-"));
  t.after(() => rmSync(built, { recursive: true }));
  for (const name of ["sieve.js", "sieve_bg.wasm"]) cpSync(join(PACKAGE, "dist", name), join(built, name));
  await run(fileURLToPath(new URL("../scripts/build-whole", import.meta.url)), [built]);
  const whole = await startSite({
    folders: { "/mcp-sieve/dist": built, "/mcp-sieve": PACKAGE },
    pages: { "/": START },
  });
  t.after(() => whole.stop());
  await view.goto(whole.url);
  const said = await inPage(async ({ discovery, sieve }) => {
    const found = sieve.search("file a ticket").map(({ name }) => name);
    const queried = sieve.names({ filter: { query: "ticket" } });
    const { total } = sieve.picker().summary;
    discovery(sieve, { mode: "search", call: () => {} });
    await sieve.ready("search", "picker", "discovery");
    return [found, queried, total];
  });
  assert.deepEqual(said, [["create_issue"], ["create_issue"], 2]);
  assert.deepEqual(asked, ["engine.wasm"]);
});

test("in Node the first module loads its parts from disk when they are called", async () => {
  const steps = `
    const { default: init, Sieve } = await import(${JSON.stringify(new URL("../pkg/loaders/init.js", import.meta.url))});
    await init();
    const sieve = Sieve.compile(${JSON.stringify(LISTS)});
    console.log(sieve.names({ filter: { query: "ticket" } }), sieve.search("flight")[0].name, sieve.picker().summary.total);
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", steps]);
  assert.equal(stdout, "[ 'create_issue' ] book_flight 2\n");
});

describe("the corpus", split, () => {
  const part = (name) => readFileSync(join(PACKAGE, `dist/parts/${name}.wasm`));
  const sieves = new Map();
  let run, Sieve;
  before(async () => {
    const { default: init, ...all } = await import("../pkg/loaders/init.js");
    await init(part("engine"), { search: part("search"), picker: part("picker"), discovery: part("discovery") });
    Sieve = all.Sieve;
    const open = (world) => {
      if (!sieves.has(world)) sieves.set(world, Sieve.compile(...textsOf(worlds[world])));
      return sieves.get(world);
    };
    run = runners(all, open);
  });
  // Functions that only the command uses are not part of the engine.
  const files = Object.entries(corpus).filter(([file]) => file !== "lint");
  const searches = (row) => /\bquery\b/.test(JSON.stringify([row.filter, row.filterText, row.query, row.filters]));

  test("is answered by the first module alone where nothing is searched", () => {
    let count = 0;
    for (const [file, rows] of files.filter(([file]) => file !== "picker")) {
      for (const row of rows.filter((row) => !searches(row))) {
        run[file](row);
        count += 1;
      }
    }
    assert.ok(count > 600, `${count} rows`);
    assert.throws(() => [...sieves.values()][0].search("x"), { code: "part" });
  });

  test("is answered by the parts together", async () => {
    await [...sieves.values()][0].ready("search", "picker", "discovery");
    for (const [file, rows] of files) for (const row of rows) run[file](row);
  });
});

test("a part of another build is refused", split, async () => {
  const names = (file, of) =>
    of(new WebAssembly.Module(readFileSync(new URL(`../pkg/dist/parts/${file}`, import.meta.url))));
  const exported = new Set(names("engine.wasm", WebAssembly.Module.exports).map(({ name }) => name));
  for (const part of ["search.wasm", "picker.wasm", "discovery.wasm"]) {
    const wanted = names(part, WebAssembly.Module.imports);
    assert.ok(
      wanted.some(({ name }) => /^table0_[0-9a-f]+$/.test(name)),
      part,
    );
    assert.deepEqual(
      wanted.filter(({ module, name }) => module !== "engine" || !exported.has(name)),
      [],
      part,
    );
  }
});
