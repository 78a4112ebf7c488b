// The keyboard in `<mcp-sieve-picker>`, in real Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Sieve } from "../pkg/loaders/node.js";
import { page } from "./support/picker-page.mjs";
import { CONFIG, LISTS, filter, item, names, open, pickerForm, tab } from "./support/picker-form.mjs";

pickerForm();

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
