// The picker element in a form, with a small catalog: a page without a build step, compared with the engine in Node.
import assert from "node:assert/strict";
import { Sieve } from "../../pkg/loaders/node.js";
import { page, pickerPage } from "./picker-page.mjs";

const BODY = `<form id="form"><fieldset id="fieldset"><legend>Tools</legend><mcp-sieve-picker name="filter"></mcp-sieve-picker></fieldset><button type="reset">Reset</button></form>`;
const SCRIPT = `const element = document.querySelector("mcp-sieve-picker");
globalThis.changes = [];
document.addEventListener("change", (event) => changes.push(event.detail?.filter ?? null));
globalThis.load = (lists, config, presets = []) => {
  const from = performance.now();
  element.sieve = Sieve.compile(lists, config);
  element.presets = presets;
  element.getBoundingClientRect();
  return performance.now() - from;
};
const { Preferences } = await import("/mcp-sieve/loaders/web.js");
Object.assign(globalThis, { element, Sieve, Preferences });`;

export const tool = (name, groups, tags, more) => ({ name, groups, tags, inputSchema: { type: "object" }, ...more });
export const LISTS = {
  tools: [
    tool("open_issue", ["issues"], ["stable"], { title: "Open an issue", description: "Reports something" }),
    tool("close_issue", ["issues"], ["stable", "destructive"]),
    tool("merge", ["code"], ["stable"]),
    tool("send_mail", ["mail"], ["beta"], { _meta: { concerns: { cost: "high" } } }),
    tool("purge_mail", ["mail"], ["beta", "destructive"]),
    tool("echo", [], []),
  ],
  prompts: [{ name: "triage", groups: ["issues"] }],
};
export const CONFIG = {
  groups: [
    { name: "work", title: "Work" },
    { name: "code", parent: "work", title: "Code" },
    { name: "issues", parent: "code", title: "Issues", description: "What is to be done" },
    { name: "mail", parent: "work", title: "Mail" },
  ],
  tags: [{ name: "stable", description: "Production-ready" }],
  concerns: [
    { name: "cost", values: ["low", "high"], default: "low" },
    { name: "depth", values: { min: 0, max: 9 } },
  ],
};
export const sieve = Sieve.compile(LISTS, CONFIG);

/** Opens the page before each test of a file. */
export const pickerForm = () => pickerPage(BODY, SCRIPT);

export const open = (presets) =>
  page.evaluate(([lists, config, presets]) => load(lists, config, presets), [LISTS, CONFIG, presets]);
/** Returns the label of the focused element, inside shadow roots as well. */
export const focus = () =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element.getAttribute("aria-label") ?? element.textContent;
  });
export const filter = () => page.evaluate(() => document.querySelector("mcp-sieve-picker").filter);
export const changes = () => page.evaluate(() => changes.splice(0));
export const status = () => page.getByRole("status").textContent();
export const names = () => page.locator("[role=gridcell].name .label").allTextContents();
export const item = (name) => page.getByRole("treeitem", { name });
export const button = (name) => page.getByRole("button", { name, exact: true });
export const sign = (what) => page.getByRole("button", { name: what });
export const tab = (name) => page.getByRole("tab", { name });
export const checked = (name) => item(name).getAttribute("aria-checked");

/**
 * Asserts that the element shows what the engine in Node returns for the same filter, and that it fired one change
 * event.
 */
export async function agrees(expected) {
  assert.deepEqual(await filter(), expected);
  assert.deepEqual(await changes(), [expected]);
  const { count } = sieve.select({ filter: expected });
  const titles = sieve.names({ filter: expected }).map((name) => (name === "open_issue" ? "Open an issue" : name));
  assert.deepEqual((await names()).sort(), titles.sort());
  const [tokens, all] = [sieve.tokens({ filter: expected }).count, sieve.tokens().count];
  const summary =
    count === 6
      ? `6 tools · about ${tokens} tokens`
      : `${count} of 6 tools · about ${tokens} tokens (${Math.round(100 * (1 - tokens / all))}\u00a0% less)`;
  assert.equal(await status(), summary);
  assert.deepEqual(
    await page.evaluate(() => JSON.parse(new FormData(document.getElementById("form")).get("filter"))),
    expected,
  );
}
