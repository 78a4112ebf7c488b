// The author of a web application: a Vite project with React in StrictMode and common style sheets, from the packed
// tarball to a picker that a person can read and use.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { build } from "vite";
import { axeLooks, launch, overheard, startSite } from "../support/site.mjs";
import { installTarball, link } from "../support/tarball.mjs";
import { LISTS } from "./servers.mjs";

const WAIT_MS = 20_000;
const WIDTHS = [1280, 768, 390];
const LABELS = { forge: "Forge", tickets: "Tickets", mail: "Mail" };
/** The tools of three servers in a client. */
const tools = Object.keys(LABELS).flatMap((server) =>
  LISTS[server].map((tool) => ({ ...tool, name: `${server}_${tool.name}`, _meta: { server } })),
);
const config = {
  groups: Object.entries(LABELS).map(([name, title]) => ({ name, title })),
  tags: [{ name: "reads" }],
  rules: [
    ...Object.keys(LABELS).map((name) => ({ match: `meta.server=${name}`, groups: [name] })),
    { match: "annotation.readOnlyHint=true", tags: ["reads"] },
  ],
};

const MAIN = `
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { SievePicker } from "mcp-sieve/react";
import "./index.css";

const lists = { tools: ${JSON.stringify(tools)} };
const config = ${JSON.stringify(config)};

function App() {
  const [filter, setFilter] = useState({});
  return <main><h1>My assistant</h1><p role="status">{JSON.stringify(filter)}</p><SievePicker lists={lists} config={config} filter={filter} onChange={setFilter} /></main>;
}
createRoot(document.getElementById("root")).render(<StrictMode><App /></StrictMode>);
`;
/** Style sheets of templates and utility frameworks: centred text, dark colours with and without `color-scheme`. */
const STYLES = {
  "a template that centres its text": `
    :root { font-family: system-ui, sans-serif; line-height: 1.5; color-scheme: light dark; color: rgba(255, 255, 255, 0.87); background-color: #242424; }
    body { margin: 0; display: flex; place-items: center; min-width: 320px; min-height: 100vh; }
    #root { max-width: 1280px; width: 100%; margin: 0 auto; padding: 2rem; box-sizing: border-box; text-align: center; }
    @media (prefers-color-scheme: light) { :root { color: #213547; background-color: #ffffff; } }`,
  "a dark page without color-scheme":
    "body { margin: 0; background: #0b1120; color: #e2e8f0; font: 16px/1.2 serif; letter-spacing: 0.1em; text-transform: uppercase; }",
  "a dark body in a light document":
    ":root { color-scheme: light; } body { color-scheme: dark; margin: 0; background: #111; color: #eee; }",
};
const HTML =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>My assistant</title><link rel="icon" href="data:,"></head><body><div id="root"></div><script type="module" src="/main.jsx"></script></body></html>';

let consumer, browser;
before(async () => {
  consumer = await installTarball();
  link(consumer, ["react", "react-dom", "scheduler"]);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await consumer?.remove();
});

/** Builds the project with a style sheet and serves it. */
async function application(css) {
  consumer.write("index.html", HTML);
  consumer.write("main.jsx", MAIN);
  consumer.write("index.css", css);
  const outDir = join(consumer.folder, "application");
  const define = { "process.env.NODE_ENV": '"development"' };
  await build({
    root: consumer.folder,
    configFile: false,
    logLevel: "error",
    define,
    esbuild: { jsx: "automatic" },
    build: { outDir, emptyOutDir: true, target: "es2022", minify: false },
  });
  return startSite({ folders: { "/": outDir } });
}

for (const [name, css] of Object.entries(STYLES)) {
  describe(name, () => {
    let site, context, page, mishaps;
    before(async () => {
      site = await application(css);
    });
    after(() => site?.stop());
    afterEach(() => context?.close());
    const open = async (options) => {
      context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        reducedMotion: "reduce",
        ...options,
      });
      page = await context.newPage();
      page.setDefaultTimeout(WAIT_MS);
      mishaps = overheard(page, site.url);
    };
    const ready = () =>
      page
        .getByRole("treeitem", { name: "Tickets" })
        .or(page.getByRole("button", { name: /filters/i }))
        .first()
        .waitFor();

    for (const width of WIDTHS) {
      for (const colorScheme of ["light", "dark"]) {
        test(`is readable at ${width} px where the system is ${colorScheme}`, async () => {
          await open({ viewport: { width, height: 900 }, colorScheme });
          await page.goto(`${site.url}/index.html`);
          await ready();
          const { finds } = await axeLooks(page, "color-contrast-enhanced");
          // The contrast of the page's own text is the responsibility of its author, that of the picker is Sieve's.
          assert.deepEqual(
            finds.filter((find) => find.startsWith("color-contrast:") && !/<h1|role="status"/.test(find)),
            [],
          );
          const layout = await page.evaluate(() => {
            const element = document.querySelector("mcp-sieve-picker");
            const shown = [...element.shadowRoot.querySelectorAll("*")].filter(
              (one) => one.checkVisibility() && one.textContent.trim(),
            );
            const styles = shown.map((one) => getComputedStyle(one));
            return {
              wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
              cut: element.scrollWidth - element.clientWidth,
              centred: styles.filter(
                ({ textAlign, display }) =>
                  textAlign === "center" && /block|table-cell/.test(display) && !/inline/.test(display),
              ).length,
              shouted: styles.filter(
                ({ textTransform, letterSpacing }) => textTransform === "uppercase" && letterSpacing !== "normal",
              ).length,
            };
          });
          assert.deepEqual([layout.wide, layout.cut, layout.shouted], [0, 0, 0]);
          assert.deepEqual(mishaps, []);
        });
      }
    }
  });
}

describe("the engine's file", () => {
  let site, context, page;
  before(async () => {
    site = await application(STYLES["a template that centres its text"]);
  });
  after(() => site?.stop());
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
  });
  afterEach(() => context.close());

  test("may be slow: the application renders, then the picker", async () => {
    const mishaps = overheard(page, site.url);
    let pass;
    const gate = new Promise((done) => {
      pass = done;
    });
    await page.route("**/*.wasm", async (route) => {
      await gate;
      await route.continue();
    });
    await page.goto(`${site.url}/index.html`);
    await page.getByRole("heading", { name: "My assistant" }).waitFor();
    assert.equal(
      (await page
        .locator("mcp-sieve-picker [aria-busy=true]")
        .or(page.locator("mcp-sieve-picker[aria-busy=true]"))
        .count()) > 0,
      true,
      "the picker shows that it is loading",
    );
    const before = await page.locator("mcp-sieve-picker").boundingBox();
    assert.ok(before.height >= 200, `${before.height} px before the engine is there`);
    pass();
    const tickets = page.getByRole("treeitem", { name: "Tickets" });
    await tickets.waitFor();
    await tickets.click();
    await page.waitForFunction(() => /"tickets"/.test(document.querySelector("[role=status]").textContent));
    assert.deepEqual(mishaps, []);
  });

  test("may be missing: the application renders, and the picker names the file and the status", async () => {
    await page.route("**/*.wasm", (route) =>
      route.fulfill({ status: 404, contentType: "text/html", body: "<h1>Not found</h1>" }),
    );
    await page.goto(`${site.url}/index.html`);
    await page.getByRole("heading", { name: "My assistant" }).waitFor();
    const message = page.locator("mcp-sieve-picker").getByText(/engine.*\.wasm/);
    await message.waitFor();
    assert.match(await message.textContent(), /404/);
  });
});
