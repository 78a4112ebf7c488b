// The demo page in real Chromium, on the built Worker and the built package.
// UPDATE_PICTURE=1 also renews tests/page.png, the picture that the README shows.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { Sieve } from "../pkg/node.js";
import { startWorkers } from "./support/workerd.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const flags = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run"];
const MEMBERSHIP = "#groups=issues&tags=stable";
const FEW = { tools: [
  { name: "alpha", title: "First", inputSchema: { type: "object" }, groups: ["a"], tags: ["x", "y"], _meta: { concerns: { risk: "low" } } },
  { name: "beta", inputSchema: { type: "object" }, groups: ["b"], tags: ["x"], _meta: { concerns: { risk: "high" } } },
  { name: "gamma", inputSchema: { type: "object" } }] };

let workers, browser, context, page, mishaps, foreign, allowed;

before(async () => {
  const other = { name: "other", config: { server: { name: "other", version: "1", title: "The other server" }, origins: ["*"] } };
  workers = await startWorkers([{ name: "site", assets: join(root, "build/site") }, other]);
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
});
after(async () => {
  await browser?.close();
  await workers?.stop();
});

beforeEach(async () => {
  [mishaps, foreign, allowed] = [[], [], { hosts: [], mishap: undefined }];
  context = await browser.newContext({ viewport: { width: 1280, height: 1000 }, permissions: ["clipboard-read", "clipboard-write"] });
  page = await context.newPage();
  await page.addInitScript(() => document.addEventListener("securitypolicyviolation", (event) => {
    console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
  }));
  page.on("console", (line) => { if (line.type() === "error" || line.type() === "warning") mishaps.push(line.text()); });
  page.on("pageerror", (error) => mishaps.push(error.message));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== "data:" && origin !== workers.urls.site) foreign.push(origin);
  });
});
afterEach(async () => {
  await context.close();
  assert.deepEqual(mishaps.filter((text) => !allowed.mishap?.test(text)), [], "the console stays clean");
  assert.deepEqual(foreign.filter((origin) => !allowed.hosts.includes(origin)), [], "no request leaves the origin");
});

async function open(hash = "") {
  await page.goto(`${workers.urls.site}/${hash}`);
  await settled();
}
const settled = () => page.waitForFunction(() =>
  document.getElementById("results").ariaBusy === "false" && document.getElementById("loaded").textContent !== "Loading…");
const names = () => page.locator("#list > li summary code").allTextContents();
const count = () => page.textContent("#count");
const click = (selector) => act(page.locator(selector).check({ force: true })); // a radio under its label
const hash = () => decodeURIComponent(new URL(page.url()).hash);
async function act(step) {
  await step;
  await settled();
}
const pick = (text) => act(page.getByRole("form", { name: "Narrow" }).getByLabel(text).first().check());
async function reasons() {
  await page.click("#hidden summary");
  await page.locator("#reasons li").first().waitFor();
  return page.locator("#reasons li").allTextContents();
}
async function paste(text) {
  await click("input[value=paste]");
  await page.fill("#text", text);
  await act(page.locator("[data-for=paste] button").click());
}

const plain = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };

/** Asks a server itself, to the last page. */
async function listed(mcp, method, params = {}) {
  const found = [];
  for (let cursor; ;) {
    const body = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta, ...(cursor !== undefined && { cursor }) } };
    const headers = { ...plain, "mcp-protocol-version": "2026-07-28", "mcp-method": method };
    const response = await fetch(mcp, { method: "POST", headers, body: JSON.stringify(body) });
    const { result, error } = await response.json();
    assert.equal(error, undefined);
    found.push(result);
    cursor = result.nextCursor;
    if (cursor === undefined) return found;
  }
}
async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

async function toolNames(mcp, filter) {
  return (await listed(mcp, "tools/list", { filter })).flatMap(({ tools }) => tools.map(({ name }) => name));
}

test("a group and a tag leave what the server and the engine leave", async () => {
  await open();
  const mcp = `${workers.urls.site}/mcp`;
  const all = await toolNames(mcp);
  assert.deepEqual(await names(), all.slice(0, 100));
  assert.match(await count(), new RegExp(`^${all.length} of ${all.length} tools$`));

  await pick("Issues");
  await pick("stable");
  const left = await toolNames(mcp, { groups: ["issues"], tags: ["stable"] });
  assert.ok(left.length > 0 && left.length < all.length);
  assert.deepEqual(await names(), left);
  const sieve = Sieve.compile(await listed(mcp, "tools/list"));
  assert.deepEqual(await names(), sieve.names({ groups: ["issues"], tags: ["stable"] }));
  assert.equal(await count(), `${left.length} of ${all.length} tools`);

  const why = await reasons();
  assert.equal(why.length, all.length - left.length);
  assert.ok(why.some((reason) => reason.includes("not in “issues”")), "a group is named as the reason");
  assert.ok(why.some((reason) => reason.includes("without “stable”")), "a tag is named as the reason");
});

test("what is shown to ask a server for, a server answers alike", async () => {
  await open(MEMBERSHIP);
  const [address, request, words] = await Promise.all(["address", "request", "headers"].map((id) => page.textContent(`#${id}`)));
  assert.equal(address, `${workers.urls.site}/mcp?groups=issues&tags=stable`);
  const headers = Object.fromEntries(words.split(", with ")[1].split(", ").map((header) => header.split(": ")));
  const response = await fetch(`${workers.urls.site}/mcp`, { method: "POST", body: request, headers: { ...plain, ...headers } });
  const { result } = await response.json();
  assert.deepEqual(result.tools.map(({ name }) => name), await names());
  assert.deepEqual(await toolNames(address), await names());

  for (const id of ["address", "request"]) {
    await page.click(`[data-copy=${id}]`);
    await page.waitForFunction((id) => document.getElementById("said").textContent === `Copied the ${id}`, id);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), id === "address" ? address : request);
  }
});

test("concerns of a server are narrowed by the server", async () => {
  await open("#groups=issues");
  const mcp = `${workers.urls.site}/mcp`;
  const [{ capabilities }] = await listed(mcp, "server/discover");
  const { name, values } = capabilities.concerns.find(({ values }) => Array.isArray(values));
  const answers = await Promise.all(values.map((value) => toolNames(mcp, { concerns: { [name]: value } })));
  const all = await toolNames(mcp);
  const at = answers.findIndex((left) => left.length < all.length);
  assert.ok(at >= 0, "a value of a declared concern leaves something out");
  await click(`input[name="concern.${name}"][value="${values[at]}"]`);
  assert.deepEqual(await names(), await toolNames(mcp, { groups: ["issues"], concerns: { [name]: values[at] } }));
  const wish = `${name} ${values[at]}`;
  assert.ok((await page.textContent("#remark")).includes(`leaves ${answers[at].length} of ${all.length} tools for ${wish}`));
  assert.ok(hash().endsWith(`concern.${name}=${values[at]}`));
  assert.ok((await reasons()).some((reason) => reason.includes(`left out by the server for ${wish}`)));
  await act(page.getByRole("button", { name: "Clear all" }).click());
  assert.deepEqual(await names(), all.slice(0, 100));
});

test("the address holds the state: reload, shared link, back and forward", async () => {
  await open();
  await pick("Issues");
  await pick("stable");
  const [left, address] = [await names(), page.url()];
  assert.equal(hash(), MEMBERSHIP);
  await page.reload();
  await settled();
  assert.deepEqual(await names(), left);
  assert.ok(await page.getByLabel("Issues").first().isChecked());

  await act(page.goBack());
  await page.waitForFunction(() => !document.querySelector("#tags input:checked"));
  assert.equal(hash(), "#groups=issues");
  assert.ok((await names()).length > left.length);
  await act(page.goForward());
  await page.waitForFunction(() => document.querySelector("#tags input:checked"));
  assert.deepEqual(await names(), left);

  await click("#kinds input[value=prompts]");
  await page.fill("#find", "zzz");
  await settled();
  assert.match(hash(), /kind=prompts&find=zzz/);
  assert.match(await count(), /0 about “zzz”$/);
  const second = await context.newPage();
  await second.goto(address);
  await second.waitForFunction((n) => document.querySelectorAll("#list > li").length === n, left.length);

  await open("#groups=nowhere&tags=%E0%A4%A");
  assert.equal((await names()).length, 0);
  assert.match(await page.textContent("#remark"), /Ignored/);
  await act(page.getByLabel("nowhere").uncheck());
});

test("a pasted catalog is narrowed here, and a bad one changes nothing", async () => {
  await open();
  await paste(JSON.stringify({ jsonrpc: "2.0", id: 1, result: FEW }));
  assert.deepEqual(await names(), ["alpha", "beta", "gamma"]);
  assert.equal(await page.textContent("#loaded"), "Pasted text");
  await click('input[name="concern.risk"][value="low"]');
  assert.deepEqual(await names(), ["alpha", "gamma"], "what has no value matches every value");
  assert.match((await reasons()).join("\n"), /beta.*risk is “high”, not “low”/s);
  const before = [await names(), page.url(), await page.textContent("#request")];

  for (const bad of ['{"tools": [', '{"tool": []}', "[1]", '"text"']) {
    await paste(bad);
    const words = await page.getByRole("alert").filter({ visible: true }).textContent();
    let engine;
    try { Sieve.compile(bad); } catch (error) { engine = error.message; }
    assert.ok(engine && words.includes(engine), `${words} holds the engine's words: ${engine}`);
    assert.deepEqual([await names(), page.url(), await page.textContent("#request")], before);
    assert.equal(await page.inputValue("#text"), bad);
  }

  await page.reload();
  await settled();
  assert.deepEqual(await names(), before[0], "a reload keeps the good text");
  const groups = [{ name: "a", title: "The As", description: "All of them" }];
  await paste(JSON.stringify([{ tools: [...FEW.tools, { title: "no name" }] }, { prompts: [{ name: "p" }] }, { groups }]));
  assert.deepEqual(await page.locator("#kinds label").allTextContents(), ["Tools3", "Prompts1"]);
  assert.match(await page.textContent("#notes summary"), /1 remark/);
  assert.ok(await page.getByLabel("The As").isVisible());
});

test("words find what is about them, the best first, and a word that is half typed", async () => {
  await open();
  const tool = (name, description, groups) => ({ name, description, groups, inputSchema: { type: "object" } });
  await paste(JSON.stringify({ tools: [
    tool("forecast", "How warm and wet it will be", ["sky"]),
    tool("close_issue", "Close an issue", ["work"]),
    tool("open_issue", "Report something that does not work", ["work"]),
  ] }));
  const find = async (words) => { await page.fill("#find", words); await settled(); return names(); };
  assert.deepEqual(await find("report an issue"), ["open_issue", "close_issue"]);
  assert.equal(await count(), "3 of 3 tools, 2 about “report an issue”");
  assert.deepEqual(await find("wether forcast"), ["forecast"]);
  assert.deepEqual(await find("iss"), ["close_issue", "open_issue"]);
  assert.deepEqual(await find("  "), ["forecast", "close_issue", "open_issue"]);
  await click('#groups input[value="sky"]');
  assert.deepEqual(await find("report an issue"), []);
});

test("another server is read over its address", async () => {
  allowed.hosts = [workers.urls.other];
  await open();
  await click("input[value=url]");
  await page.fill("#url", `${workers.urls.other}/mcp`);
  await page.press("#url", "Enter");
  await page.waitForFunction(() => document.getElementById("loaded").textContent === "The other server 1, MCP 2026-07-28");
  assert.deepEqual(await names(), (await toolNames(`${workers.urls.other}/mcp`)).slice(0, 100));
  assert.equal(await page.textContent("#address"), `${workers.urls.other}/mcp`);
  await pick("Issues");
  await page.reload();
  await settled();
  assert.deepEqual(await names(), await toolNames(`${workers.urls.other}/mcp`, { groups: ["issues"] }));
});

test("a server of the older protocol is read in a session, over event streams", async () => {
  const path = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const peer = spawn(process.execPath, [path, "streamableHttp"], { env, stdio: ["ignore", "ignore", "pipe"] });
  try {
    await new Promise((done, fail) => {
      peer.stderr.setEncoding("utf8").on("data", (text) => { if (text.includes(String(port))) done(); });
      peer.once("exit", (code) => fail(new Error(`the peer ended with ${code}`)));
    });
    allowed = { hosts: [`http://127.0.0.1:${port}`], mishap: /status of 400/ };
    await open(`#from=url&url=${encodeURIComponent(`http://127.0.0.1:${port}/mcp`)}`);
    assert.match(await page.textContent("#loaded"), /, MCP 2025-11-25$/);
    assert.equal(await page.locator("#kinds label").count(), 4, "it has all four kinds");
    assert.ok((await names()).includes("echo"));
    assert.ok(await page.locator("#no-facets").isVisible());
    assert.doesNotMatch(await page.textContent("#request"), /_meta/);
    await click("#kinds input[value=resourceTemplates]");
    assert.ok((await names()).length > 0);
  } finally {
    peer.kill();
  }
});

test("a server that lets only the older headers in is read in a session", async () => {
  const gate = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const { host, origin, ...headers } = request.headers;
    const cors = {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "POST, DELETE",
      "access-control-allow-headers": "content-type, mcp-session-id, mcp-protocol-version",
      "access-control-expose-headers": "mcp-session-id",
    };
    if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
    const body = chunks.length ? Buffer.concat(chunks) : undefined;
    const answer = await fetch(`${workers.urls.other}/mcp`, { method: request.method, headers: { ...plain, ...headers }, body });
    for (const name of ["content-type", "mcp-session-id"]) if (answer.headers.has(name)) cors[name] = answer.headers.get(name);
    response.writeHead(answer.status, cors);
    response.end(Buffer.from(await answer.arrayBuffer()));
  }).listen(0, "127.0.0.1");
  try {
    await once(gate, "listening");
    const url = `http://127.0.0.1:${gate.address().port}/mcp`;
    allowed = { hosts: [new URL(url).origin], mishap: /CORS policy|net::ERR_FAILED/ };
    await open(`#groups=issues&from=url&url=${encodeURIComponent(url)}`);
    assert.equal(await page.textContent("#loaded"), "The other server 1, MCP 2025-11-25");
    assert.deepEqual(await names(), await toolNames(`${workers.urls.other}/mcp`, { groups: ["issues"] }));
    assert.match(await page.textContent("#headers"), /Mcp-Session-Id: \S/);
  } finally {
    gate.close();
  }
});

test("a server that cannot be read is explained, and what was there stays", async () => {
  const closed = createServer((_, response) => response.setHeader("content-type", "application/json").end("{}"));
  const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
  const html = createServer((_, response) => response.writeHead(200, { ...cors, "content-type": "text/html" }).end("<p>hello"));
  const locked = createServer(({ method }, response) => response.writeHead(method === "OPTIONS" ? 204 : 401, cors).end());
  const servers = [closed, html, locked].map((server) => server.listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => server.listening || once(server, "listening")));
  try {
    await open(MEMBERSHIP);
    const before = [await names(), page.url()];
    const [noCors, noMcp, noEntry] = servers.map((server) => `http://127.0.0.1:${server.address().port}/mcp`);
    const nobody = `http://127.0.0.1:${await freePort()}/mcp`;
    const rows = [[noCors, /CORS/], [nobody, /nothing listens there/], [noMcp, /text\/html, which is not MCP/],
      [noEntry, /401: it wants an authorization/], ["ftp://x", /has to start with http/]];
    allowed = { hosts: rows.map(([url]) => new URL(url).origin), mishap: /CORS policy|Failed to load resource/ };
    await click("input[value=url]");
    for (const [url, words] of rows) {
      await page.fill("#url", url);
      await act(page.press("#url", "Enter"));
      assert.match(await page.getByRole("alert").filter({ visible: true }).textContent(), words);
      assert.deepEqual([await names(), page.url()], before);
    }
  } finally {
    servers.forEach((server) => server.close());
  }
});

test("the keyboard is enough", async () => {
  await open();
  const focused = () => page.evaluate(() => {
    const element = document.activeElement;
    const { tagName: tag, id, name, value } = element;
    const ring = [element, element.closest("label")].some((one) => one && getComputedStyle(one).outlineStyle !== "none");
    return { tag, id, name, value, ring };
  });
  const trail = [];
  const tabTo = async (wanted) => {
    for (let steps = 0; steps < 300; steps++) {
      await page.keyboard.press("Tab");
      const now = await focused();
      trail.push(now);
      if (now.tag === "BODY" ? wanted === undefined : wanted?.(now)) return now;
    }
    assert.fail(`never reached; the last was ${JSON.stringify(trail.at(-1))}`);
  };
  const first = await tabTo((now) => now.id === "skip");
  assert.ok(first.ring && (await page.locator("#skip").boundingBox()).y >= 0, "the skip link comes first and shows itself");
  await page.keyboard.press("Enter");
  assert.equal((await focused()).id, "results");
  await page.locator("#skip").focus();

  await tabTo((now) => now.name === "groups" && now.value === "issues");
  await act(page.keyboard.press("Space"));
  await tabTo((now) => now.name === "tags" && now.value === "stable");
  await act(page.keyboard.press("Space"));
  assert.equal(hash(), MEMBERSHIP);
  const concern = await tabTo((now) => now.name?.startsWith("concern."));
  await act(page.keyboard.press("ArrowRight"));
  assert.match(hash(), new RegExp(`${concern.name.replace(".", "\\.")}=`));
  await act(page.keyboard.press("ArrowLeft"));
  assert.equal(hash(), MEMBERSHIP);
  await tabTo((now) => now.tag === "SUMMARY");
  await page.keyboard.press("Enter");
  await page.locator("#list > li:first-child pre").waitFor();
  await tabTo();
  assert.deepEqual(trail.filter(({ tag, ring }) => tag !== "BODY" && !ring), [], "focus is always visible");
});

test("landmarks, names and the live count are there for a screen reader", async () => {
  await open(MEMBERSHIP);
  const tree = await page.locator("body").ariaSnapshot();
  const parts = ["banner", "main", "contentinfo", 'form "Catalog"', 'form "Narrow"', 'region "What is left"',
    'group "Groups', 'group "Tags', 'group "Kind"', 'searchbox "Find by words"', 'heading "Sieve" [level=1]'];
  for (const part of parts) assert.ok(tree.includes(`- ${part}`), `${part} in\n${tree}`);
  assert.equal(await page.getAttribute("#count", "aria-live"), "polite");
  const nameless = await page.evaluate(() => [...document.querySelectorAll("input, textarea, button")]
    .filter((one) => !(one.labels?.length || one.ariaLabel || one.textContent.trim() || one.hidden)).map((one) => one.outerHTML));
  assert.deepEqual(nameless, []);
  const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length);
});

/** Every visible text whose contrast is below WCAG AA, as `ratio text`. */
function faint() {
  const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const over = ([r, g, b, a = 1], below) => [r, g, b].map((value, at) => value * a + below[at] * (1 - a));
  const backdrop = (element) => {
    if (!element) return [255, 255, 255];
    const color = channels(getComputedStyle(element).backgroundColor);
    return color[3] === 0 ? backdrop(element.parentElement) : over(color, backdrop(element.parentElement));
  };
  const light = (color) => {
    const [r, g, b] = color.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => { const [low, high] = [light(a), light(b)].sort((x, y) => x - y); return (high + 0.05) / (low + 0.05); };
  const found = [];
  let seen = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility() || element.closest(":disabled, .away")) continue;
    const style = getComputedStyle(element);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    const below = backdrop(element);
    const value = ratio(over(channels(style.color), below), below);
    seen++;
    if (value < (large ? 3 : 4.5)) found.push(`${value.toFixed(2)} ${node.data.trim().slice(0, 40)}`);
  }
  for (const element of document.querySelectorAll("#find, .chips label:not(:has(:checked)), [data-copy]")) {
    const value = ratio(channels(getComputedStyle(element).borderTopColor), backdrop(element));
    if (value < 3) found.push(`${value.toFixed(2)} edge of ${element.id || element.className || element.tagName}`);
  }
  return { seen, found };
}

for (const colorScheme of ["light", "dark"]) {
  test(`text is readable in the ${colorScheme} theme`, async () => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open(MEMBERSHIP);
    await paste("{");
    await reasons();
    await page.click("#list summary");
    await page.locator("#list pre").waitFor();
    const dark = await page.evaluate(() => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0]) < 64);
    assert.equal(dark, colorScheme === "dark");
    const { seen, found } = await page.evaluate(faint);
    assert.ok(seen > 50, `${seen} texts`);
    assert.deepEqual(found, []);
    const motion = await page.evaluate(() => getComputedStyle(document.querySelector("#list summary"), "::after").transitionProperty);
    assert.equal(motion, "none");
  });
}

test("it fits 320 pixels, and right to left", async () => {
  await open(MEMBERSHIP);
  const spill = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  for (const direction of ["ltr", "rtl"]) {
    for (const width of [320, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate((direction) => { document.documentElement.dir = direction; }, direction);
      assert.ok((await spill()) <= 0, `${direction} ${width}: ${await spill()} px too wide`);
    }
    const [picker, results] = await Promise.all(["#picker", "#results"].map((id) => page.locator(id).boundingBox()));
    assert.equal(picker.x < results.x, direction === "ltr");
  }
});

test("ten thousand tools come in slices", async () => {
  await open();
  const tools = Array.from({ length: 10_000 }, (_, at) => ({
    name: `tool_${at}`, description: `Does the thing numbered ${at}`, inputSchema: { type: "object" },
    groups: [`g${at % 7}`], tags: at % 3 ? ["x"] : [],
  }));
  const start = performance.now();
  await paste(JSON.stringify({ tools }));
  assert.equal(await count(), "10,000 of 10,000 tools");
  const slow = await page.evaluate(async () => {
    const from = performance.now();
    document.querySelector("#groups input").click();
    await new Promise((done) => setTimeout(done));
    document.body.getBoundingClientRect();
    return performance.now() - from;
  });
  assert.ok(performance.now() - start < 10_000 && slow < 1000, `a change takes ${slow} ms`);
  await settled();
  assert.equal(await count(), "1,429 of 10,000 tools");
  assert.equal((await names()).length, 100);
  await page.click("#more");
  assert.equal((await names()).length, 200);
  assert.ok(await page.evaluate(() => document.activeElement === document.querySelectorAll("#list summary")[100]));
});

test("the policy names the import map by its hash", () => {
  const html = readFileSync(join(root, "web/index.html"), "utf8");
  const [, map] = /<script type="importmap">(.*?)<\/script>/s.exec(html);
  assert.deepEqual(JSON.parse(map), { imports: { "mcp-sieve": "./mcp-sieve/web.js" } });
  assert.ok(html.includes(`'sha256-${createHash("sha256").update(map).digest("base64")}'`));
  assert.equal(html.match(/<script/g).length, 2);
  assert.doesNotMatch(html, / (style|on\w+)=/);
});

test("it has its picture taken", async () => {
  const shown = "http://127.0.0.1:8787"; // the address that `make dev` serves
  allowed.hosts = [shown];
  await context.route(`${shown}/**`, async (route) => {
    const url = route.request().url().replace(shown, workers.urls.site);
    await route.fulfill({ response: await route.fetch({ url }) });
  });
  await page.setViewportSize({ width: 1280, height: 940 });
  await page.goto(`${shown}/#groups=issues,pulls&tags=stable`);
  await settled();
  const picture = await page.screenshot();
  mkdirSync(join(root, "build"), { recursive: true });
  writeFileSync(join(root, "build/page.png"), picture);
  const kept = join(root, "tests/page.png");
  if (process.env.UPDATE_PICTURE) writeFileSync(kept, picture);
  const bytes = readFileSync(kept);
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1280, 940]);
  assert.ok(bytes.length <= 200 * 1024, `${bytes.length} bytes`);
});
