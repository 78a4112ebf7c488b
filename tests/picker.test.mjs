// The choices in `<mcp-sieve-picker>`, in real Chromium, compared with the engine in Node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support/picker-page.mjs";
import {
  CONFIG,
  LISTS,
  agrees,
  button,
  changes,
  checked,
  filter,
  focus,
  item,
  names,
  open,
  pickerForm,
  sign,
  tab,
  tool,
} from "./support/picker-form.mjs";

pickerForm();

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

test("a preset is released by a second press", async () => {
  await open([{ name: "post", title: "Post", filter: { groups: ["mail"] } }]);
  await button("Post").click();
  assert.deepEqual(await filter(), { groups: ["mail"] });
  await button("Post").click();
  assert.deepEqual(await filter(), {});
  assert.equal(await button("Post").getAttribute("aria-pressed"), "false");
});
