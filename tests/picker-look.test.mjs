// The look of `<mcp-sieve-picker>` in pages of others, in real Chromium: contrast, widths, text styles and labels.
import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support/picker-page.mjs";
import { axeFinds } from "./support/site.mjs";
import { CONFIG, LISTS, button, item, open, pickerForm, sign, tab } from "./support/picker-form.mjs";

pickerForm();

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
        assert.equal(text > surface, look === "dark", "it follows the color scheme of the page, or its background");
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
  const boxes = () => Promise.all(["#facets", ".panel .list"].map((part) => page.locator(part).boundingBox()));
  const [facets, grid] = await boxes();
  assert.ok(facets.height > 800 && grid.y + grid.height > facets.y + facets.height - 4, JSON.stringify([facets, grid]));
  // A page that sets the list's height gets at least that, and a scroller of its own.
  await page.evaluate(() => {
    element.style.setProperty("--mcp-sieve-list-height", "20rem");
    element.redraw();
  });
  const [beside, fixed] = await boxes();
  assert.ok(Math.abs(fixed.y + fixed.height - beside.y - beside.height) < 4, JSON.stringify([beside, fixed]));
  assert.ok(await page.locator(".grid").evaluate((grid) => grid.scrollHeight > grid.clientHeight));
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

test("it measures backgrounds in any color, across shadow roots, and follows a theme that the page switches", async () => {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.evaluate(() => {
    document.querySelector("meta[name=color-scheme]").remove();
    const outer = document.createElement("div");
    outer.id = "outer";
    document.querySelector("main").append(outer);
    outer.attachShadow({ mode: "open" }).append(document.querySelector("form"));
  });
  const isDark = () =>
    page.evaluate(() => {
      const root = document.getElementById("outer").shadowRoot.querySelector("mcp-sieve-picker").shadowRoot;
      return Number(/\d+/.exec(getComputedStyle(root.querySelector(".root")).backgroundColor)[0]) < 64;
    });
  for (const [color, dark] of [
    ["oklch(0.2 0.03 260)", true],
    ["color(display-p3 0.95 0.95 0.9)", false],
    ["lab(15 2 -8)", true],
    ["rgb(250 250 250 / 0.9)", false],
    ["color-mix(in srgb, black 90%, white)", true],
    ["transparent", false],
  ]) {
    await page.evaluate((color) => {
      document.body.style.background = color;
    }, color);
    assert.equal(await isDark(), dark, color);
  }
});

test("the signs of a row are seen where the pointer or the keyboard is, and always on a touch screen", async () => {
  await open();
  const seen = (name) => sign(name).evaluate((sign) => getComputedStyle(sign.closest(".signs")).opacity === "1");
  await page.mouse.move(0, 0);
  assert.equal(await seen("Require tag stable"), false);
  await page.getByText("stable", { exact: true }).hover();
  assert.equal(await seen("Require tag stable"), true);
  assert.equal(await seen("Require tag beta"), false);
  await sign("Require tag beta").focus();
  assert.equal(await seen("Require tag beta"), true);
  await item("Mail").focus();
  assert.equal(await seen("Include group Mail"), true);
  await page.mouse.move(0, 0);
  await page.getByText("stable", { exact: true }).click();
  await page.mouse.move(0, 0);
  await tab("Shown").focus();
  assert.equal(await seen("Require tag stable"), true, "what is chosen stays in sight");
  assert.equal(await seen("Require tag beta"), false);
  const touch = await page
    .context()
    .browser()
    .newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const phone = await touch.newPage();
  await phone.goto(page.url());
  await phone.waitForFunction(() => globalThis.ready);
  await phone.evaluate(([lists, config]) => load(lists, config), [LISTS, CONFIG]);
  await phone.getByRole("button", { name: "Filters", exact: true }).click();
  const beta = phone.getByRole("button", { name: /^Require tag beta/ });
  assert.equal(await beta.evaluate((sign) => getComputedStyle(sign.closest(".signs")).opacity), "1");
  await touch.close();
});

test("a column of groups is there only if something has a group", async () => {
  const column = page.getByRole("columnheader", { name: "Groups" });
  await open();
  assert.ok(await column.isVisible());
  await page.evaluate(() =>
    load({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }, { groups: [{ name: "empty" }] }),
  );
  assert.ok(await column.isHidden());
  await page.getByRole("grid").focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator("#active, [id=active]").getAttribute("class"), /tokens/);
});
