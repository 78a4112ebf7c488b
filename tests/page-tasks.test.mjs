// The demo page's task view in real Chromium, on the built Worker.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "./support/site.mjs";
import { taskClient, tokens } from "./support/tasks.mjs";
import { startWorkers } from "./support/workerd.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const WAIT_MS = 60_000;
let workers, browser, page, mishaps;

before(async () => {
  workers = await startWorkers([
    { name: "site", assets: join(root, "build/site"), env: { SIEVE_TOKENS: tokens("alice") } },
  ]);
  browser = await launch();
  page = await browser.newPage();
  mishaps = [];
  page.on("console", (line) => {
    if (line.type() === "error" || line.type() === "warning") mishaps.push(line.text());
  });
  page.on("pageerror", (error) => mishaps.push(error.message));
  await page.goto(`${workers.urls.site}/more.html`);
  await page.click("#tasks > summary");
  await page.locator("#task-empty").waitFor();
});
after(async () => {
  await browser?.close();
  await workers?.stop();
});

const items = () => page.locator("#task-list > li");
const status = (id, word) => page.locator(`[data-task="${id}"] .status`, { hasText: word }).waitFor();
const newest = () => items().first().getAttribute("data-task");

async function start(job) {
  const count = await items().count();
  await page.selectOption("#task-job", job);
  await page.click("#task-start button");
  await page.waitForFunction((count) => document.querySelectorAll("#task-list > li").length > count, count);
  return newest();
}

test("a report is seen to go on, and its result is there without asking again", { timeout: WAIT_MS }, async () => {
  const id = await start("report_issues");
  await status(id, "working");
  const said = page.locator(`[data-task="${id}"] > p`);
  const first = await said.textContent();
  await page.waitForFunction(
    ([id, first]) => document.querySelector(`[data-task="${id}"] > p`)?.textContent !== first,
    [id, first],
  );
  await status(id, "completed");
  assert.match(await page.locator(`[data-task="${id}"] pre`).textContent(), /"issues":12/);
});

test("a question is answered in the page, and the task goes on", { timeout: WAIT_MS }, async () => {
  const id = await start("import_issues");
  const form = page.getByRole("form", { name: /^Import 3 new issues/ });
  await form.waitFor();
  await status(id, "input required");
  assert.equal(await form.getByRole("combobox").inputValue(), "skip");
  await form.getByRole("button", { name: "Answer" }).click();
  await status(id, "completed");
  assert.match(await page.locator(`[data-task="${id}"] pre`).textContent(), /"imported":3/);

  const second = await start("import_issues");
  await page
    .getByRole("form", { name: /3 more have a title that is there already/ })
    .getByRole("button", { name: "Decline" })
    .click();
  await status(second, "completed");
  assert.match(await page.locator(`[data-task="${second}"] pre`).textContent(), /declined/);
});

test("a task is cancelled, and lists are filtered and ordered", { timeout: WAIT_MS }, async () => {
  const id = await start("report_issues");
  await page.locator(`[data-task="${id}"]`).getByRole("button", { name: "Cancel" }).click();
  await status(id, "cancelled");
  assert.equal(await items().count(), 4);
  const shows = (count) =>
    page.waitForFunction((count) => document.querySelectorAll("#task-list > li").length === count, count);
  const filter = page.getByRole("form", { name: "Filter the tasks" });
  await filter.getByLabel("cancelled").check();
  await shows(1);
  assert.equal(await newest(), id);
  await filter.getByLabel("completed").check();
  await shows(4);
  await filter.getByLabel("cancelled").uncheck();
  await shows(3);
  await filter.getByLabel("completed").uncheck();
  await shows(4);
  const order = () => items().evaluateAll((all) => all.map((item) => item.dataset.task));
  await filter.getByLabel("order by").selectOption("createdAt");
  await page.waitForFunction((id) => document.querySelector("#task-list > li")?.dataset.task === id, id);
  const latest = await order();
  await filter.getByLabel("direction").selectOption("asc");
  await page.waitForFunction((id) => document.querySelector("#task-list > li")?.dataset.task !== id, id);
  assert.deepEqual(await order(), latest.toReversed());
  await filter.getByLabel("method").selectOption("prompts/get");
  await shows(0);
  await filter.getByLabel("method").selectOption("");
  await shows(4);
  await filter.getByLabel("before").first().fill("2020-01-01T00:00:00");
  await shows(0);
  await filter.getByLabel("before").first().fill("");
  await shows(4);
});

test("with a token all tasks of its holder are listed", { timeout: WAIT_MS }, async () => {
  const alice = taskClient(`${workers.urls.site}/mcp`, "alice");
  const { taskId } = await alice.call("audit_issues", { batch: 1, pause_ms: 200 });
  await page.fill("#task-token", "alice-token");
  await page.locator("#task-token").blur();
  await page.locator(`[data-task="${taskId}"]`).waitFor();
  assert.equal(await items().count(), 1, "and nobody else's");
  await status(taskId, "completed");
  assert.match(await page.locator(`[data-task="${taskId}"] pre`).textContent(), /break a rule/);
  assert.deepEqual(mishaps, [], "the console stays clean");
});

/** A page whose task server is this one: it has one task, and reports its changes when the test makes them. */
async function faked(task) {
  const own = await browser.newPage();
  const answers = [];
  let tell = () => {};
  const now = () => new Date().toISOString();
  const current = { taskId: "made-up", createdAt: now(), lastUpdatedAt: now(), ...task };
  await own.route("**/mcp", async (route) => {
    const { id, method, params } = route.request().postDataJSON();
    const result = (result) => route.fulfill({ json: { jsonrpc: "2.0", id, result } });
    const { inputRequests, ...short } = current;
    if (method === "tools/call") return result({ resultType: "task", ...short });
    if (method === "dev.mcpsieve/tasks/query") return result({ tasks: [short] });
    if (method === "tasks/get") return result(current);
    if (method === "tasks/update" || method === "tasks/cancel") {
      answers.push(params.inputResponses ?? method);
      return result({});
    }
    if (method !== "subscriptions/listen") return route.continue();
    await new Promise((done) => {
      tell = done;
    });
    const data = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tasks", params: current });
    // The page may be closed by now.
    return route.fulfill({ contentType: "text/event-stream", body: `data: ${data}\n\n` }).catch(() => {});
  });
  await own.goto(`${workers.urls.site}/more.html`);
  await own.click("#tasks > summary");
  await own.click("#task-start button");
  const row = own.locator("[data-task=made-up]");
  await row.waitFor();
  return {
    own,
    row,
    answers,
    async update(change) {
      Object.assign(current, { lastUpdatedAt: now() }, change);
      tell();
      await row.locator("p", { hasText: current.statusMessage }).first().waitFor();
    },
    async close() {
      tell();
      await own.close();
    },
  };
}
const asks = (message, properties, required) => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema: { type: "object", properties, required } },
});

test("an update leaves an answer alone that a person is typing", { timeout: WAIT_MS }, async () => {
  const properties = { note: { type: "string", title: "Note" } };
  const inputRequests = { first: asks("What is it about?", properties) };
  const { own, row, answers, update, close } = await faked({ status: "input_required", inputRequests });
  const note = row.getByLabel("Note");
  await note.pressSequentially("two");
  const element = await note.elementHandle();
  await update({ statusMessage: "1 of 3" });
  assert.equal(await element.evaluate((input) => input === document.activeElement), true);
  await own.keyboard.type(" words");
  assert.equal(await note.inputValue(), "two words");

  // The question is put in other words: the field is another, with the same value.
  await update({ statusMessage: "2 of 3", inputRequests: { first: asks("What is it all about?", properties) } });
  await own.keyboard.type(" more");
  assert.equal(await note.inputValue(), "two words more");

  // Without the field the focus goes to the row, where a space does nothing.
  await update({ statusMessage: "3 of 3", status: "working", inputRequests: undefined });
  assert.equal(await row.evaluate((row) => row === document.activeElement), true);
  await own.keyboard.press("Space");
  assert.deepEqual(answers, []);

  const cancel = row.getByRole("button", { name: "Cancel" });
  await cancel.focus();
  await update({ statusMessage: "still 3" });
  assert.equal(await cancel.evaluate((button) => button === document.activeElement), true, "unless it had it");
  await close();
});

test("a question has a field for each sort of value, and what is left empty is not sent", {
  timeout: WAIT_MS,
}, async () => {
  const titled = (name) => ({ const: name, title: name.toUpperCase() });
  const properties = {
    n: { type: "integer", minimum: 1 },
    ratio: { type: "number" },
    color: { type: "string", oneOf: ["red", "green"].map(titled) },
    size: { type: "string", enum: ["s", "m"], enumNames: ["Small", "Medium"], default: "m" },
    many: { type: "array", items: { type: "string", enum: ["a", "b", "c"] } },
    titles: { type: "array", minItems: 1, items: { anyOf: ["x", "y"].map(titled) } },
    sure: { type: "boolean" },
    note: { type: "string" },
  };
  const inputRequests = { all: asks("Which ones?", properties, ["n", "size", "titles", "sure"]) };
  const { row, answers, close } = await faked({ status: "input_required", inputRequests });
  const input = (name) => row.locator(`[name=${name}]`);
  const required = await row
    .locator("form [name]")
    .evaluateAll((all) => all.filter(({ required }) => required).map(({ name }) => name));
  assert.deepEqual(required, ["n", "size", "titles"]);
  const answer = row.getByRole("button", { name: "Answer" });
  await answer.click();
  assert.equal(await input("n").evaluate((input) => input.validity.valueMissing), true);
  assert.deepEqual(answers, [], "a required field is asked for");

  await input("n").fill("3");
  await input("titles").selectOption("y");
  await answer.click();
  const next = async (count) => {
    for (let turn = 0; answers.length < count && turn < 100; turn++) await new Promise((done) => setTimeout(done, 50));
    return answers.at(-1).all;
  };
  assert.deepEqual(await next(1), { action: "accept", content: { n: 3, size: "m", titles: ["y"], sure: false } });

  assert.deepEqual(await input("color").locator("option").allTextContents(), ["–", "RED", "GREEN"]);
  assert.deepEqual(await input("size").locator("option").allTextContents(), ["Small", "Medium"]);
  await input("color").selectOption("green");
  await input("many").selectOption(["a", "c"]);
  await input("ratio").fill("0.25");
  await input("note").fill("fine");
  await answer.click();
  assert.deepEqual((await next(2)).content, {
    n: 3,
    ratio: 0.25,
    color: "green",
    size: "m",
    many: ["a", "c"],
    titles: ["y"],
    sure: false,
    note: "fine",
  });
  await close();
});
