// `mcp-sieve/react` with slow, blocked or broken WebAssembly: the application renders at once, and the picker shows its
// state. The packed package, built by Vite, in Chromium, with React's development build, which runs each effect twice.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build as vite } from "vite";
import { isSplit } from "../scripts/size.mjs";
import { POLICY, launch, startSite } from "./support/site.mjs";
import { installTarball, link } from "./support/tarball.mjs";

const PAGE =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A host</title><link rel="icon" href="data:,"></head><body><div id="root"></div><script type="module" src="/lazy.jsx"></script></body></html>';
const TOOLS = "send read merge";

let browser, consumer, site, strict, view, errors;
before(async () => {
  browser = await launch();
  consumer = await installTarball();
  link(consumer, ["react", "react-dom"]);
  cpSync(fileURLToPath(new URL("support/react", import.meta.url)), consumer.folder, { recursive: true });
  consumer.write("index.html", PAGE);
  const out = join(consumer.folder, "out");
  await vite({
    root: consumer.folder,
    configFile: false,
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"development"' },
    build: { outDir: out, target: "es2022" },
  });
  site = await startSite({ folders: { "/": out } });
  strict = await startSite({ folders: { "/": out }, policy: POLICY.replace(" 'wasm-unsafe-eval'", "") });
});
after(async () => {
  await browser?.close();
  site?.stop();
  strict?.stop();
  consumer?.remove();
});
beforeEach(async () => {
  view = await browser.newPage();
  errors = [];
  view.on("pageerror", (error) => errors.push(error.message));
});
afterEach(async () => {
  await view.close();
  assert.deepEqual(errors, []);
});

const says = (text) => view.locator("p", { hasText: text }).waitFor();
const state = () =>
  view.evaluate(() => {
    const { sieve, error } = document.querySelector("mcp-sieve-picker");
    return { ready: Boolean(sieve), error };
  });
const ready = () => view.waitForFunction(() => document.querySelector("mcp-sieve-picker")?.sieve);
const rows = (...names) =>
  view.waitForFunction(
    (text) =>
      [...document.querySelector("mcp-sieve-picker").shadowRoot.querySelectorAll("[role=gridcell].name .label")]
        .map(({ textContent }) => textContent)
        .join() === text,
    names.join(),
  );

test("while the WebAssembly is on its way the application is there, and then the picker", async () => {
  let release;
  const held = new Promise((done) => {
    release = done;
  });
  let asked = 0;
  await view.route("**/*.wasm", async (route) => {
    asked += 1;
    await held;
    await route.continue();
  });
  await view.goto(`${site.url}/index.html`);
  await view.getByRole("heading", { name: "A host" }).waitFor();
  await says(TOOLS);
  assert.deepEqual(await state(), { ready: false, error: undefined });
  await view.locator("mcp-sieve-picker [aria-busy=true]").waitFor();
  release();
  await ready();
  await rows("send", "read", "merge");
  assert.equal(
    asked,
    isSplit() ? 3 : 1,
    "the hook and the picker share one engine, and each of its parts is fetched once",
  );
  await view.getByRole("treeitem", { name: "mail" }).click();
  await says(/^send read$/);
  await rows("send", "read");
  // New objects with equal content are the same catalog: the choice can still be undone.
  assert.equal(await view.evaluate(() => document.querySelector("mcp-sieve-picker").picker.undo()), true);
});

test("tools that each render makes anew do not cause the next render", async () => {
  await view.goto(`${site.url}/index.html`);
  await ready();
  await rows("send", "read", "merge");
  const renders = () => view.evaluate(() => globalThis.renders);
  const before = await renders();
  await view.waitForTimeout(500);
  assert.equal(await renders(), before);
});

test("other lists and another configuration, and what was compiled is freed", async () => {
  await view.goto(`${site.url}/index.html`);
  await ready();
  await view.evaluate(() => {
    globalThis.first = document.querySelector("mcp-sieve-picker").sieve;
    tell({ at: 1 });
  });
  await rows("send", "fly");
  const freed = () =>
    view.waitForFunction(() => {
      try {
        first.count();
      } catch ({ code }) {
        return code === "freed";
      }
    });
  await freed();
  await view.evaluate(() => {
    globalThis.first = document.querySelector("mcp-sieve-picker").sieve;
    tell({ config: { policies: [{ name: "p", show: "name:fly" }] } });
  });
  await rows("fly");
  await freed();
  await view.evaluate(() => {
    globalThis.first = document.querySelector("mcp-sieve-picker").sieve;
    tell({ shown: false });
  });
  await freed();
  await view.evaluate(() => tell({ shown: true, config: { policies: [{ name: "p", show: "nme:fly" }] } }));
  await view.waitForFunction(() => /policies\[0\]\.show.*nme/.test(document.querySelector("mcp-sieve-picker")?.error));
  await view.evaluate(() => tell({ config: {} }));
  await rows("send", "fly");
  assert.deepEqual((await state()).error, undefined);
});

test("where the WebAssembly is blocked the application is there, and the picker says why", async () => {
  const blocked = {
    "a request that fails": async () => {
      await view.route("**/*.wasm", (route) => route.abort());
      return site;
    },
    "a file that is not there": async () => {
      await view.route("**/*.wasm", (route) => route.fulfill({ status: 404, body: "" }));
      return site;
    },
    "a policy of the page": async () => strict,
  };
  const reasons = {
    "a request that fails": /the request failed: /,
    "a file that is not there": /the server answered 404/,
    "a policy of the page": /add 'wasm-unsafe-eval' to `script-src`/,
  };
  for (const [how, block] of Object.entries(blocked)) {
    const { url } = await block();
    await view.goto(`${url}/index.html`);
    await view.getByRole("heading", { name: "A host" }).waitFor();
    await says(/^load: could not load the WebAssembly from http/);
    await view.waitForFunction(() => document.querySelector("mcp-sieve-picker").error);
    assert.match((await state()).error, reasons[how], how);
    await view.getByRole("alert").filter({ hasText: reasons[how] }).waitFor();
    await view.unrouteAll();
  }
});
