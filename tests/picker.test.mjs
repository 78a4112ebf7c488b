// The element `<mcp-sieve-picker>` in real Chromium, in a page without a build step, compared with the engine in Node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Sieve } from "../pkg/loaders/node.js";
import { page, pickerPage } from "./support/picker-page.mjs";
import { axeFinds } from "./support/site.mjs";

const BODY = `<form id="form"><fieldset id="fieldset"><legend>Tools</legend><mcp-sieve-picker name="filter"></mcp-sieve-picker></fieldset><button type="reset">Reset</button></form>`;
const SCRIPT = `const element = document.querySelector("mcp-sieve-picker");
globalThis.changes = [];
document.addEventListener("change", (event) => changes.push(event.detail?.filter ?? null));
globalThis.load = (lists, config, presets = []) => {
  const from = performance.now();
  element.sieve = Sieve.compile(lists, config);
  element.presets = presets;
  element.getBoundingClientRect();
  return performance.now() - from;
};
const { Preferences } = await import("/mcp-sieve/loaders/web.js");
Object.assign(globalThis, { element, Sieve, Preferences });`;

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
  groups: [
    { name: "work", title: "Work" },
    { name: "code", parent: "work", title: "Code" },
    { name: "issues", parent: "code", title: "Issues", description: "What is to be done" },
    { name: "mail", parent: "work", title: "Mail" },
  ],
  tags: [{ name: "stable", description: "Production-ready" }],
  concerns: [
    { name: "cost", values: ["low", "high"], default: "low" },
    { name: "depth", values: { min: 0, max: 9 } },
  ],
};
const sieve = Sieve.compile(LISTS, CONFIG);

pickerPage(BODY, SCRIPT);

// jsdom has no `setFormValue`, and happy-dom no `attachInternals`. Tests of applications run in them.
for (const [missing, remove] of [
  ["setFormValue", () => delete ElementInternals.prototype.setFormValue],
  ["attachInternals", () => delete HTMLElement.prototype.attachInternals],
]) {
  test(`without ${missing} the element is no part of a form, and all else works`, async () => {
    await page.evaluate(remove);
    const chosen = await page.evaluate(
      ([lists, config]) => {
        const picker = document.body.appendChild(document.createElement("mcp-sieve-picker"));
        picker.sieve = Sieve.compile(lists, config);
        picker.shadowRoot.querySelector("[role=treeitem][data-name=work]").click();
        return picker.filter;
      },
      [LISTS, CONFIG],
    );
    assert.deepEqual(chosen, { groups: ["work"] });
    assert.deepEqual(await changes(), [{ groups: ["work"] }]);
  });
}

const open = (presets) =>
  page.evaluate(([lists, config, presets]) => load(lists, config, presets), [LISTS, CONFIG, presets]);
/** Returns the label of the focused element, inside shadow roots as well. */
const focus = () =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element.getAttribute("aria-label") ?? element.textContent;
  });
const filter = () => page.evaluate(() => document.querySelector("mcp-sieve-picker").filter);
const changes = () => page.evaluate(() => changes.splice(0));
const status = () => page.getByRole("status").textContent();
const names = () => page.locator("[role=gridcell].name .label").allTextContents();
const item = (name) => page.getByRole("treeitem", { name });
const button = (name) => page.getByRole("button", { name, exact: true });
const sign = (what) => page.getByRole("button", { name: what });
const tab = (name) => page.getByRole("tab", { name });
const checked = (name) => item(name).getAttribute("aria-checked");

/**
 * Asserts that the element shows what the engine in Node returns for the same filter, and that it fired one change
 * event.
 */
async function agrees(expected) {
  assert.deepEqual(await filter(), expected);
  assert.deepEqual(await changes(), [expected]);
  const { count } = sieve.select({ filter: expected });
  const titles = sieve.names({ filter: expected }).map((name) => (name === "open_issue" ? "Open an issue" : name));
  assert.deepEqual((await names()).sort(), titles.sort());
  const [tokens, all] = [sieve.tokens({ filter: expected }).count, sieve.tokens().count];
  const summary =
    count === 6
      ? `6 tools · about ${tokens} tokens`
      : `${count} of 6 tools · about ${tokens} tokens (${Math.round(100 * (1 - tokens / all))}\u00a0% less)`;
  assert.equal(await status(), summary);
  assert.deepEqual(
    await page.evaluate(() => JSON.parse(new FormData(document.getElementById("form")).get("filter"))),
    expected,
  );
}

test("every control has its described effect", async () => {
  await open([{ name: "safe", title: "Safe", filter: { not: { tags: ["destructive"] } } }]);
  assert.deepEqual(await changes(), [], "a program's change is no change");
  await item("Code").click();
  await agrees({ groups: ["code"] });
  assert.deepEqual(
    [await checked("Work"), await checked("Code"), await checked("Issues"), await checked("Mail")],
    ["mixed", "true", "true", "false"],
  );
  await item("Issues").click();
  await agrees({ groups: ["code"], not: { groups: ["issues"] } });
  assert.match(await item("Issues").getAttribute("aria-label"), /, excluded$/);
  assert.equal(await sign("Exclude group Issues").getAttribute("aria-pressed"), "true");
  assert.equal(await sign("Include group Work").getAttribute("aria-pressed"), "mixed");
  await sign("Exclude group Issues").click();
  await agrees({ groups: ["code"] });
  await button("Undo").click();
  await agrees({ groups: ["code"], not: { groups: ["issues"] } });
  await button("Redo").click();
  await agrees({ groups: ["code"] });
  assert.deepEqual([await focus(), await button("Redo").isDisabled()], ["Redo", true], "the focus stays where it was");
  await page.keyboard.press("Control+z");
  await agrees({ groups: ["code"], not: { groups: ["issues"] } });
  await page.keyboard.press("Control+Shift+z");
  await agrees({ groups: ["code"] });
  await sign("Include group Code").click();
  await agrees({});
  await sign("Include group Code").click();
  await agrees({ groups: ["code"] });
  await sign("Require tag stable").click();
  await agrees({ groups: ["code"], tags: ["stable"] });
  assert.equal(await sign("Require tag stable").getAttribute("aria-pressed"), "true");
  await sign("Exclude tag stable").click();
  await agrees({ groups: ["code"], not: { tags: ["stable"] } });
  assert.deepEqual(
    [
      await sign("Require tag stable").getAttribute("aria-pressed"),
      await sign("Exclude tag stable").getAttribute("aria-pressed"),
    ],
    ["false", "true"],
  );
  await sign("Exclude tag stable").click();
  await agrees({ groups: ["code"] });
  await button("Clear filters").click();
  await agrees({});
  await sign("Require cost low").click();
  await agrees({ concerns: { cost: "low" } });
  assert.equal(await sign("Exclude cost high").getAttribute("aria-pressed"), "true", "what is not allowed is excluded");
  await sign("Require cost low").click();
  await agrees({});
  await page.getByRole("spinbutton").fill("3");
  await page.getByRole("spinbutton").press("Tab");
  await agrees({ concerns: { depth: "3" } });
  await page.getByRole("spinbutton").fill("");
  await page.getByRole("spinbutton").press("Tab");
  await agrees({});
  await page.getByRole("checkbox", { name: "Use echo" }).click();
  await agrees({ where: "-(kind:tool name=echo)" });
  await tab("Hidden").click();
  assert.deepEqual(await names(), ["echo"]);
  assert.deepEqual(await page.locator(".note").allTextContents(), ["Switched off"]);
  await page.getByRole("checkbox", { name: "Use echo" }).click();
  assert.deepEqual(await changes(), [{}]);
  assert.deepEqual(await names(), []);
  assert.equal(await page.locator(".none").innerText(), "No tool is hidden.");
  await tab("Shown").click();
  await page.getByRole("button", { name: "Favorite merge" }).click();
  await agrees({});
  await page.getByRole("button", { name: "Favorites only" }).click();
  await agrees({ where: "kind:tool name=merge" });
  await page.getByRole("button", { name: "Favorites only" }).click();
  await agrees({});
  await page.getByRole("searchbox", { name: "Search tools" }).fill("report something");
  assert.deepEqual(await names(), ["Open an issue"]);
  assert.equal(await page.locator(".hits").textContent(), "1 hit");
  assert.deepEqual([await filter(), await changes()], [{}, []], "a search is no choice");
  await button("Filter by this search").click();
  await agrees({ query: "report something" });
  await page.getByRole("searchbox").fill("");
  assert.ok(await button("Filter by this search").isHidden());
  await page.getByRole("button", { name: /^Search: “report something”/ }).click();
  await agrees({});
  await page.getByRole("searchbox").fill("qqqqqq");
  assert.equal(await page.locator(".hits").textContent(), "0 hits");
  assert.ok(await button("Filter by this search").isDisabled());
  assert.equal(await page.locator(".none").innerText(), "No tool here matches “qqqqqq”.");
  await page.getByRole("searchbox").fill("");
  await button("Safe").click();
  await agrees({ not: { tags: ["destructive"] } });
  assert.equal(await button("Safe").getAttribute("aria-pressed"), "true");
  await sign("Require tag stable").click();
  assert.equal(await button("Safe").getAttribute("aria-pressed"), "false");
});

test("a value of a concern is required, excluded or neither", async () => {
  const tools = ["low", "middle", "high"].map((cost) => tool(cost, [], [], { _meta: { concerns: { cost } } }));
  await page.evaluate(
    ([lists, config]) => load(lists, config),
    [
      { tools },
      { concerns: [{ name: "cost", description: "How much work a call causes.", values: ["low", "middle", "high"] }] },
    ],
  );
  const pressed = () =>
    page.locator(".sign").evaluateAll((signs) =>
      signs
        .map((sign) => (sign.ariaPressed === "true" ? "x" : "."))
        .join("")
        .match(/../g)
        .join(" "),
    );
  const shows = async (concerns, expected, marks) => {
    assert.deepEqual(
      [await filter(), await names(), await pressed()],
      [concerns === undefined ? {} : { concerns: { cost: concerns } }, expected, marks],
    );
  };
  await shows(undefined, ["low", "middle", "high"], ".. .. ..");
  await sign("Exclude cost high").click();
  await shows(["low", "middle"], ["low", "middle"], ".. .. x.");
  await sign("Exclude cost middle").click();
  await shows("low", ["low"], ".x x. x.");
  await sign("Exclude cost low").click();
  await shows(["high", "middle"], ["middle", "high"], "x. .. ..");
  await sign("Exclude cost low").click();
  await shows(undefined, ["low", "middle", "high"], ".. .. ..");
  await sign("Require cost middle").click();
  await shows("middle", ["middle"], "x. .x x.");
  await sign("Require cost high").click();
  await shows("high", ["high"], "x. x. .x");
  await page.keyboard.press("Delete");
  await shows(undefined, ["low", "middle", "high"], ".. .. ..");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("-");
  await shows(["high", "low"], ["low", "high"], ".. x. ..");
});

test("a hidden row has no tick, and says each reason in a sentence", async () => {
  await open();
  await item("Mail").click();
  await sign("Exclude tag beta").click();
  await tab("All").click();
  const rows = await page
    .locator(".body .row")
    .evaluateAll((rows) =>
      rows
        .sort((a, b) => a.getAttribute("aria-rowindex") - b.getAttribute("aria-rowindex"))
        .map((row) => [
          row.querySelector(".label").textContent,
          row.querySelector(".note").textContent,
          row.querySelector(".box").ariaChecked,
        ]),
    );
  assert.deepEqual(rows[3], ["send_mail", "Has excluded tag beta", "false"]);
  assert.deepEqual(rows[5], ["echo", "Not in Mail", "false"]);
  assert.equal(rows.length, 6);
  assert.equal(
    await page
      .locator("[data-shown=false] .label")
      .first()
      .evaluate((label) => getComputedStyle(label).textDecorationLine),
    "none",
  );
  await sign("Require tag stable").click();
  const note = (name) => page.locator(".body .row", { hasText: name }).locator(".note").textContent();
  assert.equal(await note("purge_mail"), "Missing tag stable. Has excluded tag beta");
  assert.equal(await note("echo"), "Not in Mail. Missing tag stable");
  await item("Issues").click();
  await sign("Exclude group Work").click();
  assert.equal(await note("merge"), "In excluded Work");
  // A checkbox cannot show a tool that the filter hides.
  const before = await filter();
  await page.getByRole("checkbox", { name: "Use merge" }).click({ force: true });
  assert.deepEqual(await filter(), before);
});

test("the list names the innermost group by its title, and a name only where the title does not", async () => {
  await page.evaluate(
    ([lists, config]) => load(lists, config),
    [
      {
        tools: [
          tool("server_time", ["issues", "mail"], [], { title: "Server time" }),
          tool("gh_pr_ls", ["work"], [], { title: "List pull requests" }),
          tool("bare", [], []),
        ],
      },
      CONFIG,
    ],
  );
  const rows = await page
    .locator(".body .row")
    .evaluateAll((rows) =>
      rows.map((row) =>
        [".label", "code", "[role=gridcell].groups"].map((part) => row.querySelector(part).textContent),
      ),
    );
  assert.deepEqual(rows, [
    ["Server time", "", "Issues, Mail"],
    ["List pull requests", "gh_pr_ls", "Work"],
    ["bare", "", ""],
  ]);
});

test("the keyboard is enough", async () => {
  await open();
  const focused = () =>
    page.evaluate(() => {
      let element = document.activeElement;
      while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      return element.getAttribute("role") === "treeitem"
        ? element.dataset.name
        : (element.getAttribute("role") ?? element.dataset.name ?? element.name);
    });
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
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
  await press("-");
  assert.deepEqual(await filter(), { not: { groups: ["mail"] } });
  await press("Delete", "Tab");
  const label = () => page.evaluate(() => document.activeElement.shadowRoot.activeElement.getAttribute("aria-label"));
  assert.equal(await label(), "Exclude tag stable");
  await press("ArrowRight");
  assert.equal(await label(), "Require tag stable, 3 tools");
  await press("Enter");
  assert.deepEqual(await filter(), { tags: ["stable"] });
  await press("-");
  assert.deepEqual(await filter(), { not: { tags: ["stable"] } });
  await press("+");
  assert.deepEqual(await filter(), { tags: ["stable"] });
  await press("ArrowDown");
  assert.match(await label(), /^Require tag (?!stable)/);
  await press("Home", "Delete", "Tab", "End", "+");
  assert.deepEqual(await filter(), { concerns: { cost: "high" } });
  await press("Delete");
  assert.deepEqual(await filter(), {});
  await tab("Shown").focus();
  await press("ArrowRight");
  assert.equal(await tab("Hidden").getAttribute("aria-selected"), "true");
  assert.equal(await page.getByRole("tabpanel", { name: "Hidden, 0" }).count(), 1);
  await press("End");
  assert.equal(await tab("All").getAttribute("aria-selected"), "true");
  await press("ArrowRight");
  assert.equal(await tab("Shown").getAttribute("aria-selected"), "true");
  const grid = page.getByRole("grid");
  await grid.focus();
  await press("ArrowDown", "ArrowLeft", "Space");
  assert.deepEqual(await filter(), { where: "-(kind:tool name=close_issue)" });
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await grid.focus();
  await press("End", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight");
  const active = await grid.evaluate((grid) =>
    grid.getRootNode().getElementById(grid.getAttribute("aria-activedescendant")).getAttribute("aria-label"),
  );
  assert.equal(active, "Favorite echo");
  await press("Enter");
  assert.equal(await page.getByRole("button", { name: "Favorite echo" }).getAttribute("aria-pressed"), "true");
});

test("right to left, arrows go the way they point", async () => {
  await open();
  await page.evaluate(() => {
    document.documentElement.dir = "rtl";
  });
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

for (const [colorScheme, direction] of [
  ["light", "ltr"],
  ["dark", "rtl"],
]) {
  test(`axe finds nothing, ${colorScheme}, ${direction}`, async () => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate((direction) => {
      document.documentElement.dir = direction;
    }, direction);
    await open([{ name: "safe", filter: { not: { tags: ["destructive"] } } }]);
    await item("Code").click();
    await item("Mail").press("-");
    await sign("Require tag stable").click();
    await sign("Exclude tag beta").click();
    await page.getByRole("checkbox", { name: "Use open_issue" }).click();
    await tab("All").click();
    await page.getByRole("button", { name: "Favorite echo" }).click();
    assert.deepEqual(await axeFinds(page), []);
    const moving = await page.evaluate(
      () =>
        getComputedStyle(document.querySelector("mcp-sieve-picker").shadowRoot.querySelector("button"))
          .transitionDuration,
    );
    assert.equal(moving, "0s");
  });
}

test("it takes part in a form: value, reset, disabled, and one event for each change", async () => {
  await open();
  await item("Mail").click();
  await agrees({ groups: ["mail"] });
  await page.getByRole("button", { name: "Reset" }).click();
  assert.deepEqual([await filter(), await changes()], [{}, []]);
  await page.evaluate(() => {
    document.querySelector("mcp-sieve-picker").filter = { groups: ["mail"], where: "name:*_mail" };
  });
  assert.deepEqual([await filter(), await changes()], [{ groups: ["mail"], where: "name:*_mail" }, []]);
  await page.evaluate(() => {
    document.getElementById("fieldset").disabled = true;
  });
  await item("Code").click();
  assert.deepEqual([await filter(), await changes()], [{ groups: ["mail"], where: "name:*_mail" }, []]);
  assert.ok(await page.getByRole("button", { name: "Clear filters" }).isDisabled());
});

test("a choice set by a program cannot be undone: undo begins there", async () => {
  await open();
  const undo = page.getByRole("button", { name: "Undo" });
  await page.evaluate(() => {
    document.querySelector("mcp-sieve-picker").filter = { groups: ["mail"] };
  });
  assert.ok(await undo.isDisabled());
  await sign("Require tag beta").click();
  await agrees({ groups: ["mail"], tags: ["beta"] });
  // A framework may set the same property repeatedly.
  await page.evaluate(() => {
    const element = document.querySelector("mcp-sieve-picker");
    element.filter = { ...element.filter };
  });
  await undo.click();
  await agrees({ groups: ["mail"] });
  assert.ok(await undo.isDisabled());
  await page.getByRole("button", { name: "Redo" }).click();
  await agrees({ groups: ["mail"], tags: ["beta"] });
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("button", { name: "Reset" }).click();
  assert.deepEqual(
    [await filter(), await undo.isDisabled()],
    [{ groups: ["mail"], tags: ["beta"] }, true],
    "the last that was set is what a reset comes back to",
  );
});

test("a sieve that is replaced leaves the words and the tab, and no limit is none", async () => {
  await open();
  await tab("All").click();
  await page.getByRole("searchbox").fill("issue");
  const seen = () =>
    page.evaluate(() => {
      const { words, showing } = document.querySelector("mcp-sieve-picker").picker;
      return { words, showing };
    });
  assert.deepEqual(await seen(), { words: "issue", showing: "all" });
  await page.evaluate(([lists, config]) => load(lists, config), [LISTS, CONFIG]);
  assert.deepEqual(await seen(), { words: "issue", showing: "all" });
  await page.evaluate(() => {
    document.querySelector("mcp-sieve-picker").filter = { groups: ["issues"], limit: null };
  });
  assert.deepEqual(await filter(), { groups: ["issues"] });
});

test("a refused choice is reported, and changes nothing", async () => {
  await page.evaluate(([lists, config]) => load(lists, { ...config, onInvalidConcern: "error" }), [LISTS, CONFIG]);
  await page.getByRole("spinbutton").fill("77");
  await page.getByRole("spinbutton").press("Tab");
  assert.match(await page.getByRole("alert").textContent(), /`77` is not a value of concern `depth`/);
  assert.deepEqual([await filter(), await changes()], [{}, []]);
  await item("Mail").click();
  assert.ok(await page.getByRole("alert").isHidden());
});

test("a filter of the page that is refused leaves the one before", async () => {
  const found = await page.evaluate(
    async ([lists, config]) => {
      const { Sieve } = await import("/mcp-sieve/loaders/web.js");
      const sieve = Sieve.compile(lists, config);
      await sieve.ready("picker");
      const element = document.createElement("mcp-sieve-picker");
      const set = (filter) => {
        try {
          element.filter = filter;
          return "set";
        } catch (error) {
          return error.code;
        }
      };
      // Without a sieve nothing can refuse it yet.
      const early = set({ groups: "x" });
      element.sieve = sieve;
      const alert = element.shadowRoot.querySelector("[role=alert]").textContent;
      const after = element.value;
      const steps = [set({ groups: ["mail"] }), set({ groups: 1 }), element.value];
      element.sieve = undefined;
      element.sieve = sieve;
      return { early, alert, after, steps, again: element.value };
    },
    [LISTS, CONFIG],
  );
  const { alert, ...rest } = found;
  assert.match(alert, /filter\.groups: expected an array of strings/);
  const mail = '{"groups":["mail"]}';
  assert.deepEqual(rest, { early: "set", after: "{}", steps: ["set", "filter_type", mail], again: mail });
});

test("a page may set labels, parts and custom properties", async () => {
  await page.emulateMedia({ reducedMotion: "reduce" }); // a colour in transition is neither the old nor the new one
  await page.evaluate(() => {
    document.querySelector("mcp-sieve-picker").style.setProperty("--mcp-sieve-accent", "rgb(90, 0, 90)");
    document.querySelector("mcp-sieve-picker").labels = { groups: "Gruppen", clear: "Leeren" };
  });
  await open();
  await item("Mail").click();
  assert.ok(await page.getByRole("tree", { name: "Gruppen" }).isVisible());
  assert.ok(await page.getByRole("button", { name: "Leeren" }).isVisible());
  assert.equal(
    await sign("Include group Mail").evaluate((sign) => getComputedStyle(sign).backgroundColor),
    "rgb(90, 0, 90)",
  );
});

test("only the rows in sight exist", async (t) => {
  const many = (n) => ({
    tools: Array.from({ length: n }, (_, at) =>
      tool(`tool_${at}`, [`g${at % 24}`], at % 3 ? ["x"] : ["y"], { description: `Does the thing numbered ${at}` }),
    ),
  });
  const first = await page.evaluate((lists) => load(lists), many(1_000));
  const loaded = await page.evaluate((lists) => load(lists), many(10_000));
  assert.match(await status(), /^10,000 tools · /);
  assert.ok((await page.locator(".body .row").count()) < 40);
  await page.getByRole("grid").focus();
  await page.keyboard.press("End");
  await page.locator("[aria-rowindex='10001']").waitFor();
  assert.ok((await page.locator(".body .row").count()) < 40);
  assert.equal(await page.locator("[id=active] .label").textContent(), "tool_9999");
  await page.getByRole("grid").evaluate((grid) => {
    grid.scrollTop = 0;
  });
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
  t.diagnostic(
    `interactive after ${first.toFixed(0)} ms with 1,000 tools and ${loaded.toFixed(0)} ms with 10,000, compiling included; slowest letter typed ${slowest.toFixed(1)} ms with 10,000`,
  );
});

test("a change keeps the scroll position and the active row, and a search or another tab begins at the top", async () => {
  const tools = Array.from({ length: 500 }, (_, at) => tool(`tool_${at}`, [], at % 50 ? ["most"] : ["few"]));
  await page.evaluate((lists) => load(lists), { tools });
  const grid = page.getByRole("grid");
  const place = () =>
    grid.evaluate((grid) => [
      grid.scrollTop,
      grid.getRootNode().getElementById("active").closest("[role=row]").ariaRowIndex,
      grid.matches(":focus"),
    ]);
  await grid.focus();
  for (let times = 0; times < 5; times += 1) await page.keyboard.press("PageDown");
  const before = await place();
  assert.ok(before[0] > 500 && before[2], `${before}`);
  await page.keyboard.press("Space");
  assert.match(await status(), /^499 of 500 tools/);
  assert.deepEqual(await place(), before);
  await sign(/^Require tag most/).click();
  assert.match(await status(), /^4\d\d of 500 tools/);
  assert.deepEqual((await place()).slice(0, 2), before.slice(0, 2));
  // What remains is shorter than the place.
  await sign(/^Require tag most/).click();
  await sign(/^Require tag few/).click();
  assert.match(await status(), /^10 of 500 tools/);
  // The rows are drawn with the next scroll event.
  await page.locator("[role=gridcell].name .label", { hasText: /^tool_450$/ }).waitFor();
  await sign(/^Require tag few/).click();
  for (const anew of [() => page.getByRole("searchbox").fill("tool"), () => tab("All").click()]) {
    await grid.focus();
    await page.keyboard.press("End");
    await anew();
    assert.deepEqual((await place()).slice(0, 2), [0, "2"]);
  }
});

test("properties that a page sets before the element is defined take effect", async () => {
  await page.evaluate(() => document.body.append(document.createElement("iframe")));
  const found = await page.frames()[1].evaluate(
    async ([origin, lists, config]) => {
      const element = document.body.appendChild(document.createElement("mcp-sieve-picker"));
      const { Sieve } = await import(`${origin}/mcp-sieve/loaders/web.js`);
      const sieve = Sieve.compile(lists, config);
      await sieve.ready("picker");
      Object.assign(element, { maxTools: 4, sieve, kind: "tools", presets: [{ name: "safe", filter: {} }] });
      Object.assign(element, { filter: { groups: ["code"] }, labels: { clear: "Begin anew" }, disabled: true, own: 1 });
      await import(`${origin}/mcp-sieve/src/element/picker.js`);
      const { filter, disabled, labels, maxTools } = element;
      const status = element.shadowRoot.querySelector("[role=status]").textContent;
      const presets = element.presets.length;
      return {
        own: Object.keys(element),
        same: element.sieve === sieve,
        filter,
        disabled,
        status,
        presets,
        maxTools,
        clear: labels.clear,
      };
    },
    [new URL(page.url()).origin, LISTS, CONFIG],
  );
  const { status: shown, ...rest } = found;
  assert.deepEqual(rest, {
    own: ["own"],
    same: true,
    filter: { groups: ["code"], limit: { count: 4 } },
    disabled: true,
    presets: 1,
    maxTools: 4,
    clear: "Begin anew",
  });
  assert.match(shown, /^3 of 6 tools/);
});

test("where there are no elements, importing it does nothing", async () => {
  const { SievePickerElement } = await import("../pkg/src/element/picker.js");
  assert.equal(typeof SievePickerElement, "function");
  assert.equal(globalThis.customElements, undefined);
});

test("without a sieve it has its height and says that it loads; an error takes its place", async () => {
  const element = page.locator("mcp-sieve-picker");
  const root = element.locator(".root");
  const height = async () => (await element.boundingBox()).height;
  const loading = await height();
  assert.ok(loading > 400, `${loading} px`);
  assert.deepEqual([await status(), await root.getAttribute("aria-busy")], ["Loading…", "true"]);
  assert.ok(await page.locator(".list .bones i").first().isVisible());
  assert.deepEqual(await axeFinds(page), []);
  await page.evaluate(() => {
    document.querySelector("mcp-sieve-picker").error = new Error("sieve_bg.wasm cannot be fetched (404)");
  });
  assert.deepEqual(
    [await status(), await root.getAttribute("aria-busy"), await page.getByRole("alert").textContent()],
    ["The tools could not be loaded.", "false", "sieve_bg.wasm cannot be fetched (404)"],
  );
  assert.ok(await page.locator(".bones").first().isHidden());
  assert.deepEqual(await axeFinds(page), []);
  await page.evaluate(() => {
    document.querySelector("mcp-sieve-picker").error = undefined;
  });
  assert.equal(await status(), "Loading…");
  const small = { tools: LISTS.tools.slice(0, 2) };
  await page.evaluate((lists) => load(lists), small);
  assert.equal(await root.getAttribute("aria-busy"), "false");
  assert.ok(Math.abs((await height()) - loading) < 24, `${loading} px while it loads, ${await height()} px then`);
});

test("a list without rows says why, and the way out", async () => {
  await page.evaluate(
    (config) =>
      load({ tools: [], prompts: [{ name: "triage", groups: ["issues"] }] }, config, [
        { name: "safe", filter: { tags: ["stable"] } },
      ]),
    CONFIG,
  );
  const none = page.locator(".none");
  assert.equal(await none.innerText(), "This server has no tools.");
  assert.equal(await status(), "0 tools · 0 tokens");
  assert.equal(await button("Clear filters").count(), 1, "that in the bar alone");
  assert.deepEqual(
    [await page.getByRole("tree").count(), await button("safe").count()],
    [0, 0],
    "there is nothing to filter",
  );
  await page.evaluate(() => {
    document.querySelector("mcp-sieve-picker").kind = "prompts";
  });
  assert.deepEqual(
    [await page.getByRole("tree").count(), await button("safe").count(), await names()],
    [1, 1, ["triage"]],
  );
  await page.evaluate(() => {
    document.querySelector("mcp-sieve-picker").kind = "tools";
  });
  await open();
  await item("Mail").click();
  await sign("Require tag stable").click();
  assert.match(await none.textContent(), /^No tool matches\./);
  assert.deepEqual(await axeFinds(page), []);
  await none.getByRole("button", { name: "Clear filters" }).click();
  assert.deepEqual([await filter(), (await names()).length, await focus()], [{}, 6, "List of tools"]);
});

// ---- in third-party pages --------------------------------------------------------

const PAGES = { light: "background: #fff; color: #213547", dark: "background: #0b1120; color: #e2e8f0" };
const WHERE = { ":root": ":root", body: "body", "no rule": undefined };
for (const [look, colors] of Object.entries(PAGES)) {
  for (const [where, selector] of Object.entries(WHERE)) {
    for (const os of ["light", "dark"]) {
      test(`it is readable on a ${look} page, with color-scheme by ${where}, under a ${os} system`, async () => {
        await page.emulateMedia({ colorScheme: os, reducedMotion: "reduce" });
        await page.evaluate(
          ([colors, rule]) => {
            document.querySelector("meta[name=color-scheme]").remove();
            document.querySelector("link[rel=stylesheet]").remove();
            const sheet = new CSSStyleSheet();
            sheet.replaceSync(`body { ${colors} } ${rule}`);
            document.adoptedStyleSheets = [sheet];
          },
          [colors, selector ? `${selector} { color-scheme: ${look}; }` : ""],
        );
        const contrast = async (what) =>
          assert.deepEqual(
            (await axeFinds(page)).filter((find) => find.startsWith("color-contrast")),
            [],
            what,
          );
        await contrast("loading");
        await open([{ name: "safe", filter: { not: { tags: ["destructive"] } } }]);
        await item("Code").click();
        await sign("Exclude group Mail").click();
        await sign("Require tag stable").click();
        await sign("Exclude tag beta").click();
        await page.getByRole("button", { name: "Favorite merge" }).click();
        await tab("All").click();
        await contrast("chosen");
        const [text, surface] = await page
          .locator(".root")
          .evaluate((root) =>
            [getComputedStyle(root).color, getComputedStyle(root).backgroundColor].map((color) =>
              Number(/\d+/.exec(color)[0]),
            ),
          );
        assert.equal(
          text > surface,
          selector !== undefined && look === "dark",
          "it follows the color scheme of the page, where there is one",
        );
        for (const theme of ["dark", "light"]) {
          await page.evaluate((theme) => {
            document.querySelector("mcp-sieve-picker").theme = theme;
          }, theme);
          assert.equal(
            await page
              .locator(".root")
              .evaluate((root) => Number(/\d+/.exec(getComputedStyle(root).backgroundColor)[0]) < 64),
            theme === "dark",
            theme,
          );
          await contrast(theme);
        }
      });
    }
  }
}

test("in a narrow sidebar of a wide window nothing is cut off", async () => {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      "main { inline-size: 340px; box-sizing: border-box } fieldset { margin: 0; padding: 0; border: 0 }",
    );
    document.adoptedStyleSheets = [sheet];
  });
  await open();
  const host = await page.locator("mcp-sieve-picker").boundingBox();
  assert.ok(host.width <= 340, `${host.width}`);
  const cut = await page
    .locator("mcp-sieve-picker")
    .evaluate((element) =>
      [...element.shadowRoot.querySelectorAll(".root *")]
        .filter(
          (part) =>
            part.checkVisibility() && part.getBoundingClientRect().right > element.getBoundingClientRect().right + 0.5,
        )
        .map((part) => part.className),
    );
  assert.deepEqual(cut, []);
  const [row] = await page.locator(".body .row").all();
  const [name, star] = await Promise.all(
    ["[role=gridcell].name", ".star"].map((part) => row.locator(part).boundingBox()),
  );
  assert.ok(name.width >= 150, `${name.width} px for names`);
  assert.ok(star.x + star.width <= host.x + host.width);
  assert.ok(await page.getByRole("tree").isHidden(), "the list comes first");
  await button("Filters").click();
  assert.equal(await button("Filters").getAttribute("aria-expanded"), "true");
  await item("Mail").click();
  await sign("Require tag beta").click();
  await button("Filters (2)").click();
  assert.ok(await page.getByRole("tree").isHidden());
  await page.evaluate(() => {
    document.querySelector("main").style.inlineSize = "1000px";
  });
  assert.ok(await page.getByRole("tree").isVisible(), "and beside it where there is room");
  assert.ok(await button("Filters (2)").isHidden());
});

test("in a dialog that is as wide as its content, it has a width", async () => {
  await page.evaluate(() => {
    const dialog = document.createElement("dialog");
    dialog.append(document.createElement("mcp-sieve-picker"));
    document.querySelector("main").append(dialog);
    dialog.show();
  });
  const { width } = await page.locator("dialog mcp-sieve-picker").boundingBox();
  assert.ok(width > 600, `${width} px`);
});

test("text styles of the page are not inherited", async () => {
  // The style sheet of Vite's template, and other inherited properties.
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`:root { font-family: serif; line-height: 1.5; font-weight: 400; font-synthesis: none }
      main { max-width: 1280px; margin: 0 auto; padding: 2rem; text-align: center; line-height: 3; letter-spacing: .2em; word-spacing: 1em; text-transform: uppercase;
        white-space: pre; font: italic small-caps 700 2rem serif; text-indent: 2em; text-shadow: 1px 1px red; cursor: wait; list-style: square; hyphens: auto; tab-size: 9; word-break: break-all; }`);
    document.adoptedStyleSheets = [sheet];
  });
  await open();
  const own = await page.locator("mcp-sieve-picker").evaluate((element) => {
    const style = getComputedStyle(element.shadowRoot.querySelector(".value .text"));
    return Object.fromEntries(
      [
        "textAlign",
        "letterSpacing",
        "wordSpacing",
        "textTransform",
        "whiteSpace",
        "fontStyle",
        "fontVariantCaps",
        "textIndent",
        "textShadow",
        "fontSize",
        "hyphens",
        "wordBreak",
      ].map((name) => [name, style[name]]),
    );
  });
  assert.deepEqual(own, {
    textAlign: "start",
    letterSpacing: "normal",
    wordSpacing: "0px",
    textTransform: "none",
    whiteSpace: "normal",
    fontStyle: "normal",
    fontVariantCaps: "normal",
    textIndent: "0px",
    textShadow: "none",
    fontSize: "16px",
    hyphens: "manual",
    wordBreak: "normal",
  });
  const indents = await page.locator("mcp-sieve-picker").evaluate((element) =>
    [".facet > .title", ".value .text", ".tab", ".row .label"].map((selector) => {
      const part = element.shadowRoot.querySelector(selector);
      const range = document.createRange();
      range.selectNodeContents(part);
      return range.getBoundingClientRect().x - part.getBoundingClientRect().x;
    }),
  );
  assert.ok(
    indents.every((indent) => indent < 4),
    `text stands at the start: ${indents}`,
  );
});

test("a server without groups, tags and concerns has a list alone, and a list goes on as far as the filters do", async () => {
  await page.evaluate(() => load({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }));
  const [root, list] = await Promise.all([".root", ".panel .list"].map((part) => page.locator(part).boundingBox()));
  assert.ok(root.width - list.width < 40, "no blank column");
  assert.ok(await page.locator(".filters").isHidden());
  const groups = Array.from({ length: 40 }, (_, at) => `g${at}`);
  await page.evaluate(
    (groups) => load({ tools: groups.map((name) => ({ name, groups: [name], inputSchema: { type: "object" } })) }),
    groups,
  );
  const [facets, grid] = await Promise.all(["#facets", ".grid"].map((part) => page.locator(part).boundingBox()));
  assert.ok(
    facets.height > 800 && Math.abs(facets.y + facets.height - grid.y - grid.height) < 4,
    JSON.stringify([facets, grid]),
  );
});

test("a person's own tags stand among the tags, by their names", async () => {
  const load = (tags) =>
    page.evaluate(
      async ([lists, config, tags]) => {
        const { Sieve } = await import("/mcp-sieve/loaders/web.js");
        document.querySelector("mcp-sieve-picker").sieve = Sieve.compile(lists, config, { tags });
      },
      [LISTS, CONFIG, tags],
    );
  await load({ favorites: { tools: ["merge", "echo"] } });
  await sign(/^Require tag favorites, 2 tools$/).click();
  assert.deepEqual(await filter(), { tags: ["user:favorites"] });
  assert.deepEqual((await names()).sort(), ["echo", "merge"]);
  assert.deepEqual(await page.locator("[data-name='user:favorites'] .text").allTextContents(), ["favorites (yours)"]);
  await tab("Hidden").click();
  assert.ok((await page.locator(".row .note").allTextContents()).includes("Missing tag favorites"));
  await tab("Shown").click();
  assert.deepEqual(await axeFinds(page), []);
  // The selection is kept when the person tags another tool.
  await page.evaluate(() => {
    const element = document.querySelector("mcp-sieve-picker");
    const before = element.sieve;
    element.sieve = before.tagged({ favorites: { tools: ["merge", "echo", "send_mail"] }, daily: { tools: ["echo"] } });
    before.free();
  });
  assert.deepEqual((await names()).sort(), ["echo", "merge", "send_mail"]);
  assert.deepEqual(
    await page.locator("[data-name^='user:']").evaluateAll((rows) => rows.map((row) => row.dataset.name)),
    ["user:daily", "user:favorites"],
  );
});

test("a person tags the active row, with the keyboard too, and the tag is kept", async () => {
  await page.evaluate(
    async ([lists, config]) => {
      const { Preferences, Sieve } = await import("/mcp-sieve/loaders/web.js");
      const element = document.querySelector("mcp-sieve-picker");
      globalThis.kept = new Preferences("https://mcp.example.com/mcp", { user: "alice" });
      element.preferences = kept;
      element.sieve = Sieve.compile(lists, config, { tags: kept.tags });
    },
    [LISTS, CONFIG],
  );
  const field = page.getByRole("combobox", { name: /^Your tag for / });
  const tags = () => page.evaluate(() => kept.tags);
  assert.ok(await button("Add tag").isDisabled());
  // The row that was clicked last, and then the one below it.
  await page.getByText("merge", { exact: true }).click();
  await page.getByRole("combobox", { name: "Your tag for merge" }).waitFor();
  await field.fill("mine");
  await button("Add tag").click();
  assert.deepEqual(await tags(), { mine: { tools: ["merge"] } });
  assert.deepEqual(await changes(), [{}]);
  await page.getByRole("grid").focus();
  await page.keyboard.press("ArrowDown");
  await page.getByRole("combobox", { name: "Your tag for send_mail" }).waitFor();
  await field.press("Enter");
  assert.deepEqual(await tags(), { mine: { tools: ["merge", "send_mail"] } });
  await sign(/^Require tag mine, 2 tools$/).click();
  assert.deepEqual((await names()).sort(), ["merge", "send_mail"]);
  assert.deepEqual(await axeFinds(page), []);
  await page.getByText("merge", { exact: true }).click();
  await button("Remove tag").click();
  assert.deepEqual(await names(), ["send_mail"]);
  assert.deepEqual(await filter(), { tags: ["user:mine"] });
  await field.fill("x".repeat(65));
  await button("Add tag").click();
  assert.match(await page.getByRole("alert").textContent(), /1 to 64 characters/);
  assert.deepEqual(await tags(), { mine: { tools: ["send_mail"] } });
  // The field is shown only with preferences and a sieve of lists.
  await page.evaluate(() => {
    document.querySelector("mcp-sieve-picker").preferences = undefined;
  });
  assert.ok(await field.isHidden());
});

test("a stored choice is announced when it takes effect, to a listener that is added after it too", async () => {
  const begun = await page.evaluate(
    async ([lists, config]) => {
      const { Preferences, Sieve } = await import("/mcp-sieve/loaders/web.js");
      const sieve = Sieve.compile(lists, config);
      await sieve.ready("picker");
      const preferences = new Preferences("https://mcp.example.com/mcp", { user: "stored" });
      const begin = async (order, filter) => {
        const element = document.createElement("mcp-sieve-picker");
        if (filter) element.filter = filter;
        for (const name of order) element[name] = { sieve, preferences }[name];
        const heard = [];
        for (const name of ["change", "budget"])
          element.addEventListener(name, ({ type, detail }) => heard.push([type, detail.filter ?? detail.maxTools]));
        await new Promise((done) => setTimeout(done));
        return heard;
      };
      const [either, or] = [
        ["sieve", "preferences"],
        ["preferences", "sieve"],
      ];
      const before = await begin(either);
      const choice = sieve.picker();
      choice.setDisabled("echo");
      preferences.save(choice);
      const after = [await begin(either), await begin(or), await begin(or, choice.filter)];
      choice.set({ ...choice.filter, limit: { count: 3 } });
      preferences.save(choice);
      return [before, ...after, await begin(or)];
    },
    [LISTS, CONFIG],
  );
  const where = "-(kind:tool name=echo)";
  const changed = [["change", { where }]];
  const bounded = [
    ["change", { where, limit: { count: 3 } }],
    ["budget", 3],
  ];
  assert.deepEqual(begun, [[], changed, changed, [], bounded]);
});

test("the element follows what another tab stores", async () => {
  const opened = async (tab) => {
    await tab.evaluate(
      async ([lists, config]) => {
        const { Preferences, Sieve } = await import("/mcp-sieve/loaders/web.js");
        const element = document.querySelector("mcp-sieve-picker");
        element.preferences = new Preferences("https://mcp.example.com/mcp", { user: "alice" });
        element.sieve = Sieve.compile(lists, config, { tags: {} });
      },
      [LISTS, CONFIG],
    );
    return tab.getByRole("button", { name: "Favorite merge" });
  };
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.waitForFunction(() => globalThis.ready);
  const [here, there] = [await opened(page), await opened(other)];
  await here.click();
  await there.and(other.locator("[aria-pressed=true]")).waitFor();
  await other.getByRole("checkbox", { name: "Use echo" }).click();
  await page.waitForFunction(() => changes.length === 2);
  const where = "-(kind:tool name=echo)";
  assert.deepEqual(await changes(), [{}, { where }], "the favorite and what the other tab has chosen");
  await other.getByText("merge", { exact: true }).click();
  await other.getByRole("combobox", { name: "Your tag for merge" }).fill("mine");
  await other.getByRole("button", { name: "Add tag" }).click();
  await sign(/^Require tag mine, 1 tool$/).waitFor();
  assert.equal(await here.getAttribute("aria-pressed"), "true");
  assert.deepEqual(await filter(), { where });

  // What is stored while the element is in no page takes effect when it is put back.
  await page.evaluate(() => {
    globalThis.element = document.querySelector("mcp-sieve-picker");
    globalThis.place = element.parentNode;
    element.remove();
  });
  await other.evaluate(() => document.querySelector("mcp-sieve-picker").act((one) => one.setDisabled("echo", false)));
  await page.evaluate(() => place.append(element));
  assert.deepEqual(await filter(), {});
  await other.close();
});

test("on a phone every target is 24 pixels or more", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open([{ name: "safe", filter: { not: { tags: ["destructive"] } } }]);
  await button("Filters").click();
  await page.getByRole("searchbox").fill("issue");
  await button("Filter by this search").click();
  const small = await page.locator("mcp-sieve-picker").evaluate((element) =>
    [...element.shadowRoot.querySelectorAll("button, input, a, [role=checkbox], [role=button], .twisty")]
      .filter((target) => target.checkVisibility())
      .map((target) => [target.className || target.part.value, target.getBoundingClientRect()])
      .filter(([, { width, height }]) => width < 24 || height < 24)
      .map(([name, { width, height }]) => `${name}: ${width} × ${height}`),
  );
  assert.deepEqual(small, []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  assert.deepEqual(await axeFinds(page), []);
});

test("what the page sets is no choice of the person, and leaves what is stored", async () => {
  await open();
  const stored = () => page.evaluate(() => JSON.parse(localStorage.getItem(element.preferences.key)));
  await page.evaluate(() => {
    localStorage.clear();
    element.preferences = new Preferences("kept");
    element.act((picker) => picker.setConcern("cost", "low"));
    element.act((picker) => picker.setLimit({ count: 2 }));
    element.filter = {};
    element.act((picker) => picker.setFavorite("echo"));
  });
  const { favorites, concerns, limit } = await stored();
  assert.deepEqual([favorites, concerns, limit], [{ tools: ["echo"] }, { cost: "low" }, { count: 2 }]);
  // Another tab forgets everything: so does this one, also if the whole storage is cleared.
  await page.evaluate(() => {
    element.preferences.apply(element.picker);
    localStorage.clear();
    dispatchEvent(new StorageEvent("storage", { key: null }));
    element.act((picker) => picker.setFavorite("merge"));
  });
  const after = await stored();
  assert.deepEqual([after.favorites, after.concerns, after.limit], [{ tools: ["merge"] }, {}, undefined]);
  await page.evaluate(() => localStorage.clear());
});

test("the keyboard stays in its section when what it stood on goes away", async () => {
  await open();
  await page.evaluate(() => {
    element.filter = { namePatterns: ["echo"] };
  });
  const focused = () =>
    page.evaluate(() => {
      const { activeElement } = element.shadowRoot;
      return activeElement && [activeElement.role, activeElement.textContent];
    });
  await page.getByRole("grid").focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Space");
  assert.deepEqual(await names(), []);
  assert.equal((await focused())?.[0], "tab", "the only row was switched off");
  // A server's list changes while the focus is in the tree.
  await page.evaluate(() => {
    element.filter = {};
  });
  await item("Mail").focus();
  await page.evaluate(
    ([lists, config]) => {
      const groups = [...config.groups, { name: "other", title: "Other" }];
      const tools = [...lists.tools, { name: "x", groups: ["other"], inputSchema: { type: "object" } }];
      element.sieve = Sieve.compile({ ...lists, tools }, { ...config, groups });
    },
    [LISTS, CONFIG],
  );
  await item("Other").waitFor();
  assert.match((await focused())[1], /Mail/);
});

test("a narrow list shows names in full, and the keyboard passes its hidden column", async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  const long = "enterprise_source_control__create_pull_request";
  await page.evaluate((name) => load({ tools: [{ name, groups: ["a"], inputSchema: { type: "object" } }] }, {}), long);
  const cut = await page
    .locator("[role=gridcell].name .label")
    .evaluate((label) => label.scrollWidth > label.clientWidth);
  assert.equal(cut, false);
  await page.getByRole("grid").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(
    await page.evaluate(() => element.shadowRoot.getElementById("active").className.split(" ")[0]),
    "tokens",
    "the column of groups is hidden",
  );
  await page.setViewportSize({ width: 1280, height: 720 });
});

test("a preset is released by a second press", async () => {
  await open([{ name: "post", title: "Post", filter: { groups: ["mail"] } }]);
  await button("Post").click();
  assert.deepEqual(await filter(), { groups: ["mail"] });
  await button("Post").click();
  assert.deepEqual(await filter(), {});
  assert.equal(await button("Post").getAttribute("aria-pressed"), "false");
});

test("a label of the page names the element", async () => {
  await open();
  await page.evaluate(() => {
    const label = document.createElement("label");
    label.htmlFor = element.id = "labelled";
    label.textContent = "My filter";
    element.before(label);
    element.redraw();
  });
  const session = await page.context().newCDPSession(page);
  const { root } = await session.send("DOM.getDocument");
  const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector: "mcp-sieve-picker" });
  const { nodes } = await session.send("Accessibility.getPartialAXTree", { nodeId, fetchRelatives: false });
  assert.deepEqual([nodes[0].role.value, nodes[0].name.value], ["group", "My filter"]);
});

test("a model may be set after preferences, and has its kind", async () => {
  await open();
  const shown = await page.evaluate(
    ([lists, config]) => {
      localStorage.clear();
      element.preferences = new Preferences("model");
      element.act((picker) => picker.setDisabled("echo"));
      const model = Sieve.compile(lists, config).picker();
      element.picker = model;
      const off = element.filter;
      model.kind = "prompts";
      element.redraw();
      localStorage.clear();
      return [off, element.kindWords];
    },
    [LISTS, CONFIG],
  );
  assert.match(JSON.stringify(shown[0]), /echo/);
  assert.deepEqual(shown[1], ["prompt", "prompts"]);
});

test("a skill can be tagged, and what cannot be stored is said", async () => {
  await open();
  const skill = { skills: [{ name: "s", description: "d", uri: "skill://sk/SKILL.md" }], tools: LISTS.tools };
  const told = await page.evaluate((lists) => {
    localStorage.clear();
    element.preferences = new Preferences("skilled");
    element.sieve = Sieve.compile(lists, {}, { tags: {} });
    element.kind = "skills";
    element.retag("skill://sk/SKILL.md", "fav", true);
    const tags = element.preferences.tags;
    const full = {
      getItem: () => null,
      removeItem() {},
      setItem() {
        throw new DOMException("full", "QuotaExceededError");
      },
    };
    element.preferences = new Preferences("full", { storage: full });
    element.kind = "tools";
    element.retag("echo", "fav", true);
    localStorage.clear();
    return [tags, element.shadowRoot.querySelector("[role=alert]").textContent];
  }, skill);
  assert.deepEqual(told, [
    { fav: { skills: ["skill://sk/SKILL.md"] } },
    "This could not be stored: the storage of this page is full.",
  ]);
});
