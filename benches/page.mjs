// Measures the demo page as the Worker serves it on loopback: its Lighthouse scores, and the time until it paints.
// Prints a section and writes it to RESULTS.md. Exits with 1 if a category that does not depend on time scores less
// than 95.
import * as chrome from "chrome-launcher";
import lighthouse, { desktopConfig } from "lighthouse";
import { launch, startSite } from "../tests/support/site.mjs";
import { startWorker } from "../tests/support/workerd.mjs";
import { median } from "./measure.mjs";
import { section } from "./results.mjs";

const LEAST = 95;
const ROUNDS = 9;
const FLAGS = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"];
const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"];
const VIEWS = { "as it opens": "", "a choice made": "#groups=issues,pulls&tags=stable" };

/** Returns the scores of a URL on a phone over a slow network and on a desktop, and the audits that lowered them. */
async function marks(url) {
  const browser = await chrome.launch({ chromePath: "/usr/bin/chromium", chromeFlags: FLAGS });
  try {
    const found = [];
    for (const [device, config] of [
      ["telephone, slow 4G", undefined],
      ["desk", desktopConfig],
    ]) {
      const { lhr } = await lighthouse(
        url,
        { port: browser.port, logLevel: "error", onlyCategories: CATEGORIES },
        config,
      );
      if (lhr.runtimeError) throw new Error(lhr.runtimeError.message);
      const lost = CATEGORIES.flatMap((name) => lhr.categories[name].auditRefs)
        .filter(({ weight }) => weight > 0)
        .map(({ id }) => lhr.audits[id])
        .filter(({ score }) => score !== null && score < 0.9);
      found.push({
        device,
        audits: lhr.audits,
        lost,
        marks: CATEGORIES.map((name) => Math.round(100 * lhr.categories[name].score)),
      });
    }
    return found;
  } finally {
    browser.kill();
  }
}

/**
 * Returns milliseconds from the request to the first paint (`first`) and until the page is fully usable (`usable`).
 * `least` is the first paint of a page of one line.
 */
async function paints(url) {
  const browser = await launch();
  const { url: line, stop } = await startSite({
    pages: { "/": "<!doctype html><title>One line</title><link rel=icon href=data:,><p>One line" },
  });
  const [first, usable, least] = [[], [], []];
  const painted = (page) =>
    page
      .waitForFunction(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime)
      .then((found) => found.jsonValue());
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
      await page.goto(line);
      least.push(await painted(page));
      await page.goto(url);
      await page.waitForFunction(() => document.getElementById("results").ariaBusy === "false");
      usable.push(await page.evaluate(() => performance.now()));
      first.push(await painted(page));
      await page.context().close();
    }
  } finally {
    await browser.close();
    stop();
  }
  return { first, usable, least };
}

const worker = await startWorker();
try {
  const rows = [];
  const { first, usable, least } = await paints(`${worker.url}/`);
  for (const [view, hash] of Object.entries(VIEWS)) {
    for (const { device, marks: found, lost, audits } of await marks(`${worker.url}/${hash}`)) {
      rows.push([
        `${view}, ${device}`,
        ...found,
        audits["largest-contentful-paint"].displayValue,
        audits["cumulative-layout-shift"].displayValue,
      ]);
      for (const { id, title, displayValue } of lost)
        console.log(`${view}, ${device}: ${id}: ${title} ${displayValue ?? ""}`);
      if (found.slice(1).some((mark) => mark < LEAST)) process.exitCode = 1;
    }
  }
  const ms = (value) => value.toFixed(0);
  section(
    "The page",
    `As the Worker serves it on loopback. First paint after ${ms(median(first))} ms (the slowest of ${ROUNDS} ${ms(Math.max(...first))} ms; a page of
one line in the same browser: ${ms(median(least))} ms), all of it to be used after ${ms(median(usable))} ms, in a browser that has kept nothing.
Lighthouse, of a hundred:

| | ${CATEGORIES.join(" | ")} | largest paint | layout shift |
|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}
`,
  );
} finally {
  await worker.stop();
}
