// Context middleware in a browser: its rows in Chromium, and the page's playground.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "./support/site.mjs";

const site = process.env.SITE ?? fileURLToPath(new URL("../build/site", import.meta.url));
const FILES = ["middleware", "middleware-pii", "middleware-secrets", "middleware-moderation"];
const rowsOf = (file) => JSON.parse(readFileSync(new URL(`fixtures/${file}.json`, import.meta.url), "utf8"));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

let browser;
let page;
const requests = [];
const server = createServer((request, response) => {
  const path = join(site, new URL(request.url, "http://x").pathname.replace(/\/$/, "/index.html"));
  if (!existsSync(path)) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/plain" });
  return response.end(readFileSync(path));
});

before(async () => {
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  browser = await launch();
  page = await browser.newPage();
  page.setDefaultTimeout(10_000);
  page.on("request", (request) => requests.push(request.url().split("/").pop()));
  await page.goto(`http://127.0.0.1:${server.address().port}/more.html`);
});
after(async () => {
  await browser?.close();
  server.close();
});

const says = (part) =>
  page.waitForFunction((part) => document.getElementById("middleware-result").textContent.includes(part), part);

test("M-38: the playground runs wholly in the page, and is fetched when it is opened", async () => {
  assert.equal(requests.includes("middleware_bg.wasm"), false);
  await page.locator("#middleware > summary").click();
  await says("Jane Smith");
  const fetched = requests.length;
  await page.locator("#middleware-name").selectOption("tool_filter");
  await says("suggestedToolSet");
  await page.locator("#middleware-name").selectOption("pii_redaction");
  await says("SSN: [SSN_1]");
  await page.locator("#middleware-text").fill("Mail a@example.com");
  await says("Mail [EMAIL_1]");
  await page.locator("#middleware-arguments").fill('{"metadata":"loud"}');
  await says("arguments.metadata: expected `handles` or `values`");
  assert.equal(requests.length, fetched);
});

const summary = (page) => page.locator("#middleware > summary");
const functions = (page) => page.locator("#middleware-name option").allTextContents();

test("the playground lists each function once, however often it is opened while it loads", async () => {
  const own = await browser.newPage();
  let release;
  const held = new Promise((done) => {
    release = done;
  });
  await own.route("**/middleware_bg.wasm", async (route) => {
    await held;
    await route.continue();
  });
  await own.goto(`http://127.0.0.1:${server.address().port}/more.html`);
  const asked = own.waitForRequest("**/middleware_bg.wasm");
  for (const open of [true, false, true]) {
    await summary(own).click();
    await own.waitForFunction((open) => document.getElementById("middleware").open === open, open);
    await asked;
  }
  await own.locator("#middleware-text").fill("too early");
  release();
  await own.locator("#middleware-result", { hasText: "Jane Smith" }).waitFor();
  const listed = await functions(own);
  assert.ok(listed.length > 0);
  assert.deepEqual(listed, [...new Set(listed)]);
  await own.close();
});

test("a playground that cannot be loaded gives the reason, and loads when it is opened again", async () => {
  const own = await browser.newPage();
  const unhandled = [];
  own.on("pageerror", (error) => unhandled.push(error.message));
  await own.route("**/middleware_bg.wasm", (route) => route.abort());
  await own.goto(`http://127.0.0.1:${server.address().port}/more.html`);
  await summary(own).click();
  await own.locator("#middleware-result", { hasText: /^The functions cannot be loaded: \S/ }).waitFor();
  await own.unroute("**/middleware_bg.wasm");
  await summary(own).click();
  await summary(own).click();
  await own.locator("#middleware-result", { hasText: "Jane Smith" }).waitFor();
  assert.deepEqual(
    unhandled.filter((message) => /wasm|fetch|engine/i.test(message)),
    [],
  );
  assert.equal(new Set(await functions(own)).size, (await functions(own)).length);
  await own.close();
});

for (const file of FILES)
  test(`the rows of ${file}.json`, async () => {
    const wrong = await page.evaluate(
      async (rows) => {
        const { Middleware } = await import("./loaders/middleware-web.js");
        const sorted = (value) =>
          value && typeof value === "object" && !Array.isArray(value)
            ? Object.fromEntries(
                Object.keys(value)
                  .sort()
                  .map((key) => [key, sorted(value[key])]),
              )
            : Array.isArray(value)
              ? value.map(sorted)
              : value;
        const same = (one, other) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        const at = (value, path) =>
          path
            .split("/")
            .slice(1)
            .reduce((found, key) => found?.[key] ?? null, value);
        const wrong = [];
        for (const {
          name,
          function: called,
          context,
          arguments: args,
          documents,
          tools,
          reaches,
          keeps,
          now,
          result,
          error,
          at: parts = {},
        } of rows) {
          const middleware = new Middleware({
            now: now === undefined ? undefined : () => now,
            documents,
            tools: tools && Object.values(tools),
            reaches: reaches && (async (url) => reaches[url]),
            record: keeps && (() => 1),
          });
          // Hosts receive the refusal together with the result; the rows do not contain it.
          const { refusal, ...found } = await middleware
            .invoke(called, context, args)
            .catch(({ code, path, message }) => ({ code, path, message }));
          const held = error
            ? Object.entries(error).every(([key, value]) => found[key] === value)
            : (!result || same(found, result)) &&
              Object.entries(parts).every(([path, value]) => same(at(found, path), value));
          if (!held) wrong.push([name, found]);
        }
        return wrong;
        // A page always has a library, even if it is empty.
      },
      rowsOf(file).filter(({ name }) => name !== "documents: there are none here"),
    );
    assert.deepEqual(wrong, []);
  });
