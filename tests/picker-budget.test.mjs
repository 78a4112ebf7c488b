// The budget of the picker element in real Chromium: limits, bars, items over the limit, pins, shares of servers, and
// disclosure modes.
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
Object.assign(globalThis, { Sieve });
globalThis.load = (lists, config) => { element.sieve = Sieve.compile(lists, config); };
globalThis.unfold = (open) => { element.shadowRoot.querySelector("details").open = open; };`;

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
  page.evaluate(
    ([lists, config]) => {
      load(lists, config ?? undefined);
      unfold(true);
    },
    [lists, config ?? null],
  );
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
      ["The budget is full", "The budget is full"],
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
  assert.deepEqual(await notes(), [`The budget is full: this needs ${tokens} tokens, ${rank.tokensLeft} are left`]);
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
  assert.deepEqual([await names(), await notes()], [["one"], ["The budget is full"]]);
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
  const told = () =>
    page.locator("[part=modes] li").evaluateAll((items) => items.map((item) => [item.textContent, item.title]));
  const expected = sieve
    .picker()
    .disclosure.map(({ tokens, tools, exact }, at) => [
      `${["everything", "by search", "by groups"][at]} ${exact ? "" : "about "}${tokens}`,
      tools,
    ]);
  assert.ok(await page.getByText("Tokens that a model reads at first:").isVisible());
  assert.deepEqual(
    (await told()).map(([text, title]) => [text, Number(/^\d+/.exec(title)[0])]),
    expected,
  );
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
  await events();
  await page.evaluate(() => {
    element.maxTools = 3;
    element.maxTokens = null;
  });
  assert.deepEqual([await bounds(), await page.evaluate(() => element.getAttribute("max-tools"))], [[3, null], "3"]);
  assert.deepEqual(
    (await events()).map(([type, detail]) => [type, detail.limit ?? detail.maxTools]),
    [
      ["change", { count: 3 }],
      ["budget", 3],
    ],
    "the page has set bounds and not the filter, so it receives the filter",
  );
  await page.evaluate(() => {
    element.budget = false;
  });
  assert.ok(await budget().isVisible(), "a filter with a limit shows it");
  await page.evaluate(() => {
    element.maxTools = null;
  });
  assert.ok((await budget().count()) === 0 && (await page.getByRole("spinbutton").count()) === 0);
});

test("initial bounds are announced once, when they meet a sieve, and the filter of the page is not", async () => {
  const heard = await page.evaluate(async (lists) => {
    const sieve = Sieve.compile(lists);
    await sieve.ready("picker");
    const begin = async (attributes, properties) => {
      const element = document.createElement("mcp-sieve-picker");
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      const heard = [];
      for (const name of ["change", "budget"])
        element.addEventListener(name, ({ type, detail }) => heard.push([type, detail.filter ?? detail.maxTools]));
      Object.assign(element, properties);
      await new Promise((done) => setTimeout(done));
      return heard;
    };
    const filter = { tags: ["b", "a"], limit: { count: 2 } };
    return [
      await begin({ "max-tools": 2 }, { sieve }),
      await begin({ "max-tools": 2 }, { filter: { namePatterns: ["*"] }, sieve }),
      await begin({ "max-tools": 2 }, { filter, sieve }),
      await begin({ "max-tools": 2 }, { filter }),
      await begin({}, { sieve, filter: { namePatterns: ["*"] } }),
    ];
  }, LISTS);
  const limit = { count: 2 };
  assert.deepEqual(heard, [
    [
      ["change", { limit }],
      ["budget", 2],
    ],
    [
      ["change", { namePatterns: ["*"], limit }],
      ["budget", 2],
    ],
    [],
    [],
    [],
  ]);
});

const SERVERS = ["forge", "wiki"].map((server) => ({
  server,
  lists: { tools: Array.from({ length: 4 }, (_, at) => tool(`${server}_${at}`)) },
}));
const use = (name) => page.getByRole("checkbox", { name: `Use ${name}` });

test("a budget is shared between servers, and what is used over budget is pinned and makes room", async () => {
  const shared = Sieve.compile(SERVERS);
  const lists = async (expected) => {
    const told = (await events()).findLast(([type]) => type === "change")[1];
    assert.deepEqual([told, await names()], [await filter(), expected]);
    assert.deepEqual(shared.names({ filter: told }), expected, "a gateway lists what is shown");
  };
  await open(SERVERS);
  await bound("tools", 4);
  await lists(["forge_0", "forge_1", "wiki_0", "wiki_1"]);
  await tab("Over budget").click();
  await use("forge_3").click();
  await tab("Shown").click();
  await lists(["forge_0", "forge_1", "forge_3", "wiki_0"]);
  assert.deepEqual(await notes(), ["", "", "Pinned", ""]);
  await tab("Over budget").click();
  await page.getByRole("button", { name: "Favorite wiki_3" }).click();
  await tab("Shown").click();
  await lists(["forge_0", "forge_3", "wiki_0", "wiki_3"]);
  // The keyboard does the same, and undo takes it back.
  await tab("Over budget").click();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await tab("Shown").click();
  await lists(["forge_0", "forge_1", "forge_3", "wiki_3"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await lists(["forge_0", "forge_3", "wiki_0", "wiki_3"]);
  await use("forge_3").click();
  await lists(["forge_0", "forge_1", "wiki_0", "wiki_3"]);
});

test("pins are kept with the preferences, and one that cannot fit is refused in words", async () => {
  await page.evaluate(async () => {
    const { Preferences } = await import("/mcp-sieve/loaders/web.js");
    element.preferences = new Preferences("https://pins.example/mcp");
  });
  await open(SERVERS);
  await bound("tools", 2);
  await tab("Over budget").click();
  await use("wiki_3").click();
  const pinned = await filter();
  const again = await page.evaluate(
    async ([servers]) => {
      const { Preferences } = await import("/mcp-sieve/loaders/web.js");
      const sieve = Sieve.compile(servers);
      const filter = new Preferences("https://pins.example/mcp").filter(sieve);
      element.preferences = undefined;
      localStorage.clear();
      return [filter, sieve.names({ filter })];
    },
    [SERVERS],
  );
  assert.deepEqual(again, [pinned, ["forge_0", "wiki_3"]]);
  await open();
  await bound("tools", "");
  await bound("tokens", 40);
  await tab("Over budget").click();
  await use("large").click();
  assert.match(await page.getByRole("alert").textContent(), /a budget into which this fits/);
});

test("a stored filter is the same choice again, with its pins or in another catalog", async () => {
  const shared = Sieve.compile(SERVERS);
  const one = shared.picker();
  const again = (preferences) => {
    const picker = shared.picker();
    picker.begin(one.filter);
    if (preferences) picker.prefer(preferences);
    assert.deepEqual(picker.filter, one.filter);
    picker.setLimit({ count: 6 });
    return picker.summary.selected;
  };
  one.setLimit({ count: 4 });
  assert.equal(again(), 6);
  one.setUsed("wiki_3");
  one.setDisabled("forge_0");
  assert.equal(again(one.preferences), 6);
  assert.equal(again(), 4, "without the pin, the names are a condition");
  // Another catalog: what the person has chosen stays, and the servers take turns anew.
  await open(SERVERS);
  await bound("tools", 4);
  await page.getByRole("button", { name: "Favorite forge_1" }).click();
  const third = { server: "mail", lists: { tools: [tool("mail_0"), tool("mail_1")] } };
  await events();
  await open([...SERVERS, third]);
  assert.deepEqual(await names(), ["forge_0", "forge_1", "wiki_0", "mail_0"]);
  const [[type, announced]] = await events();
  assert.deepEqual([type, announced], ["change", await filter()]);
});

test("a search counts what it finds under other tabs, and goes there", async () => {
  const about = (name, description) => tool(name, undefined, { description });
  await open({
    tools: [
      about("ticket_list", "Lists tickets"),
      about("other", "Nothing"),
      about("ticket_close", "Closes a ticket"),
      about("ticket_open", "Opens a ticket"),
    ],
  });
  await bound("tools", 2);
  await page.getByRole("searchbox").fill("ticket");
  const hits = () => page.locator("[part=hits]").textContent();
  assert.equal(await hits(), "1 hit here");
  const more = page.getByRole("button", { name: "2 more over budget" });
  await more.focus();
  await page.keyboard.press("Enter");
  assert.equal(await tab("Over budget, 2").getAttribute("aria-selected"), "true");
  assert.deepEqual((await names()).sort(), ["ticket_close", "ticket_open"]);
  assert.ok(await page.evaluate(() => element.shadowRoot.activeElement !== null), "the keyboard stays in the element");
  await page.getByRole("button", { name: "1 more shown" }).click();
  assert.deepEqual(await names(), ["ticket_list"]);
  await use("ticket_list").click();
  assert.equal(await page.getByRole("button", { name: /more hidden$/ }).textContent(), "1 more hidden");
  await page.getByRole("searchbox").fill("");
  assert.deepEqual([await hits(), await page.getByRole("button", { name: /more/ }).count()], ["", 0]);
});

test("the budget is a line that opens", async () => {
  await open(many(130));
  await bound("tools", 40);
  await page.evaluate(() => unfold(false));
  const line = budget().locator("summary");
  assert.match(await line.innerText(), /^Budget\s+40 of 130 tools, at most 40\s+[\d,]+ of about [\d,]+ tokens$/);
  assert.ok(await most("tools").isHidden());
  const { height } = await budget().boundingBox();
  assert.ok(height < 60, `${height} px`);
  assert.deepEqual(await axeFinds(page), []);
  await line.focus();
  await page.keyboard.press("Enter");
  assert.ok(await most("tools").isVisible());
  assert.deepEqual(await axeFinds(page), []);
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
