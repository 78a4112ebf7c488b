// The module that wasm-pack makes of the browser crate: its objects in Node, its types, and the example page in Chromium.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { webTypes } from "../scripts/web-types.mjs";
import "./support/home.mjs";
import { launch, startSite } from "./support/site.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const built = join(root, "web/pkg/mcp_sieve_web.js");
if (!existsSync(built)) execFileSync("wasm-pack", ["build", "web", "--target", "web"], { cwd: root, stdio: "inherit" });
const { initSync, Picker, PreferenceStore, Selection, Sieve, TaskFilter, View } = await import(
  pathToFileURL(built).href
);
initSync({ module: readFileSync(join(root, "web/pkg/mcp_sieve_web_bg.wasm")) });

const LISTS =
  '{"tools":[{"name":"read","inputSchema":{"type":"object"},"z":1.50,"a":[ ]},{"name":"write","inputSchema":{}}]}';
const CONFIG = { rules: [{ match: "name:read", groups: ["files"] }] };

test("the types of inputs are those of the package", () => {
  const types = readFileSync(join(root, "web/src/types.d.ts"), "utf8");
  assert.equal(types, webTypes(), "run `node scripts/web-types.mjs`");
});

test("a list keeps its bytes, and everything else is an object", () => {
  const view = new Sieve(LISTS, CONFIG).view();
  assert.ok(view instanceof View);
  const selection = view.select("tools", { groups: ["files"], tags: undefined });
  assert.ok(selection instanceof Selection);
  assert.equal(
    selection.list(),
    '{"tools":[{"name":"read","inputSchema":{"type":"object"},"z":1.50,"a":[ ],"groups":["files"],"_meta":{"dev.mcpsieve/groups":["files"]}}]}',
  );
  assert.deepEqual(selection.names(), ["read"]);
  assert.deepEqual(selection.filter(), { groups: ["files"] });
  assert.deepEqual(selection.explain("read"), { shown: true, reason: null });
  assert.deepEqual(selection.explain("write"), {
    shown: false,
    reason: { rule: "groups", wanted: ["files"], found: [] },
  });
  assert.deepEqual(view.facets(), { groups: [{ name: "files" }], tags: [], concerns: [] });
  assert.ok(view.picker() instanceof Picker);
  assert.deepEqual([...new TaskFilter({ status: ["failed"] }).select("[]")], []);
});

test("the example of the README runs", async () => {
  const [, block] = /```js\n([^]*?)```/.exec(readFileSync(join(root, "web/README.md"), "utf8"));
  const folder = mkdtempSync(join(tmpdir(), "sieve-web-readme-"));
  try {
    const wasm = JSON.stringify(join(root, "web/pkg/mcp_sieve_web_bg.wasm"));
    const module = block
      .replace('"./pkg/mcp_sieve_web.js"', JSON.stringify(pathToFileURL(built).href))
      // Node has no fetch for files.
      .replace("await init();", `await init({ module_or_path: (await import("node:fs")).readFileSync(${wasm}) });`);
    writeFileSync(join(folder, "example.mjs"), module);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "example.mjs")]);
    const [first, second, third] = stdout.split("\n");
    const commented = [...block.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, comment]) => comment);
    assert.deepEqual([first, second], commented.slice(0, 2));
    assert.deepEqual(JSON.parse(third).tools.length, 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("an error says its code and place", () => {
  assert.throws(() => new Sieve(LISTS, { rules: [{ match: "name:" }] }), {
    name: "SieveError",
    code: "config",
    path: "rules[0].match",
  });
  assert.throws(() => new Sieve(LISTS, { rule: [] }), { code: "config", path: "rule" });
  assert.throws(() => new PreferenceStore("key"), { code: "storage", message: "expected a page with local storage" });
});

test("wasm-pack's other targets have the same classes", async () => {
  const metadata = execFileSync("cargo", ["metadata", "--format-version", "1", "--no-deps"], { cwd: root });
  const { target_directory: target } = JSON.parse(metadata);
  const folder = mkdtempSync(join(tmpdir(), "sieve-web-"));
  try {
    const wasm = join(target, "wasm32-unknown-unknown/release/mcp_sieve_web.wasm");
    for (const kind of ["nodejs", "bundler"])
      execFileSync("wasm-bindgen", ["--target", kind, "--out-dir", join(folder, kind), wasm]);
    writeFileSync(join(folder, "nodejs/package.json"), '{"type":"commonjs"}');
    const { default: node } = await import(pathToFileURL(join(folder, "nodejs/mcp_sieve_web.js")).href);
    assert.deepEqual(new node.Sieve(LISTS).view().select("tools").names(), ["read", "write"]);
    assert.match(readFileSync(join(folder, "bundler/mcp_sieve_web.js"), "utf8"), /import \* as wasm from/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the types accept what the module takes, and refuse the rest", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "sieve-web-types-"));
  try {
    const module = JSON.stringify(built);
    writeFileSync(
      join(folder, "page.ts"),
      `import { PreferenceStore, type PickerGroup, type SieveError, Sieve, TaskFilter } from ${module};
const config: ConstructorParameters<typeof Sieve>[1] = { rules: [{ match: "name:read", groups: ["files"] }], applyDefaults: true };
const view = new Sieve({ tools: [{ name: "read" }] }, config).view({ claims: { role: "staff" }, client: { name: "host", version: "1" } });
const selection = view.select("tools", { groups: ["files"], concerns: { cost: "low" }, tags: undefined });
const text: string = selection.list(), count: number = selection.count, names: string[] = selection.names();
const reason: string | undefined = selection.explain("read").reason?.rule;
const picker = view.picker();
const groups: PickerGroup[] = picker.groups();
picker.mark("stable", "must");
new PreferenceStore("key").subscribe((preferences) => picker.prefer(preferences ?? "{}"));
const indices: Uint32Array = new TaskFilter({ filter: { status: ["failed"] } }).select([]);
const code = (error: SieveError): string => \`\${error.code} \${error.at ?? error.path}\`;
export { code, count, groups, indices, names, reason, text };
// @ts-expect-error a misspelt member of a configuration
new Sieve("{}", { rule: [] });
// @ts-expect-error a misspelt field of a filter
view.select("tools", { group: ["files"] });
// @ts-expect-error an unknown kind
view.select("tool");
// @ts-expect-error an unknown mark
picker.mark("stable", "maybe");
`,
    );
    const tsc = join(root, "tests/node_modules/.bin/tsc");
    const options = [
      "--noEmit",
      "--strict",
      "--target",
      "es2024",
      "--module",
      "nodenext",
      "--lib",
      "es2024,dom,esnext.disposable",
    ];
    const checked = promisify(execFile)(tsc, [...options, "page.ts"], { cwd: folder });
    await checked.catch(({ stdout, stderr }) => assert.fail(stdout + stderr));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("the example page", () => {
  let site;
  let browser;
  let page;
  const problems = [];
  before(async () => {
    site = await startSite({ folders: { "/web/": join(root, "web/"), "/examples/": join(root, "examples/") } });
    browser = await launch();
    page = await browser.newPage();
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(`${site.url}/examples/web/index.html`);
    await page.getByText("6 of 6 tools").waitFor();
  });
  after(async () => {
    await browser?.close();
    site?.stop();
  });
  const listed = async () => JSON.parse(await page.locator("#list").textContent()).tools.map(({ name }) => name);
  const filter = async () => JSON.parse(await page.locator("#filter").textContent());

  test("is short", () => {
    const files = ["index.html", "page.js", "style.css"].map((file) =>
      readFileSync(join(root, "examples/web", file), "utf8"),
    );
    const lines = files.join("").match(/\n/g).length;
    assert.ok(lines <= 150, `${lines} lines`);
  });

  test("filters by groups, tags, concerns and words, with the tokens of the list", async () => {
    await page.getByLabel("Issues").check();
    assert.deepEqual(await listed(), ["create_issue", "list_issues", "delete_issue"]);
    assert.match(await page.getByRole("status").textContent(), /^3 of 6 tools, \d+ of \d+ tokens$/);
    await page.getByLabel("destructive").selectOption("excluded");
    assert.deepEqual(await listed(), ["create_issue", "list_issues"]);
    await page.getByLabel("cost").selectOption("low (default)");
    assert.deepEqual(await filter(), {
      concerns: { cost: "low" },
      groups: ["issues"],
      not: { tags: ["destructive"] },
    });
    await page.getByLabel("Search").fill("unsolved");
    assert.deepEqual(await listed(), ["list_issues"]);
    assert.equal(await page.evaluate(() => document.activeElement.id), "query", "typing keeps the focus");
  });

  test("undoes a step, and keeps preferences over a reload", async () => {
    await page.getByLabel("Search").fill("");
    await page.getByLabel("Issues").uncheck();
    assert.equal((await listed()).length, 4);
    await page.getByRole("button", { name: "Undo" }).click();
    assert.deepEqual(await listed(), ["create_issue", "list_issues"]);
    await page.reload();
    await page.getByText("5 of 6 tools").waitFor();
    assert.deepEqual(await filter(), { concerns: { cost: "low" } });
    assert.deepEqual(problems, []);
  });
});
