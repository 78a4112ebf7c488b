// The first view of the demo page: how many requests it takes, and what its first screen shows.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "./support/site.mjs";
import { plainTool, startStatelessServer } from "./support/stateless-server.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";
import "./support/home.mjs";

const WAIT_MS = 60_000;
const MAX_REQUESTS = 12;
const SCREENS = [
  [1280, 900],
  [390, 844],
];
const TOOLS = Array.from({ length: 50 }, (_, at) => plainTool(`${at % 2 ? "read" : "write"}_${at}`));
const CONFIG = {
  groups: [{ name: "reading" }, { name: "writing", title: "Writing" }],
  tags: [{ name: "safe", description: "Changes nothing" }],
  concerns: [
    { name: "cost", values: ["low", "moderate", "high"] },
    { name: "depth", values: { min: 0, max: 9 } },
  ],
  rules: [
    { match: "name:read_*", groups: ["reading"], tags: ["safe"], concerns: { cost: "low", depth: 3 } },
    { match: "name:write_*", groups: ["writing"], concerns: { cost: ["moderate", "high"] } },
    { match: "kind=prompt", concerns: { cost: "high" } },
  ],
};

let behind, workers, browser;
before(async () => {
  behind = await startStatelessServer({
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {}, resources: {}, prompts: {} } },
    "tools/list": { tools: TOOLS },
    "resources/list": { resources: [{ uri: "x://a", name: "a" }] },
    "resources/templates/list": { resourceTemplates: [{ uriTemplate: "x://{b}", name: "b" }] },
    "prompts/list": { prompts: [{ name: "p" }] },
  });
  const assets = join(fileURLToPath(new URL("..", import.meta.url)), "build/site");
  workers = await startWorkers([
    { name: "site", assets },
    { name: "fifty", assets, upstream: behind.url, config: CONFIG },
  ]);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await workers?.stop();
  await behind?.stop();
});

async function opened(url, [width, height]) {
  const page = await browser.newPage({ viewport: { width, height } });
  const asked = [];
  page.on("request", (request) => {
    if (!request.url().startsWith("data:"))
      asked.push(request.postDataJSON()?.method ?? new URL(request.url()).pathname);
  });
  await page.goto(url);
  await page.waitForFunction(
    () => document.getElementById("picker").picker && !document.getElementById("copy-url").hidden,
  );
  await page.waitForLoadState("networkidle");
  return { page, asked };
}

test("the first view of fifty tools takes at most twelve requests", { timeout: WAIT_MS }, async () => {
  for (const name of ["fifty", "site"]) {
    const { page, asked } = await opened(workers.urls[name], SCREENS[0]);
    assert.ok(asked.length <= MAX_REQUESTS, `${asked.length} requests: ${asked.join(", ")}`);
    await page.close();
  }
});

test("each list, and each facet, is requested once", { timeout: WAIT_MS }, async () => {
  const { page, asked } = await opened(workers.urls.fifty, SCREENS[0]);
  assert.equal(new Set(asked).size, asked.length, asked.join(", "));
  for (const method of ["groups/list", "tags/list", "listConcerns"])
    assert.equal(asked.filter((one) => one === method).length, 1, `${method}: ${asked.join(", ")}`);
  await page.close();
});

test("the lists are requested while the engine is loading", { timeout: WAIT_MS }, async () => {
  const page = await browser.newPage();
  const asked = new Set();
  let load;
  const held = new Promise((done) => (load = done));
  await page.route("**/*.wasm", (route) => held.then(() => route.continue()));
  page.on("request", (request) => asked.add(request.postDataJSON()?.method));
  await page.goto(workers.urls.fifty, { waitUntil: "commit" });
  // The engine is held until all lists have been requested.
  for (const method of ["server/discover", "tools/list", "prompts/list", "groups/list", "tags/list", "listConcerns"])
    await until(() => asked.has(method), method);
  load();
  await page.waitForFunction(() => document.getElementById("picker").picker);
  assert.equal(await page.locator("#source-error").isVisible(), false);
  await page.close();
});

test("values of concerns that only the gateway knows are those of its filters", { timeout: WAIT_MS }, async () => {
  const { page } = await opened(workers.urls.fifty, SCREENS[0]);
  const listed = async (concerns) => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const response = await fetch(`${workers.urls.fifty}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/list",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta, filter: { concerns } } }),
    });
    return (await response.json()).result.tools.map(({ name }) => name);
  };
  for (const concerns of [{ cost: "low" }, { cost: "moderate" }, { cost: "high" }, { depth: 3 }, { depth: 4 }]) {
    const chosen = await page.evaluate((concerns) => {
      const { picker, sieve } = document.getElementById("picker");
      return sieve ? sieve.names({ filter: { concerns } }) : picker.names;
    }, concerns);
    assert.deepEqual(chosen, await listed(concerns), JSON.stringify(concerns));
  }
  await page.close();
});

for (const screen of SCREENS)
  test(`the first screen of ${screen.join(" × ")} shows what can be chosen, and the URL`, {
    timeout: WAIT_MS,
  }, async () => {
    const { page } = await opened(workers.urls.site, screen);
    const [width, height] = screen;
    const shown = async (locator, what) => {
      const box = await locator.boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= width, `${what}: ${JSON.stringify(box)}`);
      assert.ok(
        box.y >= 0 && box.y + box.height <= height,
        `${what} is below the first screen: ${JSON.stringify(box)}`,
      );
      return box;
    };
    await shown(page.getByText(/^46 tools · about [\d,]+ tokens$/).filter({ visible: true }), "tools and tokens");
    const copy = page.getByRole("button", { name: "Copy URL" });
    await shown(copy, "the URL");
    for (const title of ["Groups", "Tags", "Concerns"])
      await shown(page.locator("#picker .title", { hasText: new RegExp(`^${title}$`) }), title);
    await shown(page.getByRole("treeitem", { name: "Administration" }), "the last group");
    await shown(page.getByRole("button", { name: "Require tag search" }), "the last tag");
    await shown(page.getByRole("button", { name: /^Require security elevated/ }), "a value of a concern");
    // What is chosen counts more than the name of the server.
    const size = (selector) =>
      page.locator(selector).evaluate((element) => parseFloat(getComputedStyle(element).fontSize));
    assert.ok((await size("#count")) > (await size("#loaded")));
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.waitForFunction(() => scrollY > 0);
    assert.ok((await shown(copy, "the URL, after scrolling")).y < height);
    await page.close();
  });
