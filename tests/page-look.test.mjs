// The look of the demo page and its use without a mouse or without sight.
// UPDATE_PICTURE=1 (`make picture`) also renews tests/page.png, the picture that the README shows.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  MEMBERSHIP,
  act,
  allowed,
  context,
  demoPage,
  hash,
  open,
  page,
  paste,
  root,
  settled,
  tab,
  workers,
} from "./support/demo-page.mjs";
import { axeFinds } from "./support/site.mjs";

demoPage();

test("the keyboard is enough", async () => {
  await open();
  const focused = () =>
    page.evaluate(() => {
      let element = document.activeElement;
      while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      const { tagName: tag, id, name, value, role } = element;
      const ring = [element, element.closest("label")].some(
        (one) => one && getComputedStyle(one).outlineStyle !== "none",
      );
      return {
        tag,
        id,
        name,
        value,
        role: role ?? element.getAttribute("role"),
        ring,
        words: element.getAttribute("aria-label") ?? "",
      };
    });
  const trail = [];
  const tabTo = async (wanted) => {
    for (let steps = 0; steps < 100; steps++) {
      await page.keyboard.press("Tab");
      const now = await focused();
      trail.push(now);
      if (now.tag === "BODY" ? wanted === undefined : wanted?.(now)) return now;
    }
    assert.fail(`never reached; the last was ${JSON.stringify(trail.at(-1))}`);
  };
  const first = await tabTo((now) => now.id === "skip");
  assert.ok(
    first.ring && (await page.locator("#skip").boundingBox()).y >= 0,
    "the skip link comes first and shows itself",
  );
  await page.keyboard.press("Enter");
  assert.equal((await focused()).id, "results");
  await page.locator("#skip").focus();

  await tabTo((now) => now.role === "treeitem");
  while (!(await focused()).words.startsWith("Issues")) await page.keyboard.press("ArrowDown");
  await act(page.keyboard.press("Space"));
  await tabTo((now) => now.tag === "BUTTON" && now.words.startsWith("Exclude tag"));
  while (!(await focused()).words.startsWith("Require tag stable")) await page.keyboard.press("ArrowRight");
  await act(page.keyboard.press("Space"));
  assert.equal(hash(), MEMBERSHIP);
  const concern = await tabTo((now) => now.words.startsWith("Exclude "));
  await act(page.keyboard.press("+"));
  assert.match(hash(), new RegExp(`&concern\\.${concern.words.split(" ")[1]}=`));
  await act(page.keyboard.press("Delete"));
  assert.equal(hash(), MEMBERSHIP);
  await tabTo((now) => now.role === "grid");
  await tabTo();
  assert.deepEqual(
    trail.filter(({ tag, ring }) => tag !== "BODY" && !ring),
    [],
    "focus is always visible",
  );
});

test("landmarks, names and the live count are there for a screen reader, and axe finds nothing", async () => {
  await open(MEMBERSHIP);
  const tree = await page.locator("body").ariaSnapshot();
  const parts = [
    "banner",
    "main",
    "contentinfo",
    'form "Catalog"',
    'region "Choice"',
    'navigation "Project"',
    'tree "Groups"',
    'toolbar "Tags"',
    'group "Kind"',
    'searchbox "Search tools"',
    'tablist "Rows"',
    'tabpanel "Shown,',
    'heading "Sieve" [level=1]',
  ];
  for (const part of parts) assert.ok(tree.includes(`- ${part}`), `${part} in\n${tree}`);
  const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    assert.deepEqual(await axeFinds(page), []);
  }
});

for (const colorScheme of ["light", "dark"]) {
  test(`text is readable in the ${colorScheme} theme`, async () => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open(MEMBERSHIP);
    await paste("{");
    const dark = await page.evaluate(
      () => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0]) < 64,
    );
    assert.equal(dark, colorScheme === "dark");
    await tab("All").click();
    assert.deepEqual(await axeFinds(page), []);
  });
}

test("it fits 320 pixels, and right to left", async () => {
  await open(MEMBERSHIP);
  const spill = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  for (const direction of ["ltr", "rtl"]) {
    for (const width of [320, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate((direction) => {
        document.documentElement.dir = direction;
      }, direction);
      assert.ok((await spill()) <= 0, `${direction} ${width}: ${await spill()} px too wide`);
    }
    const [groups, tags] = await Promise.all(
      ["groups", "tags"].map((part) => page.locator(`#picker [part=${part}]`).boundingBox()),
    );
    assert.equal(groups.x < tags.x, direction === "ltr");
  }
});

test("every script and style is a file", () => {
  for (const name of ["index", "more"]) {
    const html = readFileSync(join(root, `web/page/${name}.html`), "utf8");
    assert.doesNotMatch(html, /<script(?! type="module" src="\.\/\w+\.js"><\/script>)/);
    assert.doesNotMatch(html, /<style| (style|on\w+)=/);
    assert.match(html, /script-src 'self' 'wasm-unsafe-eval'; style-src 'self';/);
  }
});

test("it has its picture taken", async () => {
  const shown = "http://127.0.0.1:8787"; // the URL that `make dev` serves
  allowed.hosts = [shown];
  await context.route(`${shown}/**`, async (route) => {
    const url = route.request().url().replace(shown, workers.urls.site);
    // A request that is still open when the test ends fails together with its context, which is harmless.
    const answered = async () => route.fulfill({ response: await route.fetch({ url }) });
    await answered().catch(() => {});
  });
  await page.setViewportSize({ width: 1280, height: 940 });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(`${shown}/#groups=issues,pulls&tags=stable`);
  await settled();
  const picture = await page.screenshot();
  mkdirSync(join(root, "build"), { recursive: true });
  writeFileSync(join(root, "build/page.png"), picture);
  const kept = join(root, "tests/page.png");
  if (process.env.UPDATE_PICTURE) writeFileSync(kept, picture);
  const bytes = readFileSync(kept);
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1280, 940]);
  assert.ok(bytes.length <= 200 * 1024, `${bytes.length} bytes`);
});
