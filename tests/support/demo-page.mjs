// The demo page in real Chromium, on the built Worker and the built package.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, afterEach, before, beforeEach } from "node:test";
import { fileURLToPath } from "node:url";
import { send } from "./raw-client.mjs";
import { launch } from "./site.mjs";
import { startWorkers } from "./workerd.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const MEMBERSHIP = "#groups=issues&tags=stable";
export const FEW = {
  tools: [
    {
      name: "alpha",
      title: "First",
      inputSchema: { type: "object" },
      groups: ["a"],
      tags: ["x", "y"],
      _meta: { concerns: { risk: "low" } },
    },
    {
      name: "beta",
      inputSchema: { type: "object" },
      groups: ["b"],
      tags: ["x"],
      _meta: { concerns: { risk: "high" } },
    },
    { name: "gamma", inputSchema: { type: "object" } },
  ],
};

export let workers, browser, context, page, mishaps, foreign, allowed;

/** Serves the page, and opens a browser's page before each test of a file. Errors and requests elsewhere fail the test. */
export function demoPage() {
  before(async () => {
    const other = {
      name: "other",
      config: { server: { name: "other", version: "1", title: "The other server" }, origins: ["*"], middleware: {} },
      env: { SIEVE_MIDDLEWARE_TOKEN: "an application's token" },
    };
    const assets = join(root, "build/site");
    workers = await startWorkers([{ name: "site", assets }, other, { name: "bare", assets, tracker: false }]);
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await workers?.stop();
  });

  beforeEach(async () => {
    [mishaps, foreign, allowed] = [[], [], { hosts: [], mishap: undefined }];
    context = await browser.newContext({
      viewport: { width: 1280, height: 1000 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    page = await context.newPage();
    await page.addInitScript(() =>
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
      }),
    );
    page.on("console", (line) => {
      if (line.type() === "error" || line.type() === "warning") mishaps.push(line.text());
    });
    page.on("pageerror", (error) => mishaps.push(error.message));
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== "data:" && origin !== workers.urls.site) foreign.push(origin);
    });
  });
  afterEach(async () => {
    await context.close();
    assert.deepEqual(
      mishaps.filter((text) => !allowed.mishap?.test(text)),
      [],
      "the console stays clean",
    );
    assert.deepEqual(
      foreign.filter((origin) => !allowed.hosts.includes(origin)),
      [],
      "no request leaves the origin",
    );
  });
}

export async function open(hash = "") {
  await page.goto(`${workers.urls.site}/${hash}`);
  await settled();
}
export const settled = () =>
  page.waitForFunction(
    () =>
      document.getElementById("results").ariaBusy === "false" &&
      document.getElementById("loaded").textContent !== "Loading…",
  );
/** Returns all rows, including those out of view. */
export const names = () =>
  page.evaluate(() => {
    const { picker } = document.getElementById("picker");
    return Array.from({ length: picker.summary.rows }, (_, at) => picker.rows(at, at + 1)[0].name);
  });
export const count = () =>
  page
    .getByRole("status")
    .filter({ hasText: /tokens/ })
    .textContent();
export const item = (name) => page.getByRole("treeitem", { name });
export const sign = (what) => page.locator("#picker").getByRole("button", { name: what });
export const tab = (name) => page.getByRole("tab", { name });
export const click = (selector) => act(page.locator(selector).check({ force: true })); // a radio button covered by its label
export const hash = () => decodeURIComponent(new URL(page.url()).hash);
export async function act(step) {
  await step;
  await settled();
}
export const pick = (name) => act(item(name).click());
export const want = (name) => act(sign(`Require tag ${name}`).click());
/** Returns the request of the choice and its headers, which the page of what goes beyond shows. */
export async function requested() {
  const link = await page.locator("#more").getAttribute("href");
  return Object.fromEntries(new URLSearchParams(link.slice(link.indexOf("#") + 1)));
}
/** Returns the hidden rows, and the reason that each shows. */
export async function reasons() {
  await tab("Hidden").click();
  const found = await page
    .locator("#picker .body .row")
    .evaluateAll((rows) =>
      rows.map((row) => [row.querySelector(".label").textContent, row.querySelector(".note").textContent]),
    );
  await tab("Shown").click();
  return found;
}
export async function paste(text) {
  await click("input[value=paste]");
  await page.fill("#text", text);
  await act(page.locator("[data-for=paste] button").click());
}

export const plain = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Sends a list request directly to a server, and returns all pages. */
export async function listed(mcp, method, params = {}) {
  const found = [];
  for (let cursor; ; ) {
    const response = await send(mcp, method, { ...params, cursor });
    const { result, error } = await response.json();
    assert.equal(error, undefined);
    found.push(result);
    cursor = result.nextCursor;
    if (cursor === undefined) return found;
  }
}
export async function toolNames(mcp, filter) {
  return (await listed(mcp, "tools/list", { filter })).flatMap(({ tools }) => tools.map(({ name }) => name));
}
