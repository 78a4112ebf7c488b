// Servers at several addresses in the demo page: their tokens, and what they declare differently.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { forgive, hash, names, open, page, settled, visits } from "./support/visit.mjs";

const WAIT_MS = 60_000;
const TOKEN = "only-for-these-0123456789";
visits({});

/**
 * Starts a stateless server with one tool, in a group with this title and with this value of a concern. With a token, it needs that
 * one.
 */
async function startServer(tool, { token, title, cost = "low" } = {}) {
  const seen = [];
  const results = {
    "server/discover": {
      supportedVersions: ["2026-07-28"],
      capabilities: {
        tools: {},
        extensions: {
          "dev.mcpsieve/filtering": { groups: {} },
          "dev.mcpsieve/concerns": { concerns: [{ name: "cost", values: [cost] }] },
        },
      },
      _meta: { "io.modelcontextprotocol/serverInfo": { name: tool, version: "1" } },
    },
    "tools/list": {
      tools: [{ name: tool, inputSchema: { type: "object" }, groups: ["shared"], _meta: { concerns: { cost } } }],
    },
    "groups/list": { groups: [{ name: "shared", title }] },
  };
  const http = createServer(async (request, response) => {
    const cors = {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": request.headers["access-control-request-headers"] ?? "*",
    };
    if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
    const { id, method } = JSON.parse(await text(request));
    seen.push(request.headers.authorization);
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return response.writeHead(401, cors).end();
    const outcome = results[method]
      ? { result: { resultType: "complete", ttlMs: 0, ...results[method] } }
      : { error: { code: -32601, message: "none" } };
    response
      .writeHead(200, { ...cors, "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    seen,
    stop: () => (http.closeAllConnections(), http.close()),
  };
}

let guarded, second, free;
before(async () => {
  [guarded, second, free] = await Promise.all([
    startServer("guarded", { token: TOKEN }),
    startServer("second", { token: TOKEN, title: "Shared", cost: "high" }),
    startServer("free", { title: "Common" }),
  ]);
});
after(() => [guarded, second, free].forEach((server) => server?.stop()));

const expected = /Failed to load resource|^asks /;
const alert = () => page.locator("#source-error");

test("a server that answers 401 leads to the field of the token, which stays in memory", {
  timeout: WAIT_MS,
}, async () => {
  forgive(expected);
  await open(`#from=url&url=${encodeURIComponent(guarded.url)}`);
  await alert().filter({ hasText: "401: it needs a bearer token" }).waitFor();
  await page.waitForFunction(() => document.activeElement?.id === "token");
  await page.keyboard.type("wrong-wrong-wrong");
  await page.keyboard.press("Enter");
  await alert().filter({ hasText: "401: it does not accept this bearer token" }).waitFor();
  await page.fill("#token", TOKEN);
  await page.press("#token", "Enter");
  await page.waitForFunction(() => document.getElementById("loaded").textContent.startsWith("guarded 1"));
  await settled();
  assert.deepEqual(await names(), ["guarded"]);
  assert.equal(await page.inputValue("#token"), "");
  const kept = await page.evaluate(() =>
    JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  const shown = await page.evaluate(() => document.documentElement.outerHTML + document.body.innerText);
  for (const language of ["curl", "typescript", "python", "rust"]) {
    await page.locator(`#snippets input[value=${language}]`).check({ force: true });
    assert.ok(!(await page.textContent("#snippet")).includes(TOKEN), language);
  }
  assert.ok(!kept.includes(TOKEN) && !shown.includes(TOKEN));
  assert.match(await page.textContent("#command"), / --header "Authorization: Bearer \$TOKEN"$/);
  await page.reload();
  await alert().filter({ hasText: "401: it needs a bearer token" }).waitFor();
});

test("several addresses are one catalog, and only these servers get the token", { timeout: WAIT_MS }, async () => {
  forgive(expected);
  await open();
  await page.locator("input[name=from][value=url]").check({ force: true });
  assert.equal(await page.textContent("#loaded"), "Not loaded yet");
  await page.fill("#url", `${guarded.url}, ${second.url}\n`);
  await page.fill("#token", TOKEN);
  await page.locator("[data-for=url] button", { hasText: "Load" }).click();
  await page.waitForFunction(() => document.getElementById("loaded").textContent.startsWith("guarded 1"));
  await settled();
  assert.deepEqual(await names(), ["guarded", "second"]);
  assert.equal(hash(), `#from=url&url=${guarded.url}, ${second.url}`);
  await page.fill("#url", free.url);
  await page.press("#url", "Enter");
  await page.waitForFunction(() => document.getElementById("loaded").textContent.startsWith("free 1"));
  await settled();
  assert.deepEqual(await names(), ["free"]);
  assert.deepEqual([...new Set(free.seen)], [undefined]);
  await page.fill("#url", `${free.url} ${guarded.url}`);
  await page.press("#url", "Enter");
  await page.waitForFunction(() => document.getElementById("loaded").textContent.includes("guarded 1"));
  await settled();
  assert.deepEqual(await names(), ["free", "guarded"], "the token is still known for its server");
  assert.deepEqual([...new Set(free.seen)], [undefined]);
});

test("servers complete what others leave out, and differences are shown", { timeout: WAIT_MS }, async () => {
  forgive(expected);
  await open(`#from=url&url=${encodeURIComponent(`${guarded.url} ${second.url} ${free.url}`)}`);
  await alert().waitFor({ state: "hidden" });
  await page.fill("#token", TOKEN);
  await page.press("#token", "Enter");
  await page.waitForFunction(() => document.getElementById("loaded").textContent.startsWith("guarded 1"));
  await settled();
  assert.deepEqual(await names(), ["guarded", "second", "free"]);
  assert.ok((await page.getByRole("treeitem", { name: /^Shared,/ }).count()) > 0, "the first server states no title");
  await page.locator("#notes summary").click();
  assert.deepEqual(await page.locator("#notes li").allTextContents(), [
    "the concern `cost` has other values in `second` than in `guarded`: the values of both can be chosen",
    "the group `shared` has another title in `free` than in `second`, which counts",
    "the concern `cost` has other values in `free` than in `guarded`: the values of both can be chosen",
  ]);
  await page.getByRole("button", { name: /^Require cost high/ }).click();
  await settled();
  assert.deepEqual(await names(), ["second"]);
});

test("another source is not taken for the loaded one", { timeout: WAIT_MS }, async () => {
  await open();
  const loaded = await page.textContent("#loaded");
  const from = (value) => page.locator(`input[name=from][value=${value}]`).check({ force: true });
  await from("sample");
  assert.equal(await page.textContent("#loaded"), "Not loaded yet");
  await from("server");
  assert.equal(await page.textContent("#loaded"), loaded);
});
