// The element `<mcp-sieve-picker>` in real Chromium, as a page without a build step has it; beside the engine in Node.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Sieve } from "../pkg/node.js";
import { axeFinds, launch, overheard, startSite } from "./support/site.mjs";

const HOST = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A host</title><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><link rel="stylesheet" href="/host.css"><script type="module" src="/host.js"></script></head>
<body><main><h1>A host</h1><form id="form"><fieldset id="fieldset"><legend>Tools</legend><mcp-sieve-picker name="filter"></mcp-sieve-picker></fieldset><button type="reset">Reset</button></form></main></body></html>`;
const SCRIPT = `import { Sieve } from "/mcp-sieve/web.js";
import "/mcp-sieve/picker.js";
const element = document.querySelector("mcp-sieve-picker");
globalThis.changes = [];
document.addEventListener("change", (event) => changes.push(event.detail?.filter ?? null));
globalThis.load = (lists, config, presets = []) => {
  const from = performance.now();
  element.sieve = Sieve.compile(lists, config);
  element.presets = presets;
  element.getBoundingClientRect();
  return performance.now() - from;
};
globalThis.ready = true;`;

const tool = (name, groups, tags, more) => ({ name, groups, tags, inputSchema: { type: "object" }, ...more });
const LISTS = {
  tools: [
    tool("open_issue", ["issues"], ["stable"], { title: "Open an issue", description: "Reports something" }),
    tool("close_issue", ["issues"], ["stable", "destructive"]),
    tool("merge", ["code"], ["stable"]),
    tool("send_mail", ["mail"], ["beta"], { _meta: { concerns: { cost: "high" } } }),
    tool("purge_mail", ["mail"], ["beta", "destructive"]),
    tool("echo", [], []),
  ],
  prompts: [{ name: "triage", groups: ["issues"] }],
};
const CONFIG = {
  groups: [{ name: "work", title: "Work" }, { name: "code", parent: "work", title: "Code" }, { name: "issues", parent: "code", title: "Issues", description: "What is to be done" }, { name: "mail", parent: "work", title: "Mail" }],
  tags: [{ name: "stable", description: "Production-ready" }],
  concerns: [{ name: "cost", values: ["low", "high"], default: "low" }, { name: "depth", values: { min: 0, max: 9 } }],
};
const sieve = Sieve.compile(LISTS, CONFIG);

let site, browser, context, page, mishaps;
before(async () => {
  site = await startSite({ folders: { "/mcp-sieve/": fileURLToPath(new URL("../pkg/", import.meta.url)) }, pages: { "/": HOST, "/host.js": SCRIPT, "/host.css": "html { background: Canvas; color: CanvasText }" } });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  site?.stop();
});
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1100, height: 900 } });
  page = await context.newPage();
  mishaps = overheard(page, site.url);
  await page.goto(site.url);
  await page.waitForFunction(() => globalThis.ready);
});
afterEach(async () => {
  await context.close();
  assert.deepEqual(mishaps, []);
});

const open = (presets) => page.evaluate(([lists, config, presets]) => load(lists, config, presets), [LISTS, CONFIG, presets]);
const filter = () => page.evaluate(() => document.querySelector("mcp-sieve-picker").filter);
const changes = () => page.evaluate(() => changes.splice(0));
const status = () => page.getByRole("status").textContent();
const names = () => page.locator("[role=gridcell].name .label").allTextContents();
const item = (name) => page.getByRole("treeitem", { name });
const checked = (name) => item(name).getAttribute("aria-checked");

/** What the element shows is what the engine in Node says of the same filter; and it said so once. */
async function agrees(expected) {
  assert.deepEqual(await filter(), expected);
  assert.deepEqual(await changes(), [expected]);
  const { count } = sieve.select(expected);
  const titles = sieve.names(expected).map((name) => (name === "open_issue" ? "Open an issue (open_issue)" : name));
  assert.deepEqual((await names()).sort(), titles.sort());
  assert.match(await status(), new RegExp(`^${count} of 6 tools, about ${sieve.tokens(expected).count} of ${sieve.tokens().count} tokens$`));
  assert.deepEqual(await page.evaluate(() => JSON.parse(new FormData(document.getElementById("form")).get("filter"))), expected);
}

test("every control does what it says", async () => {
  await open([{ name: "safe", title: "Safe", filter: { not: { tags: ["destructive"] } } }]);
  assert.deepEqual(await changes(), [], "a program's change is no change");
  await item("Code").click();
  await agrees({ groups: ["code"] });
  assert.deepEqual([await checked("Work"), await checked("Code"), await checked("Issues"), await checked("Mail")], ["mixed", "true", "true", "false"]);
  await item("Issues").click();
  await agrees({ groups: ["code"], not: { groups: ["issues"] } });
  assert.match(await item("Issues").getAttribute("aria-label"), /left out/);
  await item("Issues").hover();
  await page.getByRole("button", { name: "No longer leave out Issues" }).click();
  await agrees({ groups: ["code"] });
  await page.getByRole("button", { name: "Undo" }).click();
  await agrees({ groups: ["code"], not: { groups: ["issues"] } });
  await page.getByRole("button", { name: "Redo" }).click();
  await agrees({ groups: ["code"] });
  const stable = page.getByRole("button", { name: /^stable/ });
  await stable.click();
  await agrees({ groups: ["code"], tags: ["stable"] });
  await stable.click();
  await agrees({ groups: ["code"], not: { tags: ["stable"] } });
  await stable.click();
  await agrees({ groups: ["code"] });
  await page.getByRole("button", { name: "Clear all" }).click();
  await agrees({});
  await page.getByRole("radio", { name: /^low \(default\)/ }).check({ force: true });
  await agrees({ concerns: { cost: "low" } });
  await page.getByRole("radio", { name: "any" }).check({ force: true });
  await agrees({});
  await page.getByRole("spinbutton").fill("3");
  await page.getByRole("spinbutton").press("Tab");
  await agrees({ concerns: { depth: "3" } });
  await page.getByRole("spinbutton").fill("");
  await page.getByRole("spinbutton").press("Tab");
  await agrees({});
  await page.getByRole("checkbox", { name: "Use echo" }).click();
  await agrees({ where: "-(kind:tool name=echo)" });
  await page.getByRole("button", { name: "Hidden", exact: true }).click();
  assert.deepEqual(await names(), ["echo"]);
  assert.deepEqual(await page.locator(".note").allTextContents(), ["switched off"]);
  await page.getByRole("checkbox", { name: "Use echo" }).click();
  assert.deepEqual(await changes(), [{}]);
  assert.deepEqual(await names(), []);
  assert.equal(await page.locator(".none").textContent(), "Nothing is left of this kind.");
  await page.getByRole("button", { name: "Left", exact: true }).click();
  await page.getByRole("button", { name: "Favourite merge" }).click();
  await agrees({});
  await page.getByRole("button", { name: "Favourites only" }).click();
  await agrees({ where: "kind:tool name=merge" });
  await page.getByRole("button", { name: "Favourites only" }).click();
  await agrees({});
  await page.getByRole("searchbox").fill("report something");
  assert.deepEqual(await names(), ["Open an issue (open_issue)"]);
  assert.deepEqual([await filter(), await changes()], [{}, []], "finding is no choice");
  await page.getByRole("button", { name: "Keep only these" }).click();
  await agrees({ query: "report something" });
  await page.getByRole("searchbox").fill("");
  await page.getByRole("button", { name: /^About/ }).click();
  await agrees({});
  await page.getByRole("button", { name: "Safe" }).click();
  await agrees({ not: { tags: ["destructive"] } });
  assert.equal(await page.getByRole("button", { name: "Safe" }).getAttribute("aria-pressed"), "true");
  await stable.click();
  assert.equal(await page.getByRole("button", { name: "Safe" }).getAttribute("aria-pressed"), "false");
});

test("hidden rows say why, and all rows stand together", async () => {
  await open();
  await item("Mail").click();
  await page.getByRole("button", { name: /^beta/ }).press("-");
  await page.getByRole("button", { name: "All", exact: true }).click();
  const rows = await page.locator(".body .row").evaluateAll((rows) => rows
    .sort((a, b) => a.getAttribute("aria-rowindex") - b.getAttribute("aria-rowindex"))
    .map((row) => [row.querySelector(".label").textContent, row.dataset.shown, row.querySelector(".note").textContent]));
  assert.deepEqual(rows[3], ["send_mail", "false", "has “beta”"]);
  assert.deepEqual(rows[5], ["echo", "false", "not in “mail”; in no group"]);
  assert.equal(rows.length, 6);
});

test("the keyboard is enough", async () => {
  await open();
  const focused = () => page.evaluate(() => {
    let element = document.activeElement;
    while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element.getAttribute("role") === "treeitem" ? element.dataset.name : element.getAttribute("role") ?? element.dataset.name ?? element.name;
  });
  const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
  await item("Work").focus();
  await press("ArrowDown", "ArrowDown");
  assert.equal(await focused(), "issues");
  await press("Space");
  assert.deepEqual(await filter(), { groups: ["issues"] });
  await press("-");
  assert.deepEqual(await filter(), { not: { groups: ["issues"] } });
  await press("-", "ArrowLeft");
  assert.equal(await focused(), "code");
  await press("ArrowLeft");
  assert.equal(await item("Code").getAttribute("aria-expanded"), "false");
  assert.ok(await item("Issues").isHidden());
  await press("ArrowDown");
  assert.equal(await focused(), "mail");
  await press("Home", "c");
  assert.equal(await focused(), "code", "typed ahead");
  await press("ArrowRight", "ArrowRight");
  assert.equal(await focused(), "issues");
  await press("End", "Enter");
  assert.deepEqual(await filter(), { groups: ["mail"] });
  await press("Enter", "Tab");
  assert.equal(await focused(), "stable");
  await press("ArrowRight", "+");
  assert.equal(Object.keys(await filter()).join(), "tags");
  await press("Delete", "Tab", "ArrowRight");
  assert.deepEqual(await filter(), { concerns: { cost: "low" } });
  await press("ArrowLeft");
  assert.deepEqual(await filter(), {});
  const grid = page.getByRole("grid");
  await grid.focus();
  await press("ArrowDown", "ArrowLeft", "Space");
  assert.deepEqual(await filter(), { where: "-(kind:tool name=close_issue)" });
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await grid.focus();
  await press("End", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight");
  const active = await grid.evaluate((grid) => grid.getRootNode().getElementById(grid.getAttribute("aria-activedescendant")).getAttribute("aria-label"));
  assert.equal(active, "Favourite echo");
  await press("Enter");
  assert.equal(await page.getByRole("button", { name: "Favourite echo" }).getAttribute("aria-pressed"), "true");
});

test("right to left, arrows go the way they point", async () => {
  await open();
  await page.evaluate(() => { document.documentElement.dir = "rtl"; });
  await item("Work").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await item("Work").getAttribute("aria-expanded"), "false");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await item("Work").getAttribute("aria-expanded"), "true");
  const [facets, results] = await Promise.all([".facets", ".results"].map((part) => page.locator(part).boundingBox()));
  assert.ok(facets.x > results.x);
  for (const width of [320, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}`);
  }
});

for (const [colorScheme, direction] of [["light", "ltr"], ["dark", "rtl"]]) {
  test(`axe finds nothing, ${colorScheme}, ${direction}`, async () => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate((direction) => { document.documentElement.dir = direction; }, direction);
    await open([{ name: "safe", filter: { not: { tags: ["destructive"] } } }]);
    await item("Code").click();
    await item("Mail").press("-");
    await page.getByRole("button", { name: /^stable/ }).click();
    await page.getByRole("button", { name: /^beta/ }).press("-");
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.getByRole("checkbox", { name: "Use echo" }).click();
    await page.getByRole("button", { name: "Favourite echo" }).click();
    assert.deepEqual(await axeFinds(page), []);
    const moving = await page.evaluate(() => getComputedStyle(document.querySelector("mcp-sieve-picker").shadowRoot.querySelector("button")).transitionDuration);
    assert.equal(moving, "0s");
  });
}

test("it takes part in a form: value, reset, disabled, and one event for each change", async () => {
  await open();
  await item("Mail").click();
  await agrees({ groups: ["mail"] });
  await page.getByRole("button", { name: "Reset" }).click();
  assert.deepEqual([await filter(), await changes()], [{}, []]);
  await page.evaluate(() => { document.querySelector("mcp-sieve-picker").filter = { groups: ["mail"], where: "name:*_mail" }; });
  assert.deepEqual([await filter(), await changes()], [{ groups: ["mail"], where: "name:*_mail" }, []]);
  await page.evaluate(() => { document.getElementById("fieldset").disabled = true; });
  await item("Code").click();
  assert.deepEqual([await filter(), await changes()], [{ groups: ["mail"], where: "name:*_mail" }, []]);
  assert.ok(await page.getByRole("button", { name: "Clear all" }).isDisabled());
});

test("what a program sets is no step: undo begins there", async () => {
  await open();
  const undo = page.getByRole("button", { name: "Undo" });
  await page.evaluate(() => { document.querySelector("mcp-sieve-picker").filter = { groups: ["mail"] }; });
  assert.ok(await undo.isDisabled());
  await page.getByRole("button", { name: /^beta/ }).click();
  await agrees({ groups: ["mail"], tags: ["beta"] });
  // As a framework does that sets its property again and again.
  await page.evaluate(() => { const element = document.querySelector("mcp-sieve-picker"); element.filter = { ...element.filter }; });
  await undo.click();
  await agrees({ groups: ["mail"] });
  assert.ok(await undo.isDisabled());
  await page.getByRole("button", { name: "Redo" }).click();
  await agrees({ groups: ["mail"], tags: ["beta"] });
  await page.getByRole("button", { name: "Clear all" }).click();
  await page.getByRole("button", { name: "Reset" }).click();
  assert.deepEqual([await filter(), await undo.isDisabled()], [{ groups: ["mail"], tags: ["beta"] }, true], "the last that was set is what a reset comes back to");
});

test("what is refused is said, and changes nothing", async () => {
  await page.evaluate(([lists, config]) => load(lists, { ...config, onInvalidConcern: "error" }), [LISTS, CONFIG]);
  await page.getByRole("spinbutton").fill("77");
  await page.getByRole("spinbutton").press("Tab");
  assert.match(await page.getByRole("alert").textContent(), /`77` is not a value of concern `depth`/);
  assert.deepEqual([await filter(), await changes()], [{}, []]);
  await item("Mail").click();
  assert.ok(await page.getByRole("alert").isHidden());
});

test("a page may set labels, parts and custom properties", async () => {
  await page.emulateMedia({ reducedMotion: "reduce" }); // a colour on its way is neither the old nor the new
  await page.evaluate(() => {
    document.querySelector("mcp-sieve-picker").style.setProperty("--mcp-sieve-accent", "rgb(90, 0, 90)");
    document.querySelector("mcp-sieve-picker").labels = { groups: "Gruppen", clear: "Leeren" };
  });
  await open();
  await item("Mail").click();
  assert.ok(await page.getByRole("tree", { name: "Gruppen" }).isVisible());
  assert.ok(await page.getByRole("button", { name: "Leeren" }).isVisible());
  assert.equal(await item("Mail").locator(".box").evaluate((box) => getComputedStyle(box).backgroundColor), "rgb(90, 0, 90)");
});

test("only the rows in sight exist", async (t) => {
  const many = (n) => ({ tools: Array.from({ length: n }, (_, at) => tool(`tool_${at}`, [`g${at % 24}`], at % 3 ? ["x"] : ["y"], { description: `Does the thing numbered ${at}` })) });
  const first = await page.evaluate((lists) => load(lists), many(1_000));
  const loaded = await page.evaluate((lists) => load(lists), many(10_000));
  assert.match(await status(), /^10,000 of 10,000 tools, /);
  assert.ok((await page.locator(".body .row").count()) < 40);
  await page.getByRole("grid").focus();
  await page.keyboard.press("End");
  await page.locator("[aria-rowindex='10001']").waitFor();
  assert.ok((await page.locator(".body .row").count()) < 40);
  assert.equal(await page.locator("[id=active] .label").textContent(), "tool_9999");
  await page.getByRole("grid").evaluate((grid) => { grid.scrollTop = 0; });
  await page.locator("[aria-rowindex='2']").waitFor();
  assert.ok(await page.locator("[aria-rowindex='10001']").count(), "what is active stays");
  const slowest = await page.evaluate(async () => {
    const find = document.querySelector("mcp-sieve-picker").shadowRoot.querySelector("input[type=search]");
    let slowest = 0;
    for (const words of ["t", "th", "thi", "thing", "thing n", "thing number", "thing numbered 7"]) {
      const from = performance.now();
      find.value = words;
      find.dispatchEvent(new Event("input", { bubbles: true }));
      document.body.getBoundingClientRect();
      slowest = Math.max(slowest, performance.now() - from);
      await new Promise(requestAnimationFrame);
    }
    return slowest;
  });
  t.diagnostic(`interactive after ${first.toFixed(0)} ms with 1,000 tools and ${loaded.toFixed(0)} ms with 10,000, compiling included; slowest letter typed ${slowest.toFixed(1)} ms with 10,000`);
});

test("where there are no elements, importing it does nothing", async () => {
  const { SievePickerElement } = await import("../pkg/picker.js");
  assert.equal(typeof SievePickerElement, "function");
  assert.equal(globalThis.customElements, undefined);
});
