// Opens a separate page for each test of the demo page, in one browser, on one Worker.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, overheard } from "./site.mjs";
import { startWorkers } from "./workerd.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const assets = join(root, "build/site");
/** The objects of the current test, as live bindings. */
export let workers, browser, context, page;
let mishaps, forgiven;

/** Opens a page before each test of the file. Errors in it fail the test. `env` is the Worker's. */
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

/** Sets the page's own origin to that of this URL. Requests to other origins are errors. */
export const hear = (url) => (mishaps = overheard(page, url));

/** Sets the pattern of errors that the current test expects. */
export const forgive = (pattern) => (forgiven = pattern);

export const settled = () => page.waitForFunction(() => document.getElementById("results").ariaBusy === "false");
export async function open(hash = "", url = workers.urls.site) {
  await page.goto(`${url}/${hash}`);
  await settled();
}

/** Opens the page of what goes beyond a choice: tasks and context middleware. */
export const openMore = () => page.goto(`${workers.urls.site}/more.html`);

/** Returns the request of the choice and its headers, which the page of what goes beyond shows. */
export async function requested() {
  const link = await page.locator("#more").getAttribute("href");
  return Object.fromEntries(new URLSearchParams(link.slice(link.indexOf("#") + 1)));
}

/** Waits for a step of the user and for the lists that it changes. */
export async function act(step) {
  await step;
  await settled();
}
/** Checks a radio button, which its label covers. */
export const check = (selector) => act(page.locator(selector).check({ force: true }));
/** Returns the names of all rows of the picker. */
export const names = () =>
  page.evaluate(() => {
    const { picker } = document.getElementById("picker");
    return Array.from({ length: picker.summary.rows }, (_, at) => picker.rows(at, at + 1)[0].name);
  });
export const hash = () => decodeURIComponent(new URL(page.url()).hash);
export const button = (name) => page.getByRole("button", { name, exact: true });
export const sign = (what) => page.locator("#picker").getByRole("button", { name: what });
/** Returns the lists and the configuration of a sample of the page. */
export const sample = (name) => JSON.parse(readFileSync(join(root, `web/page/samples/${name}.json`), "utf8"));
