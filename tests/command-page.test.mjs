// The demo page that `dev` and `run` serve, in real Chromium: with the token of its link, with one that is entered, and
// without one.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { installCommand } from "./support/command.mjs";
import { launch, overheard } from "./support/site.mjs";

const WAIT_MS = 120_000;
const local = [process.execPath, fileURLToPath(new URL("support/stdio-server.mjs", import.meta.url))];

let command, browser, running, page;
before(async () => {
  command = await installCommand();
  command.install("workerd");
  command.write("sieve.jsonc", JSON.stringify({ upstream: { name: "local", command: local } }));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  command?.remove();
});
afterEach(async () => {
  await page?.close();
  await running?.stop();
});

/** Starts the command and returns what it reports as ready. */
async function ready(args, env) {
  running = command.start([...args, "sieve.jsonc", "--port", "0", "--json"], { env });
  return JSON.parse(await running.line(/^\{"event":"ready"/));
}
/** Opens a link. Returns the mishaps of the page. */
async function opened(link) {
  page = await browser.newPage();
  const mishaps = overheard(page, new URL(link).origin);
  await page.goto(link);
  return mishaps;
}
const listed = () => page.waitForFunction(() => document.getElementById("picker").picker?.summary.total > 0);

test("the link of `run --bearer` opens the page, which takes the token out of its address", {
  timeout: WAIT_MS,
}, async () => {
  const { page: link, mcp, bearer } = await ready(["run", "--bearer"]);
  assert.equal(link, `${new URL(mcp).origin}/#token=${bearer}`);
  const mishaps = await opened(link);
  await listed();
  assert.equal(page.url(), `${new URL(mcp).origin}/`);
  assert.equal(await page.textContent("#address"), mcp);
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state]),
  );
  assert.ok(!kept.includes(bearer));
  assert.deepEqual(mishaps, []);
  // The playground loads the middleware of the package.
  await page.getByRole("link", { name: "More" }).click();
  await page.locator("#middleware > summary").click();
  await page.locator("#middleware-result", { hasText: "PERSON_1" }).waitFor();
  const { headers } = await fetch(`${new URL(mcp).origin}/`);
  assert.equal(headers.get("content-security-policy"), "frame-ancestors 'none'");
});

test("a token that the operator chose is in no link, and is entered in the page", { timeout: WAIT_MS }, async () => {
  const token = "chosen-by-the-operator";
  const { page: link, mcp } = await ready(["run"], { SIEVE_BEARER: token });
  assert.equal(link, `${new URL(mcp).origin}/`);
  await opened(link);
  await page.locator("#source-error", { hasText: "401: it needs a bearer token" }).waitFor();
  assert.equal((await fetch(mcp, { method: "POST" })).status, 401);
  await page.fill("#token", token);
  await page.press("#token", "Enter");
  await listed();
  assert.ok(await page.locator("#access").isHidden());
});

test("without a token, `dev` serves the page as it serves its clients", { timeout: WAIT_MS }, async () => {
  const { page: link, mcp } = await ready(["dev"]);
  const mishaps = await opened(link);
  await listed();
  assert.deepEqual(mishaps, []);
  const missing = await fetch(`${new URL(mcp).origin}/none`);
  assert.deepEqual([missing.status, await missing.text()], [404, "nothing is served here"]);
});
