// The demo page and where its catalog comes from: samples, pasted text and other servers; and what it keeps for each.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { Sieve } from "../pkg/loaders/node.js";
import {
  FEW,
  MEMBERSHIP,
  act,
  allowed,
  click,
  context,
  demoPage,
  hash,
  item,
  names,
  open,
  page,
  paste,
  pick,
  plain,
  reasons,
  requested,
  root,
  settled,
  sign,
  toolNames,
  want,
  workers,
} from "./support/demo-page.mjs";
import "./support/home.mjs";
import { freePort } from "./support/port.mjs";

demoPage();

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
  assert.match(await page.textContent("#remark"), /Matches nothing/);
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
    const { lists, config } = JSON.parse(readFileSync(join(root, `web/page/samples/${sample}.json`), "utf8"));
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
  const before = [await names(), page.url(), (await requested()).request];

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
    assert.deepEqual([await names(), page.url(), (await requested()).request], before);
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
  await page.getByRole("link", { name: "More" }).click();
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
    Object.assign(allowed, { hosts: [`http://127.0.0.1:${port}`], mishap: /status of 400/ });
    await open(`#from=url&url=${encodeURIComponent(`http://127.0.0.1:${port}/mcp`)}`);
    assert.match(await page.textContent("#loaded"), /, MCP 2025-11-25$/);
    assert.equal(await page.locator("#kinds label").count(), 4, "it has all four kinds");
    assert.ok((await names()).includes("echo"));
    assert.equal(await page.getByRole("tree").count(), 0, "it has no groups");
    assert.doesNotMatch((await requested()).request, /_meta/);
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
    Object.assign(allowed, { hosts: [new URL(url).origin], mishap: /CORS policy|net::ERR_FAILED/ });
    await open(`#groups=issues&from=url&url=${encodeURIComponent(url)}`);
    assert.equal(await page.textContent("#loaded"), "The other server 1, MCP 2025-11-25");
    assert.deepEqual(await names(), await toolNames(`${workers.urls.other}/mcp`, { groups: ["issues"] }));
    assert.match((await requested()).headers, /Mcp-Session-Id: …/);
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
    const closed = `http://127.0.0.1:${await freePort()}/mcp`;
    const rows = [
      [noCors, /CORS/],
      [closed, /nothing listens there/],
      [noMcp, /text\/html, which is not MCP/],
      [noEntry, /401: it needs a bearer token/],
      ["ftp://x", /has to start with http/],
    ];
    Object.assign(allowed, {
      hosts: rows.map(([url]) => new URL(url).origin),
      mishap: /CORS policy|Failed to load resource/,
    });
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
