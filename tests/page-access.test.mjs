// Accessibility of the demo page, in every view: screen readers, the keyboard, and settings for colours, contrast and
// motion.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axeLooks } from "./support/site.mjs";
import { forgive, open, openMore, page, visits } from "./support/visit.mjs";

const WAIT_MS = 90_000;
const MODES = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  "forced colours": { forcedColors: "active" },
  "more contrast, less motion": { contrast: "more", reducedMotion: "reduce" },
};

visits();
const from = (value) => page.locator(`input[name=from][value=${value}]`).check({ force: true });
const started = (job, state) => async () => {
  await openMore();
  await page.click("#tasks > summary");
  await page.selectOption("#task-job", job);
  await page.click("#task-start button");
  await page.locator("#task-list .status", { hasText: state }).waitFor();
};

const VIEWS = {
  "as it opens": () => open(),
  "chosen, refused, switched off, favorite, all rows": async () => {
    await open("#groups=issues&not.groups=admin&tags=stable&not.tags=destructive&concern.cost=minimal");
    await page.getByRole("checkbox", { name: "Use get_issue", exact: true }).click();
    await page.getByRole("tab", { name: "All" }).click();
    await page.getByRole("button", { name: "Favorite get_issue", exact: true }).click();
  },
  "nothing left": () => open("#tags=destructive,experimental&groups=issues"),
  "words, part of the address ignored": async () => {
    await open("#groups=issues&groups=nowhere&query=close&colour=red");
    await page.getByRole("searchbox").fill("issue");
  },
  "groups in groups": async () => {
    await open();
    await from("paste");
    const tool = (name, ...groups) => ({ name, groups, inputSchema: { type: "object" } });
    await page.fill(
      "#text",
      JSON.stringify([
        { tools: [tool("a", "inner"), tool("b", "outer"), { title: "no name" }] },
        {
          groups: [
            { name: "outer", title: "Outer" },
            { name: "inner", title: "Inner", parent: "outer" },
          ],
        },
      ]),
    );
    await page.click("[data-for=paste] button");
    await page.getByRole("treeitem", { name: "Inner" }).click();
    await page.click("#notes summary");
  },
  "an address that is not read": async () => {
    forgive(/Failed to load|CORS|^asks /);
    await open();
    await from("url");
    await page.fill("#url", "http://127.0.0.1:9/mcp");
    await page.press("#url", "Enter");
    await page.locator("#source-error").waitFor();
  },
  "a sample, in another language": async () => {
    await open("#from=sample&sample=shop&kind=tools");
    await page.locator("#snippets input[value=python]").check({ force: true });
  },
  "the request of a choice": async () => {
    await open("#groups=issues");
    await page.getByRole("link", { name: "More" }).click();
    await page.locator("#shown-request", { hasText: "issues" }).waitFor();
  },
  "no task": async () => {
    await openMore();
    await page.click("#tasks > summary");
  },
  "a task that asks": started("import_issues", "input required"),
  "a task that found fault": started("audit_issues", "completed"),
  "the playground": async () => {
    await openMore();
    await page.click("#middleware > summary");
    await page.waitForFunction(() => document.getElementById("middleware-result").textContent.includes("PERSON_1"));
  },
};

for (const [view, reach] of Object.entries(VIEWS)) {
  test(`axe finds nothing: ${view}`, { timeout: WAIT_MS }, async (t) => {
    const held = [];
    const look = async (setting) => {
      const seen = await axeLooks(page);
      assert.deepEqual(seen.finds, [], setting);
      held.push(seen.held);
    };
    await reach();
    for (const [mode, media] of Object.entries(MODES)) {
      await page.emulateMedia({
        colorScheme: "light",
        forcedColors: "none",
        contrast: "no-preference",
        reducedMotion: "reduce",
        ...media,
      });
      await look(mode);
    }
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none", contrast: "no-preference" });
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      for (const direction of ["rtl", "ltr"]) {
        await page.evaluate((direction) => {
          document.documentElement.dir = direction;
        }, direction);
        assert.ok(
          (await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0,
          `${direction}, ${width}: nothing is cut off`,
        );
        if (direction === "rtl" || width === 320) await look(`${direction}, ${width}`);
      }
    }
    t.diagnostic(
      `axe: its rules held at ${held.reduce((sum, places) => sum + places)} places in ${held.length} settings, and failed at none`,
    );
  });
}

test("a state that has a colour also has a sign when colours are forced", async () => {
  await VIEWS["chosen, refused, switched off, favorite, all rows"]();
  await page.emulateMedia({ forcedColors: "active" });
  const drawn = await page.evaluate(() => {
    const { shadowRoot } = document.getElementById("picker");
    const style = (selector, name, pseudo) => getComputedStyle(shadowRoot.querySelector(selector), pseudo)[name];
    const name = (facet, mark) =>
      [
        style(`${facet} [data-mark=${mark}] .text`, "fontWeight"),
        style(`${facet} [data-mark=${mark}] .text`, "textDecorationLine"),
      ].join();
    const [pressed, other] = ["true", "false"].map((state) => style(`.sign[aria-pressed=${state}]`, "backgroundColor"));
    return {
      included: name(".tree", "must"),
      excludedGroup: name(".tree", "not"),
      required: name(".values", "must"),
      excluded: name(".values", "not"),
      neither: name(".values", "any"),
      signs: [style(".sign.must", "content", "::before"), style(".sign.not", "content", "::before")].join(),
      pressed: pressed !== other,
      off: style(".row .box[aria-checked=false]", "content", "::before"),
      use: style(".row .box[aria-checked=true]", "content", "::before"),
      favorite: shadowRoot.querySelector(".star[aria-pressed=true]").textContent,
      tab: style("[role=tab][aria-selected=true]", "fontWeight"),
    };
  });
  const [bold, struck] = ["650,none", "400,line-through"];
  assert.deepEqual(drawn, {
    included: bold,
    excludedGroup: struck,
    required: bold,
    excluded: struck,
    neither: "400,none",
    signs: '"+","−"',
    pressed: true,
    off: '""',
    use: '"✓"',
    favorite: "★",
    tab: "650",
  });
});

test("animations stop for users who prefer reduced motion", async () => {
  await open();
  const moving = () =>
    page.evaluate(() => {
      const all = (scope) =>
        [...scope.querySelectorAll("*")].flatMap((element) => [
          element,
          ...(element.shadowRoot ? all(element.shadowRoot) : []),
        ]);
      return all(document).filter((element) => getComputedStyle(element).transitionDuration !== "0s").length;
    });
  assert.equal(await moving(), 0);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  assert.ok((await moving()) > 0);
});

/** Returns the focused element, inside shadow roots as well. */
const focused = () =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    const ring = [element, element.closest("label")].some(
      (one) => one && getComputedStyle(one).outlineStyle !== "none",
    );
    return {
      tag: element.tagName,
      id: element.id,
      name: element.name,
      text: (element.ariaLabel ?? element.textContent).trim().slice(0, 40),
      ring,
    };
  });
async function tabTo(wanted, key = "Tab") {
  const trail = [];
  for (let steps = 0; steps < 120; steps += 1) {
    await page.keyboard.press(key);
    const now = await focused();
    trail.push(now);
    if (wanted(now)) return now;
  }
  return assert.fail(`never reached; ${JSON.stringify(trail.slice(-5))}`);
}

test("tasks are started, answered and filtered by the keyboard alone", { timeout: WAIT_MS }, async () => {
  await openMore();
  assert.ok((await tabTo(({ tag, text }) => tag === "SUMMARY" && text.startsWith("Tasks"))).ring);
  await page.keyboard.press("Enter");
  await tabTo(({ id }) => id === "task-job");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.inputValue("#task-job"), "import_issues");
  await tabTo(({ text, tag }) => tag === "BUTTON" && text === "Start");
  await page.keyboard.press("Enter");
  await page.locator("#task-list form").waitFor();
  assert.ok((await tabTo(({ text }) => text === "Answer")).ring);
  await page.keyboard.press("Enter");
  await page.locator("#task-list .status", { hasText: "completed" }).waitFor();
  assert.notEqual((await focused()).tag, "BODY", "the focus stays where the answer was");
  await tabTo(({ name }) => name === "status", "Shift+Tab");
  await page.keyboard.press("Space");
  await page.locator("#task-empty").waitFor();
});

test("the playground is used by the keyboard alone", { timeout: WAIT_MS }, async () => {
  await openMore();
  await tabTo(({ tag, text }) => tag === "SUMMARY" && text.startsWith("Context"));
  await page.keyboard.press("Space");
  await page.waitForFunction(() => document.getElementById("middleware-result").textContent.includes("PERSON_1"));
  await tabTo(({ id }) => id === "middleware-text");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Mail b@example.com");
  await page.waitForFunction(() => document.getElementById("middleware-result").textContent.includes("Mail [EMAIL_1]"));
  assert.ok((await tabTo(({ id }) => id === "middleware-result")).ring);
});

test("every control has a name, and no two buttons the same", { timeout: WAIT_MS }, async () => {
  await started("import_issues", "input required")();
  await page.click("#middleware > summary");
  await page.waitForFunction(() => document.querySelectorAll("#middleware-name option").length > 0);
  const tree = await page.locator("body").ariaSnapshot();
  const lines = tree.split("\n");
  const nameless = lines.filter((line) =>
    /^\s*- (button|checkbox|radio|combobox|textbox|searchbox|spinbutton|link|treeitem|tree|grid|form|region|progressbar)(:|$| \[)/.test(
      line,
    ),
  );
  assert.deepEqual(nameless, [], tree);
  const parts = [
    'heading "Tasks of this server" [level=2]',
    'heading "Context middleware" [level=2]',
    'form "Start a task"',
    'form "Filter the tasks"',
    'list "Tasks"',
    'form "Import ',
    'button "Cancel ',
    'textbox "Bearer token, if you have one"',
    'combobox "Function"',
    'textbox "Arguments"',
  ];
  for (const part of parts) assert.ok(tree.includes(part), `${part} in\n${tree}`);
  const buttons = lines.filter((line) => line.includes("- button ")).map((line) => /"(.*?)"/.exec(line)?.[1]);
  assert.deepEqual(
    buttons.filter((name, at) => buttons.indexOf(name) !== at),
    [],
    "buttons",
  );
});

test("on a phone every target is 24 pixels or more", { timeout: WAIT_MS }, async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await started("import_issues", "input required")();
  await page.click("#middleware > summary");
  await page.waitForFunction(() => document.querySelectorAll("#middleware-name option").length > 0);
  const small = await page.evaluate(() => {
    // The target of a radio button or a checkbox includes its label.
    const target = (element) => (element.matches("[type=radio], [type=checkbox]") ? element.closest("label") : element);
    return [...document.querySelectorAll("button, a, summary, select, textarea, input")]
      .filter((element) => element.checkVisibility())
      .map((element) => [element.id || element.name || element.textContent, target(element).getBoundingClientRect()])
      .filter(([, { width, height }]) => width < 24 || height < 24)
      .map(([name, { width, height }]) => `${name}: ${width} × ${height}`);
  });
  assert.deepEqual(small, []);
});
