// Opens a page with the picker element before each test, in one browser, from the built package.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, overheard, startSite } from "./site.mjs";

/** The page of the current test, as a live binding. */
export let page;

/**
 * Serves `body` and the module `script`, and opens the page before each test of the file. Errors in it fail the test.
 * `context` has options of the browser's context. The script has the engine (`Sieve`) and the loaded element.
 */
export function pickerPage(body, script, context = {}) {
  const host = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A host</title><meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><link rel="stylesheet" href="/host.css"><script type="module" src="/host.js"></script></head>
<body><main><h1>A host</h1>${body}</main></body></html>`;
  // The element loads its module by itself. These tests look at once.
  const module = `import { Sieve } from "/mcp-sieve/loaders/web.js";
import "/mcp-sieve/src/element/picker.js";
${script}
await Sieve.compile({ tools: [] }).ready("picker");
globalThis.ready = true;`;
  let site, browser, opened, mishaps;
  before(async () => {
    site = await startSite({
      folders: { "/mcp-sieve/": fileURLToPath(new URL("../../pkg/", import.meta.url)) },
      pages: { "/": host, "/host.js": module, "/host.css": "html { background: Canvas; color: CanvasText }" },
    });
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    site?.stop();
  });
  beforeEach(async () => {
    opened = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...context });
    page = await opened.newPage();
    mishaps = overheard(page, site.url);
    await page.goto(site.url);
    await page.waitForFunction(() => globalThis.ready);
  });
  afterEach(async () => {
    await opened.close();
    assert.deepEqual(mishaps, []);
  });
}
