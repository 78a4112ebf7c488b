// The demo page in real Chromium, on the built Worker and the built package.
// UPDATE_PICTURE=1 (`make picture`) also renews tests/page.png, the picture that the README shows.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Sieve } from "../pkg/loaders/node.js";
import { freePort } from "./support/port.mjs";
import { send } from "./support/raw-client.mjs";
import { axeFinds, launch } from "./support/site.mjs";
import { startWorkers } from "./support/workerd.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const MEMBERSHIP = "#groups=issues&tags=stable";
const FEW = {
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

let workers, browser, context, page, mishaps, foreign, allowed;

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

async function open(hash = "") {
  await page.goto(`${workers.urls.site}/${hash}`);
  await settled();
}
const settled = () =>
  page.waitForFunction(
    () =>
      document.getElementById("results").ariaBusy === "false" &&
      document.getElementById("loaded").textContent !== "Loading…",
  );
/** Returns all rows, including those out of view. */
const names = () =>
  page.evaluate(() => {
    const { picker } = document.getElementById("picker");
    return Array.from({ length: picker.summary.rows }, (_, at) => picker.rows(at, at + 1)[0].name);
  });
const count = () =>
  page
    .getByRole("status")
    .filter({ hasText: /tokens/ })
    .textContent();
const item = (name) => page.getByRole("treeitem", { name });
const sign = (what) => page.locator("#picker").getByRole("button", { name: what });
const tab = (name) => page.getByRole("tab", { name });
const click = (selector) => act(page.locator(selector).check({ force: true })); // a radio button covered by its label
const hash = () => decodeURIComponent(new URL(page.url()).hash);
async function act(step) {
  await step;
  await settled();
}
const pick = (name) => act(item(name).click());
const want = (name) => act(sign(`Require tag ${name}`).click());
/** Returns the hidden rows, and the reason that each shows. */
async function reasons() {
  await tab("Hidden").click();
  const found = await page
    .locator("#picker .body .row")
    .evaluateAll((rows) =>
      rows.map((row) => [row.querySelector(".label").textContent, row.querySelector(".note").textContent]),
    );
  await tab("Shown").click();
  return found;
}
async function paste(text) {
  await click("input[value=paste]");
  await page.fill("#text", text);
  await act(page.locator("[data-for=paste] button").click());
}

const plain = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Sends a list request directly to a server, and returns all pages. */
async function listed(mcp, method, params = {}) {
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
async function toolNames(mcp, filter) {
  return (await listed(mcp, "tools/list", { filter })).flatMap(({ tools }) => tools.map(({ name }) => name));
}

test("a gateway without a server says on its page what to configure", async () => {
  allowed.hosts.push(workers.urls.bare);
  await page.goto(workers.urls.bare);
  await page
    .locator("#source-error")
    .filter({ hasText: /no MCP server is configured behind this gateway.*UPSTREAM_URL/ })
    .waitFor();
});

test("a group and a tag select the same as the server and the engine", async () => {
  await open();
  const mcp = `${workers.urls.site}/mcp`;
  const all = await toolNames(mcp);
  assert.deepEqual(await names(), all);
  assert.match(await count(), new RegExp(`^${all.length} tools · `));

  await pick("Issues");
  await want("stable");
  const left = await toolNames(mcp, { groups: ["issues"], tags: ["stable"] });
  assert.ok(left.length > 0 && left.length < all.length);
  assert.deepEqual(await names(), left);
  const sieve = Sieve.compile(await listed(mcp, "tools/list"));
  assert.deepEqual(await names(), sieve.names({ filter: { groups: ["issues"], tags: ["stable"] } }));
  const [tokens, before] = [
    sieve.tokens({ filter: { groups: ["issues"], tags: ["stable"] } }).count,
    sieve.tokens().count,
  ];
  const saved = Math.round(100 * (1 - tokens / before));
  assert.equal(
    await count(),
    `${left.length} of ${all.length} tools · about ${tokens.toLocaleString("en")} tokens (${saved}\u00a0% less)`,
  );
  assert.equal(await page.getByText(/tokens? \(/).count(), 1, "in one place");

  const why = (await reasons()).map(([, reason]) => reason);
  assert.ok(
    why.some((reason) => reason.includes("Not in Issues")),
    "a group is named as the reason",
  );
  assert.ok(
    why.some((reason) => reason.includes("Missing tag stable")),
    "a tag is named as the reason",
  );
});

test("the shown request gets the same result from a server", async () => {
  await open(MEMBERSHIP);
  const [address, request, words] = await Promise.all(
    ["address", "snippet", "headers"].map((id) => page.textContent(`#${id}`)),
  );
  assert.equal(address, `${workers.urls.site}/mcp?groups=issues&tags=stable`);
  const headers = Object.fromEntries(
    words
      .split(", with ")[1]
      .split(", ")
      .map((header) => header.split(": ")),
  );
  const response = await fetch(`${workers.urls.site}/mcp`, {
    method: "POST",
    body: request,
    headers: { ...plain, ...headers },
  });
  const { result } = await response.json();
  assert.deepEqual(
    result.tools.map(({ name }) => name),
    await names(),
  );
  assert.deepEqual(await toolNames(address), await names());

  for (const id of ["address", "snippet"]) {
    await page.click(`[data-copy=${id}]`);
    await page.waitForFunction((id) => document.getElementById("said").textContent === `Copied the ${id}`, id);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), id === "address" ? address : request);
  }
});

test("clients take the URL from links and a command", async () => {
  await open(`${MEMBERSHIP}&not.tags=destructive`);
  const url = await page.textContent("#address");
  const link = async (name) => new URL(await page.getByRole("link", { name }).getAttribute("href"));
  const [vscode, cursor] = [await link("Add to VS Code"), await link("Add to Cursor")];
  assert.deepEqual(
    [
      `${vscode.origin}${vscode.pathname}`,
      vscode.searchParams.get("name"),
      JSON.parse(vscode.searchParams.get("config")),
    ],
    ["https://vscode.dev/redirect/mcp/install", "sieve-tracker", { type: "http", url }],
  );
  assert.deepEqual(
    [
      `${cursor.origin}${cursor.pathname}`,
      cursor.searchParams.get("name"),
      JSON.parse(atob(cursor.searchParams.get("config"))),
    ],
    ["https://cursor.com/en/install-mcp", "sieve-tracker", { url }],
  );
  await page.click("[data-copy=command]");
  await page.waitForFunction(() => document.getElementById("said").textContent === "Copied the command");
  const command = await page.evaluate(() => navigator.clipboard.readText());
  // The shell must pass on the URL unchanged, whatever it contains.
  const { stdout } = await promisify(execFile)("bash", ["-c", `claude() { printf '%s\\n' "$@"; }; ${command}`]);
  assert.deepEqual(stdout.trim().split("\n"), ["mcp", "add", "--transport", "http", "sieve-tracker", url]);
  await page.selectOption("#disclosure", "search");
  const searching = `${url}&disclosure=search`;
  assert.equal(await page.textContent("#address"), searching);
  assert.deepEqual(JSON.parse((await link("Add to VS Code")).searchParams.get("config")), {
    type: "http",
    url: searching,
  });
  const codex = await page.textContent("#codex-command");
  const added = await promisify(execFile)("bash", ["-c", `codex() { printf '%s\n' "$@"; }; ${codex}`]);
  assert.deepEqual(added.stdout.trim().split("\n"), ["mcp", "add", "sieve-tracker", "--url", searching]);
  await open("#from=sample&sample=office");
  assert.ok(
    (await page.getByRole("link", { name: "Add to VS Code" }).isHidden()) &&
      (await page.locator("#codex-command").isHidden()) &&
      (await page.locator("#command").isHidden()),
    "a sample is no server",
  );
  await open("#q=name:*%27*");
  assert.deepEqual(
    (
      await promisify(execFile)("bash", [
        "-c",
        `claude() { printf '%s' "\${@: -1}"; }; ${await page.textContent("#command")}`,
      ])
    ).stdout,
    (await page.textContent("#address")).replaceAll("'", "%27"),
  );
});

test("the documentation is a link away, and a project's other pages where its package names them", async () => {
  await open();
  const response = await fetch(
    new URL(await page.getByRole("link", { name: "Documentation" }).getAttribute("href"), workers.urls.site),
  );
  assert.deepEqual([response.status, (await response.text()).startsWith("# mcp-sieve")], [200, true]);
  await context.route("**/mcp-sieve/package.json", (route) =>
    route.fulfill({
      json: {
        homepage: "https://example.com/docs",
        repository: { type: "git", url: "git+https://example.com/sieve.git" },
      },
    }),
  );
  await page.reload();
  await page.getByRole("link", { name: "Website" }).waitFor();
  assert.deepEqual(
    await page
      .locator("#links a")
      .evaluateAll((links) => links.map(({ textContent, href }) => [textContent, href]).slice(1)),
    [
      ["Website", "https://example.com/docs"],
      ["Repository", "https://example.com/sieve"],
    ],
  );
});

test("until the catalog is there, the picker says that it loads", async () => {
  let answer;
  const held = new Promise((done) => {
    answer = done;
  });
  await context.route("**/mcp", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(workers.urls.site);
  await page.locator("#picker .root[aria-busy=true]").waitFor();
  assert.ok((await page.locator("#picker").boundingBox()).height > 400);
  assert.ok(await page.locator("#request").isHidden());
  answer();
  await settled();
  await page.locator("#picker .root[aria-busy=false]").waitFor();
  assert.ok(await page.locator("#request").isVisible());
});

test("in other words, the same comes back", async () => {
  await open("#groups=issues,pulls&not.tags=destructive");
  const left = await names();
  const words = async (name) => {
    await click(`#snippets input[value=${name}]`);
    return page.textContent("#snippet");
  };
  const run = promisify(execFile);
  const folder = mkdtempSync(join(root, "tests", ".snippets-"));
  try {
    const { stdout: answered } = await run("bash", ["-c", await words("curl")], { timeout: 30_000 });
    assert.deepEqual(
      JSON.parse(answered).result.tools.map(({ name }) => name),
      left,
    );
    const script = (await words("typescript")).replace(
      '"mcp-sieve"',
      JSON.stringify(new URL("../pkg/loaders/node.js", import.meta.url).href),
    );
    writeFileSync(
      join(folder, "snippet.mjs"),
      script
        .replace("console.log(", "console.log(JSON.stringify(")
        .replace(/\);\nawait client.close/, "));\nawait client.close"),
    );
    const { stdout: typed } = await run(process.execPath, [join(folder, "snippet.mjs")], { timeout: 30_000 });
    assert.deepEqual(JSON.parse(typed), left);
    writeFileSync(
      join(folder, "snippet.py"),
      (await words("python")).replace("print(", "import json; print(json.dumps(").replace("])\n", "]))\n"),
    );
    const { stdout: pythonic } = await run(join(root, ".tools/venv/bin/python"), [join(folder, "snippet.py")], {
      timeout: 60_000,
    });
    assert.deepEqual(JSON.parse(pythonic), left);
    assert.match(
      await words("rust"),
      /Filter::parse\(r#"\{"groups":\["issues","pulls"\],"not":\{"tags":\["destructive"\]\}\}"#\)/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("concerns that only the server maps are learnt from it", async () => {
  await open("#groups=issues");
  const mcp = `${workers.urls.site}/mcp`;
  const [{ capabilities }] = await listed(mcp, "server/discover");
  const all = await toolNames(mcp);
  for (const { name, values } of capabilities.concerns.filter(({ values }) => Array.isArray(values))) {
    for (const value of values) {
      await act(sign(`Require ${name} ${value}`).click());
      assert.deepEqual(
        await names(),
        await toolNames(mcp, { groups: ["issues"], concerns: { [name]: value } }),
        `${name} ${value}`,
      );
      assert.ok(hash().endsWith(`concern.${name}=${value}`));
    }
    await act(page.locator("#picker .sign.must[aria-pressed=true]").last().click());
  }
  await act(page.getByRole("button", { name: "Clear filters" }).click());
  assert.deepEqual(await names(), all);
});

test("the address holds the state: reload, shared link, back and forward", async () => {
  await open();
  await pick("Issues");
  await want("stable");
  const [left, address] = [await names(), page.url()];
  assert.equal(hash(), MEMBERSHIP);
  await page.reload();
  await settled();
  assert.deepEqual(await names(), left);
  assert.equal(await item("Issues").getAttribute("aria-checked"), "true");

  await act(page.goBack());
  await page.waitForFunction(() => document.getElementById("picker").filter.tags === undefined);
  assert.equal(hash(), "#groups=issues");
  assert.ok((await names()).length > left.length);
  await act(page.goForward());
  await page.waitForFunction(() => document.getElementById("picker").filter.tags?.length === 1);
  assert.deepEqual(await names(), left);

  await click("#kinds input[value=prompts]");
  assert.match(hash(), /kind=prompts/);
  const second = await context.newPage();
  await second.goto(address);
  await second.waitForFunction((n) => document.getElementById("picker").picker?.summary.selected === n, left.length);

  await open("#groups=nowhere&tags=%E0%A4%A&q=name:*_issue&not.groups=mail");
  assert.equal((await names()).length, 0);
  assert.match(await page.textContent("#remark"), /Ignored/);
  await pick("nowhere");
  assert.doesNotMatch(hash(), /nowhere/);

  await open("#q=name:(");
  assert.match(await page.getByRole("alert").filter({ visible: true }).textContent(), /expression, at byte/);
});

test("a person's own part of the choice is kept for each server", async () => {
  allowed.hosts = [workers.urls.other];
  await open();
  const [first, ...rest] = await names();
  await act(page.getByRole("checkbox", { name: `Use ${first}` }).click());
  await act(page.getByRole("button", { name: `Favorite ${rest[0]}` }).click());
  assert.match(hash(), /#q=-\(kind:tool name=/);
  await page.reload();
  await settled();
  assert.deepEqual(await names(), rest);
  assert.equal(
    await page.evaluate(() => document.getElementById("picker").filter.where),
    `-(kind:tool name=${first})`,
    "and not twice",
  );
  await open("");
  await page.goto("about:blank");
  await open("");
  assert.deepEqual(await names(), rest, "a bare address, too");
  await open(`#from=url&url=${encodeURIComponent(`${workers.urls.other}/mcp`)}`);
  assert.ok((await names()).includes(first), "another server is another's");
});

test("three samples are there, and each narrows", async () => {
  for (const sample of ["forge", "office", "shop"]) {
    await open(`#from=sample&sample=${sample}&tags=read`);
    assert.equal(await page.textContent("#loaded"), `Sample “${sample}”`);
    const { lists, config } = JSON.parse(readFileSync(join(root, `web/samples/${sample}.json`), "utf8"));
    const sieve = Sieve.compile(lists, config);
    assert.deepEqual([sieve.reports, await names()], [[], sieve.names({ filter: { tags: ["read"] } })]);
    assert.ok(sieve.groups.length > 7 && sieve.count() > 20);
    assert.ok(await page.locator("#notes").isHidden());
  }
  await click("input[value=sample]");
  await page.locator("#sample").selectOption("office");
  await act(page.locator("[data-for=sample] button").click());
  assert.equal(hash(), "#from=sample&sample=office");
});

test("a pasted catalog is narrowed here, and a bad one changes nothing", async () => {
  await open();
  await paste(JSON.stringify({ jsonrpc: "2.0", id: 1, result: FEW }));
  assert.deepEqual(await names(), ["alpha", "beta", "gamma"]);
  assert.equal(await page.textContent("#loaded"), "Pasted text");
  await act(sign("Require risk low").click());
  assert.deepEqual(await names(), ["alpha", "gamma"], "what has no value matches every value");
  assert.deepEqual(await reasons(), [["beta", "Risk is high, not low"]]);
  const before = [await names(), page.url(), await page.textContent("#snippet")];

  for (const bad of ['{"tools": [', '{"tool": []}', "[1]", '"text"']) {
    await paste(bad);
    const words = await page.getByRole("alert").filter({ visible: true }).textContent();
    let engine;
    try {
      Sieve.compile(bad);
    } catch (error) {
      engine = error.message;
    }
    assert.ok(engine && words.includes(engine), `${words} holds the engine's words: ${engine}`);
    assert.deepEqual([await names(), page.url(), await page.textContent("#snippet")], before);
    assert.equal(await page.inputValue("#text"), bad);
  }

  await page.reload();
  await settled();
  assert.deepEqual(await names(), before[0], "a reload keeps the good text");
  const groups = [{ name: "a", title: "The As", description: "All of them" }];
  await paste(
    JSON.stringify([{ tools: [...FEW.tools, { title: "no name" }] }, { prompts: [{ name: "p" }] }, { groups }]),
  );
  assert.deepEqual(await page.locator("#kinds label").allTextContents(), ["Tools3", "Prompts1"]);
  assert.match(await page.textContent("#notes summary"), /1 remark/);
  assert.ok(await item("The As").isVisible());
});

test("words find matching tools, the best first, also for a half-typed word", async () => {
  await open();
  const tool = (name, description, groups) => ({ name, description, groups, inputSchema: { type: "object" } });
  await paste(
    JSON.stringify({
      tools: [
        tool("forecast", "How warm and wet it will be", ["sky"]),
        tool("close_issue", "Close an issue", ["work"]),
        tool("open_issue", "Report something that does not work", ["work"]),
      ],
    }),
  );
  const find = async (words) => {
    await page.getByRole("searchbox").fill(words);
    return names();
  };
  assert.deepEqual(await find("report an issue"), ["open_issue", "close_issue"]);
  assert.deepEqual(await find("wether forcast"), ["forecast"]);
  assert.deepEqual(await find("iss"), ["close_issue", "open_issue"]);
  assert.deepEqual(await find("  "), ["forecast", "close_issue", "open_issue"]);
  await pick("sky");
  assert.deepEqual(await find("report an issue"), []);
});

test("another server is read over its address", async () => {
  allowed.hosts = [workers.urls.other];
  await open();
  await click("input[value=url]");
  await page.fill("#url", `${workers.urls.other}/mcp`);
  await page.press("#url", "Enter");
  await page.waitForFunction(
    () => document.getElementById("loaded").textContent === "The other server 1, MCP 2026-07-28",
  );
  assert.deepEqual(await names(), await toolNames(`${workers.urls.other}/mcp`));
  assert.equal(await page.textContent("#address"), `${workers.urls.other}/mcp`);
  await pick("Issues");
  await page.reload();
  await settled();
  assert.deepEqual(await names(), await toolNames(`${workers.urls.other}/mcp`, { groups: ["issues"] }));
});

test("M-38: the page calls no middleware of another server", async () => {
  allowed.hosts = [workers.urls.other];
  const sent = [];
  page.on("request", (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin === workers.urls.other) sent.push(`${pathname} ${JSON.parse(request.postData() ?? "{}").method}`);
  });
  await open();
  await click("input[value=url]");
  await page.fill("#url", `${workers.urls.other}/mcp`);
  await page.press("#url", "Enter");
  await page.waitForFunction(() => document.getElementById("loaded").textContent.startsWith("The other server"));
  await settled();
  assert.ok(sent.includes("/mcp tools/list"), sent.join());
  const loaded = [...sent];
  await page.locator("#middleware > summary").click();
  await page.waitForFunction(() => document.getElementById("middleware-result").textContent.includes("[PERSON_1]"));
  assert.deepEqual(sent, loaded, "functions run in the page");
  assert.equal(
    loaded.some((request) => /middleware|interceptor/.test(request)),
    false,
    loaded.join(),
  );
});

test("a server of the older protocol is read in a session, over event streams", async () => {
  const path = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const peer = spawn(process.execPath, [path, "streamableHttp"], { env, stdio: ["ignore", "ignore", "pipe"] });
  try {
    await new Promise((done, fail) => {
      peer.stderr.setEncoding("utf8").on("data", (text) => {
        if (text.includes(String(port))) done();
      });
      peer.once("exit", (code) => fail(new Error(`the peer ended with ${code}`)));
    });
    allowed = { hosts: [`http://127.0.0.1:${port}`], mishap: /status of 400/ };
    await open(`#from=url&url=${encodeURIComponent(`http://127.0.0.1:${port}/mcp`)}`);
    assert.match(await page.textContent("#loaded"), /, MCP 2025-11-25$/);
    assert.equal(await page.locator("#kinds label").count(), 4, "it has all four kinds");
    assert.ok((await names()).includes("echo"));
    assert.equal(await page.getByRole("tree").count(), 0, "it has no groups");
    assert.doesNotMatch(await page.textContent("#snippet"), /_meta/);
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
    const answer = await fetch(`${workers.urls.other}/mcp`, {
      method: request.method,
      headers: { ...plain, ...headers },
      body,
    });
    for (const name of ["content-type", "mcp-session-id"])
      if (answer.headers.has(name)) cors[name] = answer.headers.get(name);
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

test("a server that cannot be read gets an explanation, and the page keeps its content", async () => {
  const closed = createServer((_, response) => response.setHeader("content-type", "application/json").end("{}"));
  const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
  const html = createServer((_, response) =>
    response.writeHead(200, { ...cors, "content-type": "text/html" }).end("<p>hello"),
  );
  const locked = createServer(({ method }, response) =>
    response.writeHead(method === "OPTIONS" ? 204 : 401, cors).end(),
  );
  const servers = [closed, html, locked].map((server) => server.listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => server.listening || once(server, "listening")));
  try {
    await open(MEMBERSHIP);
    const before = [await names(), page.url()];
    const [noCors, noMcp, noEntry] = servers.map((server) => `http://127.0.0.1:${server.address().port}/mcp`);
    const nobody = `http://127.0.0.1:${await freePort()}/mcp`;
    const rows = [
      [noCors, /CORS/],
      [nobody, /nothing listens there/],
      [noMcp, /text\/html, which is not MCP/],
      [noEntry, /401: it wants an authorization/],
      ["ftp://x", /has to start with http/],
    ];
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
  const focused = () =>
    page.evaluate(() => {
      let element = document.activeElement;
      while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      const { tagName: tag, id, name, value, role } = element;
      const ring = [element, element.closest("label")].some(
        (one) => one && getComputedStyle(one).outlineStyle !== "none",
      );
      return {
        tag,
        id,
        name,
        value,
        role: role ?? element.getAttribute("role"),
        ring,
        words: element.getAttribute("aria-label") ?? "",
      };
    });
  const trail = [];
  const tabTo = async (wanted) => {
    for (let steps = 0; steps < 100; steps++) {
      await page.keyboard.press("Tab");
      const now = await focused();
      trail.push(now);
      if (now.tag === "BODY" ? wanted === undefined : wanted?.(now)) return now;
    }
    assert.fail(`never reached; the last was ${JSON.stringify(trail.at(-1))}`);
  };
  const first = await tabTo((now) => now.id === "skip");
  assert.ok(
    first.ring && (await page.locator("#skip").boundingBox()).y >= 0,
    "the skip link comes first and shows itself",
  );
  await page.keyboard.press("Enter");
  assert.equal((await focused()).id, "results");
  await page.locator("#skip").focus();

  await tabTo((now) => now.role === "treeitem");
  while (!(await focused()).words.startsWith("Issues")) await page.keyboard.press("ArrowDown");
  await act(page.keyboard.press("Space"));
  await tabTo((now) => now.tag === "BUTTON" && now.words.startsWith("Exclude tag"));
  while (!(await focused()).words.startsWith("Require tag stable")) await page.keyboard.press("ArrowRight");
  await act(page.keyboard.press("Space"));
  assert.equal(hash(), MEMBERSHIP);
  const concern = await tabTo((now) => now.words.startsWith("Exclude "));
  await act(page.keyboard.press("+"));
  assert.match(hash(), new RegExp(`&concern\\.${concern.words.split(" ")[1]}=`));
  await act(page.keyboard.press("Delete"));
  assert.equal(hash(), MEMBERSHIP);
  await tabTo((now) => now.role === "grid");
  await tabTo();
  assert.deepEqual(
    trail.filter(({ tag, ring }) => tag !== "BODY" && !ring),
    [],
    "focus is always visible",
  );
});

test("landmarks, names and the live count are there for a screen reader, and axe finds nothing", async () => {
  await open(MEMBERSHIP);
  const tree = await page.locator("body").ariaSnapshot();
  const parts = [
    "banner",
    "main",
    "contentinfo",
    'form "Catalog"',
    'region "Choice"',
    'navigation "Project"',
    'tree "Groups"',
    'toolbar "Tags"',
    'group "Kind"',
    'searchbox "Search tools"',
    'tablist "Rows"',
    'tabpanel "Shown,',
    'heading "Sieve" [level=1]',
  ];
  for (const part of parts) assert.ok(tree.includes(`- ${part}`), `${part} in\n${tree}`);
  const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    assert.deepEqual(await axeFinds(page), []);
  }
});

for (const colorScheme of ["light", "dark"]) {
  test(`text is readable in the ${colorScheme} theme`, async () => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open(MEMBERSHIP);
    await paste("{");
    const dark = await page.evaluate(
      () => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0]) < 64,
    );
    assert.equal(dark, colorScheme === "dark");
    await tab("All").click();
    assert.deepEqual(await axeFinds(page), []);
  });
}

test("it fits 320 pixels, and right to left", async () => {
  await open(MEMBERSHIP);
  const spill = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  for (const direction of ["ltr", "rtl"]) {
    for (const width of [320, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate((direction) => {
        document.documentElement.dir = direction;
      }, direction);
      assert.ok((await spill()) <= 0, `${direction} ${width}: ${await spill()} px too wide`);
    }
    const [facets, results] = await Promise.all(
      ["#picker .facets", "#picker .results"].map((part) => page.locator(part).boundingBox()),
    );
    assert.equal(facets.x < results.x, direction === "ltr");
  }
});

test("the policy names the import map by its hash", () => {
  const html = readFileSync(join(root, "web/index.html"), "utf8");
  const [, map] = /<script type="importmap">(.*?)<\/script>/s.exec(html);
  assert.deepEqual(JSON.parse(map), {
    imports: { "mcp-sieve": "./mcp-sieve/loaders/web.js", "mcp-sieve/picker": "./mcp-sieve/src/element/picker.js" },
  });
  assert.ok(html.includes(`'sha256-${createHash("sha256").update(map).digest("base64")}'`));
  assert.doesNotMatch(
    html,
    /<script(?! type="importmap">| type="module" src="\.\/\w+\.js"><\/script>)/,
    "every other script is a file",
  );
  assert.doesNotMatch(html, / (style|on\w+)=/);
});

test("it has its picture taken", async () => {
  const shown = "http://127.0.0.1:8787"; // the URL that `make dev` serves
  allowed.hosts = [shown];
  await context.route(`${shown}/**`, async (route) => {
    const url = route.request().url().replace(shown, workers.urls.site);
    // A request that is still open when the test ends fails together with its context, which is harmless.
    const answered = async () => route.fulfill({ response: await route.fetch({ url }) });
    await answered().catch(() => {});
  });
  await page.setViewportSize({ width: 1280, height: 940 });
  await page.emulateMedia({ reducedMotion: "reduce" });
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
