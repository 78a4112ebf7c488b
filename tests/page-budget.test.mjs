// The demo page with a thousand tools of two servers and a budget, compared with the engine in Node.
// UPDATE_PICTURE=1 (`make picture`) also renews docs/budget-1280.png and docs/budget-390.png, which the documentation
// shows.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Sieve } from "../pkg/loaders/node.js";
import { send } from "./support/raw-client.mjs";
import { axeFinds } from "./support/site.mjs";
import { CONFIG, SERVERS } from "./support/two-servers.mjs";
import { act, forgive, names, open, page, visits, workers } from "./support/visit.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const WAIT_MS = 60_000;
/** Margin of the page around the picker in a picture, in pixels. */
const AROUND = 16;
/** Maximum height of a picture, in pixels: the list is as high as its rows. */
const PICTURE_HEIGHT = 1_200;
const PICTURE_BYTES = 200 * 1000;
const LIMIT = { count: 60, tokens: 8000 };
const sieve = Sieve.compile(SERVERS, CONFIG);

visits({});
const tab = (name) => page.getByRole("tab", { name });
const item = (name) => page.getByRole("treeitem", { name });
const filter = () => page.evaluate(() => document.getElementById("picker").filter);
/** Returns the tools that a server lists, from all pages. */
async function listed(mcp) {
  const found = [];
  for (let cursor; ; ) {
    const { result } = await (await send(mcp, "tools/list", { cursor })).json();
    found.push(...result.tools);
    cursor = result.nextCursor;
    if (cursor === undefined) return found;
  }
}
async function paste(catalog) {
  await open("#from=paste");
  await page.fill("#text", JSON.stringify(catalog));
  await act(page.locator("[data-for=paste] button").click());
}
/** Opens the line of the budget. */
const unfold = () =>
  page.locator("#picker details").evaluate((details) => {
    details.open = true;
  });
async function bound(what, value) {
  await unfold();
  const field = page.getByRole("spinbutton", { name: `Max ${what}` });
  await field.fill(String(value));
  await act(field.press("Tab"));
}

test("two servers are one catalog: in the tree, in a search and within a budget", { timeout: WAIT_MS }, async () => {
  await paste({ servers: SERVERS, config: CONFIG });
  assert.deepEqual(await names(), sieve.names());
  const first = await page
    .locator("#picker [role=treeitem][aria-level='1']")
    .evaluateAll((items) => items.map((item) => item.ariaLabel));
  assert.deepEqual(first, ["forge, 600 of 600 tools", "wiki, 400 of 400 tools"]);

  await page.getByRole("searchbox", { name: "Search tools" }).fill("search a page");
  const found = sieve.search("search a page", { limit: 1000 }).map(({ name }) => name);
  assert.equal((await names())[0], found[0]);
  await page.getByRole("searchbox", { name: "Search tools" }).fill("delete");
  const servers = await page.evaluate(() =>
    document
      .getElementById("picker")
      .picker.rows(0, 1000)
      .map(({ server }) => server),
  );
  assert.deepEqual([...new Set(servers)].sort(), ["forge", "wiki"], "a search finds tools of both");
  await page.getByRole("searchbox", { name: "Search tools" }).fill("");

  await bound("tools", LIMIT.count);
  await bound("tokens", LIMIT.tokens);
  const shared = await filter();
  assert.deepEqual([shared.limit, await names()], [LIMIT, sieve.names({ filter: shared })]);
  const turns = ["forge", "wiki"].map((server) =>
    sieve.count({ filter: { ...shared, where: `server=${server} (${shared.where})` } }),
  );
  assert.ok(Math.min(...turns) > LIMIT.count / 3, `both servers have their share: ${turns}`);
  assert.match(decodeURIComponent(new URL(page.url()).hash), /limit\.count=60&limit\.tokens=8000/);
  await tab("Over budget").click();
  const dropped = await names();
  assert.equal(dropped.length, 1000 - sieve.count({ filter: shared }));
  assert.match((await page.locator("#picker .note").first().textContent()) ?? "", /^The budget is full/);
  await tab("Shown").click();
  for (const { mode, tokens } of await page.evaluate(() => document.getElementById("picker").picker.disclosure)) {
    const said = await page.locator(`#picker [data-mode=${mode}]`).textContent();
    assert.ok(said.endsWith(tokens.toLocaleString("en")), said);
  }
  await act(item("wiki").click());
  const chosen = { limit: LIMIT, where: "server=wiki" };
  assert.deepEqual([await filter(), await names()], [chosen, sieve.names({ filter: chosen })]);
  assert.equal(await item("wiki").getAttribute("aria-checked"), "true");
});

test("a sample of two servers is loaded from an address", { timeout: WAIT_MS }, async () => {
  const sample = (name) => JSON.parse(readFileSync(join(root, `web/page/samples/${name}.json`), "utf8"));
  await open("#from=sample&sample=forge,shop&q=server%3Dshop");
  const tools = ["forge", "shop"].map((name) => sample(name).lists.tools.map((tool) => tool.name));
  assert.deepEqual(await names(), tools[1]);
  assert.equal(await item("shop").first().getAttribute("aria-checked"), "true");
  assert.equal(await page.textContent("#loaded"), "Sample “forge”, Sample “shop”");
  await act(page.getByRole("button", { name: "Clear filters" }).click());
  assert.deepEqual(await names(), tools.flat());
});

test("several servers are read over their addresses", { timeout: WAIT_MS }, async () => {
  const mcp = `${workers.urls.site}/mcp`;
  await open(`#from=url&url=${encodeURIComponent(`${mcp} ${mcp}?groups=issues`)}`);
  const [whole, issues] = ["", "?groups=issues"].map((query) => listed(`${mcp}${query}`));
  const first = await page
    .locator("#picker [role=treeitem][aria-level='1']")
    .evaluateAll((items) => items.map((item) => item.ariaLabel.split(",")[0]));
  assert.deepEqual(first.slice(0, 2), ["sieve-tracker", "sieve-tracker 2"]);
  assert.equal((await names()).length, (await whole).length + (await issues).length);
  await page.getByRole("searchbox", { name: "Search tools" }).fill("list issues");
  const found = await names();
  assert.ok(
    ["sieve_tracker_list_issues", "sieve_tracker_2_list_issues"].every((name) => found.includes(name)),
    found,
  );
  assert.match((await page.textContent("#loaded")) ?? "", /^Sieve project tracker .*; Sieve project tracker /);
  assert.ok(await page.locator("#claude").isHidden(), "no client connects to several servers by one address");
});

test("a server that cannot be reached takes no other one away", { timeout: WAIT_MS }, async () => {
  forgive(/Failed to load|CORS|^asks /);
  const mcp = `${workers.urls.site}/mcp`;
  await open(`#from=url&url=${encodeURIComponent(`http://127.0.0.1:9/mcp ${mcp}`)}`);
  assert.equal((await names()).length, (await listed(mcp)).length);
  await page.locator("#notes summary").click();
  assert.match((await page.locator("#notes li").first().textContent()) ?? "", /No answer from 127\.0\.0\.1:9/);
});

for (const width of [1280, 390]) {
  test(`at ${width} pixels it has its picture taken`, { timeout: WAIT_MS }, async () => {
    // Rows exist only in the viewport.
    await page.setViewportSize({ width, height: PICTURE_HEIGHT + 600 });
    await paste({ servers: SERVERS, config: CONFIG });
    await bound("tools", LIMIT.count);
    await bound("tokens", LIMIT.tokens);
    await tab("Over budget").click();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(await axeFinds(page), []);
    await page.evaluate(() => {
      document.activeElement?.blur();
      getSelection()?.removeAllRanges();
      scrollTo(0, 0);
    });
    const { top, bottom } = await page.locator("#picker").evaluate((picker) => {
      const box = picker.getBoundingClientRect();
      return { top: Math.floor(box.top + scrollY), bottom: Math.ceil(box.bottom + scrollY) };
    });
    const clip = { x: 0, y: top - AROUND, width, height: Math.min(bottom - top, PICTURE_HEIGHT) + 2 * AROUND };
    const picture = await page.screenshot({ fullPage: true, clip });
    mkdirSync(join(root, "build"), { recursive: true });
    writeFileSync(join(root, `build/budget-${width}.png`), picture);
    const kept = join(root, `docs/budget-${width}.png`);
    if (process.env.UPDATE_PICTURE) writeFileSync(kept, picture);
    const bytes = readFileSync(kept);
    assert.equal(bytes.readUInt32BE(16), width);
    assert.ok(bytes.length <= PICTURE_BYTES, `${bytes.length} bytes`);
  });
}
