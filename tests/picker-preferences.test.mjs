// The stored preferences of `<mcp-sieve-picker>`, in real Chromium: favorites, own tags and choices.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Sieve } from "../pkg/loaders/node.js";
import { page } from "./support/picker-page.mjs";
import { axeFinds } from "./support/site.mjs";
import { CONFIG, LISTS, button, changes, filter, names, open, pickerForm, sign, tab } from "./support/picker-form.mjs";

pickerForm();

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
