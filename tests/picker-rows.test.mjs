// The list of `<mcp-sieve-picker>`, in real Chromium: names, reasons, scrolling and empty lists.
import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support/picker-page.mjs";
import { axeFinds } from "./support/site.mjs";
import {
  CONFIG,
  LISTS,
  button,
  filter,
  focus,
  item,
  names,
  open,
  pickerForm,
  sign,
  status,
  tab,
  tool,
} from "./support/picker-form.mjs";

pickerForm();

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
  assert.ok(await page.evaluate(() => scrollY > 500_000), "the page is the only scroller");
  assert.ok(await page.getByRole("grid").evaluate((grid) => grid.scrollHeight === grid.clientHeight));
  await page.evaluate(() => scrollTo(0, 0));
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
      Math.max(0, -grid.getBoundingClientRect().top),
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
  // The filters scroll with the page, so a click on one would scroll to it.
  const mark = (tag, mark) => page.evaluate(([tag, mark]) => element.act((one) => one.mark(tag, mark)), [tag, mark]);
  await mark("most", "must");
  assert.match(await status(), /^4\d\d of 500 tools/);
  assert.deepEqual((await place()).slice(0, 2), before.slice(0, 2));
  // What remains is shorter than the place.
  await mark("most", "any");
  await mark("few", "must");
  assert.match(await status(), /^10 of 500 tools/);
  // The rows are drawn with the next scroll event.
  await page.locator("[role=gridcell].name .label", { hasText: /^tool_450$/ }).waitFor();
  await mark("few", "any");
  for (const anew of [() => page.getByRole("searchbox").fill("tool"), () => tab("All").click()]) {
    await grid.focus();
    await page.keyboard.press("End");
    await anew();
    assert.deepEqual((await place()).slice(0, 2), [0, "2"]);
  }
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
