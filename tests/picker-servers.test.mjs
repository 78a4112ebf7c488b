// The picker element with a catalog of several servers, in real Chromium. The servers are the first level of its tree.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Sieve } from "../pkg/loaders/node.js";
import { page, pickerPage } from "./support/picker-page.mjs";
import { axeFinds } from "./support/site.mjs";

const BODY = `<mcp-sieve-picker></mcp-sieve-picker>`;
const SCRIPT = `globalThis.element = document.querySelector("mcp-sieve-picker");
globalThis.load = (lists, config) => { element.sieve = Sieve.compile(lists, config ?? undefined); };`;

const tool = (name, ...groups) => ({ name, groups, inputSchema: { type: "object" } });
const SERVERS = [
  {
    server: "forge",
    lists: { tools: [tool("open_issue", "issues"), tool("merge", "code"), tool("search_code", "find")] },
  },
  { server: "wiki", lists: { tools: [tool("read_page", "pages"), tool("search_pages", "find"), tool("rename")] } },
];
const CONFIG = {
  groups: [
    { name: "work", title: "Work" },
    { name: "code", title: "Code", parent: "work" },
    { name: "issues", title: "Issues", parent: "work" },
    { name: "pages", title: "Pages" },
    { name: "find", title: "Find" },
  ],
};
const sieve = Sieve.compile(SERVERS, CONFIG);

pickerPage(BODY, SCRIPT, { reducedMotion: "reduce" });
beforeEach(() => page.evaluate(([servers, config]) => load(servers, config), [SERVERS, CONFIG]));

const filter = () => page.evaluate(() => element.filter);
const names = () => page.locator("[role=gridcell].name .label").allTextContents();
const notes = () => page.locator(".note").allTextContents();
const item = (name) => page.getByRole("treeitem", { name });
const tree = () =>
  page
    .getByRole("treeitem")
    .evaluateAll((items) =>
      items
        .filter((item) => item.checkVisibility())
        .map((item) => `${item.ariaLevel} ${item.ariaLabel.split(",")[0]} ${item.ariaChecked}`),
    );
const agrees = async (expected, left) => {
  assert.deepEqual([await filter(), await names(), sieve.names({ filter: expected })], [expected, left, left]);
};

test("servers are the first level, each with the groups that it has something in", async () => {
  assert.equal(await page.getByRole("tree", { name: "Servers and groups" }).count(), 1);
  assert.deepEqual(await tree(), [
    "1 forge false",
    "2 Work false",
    "3 Code false",
    "3 Issues false",
    "2 Find false",
    "1 wiki false",
    "2 Pages false",
    "2 Find false",
  ]);
  assert.deepEqual(await page.locator(".row .server").allTextContents(), [
    ...Array(3).fill("forge"),
    ...Array(3).fill("wiki"),
  ]);
});

test("a server and a group of another select the items of both", async () => {
  await item("forge").click();
  await agrees({ where: "server=forge" }, ["open_issue", "merge", "search_code"]);
  await item("Pages").click();
  const both = { where: "server=forge or group=pages" };
  await agrees(both, ["open_issue", "merge", "search_code", "read_page"]);
  assert.deepEqual((await tree()).slice(-3), ["1 wiki mixed", "2 Pages true", "2 Find false"]);
  await page.evaluate((filter) => {
    element.filter = filter;
  }, both);
  assert.deepEqual(
    (await tree()).slice(-3),
    ["1 wiki mixed", "2 Pages true", "2 Find false"],
    "a kept filter is the same choice",
  );
  await page.getByRole("tab", { name: "Hidden" }).click();
  assert.deepEqual(await notes(), Array(2).fill("Not in forge or Pages"));
});

test("a group is left out of a server that is chosen, and a server as a whole", async () => {
  await item("forge").click();
  await item("Issues").click();
  await agrees({ not: { groups: ["issues"] }, where: "server=forge" }, ["merge", "search_code"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Exclude server wiki" }).click();
  await agrees({ where: "-server=wiki" }, ["open_issue", "merge", "search_code"]);
  assert.equal(await page.getByRole("button", { name: "Exclude server wiki" }).getAttribute("aria-pressed"), "true");
  await page.getByRole("tab", { name: "Hidden" }).click();
  assert.deepEqual(await notes(), Array(3).fill("From excluded wiki"));
  await page.getByRole("tab", { name: "Shown" }).click();
  await page.getByRole("button", { name: "Include group Pages" }).click();
  await agrees({ groups: ["pages"] }, ["read_page"]);
});

test("a group that both have is one group in two places", async () => {
  await item("Find").last().click();
  await agrees({ groups: ["find"] }, ["search_code", "search_pages"]);
  assert.deepEqual(
    (await tree()).filter((line) => line.includes("Find")),
    ["2 Find true", "2 Find true"],
  );
  assert.match((await item("Find").first().getAttribute("aria-label")) ?? "", /, 1 of 1 tool$/, "each counts its own");
});

test("the keyboard folds and chooses servers as it does groups", async () => {
  await item("forge").focus();
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await press("ArrowLeft");
  assert.deepEqual(await tree(), ["1 forge false", "1 wiki false", "2 Pages false", "2 Find false"]);
  await press("ArrowDown", "Space");
  await agrees({ where: "server=wiki" }, ["read_page", "search_pages", "rename"]);
  await press("-");
  await agrees({ where: "-server=wiki" }, ["open_issue", "merge", "search_code"]);
  await press("Delete", "Home", "+");
  await agrees({ where: "server=forge" }, ["open_issue", "merge", "search_code"]);
  await press("*");
  assert.equal((await tree()).length, 8);
});

test("a search finds tools of every server", async () => {
  await page.getByRole("searchbox").fill("search");
  assert.deepEqual((await names()).sort(), ["search_code", "search_pages"]);
  await page.getByRole("button", { name: "Filter by this search" }).click();
  await item("wiki").click();
  assert.deepEqual([await filter(), await names()], [{ query: "search", where: "server=wiki" }, ["search_pages"]]);
});

test("a server alone is no level of the tree", async () => {
  await page.evaluate(([servers, config]) => load(servers.slice(1), config), [SERVERS, CONFIG]);
  assert.deepEqual(await tree(), ["1 Work false", "2 Code false", "2 Issues false", "1 Pages false", "1 Find false"]);
  assert.ok((await page.locator(".row .server").first().textContent()) === "");
});

test("axe finds nothing, on a phone either", async () => {
  await item("forge").click();
  await page.getByRole("button", { name: "Exclude server wiki" }).click();
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    if (width === 390) await page.getByRole("button", { name: "Filters", exact: true }).click();
    assert.deepEqual(await axeFinds(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  }
});
