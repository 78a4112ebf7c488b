// The controls of the demo page that no other test clicks, each compared with the engine or the server.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Sieve } from "../pkg/loaders/node.js";
import { Middleware } from "../pkg/loaders/middleware-node.js";
import { startSite } from "./support/site.mjs";
import { taskClient, tokens } from "./support/tasks.mjs";
import {
  act,
  button,
  check,
  forgive,
  hash,
  hear,
  names,
  open,
  openMore,
  page,
  requested,
  sample,
  settled,
  sign,
  visits,
  workers,
} from "./support/visit.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const WAIT_MS = 60_000;
const KINDS = ["tools", "resources", "resourceTemplates", "prompts"];

visits({ SIEVE_TOKENS: tokens("alice") });
const tab = (name) => page.getByRole("tab", { name });

test("every choice in the picker is in the address and the request, and equals the engine's selection", async () => {
  const { lists, config } = sample("office");
  const sieve = Sieve.compile(lists, config);
  await open("#from=sample&sample=office");
  const agrees = async (filter) => {
    assert.deepEqual(await page.evaluate(() => document.getElementById("picker").filter), filter);
    const asked = JSON.parse((await requested()).request).params.filter ?? {};
    assert.deepEqual(asked, filter, "the request");
    const spelt = sieve.filter(new URL(await page.textContent("#address")).searchParams);
    assert.deepEqual(spelt.applied, filter, "the address");
    assert.deepEqual(await names(), sieve.names({ filter }));
    const { count } = sieve.tokens({ filter });
    assert.ok((await page.locator("#picker .status").textContent()).includes(` ${count.toLocaleString("en")} tokens`));
  };
  const [group] = sieve.groups;
  const [tag] = sieve.tags;
  await act(page.getByRole("treeitem", { name: new RegExp(`^${group.title ?? group.name},`) }).click());
  await agrees({ groups: [group.name] });
  await act(sign(`Require tag ${tag.name}`).click());
  await agrees({ groups: [group.name], tags: [tag.name] });
  await act(sign(`Exclude tag ${tag.name}`).click());
  await agrees({ groups: [group.name], not: { tags: [tag.name] } });
  await act(button("Undo").click());
  await agrees({ groups: [group.name], tags: [tag.name] });
  await act(button("Redo").click());
  await agrees({ groups: [group.name], not: { tags: [tag.name] } });
  await act(page.getByRole("treeitem", { name: new RegExp(`^${group.title ?? group.name},`) }).press("-"));
  await agrees({ not: { groups: [group.name], tags: [tag.name] } });
  await act(button("Clear filters").click());
  await agrees({});
  for (const { name, values } of sieve.concerns.filter(({ values }) => Array.isArray(values))) {
    for (const value of values) {
      await act(sign(`Require ${name} ${value}`).click());
      await agrees({ concerns: { [name]: value } });
      await act(sign(`Require ${name} ${value}`).click());
      await agrees({});
    }
  }
  const [first, second] = sieve.names();
  await act(page.getByRole("checkbox", { name: `Use ${first}`, exact: true }).click());
  await agrees({ where: `-(kind:tool name=${first})` });
  await act(button("Undo").click());
  await act(button(`Favorite ${second}`).click());
  await act(button("Favorites only").click());
  await agrees({ where: `kind:tool name=${second}` });
  await act(button("Favorites only").click());
  await agrees({});
  await page.getByRole("searchbox").fill("send a message");
  assert.deepEqual(
    await names(),
    sieve.search("send a message", { limit: Infinity }).map(({ name }) => name),
  );
  await act(button("Filter by this search").click());
  assert.deepEqual(await page.evaluate(() => document.getElementById("picker").filter), { query: "send a message" });
  await page.getByRole("searchbox").fill("");
  await agrees({ query: "send a message" });
  await act(page.getByRole("button", { name: /^Search: “send a message”/ }).click());
  await agrees({});
});

test("shown and hidden rows are together all rows, and each hidden row has the engine's reason", async () => {
  const { lists, config } = sample("forge");
  const sieve = Sieve.compile(lists, config);
  const filter = { groups: [sieve.groups[0].name], tags: [sieve.tags[0].name] };
  await open(`#from=sample&sample=forge&groups=${filter.groups}&tags=${filter.tags}`);
  assert.deepEqual(await names(), sieve.names({ filter }));
  await tab("Hidden").click();
  const hidden = await names();
  assert.deepEqual(
    hidden,
    sieve.names().filter((name) => !sieve.names({ filter }).includes(name)),
  );
  const told = await page.evaluate(() => {
    const { picker } = document.getElementById("picker");
    return picker.rows(0, picker.summary.rows).map(({ name, reason }) => [name, reason.rule]);
  });
  assert.deepEqual(
    told,
    hidden.map((name) => [name, sieve.explain(name, { filter }).reason.rule]),
  );
  await tab("All").click();
  assert.deepEqual(await names(), sieve.names());
});

test("every kind is shown, and asked for in every language by its own method", async () => {
  await open();
  const methods = {
    tools: ["listTools", "list_tools"],
    resources: ["listResources", "list_resources"],
    resourceTemplates: ["listResourceTemplates", "list_resource_templates"],
    prompts: ["listPrompts", "list_prompts"],
  };
  for (const kind of KINDS) {
    await check(`#kinds input[value=${kind}]`);
    assert.equal(hash(), kind === "tools" ? "" : `#kind=${kind}`);
    const method = kind === "resourceTemplates" ? "resources/templates/list" : `${kind}/list`;
    const [camel, snake] = methods[kind];
    const rust = {
      tools: ".tools(&filter)",
      resources: ".resources(&filter)",
      resourceTemplates: ".resource_templates(&filter)",
      prompts: ".prompts(&filter)",
    }[kind];
    for (const [language, words] of Object.entries({
      curl: `Mcp-Method: ${method}`,
      typescript: `.${camel}(`,
      python: `.${snake}(`,
      rust,
    })) {
      await check(`#snippets input[value=${language}]`);
      assert.ok((await page.textContent("#snippet")).includes(words), `${language} ${words}`);
    }
    assert.ok((await requested()).request.includes(`"${method}"`), method);
    const size = Number(await page.locator(`#kinds label:has(input[value=${kind}]) small`).textContent());
    assert.equal((await names()).length, size);
  }
});

test("a loaded catalog is loaded anew, and the choice stays", async () => {
  await open("#groups=issues");
  const before = await names();
  const asked = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/mcp")) asked.push(request.postDataJSON().method);
  });
  await act(button("Reload this server’s catalog").click());
  await page.waitForFunction(() => document.getElementById("loaded").textContent !== "Loading…");
  assert.ok(asked.includes("tools/list"));
  assert.deepEqual([await names(), hash()], [before, "#groups=issues"]);
  // The button next to the URL works as well.
  await check("input[value=url]");
  await page.fill("#url", `${workers.urls.site}/mcp`);
  await act(page.locator("[data-for=url] button").click());
  await page.waitForFunction(() => location.hash.startsWith("#from=url"));
  await settled();
  assert.equal(hash(), `#from=url&url=${workers.urls.site}/mcp`, "another catalog, another choice");
});

test("nothing on the page moves when the catalog comes", async () => {
  await page.addInitScript(() => {
    globalThis.moved = [];
    const note = (entries) =>
      moved.push(
        ...entries.map(({ value, sources }) => [value, sources.map(({ node }) => node?.id || node?.className)]),
      );
    const observer = new PerformanceObserver((list) => note(list.getEntries()));
    observer.observe({ type: "layout-shift", buffered: true });
    // Returns the layout shifts once two more frames are drawn. The first frame may show the catalog; the second
    // follows it.
    globalThis.movedByNow = async () => {
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      note(observer.takeRecords());
      return moved;
    };
  });
  for (const [width, height] of [
    [1350, 940],
    [412, 823],
  ]) {
    await page.setViewportSize({ width, height });
    for (const at of ["", "#groups=issues,pulls&tags=stable"]) {
      await page.goto("about:blank");
      await open(at);
      const moved = await page.evaluate(() => globalThis.movedByNow());
      assert.ok(moved.reduce((sum, [value]) => sum + value, 0) < 0.02, `${width} ${at} ${JSON.stringify(moved)}`);
    }
  }
});

test("where there is no server a sample is offered", async () => {
  const site = await startSite({
    folders: { "/": join(root, "build/site/") },
    pages: { "/": readFileSync(join(root, "build/site/index.html"), "utf8") },
    policy: "base-uri 'none'",
  });
  try {
    hear(site.url);
    forgive(/404|^asks /);
    await page.goto(site.url);
    await page.waitForSelector("#source-error:not([hidden])");
    assert.ok(await page.locator("#results").isHidden());
    await button("Try a sample").click();
    await page.waitForFunction(() => !document.getElementById("results").hidden);
    const { lists, config } = sample("forge");
    assert.deepEqual(await names(), Sieve.compile(lists, config).names());
    assert.equal(
      await page.evaluate(() => document.activeElement.id),
      "results",
      "the focus goes where the button was",
    );
    assert.ok(await page.locator("#source-error").isHidden());
  } finally {
    site.stop();
  }
});

test("where copying is forbidden, it is selected and said", async () => {
  await open();
  for (const id of ["address", "snippet"]) {
    await page.evaluate(() =>
      Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new Error("no")) } }),
    );
    await page.click(`[data-copy=${id}]`);
    await page.waitForFunction(
      (id) => document.getElementById("said").textContent.includes(`the ${id} is selected instead`),
      id,
    );
    assert.equal(await page.evaluate(() => getSelection().toString().trim()), (await page.innerText(`#${id}`)).trim());
    await page.reload();
    await settled();
  }
});

test("remarks on a catalog are unfolded", async () => {
  await open();
  await check("input[value=paste]");
  const lists = { tools: [{ title: "no name" }, { name: "a", inputSchema: {} }] };
  await page.fill("#text", JSON.stringify(lists));
  await act(page.locator("[data-for=paste] button").click());
  assert.ok(await page.locator("#notes li").first().isHidden());
  await page.click("#notes summary");
  const reports = Sieve.compile(lists).reports.map(({ kind, name, problem }) => `${kind} ${name}: ${problem}`);
  assert.equal(reports.length, 2);
  assert.deepEqual(await page.locator("#notes li").allTextContents(), reports);
});

test("every function of the playground answers as in Node", { timeout: WAIT_MS }, async () => {
  await openMore();
  await page.click("#middleware > summary");
  await page.waitForFunction(() => document.querySelectorAll("#middleware-name option").length > 0);
  const offered = await page.locator("#middleware-name option").allTextContents();
  const middleware = new Middleware();
  assert.deepEqual(
    offered,
    middleware.list().map(({ name }) => name),
  );
  for (const name of offered.filter((name) => !["timestamp_injector", "document_retrieval"].includes(name))) {
    // the results of these depend on the time, or on the page's own documents
    await page.selectOption("#middleware-name", name);
    const [text, args] = await Promise.all([
      page.inputValue("#middleware-text"),
      page.inputValue("#middleware-arguments"),
    ]);
    const expected = await middleware.invoke(name, [{ type: "text", text }], JSON.parse(args)).then(
      (result) => JSON.stringify(result, null, 2),
      (error) => error.message,
    );
    await page
      .waitForFunction((expected) => document.getElementById("middleware-result").textContent === expected, expected)
      .catch(async () => {
        assert.equal(await page.textContent("#middleware-result"), expected, name);
      });
  }
  await page.selectOption("#middleware-name", "document_retrieval");
  await page.waitForFunction(() =>
    document.getElementById("middleware-result").textContent.includes("25 days of leave"),
  );
  await page.selectOption("#middleware-name", "timestamp_injector");
  await page.waitForFunction(() =>
    /Current time: \w+day, /.test(document.getElementById("middleware-result").textContent),
  );
  await page.fill("#middleware-arguments", "{");
  await page.waitForFunction(() => /JSON/.test(document.getElementById("middleware-result").textContent));
});

test("every criterion of tasks keeps the same tasks as the server", { timeout: WAIT_MS }, async () => {
  const alice = taskClient(`${workers.urls.site}/mcp`, "alice");
  const made = [];
  for (const [name, args] of [
    ["report_issues", { batch: 6, pause_ms: 50 }],
    ["audit_issues", { batch: 6, pause_ms: 50 }],
  ])
    made.push((await alice.call(name, args)).taskId);
  const { taskId: open } = await alice.call("import_issues", {
    issues: [{ title: "Tide tables" }],
    batch: 1,
    pause_ms: 50,
  });
  made.push(open);
  const ended = ({ status }) => ["completed", "failed"].includes(status);
  await Promise.all(made.slice(0, 2).map((id) => alice.until(id, ended)));
  await alice.until(open, ({ status }) => status === "input_required");
  await openMore();
  await page.click("#tasks > summary");
  await page.fill("#task-token", "alice-token");
  await page.locator("#task-token").blur();
  const shown = () => page.locator("#task-list > li").evaluateAll((items) => items.map(({ dataset }) => dataset.task));
  const agrees = async (filter) => {
    const expected = (await alice.all({ orderBy: "lastUpdatedAt", order: "desc", ...filter })).map(
      ({ taskId }) => taskId,
    );
    await page
      .waitForFunction(
        (expected) =>
          JSON.stringify([...document.querySelectorAll("#task-list > li")].map(({ dataset }) => dataset.task)) ===
            JSON.stringify(expected) && document.getElementById("task-empty").hidden === expected.length > 0,
        expected,
      )
      .catch(async () => assert.deepEqual(await shown(), expected, JSON.stringify(filter)));
    assert.equal(await page.locator("#task-empty").isVisible(), expected.length === 0);
  };
  await agrees({});
  for (const box of await page.locator("input[name=status]").all()) {
    await box.check();
    await agrees({ status: [await box.inputValue()] });
    await box.uncheck();
  }
  const tasks = await alice.all({});
  // Fields hold whole seconds of this machine's clock. Fractions are for the server.
  const local = (iso, more = 0) => {
    const at = new Date(Math.floor(Date.parse(iso) / 1000) * 1000 + more);
    return [new Date(at - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19), at.toISOString()];
  };
  for (const [field, of] of [
    ["createdAfter", "createdAt"],
    ["createdBefore", "createdAt"],
    ["lastUpdatedAfter", "lastUpdatedAt"],
    ["lastUpdatedBefore", "lastUpdatedAt"],
  ]) {
    for (const more of [-3_600_000, 3_600_000]) {
      const [typed, instant] = local(tasks[0][of], more);
      await page.fill(`#task-filter [name=${field}]`, typed);
      await page.locator(`#task-filter [name=${field}]`).blur();
      await agrees({ [field]: instant });
    }
    await page.fill(`#task-filter [name=${field}]`, "");
    await page.locator(`#task-filter [name=${field}]`).blur();
  }
  await agrees({});
  for (const [field, value] of [
    ["orderBy", "createdAt"],
    ["order", "asc"],
    ["methods", "prompts/get"],
  ]) {
    await page.selectOption(`#task-filter [name=${field}]`, value);
    await agrees(
      field === "orderBy"
        ? { orderBy: value }
        : field === "order"
          ? { orderBy: "createdAt", order: value }
          : { methods: [value] },
    );
  }
  await page.selectOption("#task-filter [name=methods]", "tools/call");
  await agrees({ methods: ["tools/call"], orderBy: "createdAt", order: "asc" });

  // Tasks that ended before the page was loaded show their result on request. The open one is answered, with each kind
  // of field.
  const row = (id) => page.locator(`[data-task="${id}"]`);
  for (const id of made.slice(0, 2)) {
    await row(id).getByRole("button", { name: "Show the result" }).click();
    const task = await alice.get(id);
    const words = task.error?.message ?? task.result.content[0].text;
    assert.equal(await row(id).locator("pre").textContent(), words);
  }
  await row(open).getByRole("combobox").selectOption({ index: 1 });
  const box = row(open).getByRole("checkbox");
  await box.uncheck();
  // Another task progresses meanwhile. The form keeps the focus and the values that were entered.
  await box.focus();
  const { taskId: another } = await alice.call("report_issues", { batch: 1, pause_ms: 100 });
  await page.selectOption("#task-filter [name=methods]", "");
  await row(another).waitFor();
  await box.focus();
  await row(another).locator(".status", { hasText: "completed" }).waitFor();
  assert.equal(await box.evaluate((box) => box === document.activeElement && !box.checked), true);
  await row(open).getByRole("button", { name: "Answer" }).click();
  await row(open).locator(".status", { hasText: "completed" }).waitFor();
  assert.deepEqual((await alice.get(open)).status, "completed");
});
