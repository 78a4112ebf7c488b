// The budget of the picker element in real Chromium: limits, bars, items over the limit, and disclosure modes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Preferences, Sieve } from "../pkg/loaders/node.js";
import { page, pickerPage } from "./support/picker-page.mjs";
import { axeFinds } from "./support/site.mjs";

const BODY = `<form id="form"><mcp-sieve-picker name="filter" budget></mcp-sieve-picker><button type="reset">Reset</button></form>`;
const SCRIPT = `globalThis.element = document.querySelector("mcp-sieve-picker");
globalThis.events = [];
for (const type of ["change", "budget"])
  document.addEventListener(type, (event) => events.push([type, event.detail?.filter ?? event.detail ?? null]));
globalThis.load = (lists, config) => { element.sieve = Sieve.compile(lists, config); };`;

const tool = (name, priority, more) => ({
  name,
  inputSchema: { type: "object" },
  ...(priority === undefined ? {} : { annotations: { priority } }),
  ...more,
});
const LONG = { description: "A long description that costs many tokens. ".repeat(10) };
const LISTS = {
  tools: [tool("first"), tool("second", 0.2), tool("third", 0.9), tool("large", 0.5, LONG), tool("last")],
  prompts: [{ name: "ask" }, { name: "tell" }],
};
const sieve = Sieve.compile(LISTS);

pickerPage(BODY, SCRIPT, { reducedMotion: "reduce" });

const open = (lists = LISTS, config = undefined) =>
  page.evaluate(([lists, config]) => load(lists, config ?? undefined), [lists, config ?? null]);
const many = (count) => ({ tools: Array.from({ length: count }, (_, at) => tool(`tool_${at}`)) });
const filter = () => page.evaluate(() => element.filter);
const events = () => page.evaluate(() => events.splice(0));
const budget = () => page.getByRole("region", { name: "Budget" });
const most = (what) => page.getByRole("spinbutton", { name: `Max ${what}` });
const meter = (what) => page.getByRole("meter", { name: `${what.replace(/^./, (first) => first.toUpperCase())} used` });
const tab = (name) => page.getByRole("tab", { name });
const names = () => page.locator("[role=gridcell].name .label").allTextContents();
const notes = () => page.locator(".note").allTextContents();
async function bound(what, value) {
  await most(what).fill(String(value));
  await most(what).press("Tab");
}
const read = (locator, ...attributes) =>
  locator.evaluate((element, attributes) => attributes.map((name) => element.getAttribute(name)), attributes);

test("a limit is a step of the choice, and items over it show their rank (G-50)", async () => {
  await open();
  assert.ok(await tab("Over budget").isHidden());
  await bound("tools", 3);
  const [tokens, all] = [sieve.tokens({ filter: { limit: { count: 3 } } }).count, sieve.tokens().count];
  assert.deepEqual(await events(), [
    ["change", { limit: { count: 3 } }],
    ["budget", { maxTools: 3, maxTokens: null, selected: 3, tokens, dropped: 2 }],
  ]);
  assert.deepEqual(await names(), sieve.names({ filter: { limit: { count: 3 } } }));
  assert.deepEqual(await read(meter("tools"), "aria-valuenow", "aria-valuetext"), ["3", "3 of 5 tools, at most 3"]);
  assert.deepEqual(await read(meter("tokens"), "aria-valuenow", "aria-valuemax", "aria-valuetext"), [
    String(tokens),
    String(all),
    `${tokens} of about ${all} tokens`,
  ]);
  await page.getByRole("button", { name: "Show 2 tools over budget" }).click();
  assert.equal(await tab("Over budget, 2").getAttribute("aria-selected"), "true");
  assert.deepEqual(
    [await names(), await notes()],
    [
      ["first", "last"],
      ["Position 4 of 5: no room, no priority", "Position 5 of 5: no room, no priority"],
    ],
  );
  await page.getByRole("button", { name: "Undo" }).click();
  assert.deepEqual(await filter(), {});
  assert.ok(await tab("Over budget").isHidden());
  assert.equal(await tab("Shown").getAttribute("aria-selected"), "true", "the tab that is gone is not selected");
  assert.equal(await most("tools").inputValue(), "");
});

test("a tool that is too large is left out, and smaller ones behind it are kept", async () => {
  await open();
  const limit = { tokens: 80 };
  await bound("tokens", 80);
  assert.deepEqual(await filter(), { limit });
  await tab("Over budget").click();
  const rows = sieve.picker();
  rows.setLimit(limit);
  rows.showing = "dropped";
  const [{ name, tokens, rank, reason }] = rows.rows(0, 9);
  assert.deepEqual([name, rank.position, rank.priority, reason.rule], ["large", 2, 0.5, "limit"]);
  assert.deepEqual(await notes(), [`Position 2 of 5: needs ${tokens} tokens, ${rank.tokensLeft} left, priority 0.5`]);
  assert.ok((await names()).length === 1 && rows.filter.limit.tokens === 80);
  await tab("Hidden").click();
  assert.deepEqual(await names(), ["large"]);
});

test("words order the items within a limit", async () => {
  const about = (name, description) => tool(name, undefined, { description });
  await open({
    tools: [about("one", "Sends a letter and a parcel by mail"), about("mail", "Mail"), about("other", "Nothing")],
  });
  await page.getByRole("searchbox").fill("mail");
  await page.getByRole("button", { name: "Filter by this search" }).click();
  await page.getByRole("searchbox").fill("");
  await bound("tools", 1);
  assert.deepEqual(await names(), ["mail"]);
  await tab("Over budget").click();
  assert.match((await notes()).join(), /^Position 2 of 2: no room, no priority, relevance \d+$/);
});

test("a bound that is none is refused in words, and the field shows the one that holds", async () => {
  await open();
  await bound("tools", 4);
  await events();
  for (const wrong of ["0", "-3", "1.5", "4294967296"]) {
    await bound("tools", wrong);
    assert.match(await page.getByRole("alert").textContent(), /`limit.count` has to be a whole number from 1/, wrong);
    assert.deepEqual(
      [await most("tools").inputValue(), await filter(), await events()],
      ["4", { limit: { count: 4 } }, []],
    );
  }
  await bound("tools", "");
  assert.deepEqual([await filter(), await page.getByRole("alert").isHidden()], [{}, true]);
});

test("bars and words say which hosts take the choice", async () => {
  await open(many(100));
  const hosts = () =>
    page.locator("[part=hosts] li").evaluateAll((items) => items.map((item) => [item.dataset.fits, item.textContent]));
  assert.deepEqual(await hosts(), [
    ["false", "60 too many for hosts with a limit of 40 tools"],
    ["false", "36 too many for hosts with a limit of 64 tools"],
    ["true", "Fits hosts with a limit of 128 tools"],
  ]);
  assert.deepEqual(await read(meter("tools"), "aria-valuemin", "aria-valuenow", "aria-valuemax"), ["0", "100", "154"]);
  await bound("tools", 64);
  assert.deepEqual(
    (await hosts()).map(([fits]) => fits),
    ["false", "true", "true"],
  );
  await page.evaluate(() => {
    element.thresholds = [30, 10];
  });
  assert.deepEqual(
    (await hosts()).map(([, text]) => text),
    ["54 too many for hosts with a limit of 10 tools", "34 too many for hosts with a limit of 30 tools"],
  );
  await open(many(1000));
  const [now, end] = (await read(meter("tools"), "aria-valuenow", "aria-valuemax")).map(Number);
  assert.ok(now === 64 && end >= now);
  assert.equal(await meter("tools").getAttribute("data-beyond"), "", "what falls out goes beyond the scale");
});

test("thresholds and disclosure are those of tools; the bounds are those of any kind", async () => {
  await open();
  assert.deepEqual(
    await page.locator("[part=modes] li").evaluateAll((items) => items.map((item) => item.dataset.mode)),
    ["flat", "search", "groups"],
  );
  const text = await page.locator("[part=modes]").textContent();
  for (const { tools, tokens } of sieve.picker().disclosure) {
    assert.ok(text.includes(`${tools} tools`) && text.includes(`${tokens} tokens`), text);
  }
  const [flat] = sieve.picker().disclosure;
  assert.deepEqual([flat.tools, flat.tokens], [5, sieve.tokens().count]);
  await page.evaluate(() => {
    element.kind = "prompts";
  });
  assert.ok((await page.locator("[part=hosts]").isHidden()) && (await page.locator("[part=modes]").isHidden()));
  await bound("prompts", 1);
  assert.deepEqual(await names(), ["ask"]);
});

test("attributes are the bounds to begin with, properties those of the filter", async () => {
  await page.evaluate(() => {
    element.setAttribute("max-tools", "2");
    element.setAttribute("max-tokens", "many");
  });
  await open();
  const bounds = () => page.evaluate(() => [element.maxTools, element.maxTokens]);
  assert.deepEqual([await bounds(), await filter()], [[2, null], { limit: { count: 2 } }]);
  await page.evaluate(() => {
    element.filter = { namePatterns: ["*"] };
  });
  assert.deepEqual(await filter(), { namePatterns: ["*"], limit: { count: 2 } }, "a filter without a limit has them");
  await page.evaluate(() => {
    element.filter = { limit: { tokens: 70 } };
  });
  assert.deepEqual(await bounds(), [null, 70], "one with a limit has its own");
  await bound("tools", 1);
  await page.getByRole("button", { name: "Reset" }).click();
  assert.deepEqual(await filter(), { limit: { tokens: 70 } });
  await page.evaluate(() => {
    element.maxTools = 3;
    element.maxTokens = null;
  });
  assert.deepEqual([await bounds(), await page.evaluate(() => element.getAttribute("max-tools"))], [[3, null], "3"]);
  assert.deepEqual((await events()).filter(([type]) => type === "budget").length, 1, "a program's change is no event");
  await page.evaluate(() => {
    element.budget = false;
  });
  assert.ok(await budget().isVisible(), "a filter with a limit shows it");
  await page.evaluate(() => {
    element.maxTools = null;
  });
  assert.ok((await budget().count()) === 0 && (await page.getByRole("spinbutton").count()) === 0);
});

test("the bounds are kept with a person's preferences", async () => {
  const kept = new Map();
  const storage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => kept.set(key, text),
    removeItem: (key) => kept.delete(key),
  };
  const preferences = new Preferences("https://one.example/mcp", { storage });
  const picker = sieve.picker();
  picker.setLimit({ count: 3, tokens: null });
  assert.ok(preferences.save(picker));
  assert.deepEqual(preferences.filter(sieve), { limit: { count: 3 } });
  const other = sieve.picker();
  assert.deepEqual([preferences.apply(other), other.filter, other.undo()], [true, { limit: { count: 3 } }, false]);
  assert.throws(() => picker.setLimit({ cout: 3 }), { code: "invalid_option" });
});

test("a field that is being edited keeps its text, and follows the choice again afterwards", async () => {
  const limit = (count) => page.evaluate((count) => element.act((picker) => picker.setLimit({ count })), count);
  const type = async (...keys) => {
    await most("tools").focus();
    for (const key of ["End", ...keys]) await page.keyboard.press(key);
  };
  await open();
  await limit(4);
  await type("2");
  await limit(7);
  assert.equal(await most("tools").inputValue(), "42");
  await most("tools").blur();
  await limit(9);
  await type("1", "Backspace");
  await limit(5);
  assert.equal(await most("tools").inputValue(), "9");
  await most("tools").blur();
  assert.equal(await most("tools").inputValue(), "5", "no event `change` says that the editing is over");
});

test("the keyboard is enough, and tabs that are not there are passed", async () => {
  await open();
  await tab("Shown").focus();
  for (const name of ["Hidden, 0", "All, 5", "Shown, 5"]) {
    await page.keyboard.press("ArrowRight");
    assert.equal(await tab(name).getAttribute("aria-selected"), "true");
  }
  await most("tools").focus();
  await page.keyboard.type("2");
  await page.keyboard.press("Enter");
  assert.deepEqual(await filter(), { limit: { count: 2 } });
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => element.shadowRoot.activeElement.id), "most-tokens");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await tab("Over budget, 3").getAttribute("aria-selected"), "true");
  await tab("Over budget").focus();
  await page.keyboard.press("ArrowLeft");
  assert.equal(await tab("Hidden, 3").getAttribute("aria-selected"), "true");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await tab("Over budget, 3").getAttribute("aria-selected"), "true");
  await page.getByRole("grid").focus();
  await page.keyboard.press("ArrowDown");
  assert.deepEqual(await names(), ["second", "first", "last"]);
});

for (const width of [320, 390, 1280]) {
  for (const direction of ["ltr", "rtl"]) {
    test(`at ${width} pixels, ${direction}, nothing is cut off, too small or too faint`, async () => {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate((direction) => {
        document.documentElement.dir = direction;
      }, direction);
      await open(many(200));
      await bound("tools", 50);
      await bound("tokens", 700);
      await tab("Over budget").click();
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      const outside = await budget().evaluate((section) => {
        const { left, right } = section.getBoundingClientRect();
        return [...section.querySelectorAll("*")]
          .filter((part) => part.checkVisibility())
          .map((part) => [part.className || part.textContent, part.getBoundingClientRect()])
          .filter(([, box]) => box.left < left - 1 || box.right > right + 1)
          .map(([name]) => name);
      });
      assert.deepEqual(outside, []);
      const small = await budget().evaluate((section) =>
        [...section.querySelectorAll("button, input")]
          .filter((target) => target.checkVisibility())
          .map((target) => target.getBoundingClientRect())
          .filter(({ width, height }) => width < 24 || height < 24),
      );
      assert.deepEqual(small, []);
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await axeFinds(page), [], colorScheme);
      }
      await page.emulateMedia({ forcedColors: "active" });
      const drawn = await page.evaluate(() => {
        const style = (selector) => getComputedStyle(element.shadowRoot.querySelector(selector)).backgroundColor;
        return [style(".used"), style(".lost"), style(".track")];
      });
      assert.equal(new Set(drawn).size, 3, `what is used, what falls out and what is free differ: ${drawn}`);
    });
  }
}
