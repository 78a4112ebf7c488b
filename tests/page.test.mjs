// The demo page in real Chromium, on the built Worker and the built package: the same results as from servers.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { Sieve } from "../pkg/loaders/node.js";
import {
  MEMBERSHIP,
  act,
  allowed,
  click,
  context,
  count,
  demoPage,
  hash,
  listed,
  names,
  open,
  page,
  paste,
  pick,
  plain,
  reasons,
  root,
  settled,
  sign,
  toolNames,
  want,
  workers,
} from "./support/demo-page.mjs";
import "./support/home.mjs";

demoPage();

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
  assert.equal(
    await page
      .getByText(/tokens? \(/)
      .filter({ visible: true })
      .count(),
    1,
    "in one place",
  );

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
  const [address, snippet, left] = [
    await page.textContent("#address"),
    await page.textContent("#snippet"),
    await names(),
  ];
  assert.equal(address, `${workers.urls.site}/mcp?groups=issues&tags=stable`);
  for (const [id, text] of Object.entries({ address, snippet })) {
    await page.click(`[data-copy=${id}]`);
    await page.waitForFunction((id) => document.getElementById("said").textContent === `Copied the ${id}`, id);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
  }
  await page.getByRole("link", { name: "More" }).click();
  await page.locator("#shown-request", { hasText: "tools/list" }).waitFor();
  await page.click("[data-copy=shown-request]");
  await page.waitForFunction(() => document.getElementById("said").textContent === "Copied the request");
  const request = await page.evaluate(() => navigator.clipboard.readText());
  const headers = Object.fromEntries(
    (await page.textContent("#headers"))
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
    left,
  );
  assert.deepEqual(await toolNames(address), left);
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

test("the documentation of the repository is a link away", async () => {
  await open();
  const link = page.getByRole("link", { name: "Documentation" });
  const response = await fetch(new URL(await link.getAttribute("href"), workers.urls.site));
  assert.deepEqual([response.status, await response.text()], [200, readFileSync(join(root, "README.md"), "utf8")]);
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
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the Rust code is that which tests/page_snippets.rs compiles", async () => {
  const shown = {};
  await open("#groups=issues,pulls&not.tags=destructive");
  for (const kind of ["tools", "resources", "resourceTemplates", "prompts"]) {
    await click(`#kinds input[value=${kind}]`);
    await click("#snippets input[value=rust]");
    shown[kind] = await page.textContent("#snippet");
  }
  await page.goto("about:blank");
  // A raw string needs a second sign.
  await open("#groups=%23x");
  await click("#snippets input[value=rust]");
  shown.quoted = await page.textContent("#snippet");
  for (const [name, code] of Object.entries(shown)) {
    const file = join(root, `tests/fixtures/page/${name}.txt`);
    if (process.env.UPDATE) writeFileSync(file, `${code}\n`);
    assert.equal(`${code}\n`, readFileSync(file, "utf8"), name);
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
