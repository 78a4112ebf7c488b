// Measures the picker in headless Chromium: the time until it is usable, and its response to typing. Prints a section
// and writes it to RESULTS.md. The same run also measures the browser while idle, for comparison.
import { fileURLToPath } from "node:url";
import { launch, startSite } from "../tests/support/site.mjs";
import { section } from "./results.mjs";

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));
const ROUNDS = 5;
const KEY_MS = 70; // some 14 letters a second: no person types faster
const WORDS = "create a calendar event for the deployment of a branch";

const HOST = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A host</title><link rel="icon" href="data:,">
<script type="module" src="/host.js"></script></head><body><mcp-sieve-picker></mcp-sieve-picker></body></html>`;
const SCRIPT = `import { Sieve } from "/mcp-sieve/loaders/web.js";
import "/mcp-sieve/src/element/picker.js";
import { catalog } from "/benches/generate.mjs";
const element = document.querySelector("mcp-sieve-picker");
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
/** Milliseconds from a list result to a list on the screen. */
globalThis.load = async (size) => {
  const lists = catalog(size);
  element.sieve?.free();
  element.sieve = undefined;
  await painted();
  const from = performance.now();
  element.sieve = Sieve.compile(lists);
  await painted();
  return performance.now() - from;
};
let last, frames = [], tasks = [], inputs = [];
requestAnimationFrame(function tick(now) {
  if (last !== undefined) frames.push(now - last);
  last = now;
  requestAnimationFrame(tick);
});
new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
new PerformanceObserver((list) => inputs.push(...list.getEntries().filter(({ name }) => ["keydown", "click"].includes(name)).map(({ duration }) => duration)))
  .observe({ type: "event", durationThreshold: 16 });
globalThis.watch = () => { [frames, tasks, inputs] = [[], [], []]; };
globalThis.seen = () => ({ frames, tasks, inputs });
globalThis.ready = performance.now();`;

const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
const ms = (value) => value.toFixed(value < 10 ? 1 : 0);
const pause = (time) => new Promise((done) => setTimeout(done, time));

const site = await startSite({
  folders: { "/mcp-sieve/": folder("../pkg/"), "/benches/": folder("./") },
  pages: { "/": HOST, "/host.js": SCRIPT },
});
const browser = await launch();
try {
  const open = async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(site.url);
    await page.waitForFunction(() => globalThis.ready);
    return page;
  };
  const first = [];
  const again = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await open();
    first.push(await page.evaluate(() => load(1_000)));
    again.push(await page.evaluate(() => load(1_000)));
    await page.close();
  }

  const page = await open();
  const many = await page.evaluate(() => load(10_000));
  const watch = async (does) => {
    await page.evaluate(() => globalThis.watch());
    await does();
    await pause(200);
    return page.evaluate(() => seen());
  };
  const type = async (words) => {
    await page.getByRole("searchbox").focus();
    await page.keyboard.type(words, { delay: KEY_MS });
  };
  const erase = async () => {
    for (let left = WORDS.length; left > 0; left -= 1) await page.keyboard.press("Backspace", { delay: KEY_MS / 2 });
  };
  const clicks = async (role, count) => {
    for (let at = 0; at < count; at += 1) {
      await page.getByRole(role).nth(at).click();
      await pause(100);
    }
  };
  const wheel = async () => {
    await page.getByRole("grid").hover();
    for (let turn = 0; turn < 60; turn += 1) {
      await page.mouse.wheel(0, 400);
      await pause(25);
    }
  };
  const rows = [];
  for (const [what, does] of [
    ["nothing, just loaded", () => pause(2_000)],
    ["typing", () => type(WORDS)],
    ["erasing it", erase],
    [
      "typing, all rows",
      async () => {
        await page.getByRole("tab", { name: "All" }).click();
        await type(WORDS);
      },
    ],
    ["erasing it", erase],
    ["choosing groups", () => clicks("treeitem", 12)],
    ["scrolling", wheel],
  ]) {
    const { frames, tasks, inputs } = await watch(does);
    rows.push([
      what,
      frames.length,
      ms(quantile(frames, 0.5)),
      ms(quantile(frames, 0.95)),
      ms(Math.max(...frames)),
      `${tasks.length}${tasks.length > 0 ? `, ${ms(Math.max(...tasks))} ms` : ""}`,
      inputs.length > 0 ? ms(quantile(inputs, 0.95)) : "under 16",
    ]);
  }
  section(
    "The picker",
    `Headless Chromium ${browser.version()}. From a list result of 1,000 tools to the element on the screen, ready to be used: ${ms(quantile(first, 0.5))} ms
(the slowest of ${ROUNDS} ${ms(Math.max(...first))} ms; again in the same page ${ms(quantile(again, 0.5))} ms); of 10,000 tools ${ms(many)} ms. Compiling is in it.

What a person does with 10,000 tools, a letter each ${KEY_MS} ms. A frame at 60 a second takes 16.7 ms; a long task is one of
more than 50 ms; delay is from a key or a click to the next frame. Just loaded, words are indexed while nothing else is done.

| | frames | p50, ms | p95, ms | longest, ms | long tasks | delay p95, ms |
|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}
`,
  );
} finally {
  await browser.close();
  site.stop();
}
