// A page of its own for each test of the demo page, in one browser, before one Worker.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, afterEach, before, beforeEach } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, overheard } from "./site.mjs";
import { startWorkers } from "./workerd.mjs";

const assets = join(fileURLToPath(new URL("../..", import.meta.url)), "build/site");
/** What the test at hand has; live, as imports of modules are. */
export let workers, browser, context, page;
let mishaps, forgiven;

/** Before each test of the file a page is opened; what goes wrong in it fails the test. `env` is the Worker's. */
export function visits(env) {
  before(async () => {
    workers = await startWorkers([{ name: "site", assets, env }]);
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await workers?.stop();
  });
  beforeEach(async () => {
    forgiven = /^$/;
    context = await browser.newContext({ viewport: { width: 1280, height: 1000 }, reducedMotion: "reduce" });
    page = await context.newPage();
    hear(workers.urls.site);
  });
  afterEach(async () => {
    await context.close();
    assert.deepEqual(
      mishaps.filter((text) => !forgiven.test(text)),
      [],
    );
  });
}

/** From now on the page's own files are those of this address: requests elsewhere are mishaps. */
export const hear = (url) => (mishaps = overheard(page, url));

/** Mishaps that the test at hand is about. */
export const forgive = (pattern) => (forgiven = pattern);

export const settled = () => page.waitForFunction(() => document.getElementById("results").ariaBusy === "false");
export async function open(hash = "", url = workers.urls.site) {
  await page.goto(`${url}/${hash}`);
  await settled();
}
