// `mcp-sieve/react` of the packed package with the oldest and the newest supported React: rendered on a server, then
// bundled by Vite and hydrated in Chromium. Development builds, so that React prints its warnings.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as esbuild from "esbuild";
import { build as vite } from "vite";
import "./support/home.mjs";
import { launch, overheard, startSite } from "./support/site.mjs";
import { installTarball, link } from "./support/tarball.mjs";

const development = { "process.env.NODE_ENV": '"development"' };
const page = (
  rendered,
) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A host</title><link rel="icon" href="data:,"></head>
<body><div id="root">${rendered}</div><script type="module" src="/app.jsx"></script></body></html>`;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

for (const [version, from] of [
  ["18", "react-18/node_modules"],
  ["19", "node_modules"],
]) {
  describe(`React ${version}`, () => {
    let consumer, rendered, site, context, view, mishaps;

    before(async () => {
      consumer = await installTarball();
      link(consumer, ["react", "react-dom", "@types/react"], from);
      cpSync(fileURLToPath(new URL("support/react", import.meta.url)), consumer.folder, { recursive: true });
      const bundled = await esbuild.build({
        entryPoints: [join(consumer.folder, "server.jsx")],
        bundle: true,
        write: false,
        platform: "node",
        format: "esm",
        jsx: "automatic",
        packages: "external",
        logLevel: "silent",
      });
      rendered = (await consumer.print("server.mjs", bundled.outputFiles[0].text)).trim();
      const out = join(consumer.folder, "out");
      consumer.write("index.html", page(""));
      await vite({
        root: consumer.folder,
        configFile: false,
        logLevel: "error",
        define: development,
        build: { outDir: out, target: "es2022", minify: false },
      });
      const built = readFileSync(join(out, "index.html"), "utf8");
      const hydrated = built.replace('<div id="root">', `<div id="root">${rendered}`);
      site = await startSite({ folders: { "/": out }, pages: { "/": built, "/rendered": hydrated } });
    });
    after(() => {
      site?.stop();
      consumer?.remove();
    });
    beforeEach(async () => {
      context = await browser.newContext();
      view = await context.newPage();
      mishaps = overheard(view, site.url);
    });
    afterEach(async () => {
      await context.close();
      assert.deepEqual(mishaps, []);
    });

    const open = async (path = "/") => {
      await view.goto(site.url + path);
      await view.waitForFunction(() => globalThis.ready && document.querySelector("mcp-sieve-picker")?.sieve);
    };
    const tell = (change) => view.evaluate((change) => tell(change), change);
    const names = () => view.locator("[role=gridcell].name .label").allTextContents();
    const shows = async (...expected) => {
      await view.waitForFunction(
        (text) =>
          [...document.querySelector("mcp-sieve-picker").shadowRoot.querySelectorAll("[role=gridcell].name .label")]
            .map(({ textContent }) => textContent)
            .join() === text,
        expected.join(),
      );
      assert.deepEqual(await names(), expected);
    };
    const element = (of) => view.evaluate(of);

    test("the wrapper, the hook and the element are typed in JSX", async () => {
      const settings = { extends: "./tsconfig.json", compilerOptions: { jsx: "react-jsx" }, include: ["typed.tsx"] };
      const project = consumer.write("tsconfig.typed.json", JSON.stringify(settings));
      const { stdout } = await promisify(execFile)(fileURLToPath(new URL("node_modules/.bin/tsc", import.meta.url)), [
        "--project",
        project,
      ]).catch((failed) => failed);
      assert.equal(stdout, "");
    });

    test("a server renders the element and its attributes, and nothing of its inside", () => {
      assert.equal(
        rendered,
        '<main><h1>A host</h1><mcp-sieve-picker class="wide" name="filter" aria-label="Which tools"></mcp-sieve-picker></main>',
      );
    });

    for (const [how, path] of [
      ["rendered in the page", "/"],
      ["rendered by a server and taken over", "/rendered"],
    ]) {
      test(`${how}: properties go in, changes come out`, async () => {
        await open(path);
        await shows("send", "read", "merge");
        await view.getByRole("treeitem", { name: "mail" }).click();
        await shows("send", "read");
        assert.deepEqual(await view.evaluate(() => [heard.splice(0), count({ groups: ["mail"] })]), [
          [{ groups: ["mail"] }],
          2,
        ]);
        // A filter that the host sets is shown, and fires no change event.
        await tell({ filter: { groups: ["code"] } });
        await shows("merge");
        await tell({ filter: {} });
        await shows("send", "read", "merge");
        assert.deepEqual(await view.evaluate(() => heard), []);
      });
    }

    test("presets, labels, kind and what is disabled", async () => {
      await open();
      await tell({
        presets: [{ name: "post", title: "Post", filter: { groups: ["mail"] } }],
        labels: { groups: "Gruppen" },
      });
      await view.getByRole("button", { name: "Post" }).click();
      await shows("send", "read");
      await view.getByRole("tree", { name: "Gruppen" }).waitFor();
      await tell({ kind: "prompts" });
      await shows("triage");
      assert.deepEqual(
        await element(() => {
          const { className, name, disabled } = document.querySelector("mcp-sieve-picker");
          return [className, name, disabled];
        }),
        ["wide", "filter", false],
      );
      await tell({ disabled: true });
      await view.waitForFunction(() => document.querySelector("mcp-sieve-picker").disabled);
      assert.equal(await view.getByRole("button", { name: "Post" }).isDisabled(), true);
      await tell({ disabled: false });
      await view.waitForFunction(() => !document.querySelector("mcp-sieve-picker").disabled);
      assert.equal(await element(() => document.querySelector("mcp-sieve-picker").matches(":disabled")), false);
    });

    test("a budget, its bounds and the thresholds of hosts", async () => {
      await open();
      await tell({ budget: true, maxTools: 2, thresholds: [1, 5] });
      await shows("send", "read");
      await view.locator("mcp-sieve-picker summary").click();
      const fits = () => view.locator("[part=hosts] li").evaluateAll((items) => items.map((item) => item.dataset.fits));
      assert.deepEqual(await fits(), ["false", "true"]);
      await tell({ maxTools: 1 });
      await shows("send");
      assert.deepEqual(await view.evaluate(() => heard.splice(0).filter(({ budget }) => !budget)), [
        { limit: { count: 2 } },
        { limit: { count: 1 } },
      ]);
      await view.getByRole("spinbutton", { name: "Max tools" }).fill("3");
      await view.getByRole("spinbutton", { name: "Max tools" }).press("Tab");
      await shows("send", "read", "merge");
      const budget = { maxTools: 3, maxTokens: null, selected: 3, dropped: 0 };
      const [changed, announced] = await view.evaluate(() => heard.splice(0));
      const { tokens, ...others } = announced.budget;
      assert.deepEqual([changed, others, tokens > 0], [{ limit: { count: 3 } }, budget, true]);
    });

    test("what the host has received is what the picker shows as going to the model, from the first bound on", async () => {
      await open();
      const agrees = async (changes, ...names) => {
        await shows(...names);
        await view.waitForFunction((names) => sent().join() === names, names.join());
        const filters = await view.evaluate(() => heard.splice(0).filter(({ budget }) => !budget));
        assert.equal(filters.length, changes, JSON.stringify(filters));
        const status = await view.locator("mcp-sieve-picker").getByRole("status").textContent();
        assert.match(status, new RegExp(`^${names.length} of `));
        const own = await element(() => document.querySelector("mcp-sieve-picker").filter);
        if (changes > 0) assert.deepEqual(filters.at(-1), own);
      };
      await tell({ shown: false });
      await tell({ shown: true, maxTools: 2 });
      await agrees(1, "send", "read");
      const tool = (name) => ({ name, inputSchema: { type: "object" } });
      const lists = [
        { server: "mail", lists: { tools: [tool("send"), tool("read")] } },
        { server: "code", lists: { tools: [tool("merge"), tool("close")] } },
      ];
      await tell({ lists });
      await agrees(1, "send", "merge");
      await view.getByRole("tab", { name: "Over budget" }).click();
      await view.getByRole("checkbox", { name: "Use close" }).click();
      await view.getByRole("tab", { name: "Shown" }).click();
      await agrees(1, "send", "close");
      await tell({ maxTools: 3 });
      await agrees(1, "send", "merge", "close");
      // The host sets what it has received, which is no change.
      await view.evaluate(() => tell({ filter: { ...picker.current.filter } }));
      await agrees(0, "send", "merge", "close");
    });

    test("a ref is the element, and a filter that is taken back takes its error along", async () => {
      await open();
      assert.equal(await view.evaluate(() => picker.current === document.querySelector("mcp-sieve-picker")), true);
      const alert = () => view.evaluate(() => picker.current.shadowRoot.querySelector("[role=alert]").textContent);
      // Until there is a choice, no filter is refused.
      await view.waitForFunction(() => picker.current.picker !== undefined);
      await tell({ filter: { groups: 5 } });
      await view.waitForFunction(() => picker.current.error !== undefined);
      assert.match(await alert(), /filter\.groups: expected an array/);
      await tell({ filter: {} });
      await view.waitForFunction(() => picker.current.error === undefined);
      assert.equal(await alert(), "");
      // What is no longer given is no attribute either.
      await tell({ theme: "dark", kind: "prompts" });
      await view.waitForFunction(() => picker.current.getAttribute("theme") === "dark");
      await tell({ theme: undefined, kind: undefined });
      await view.waitForFunction(() => !picker.current.hasAttribute("theme") && !picker.current.hasAttribute("kind"));
    });

    test("lists that differ by their servers alone are other lists", async () => {
      await open();
      const tool = (name) => ({ name, inputSchema: { type: "object" } });
      const of = (server) => [
        { server, lists: { tools: [tool("send")] } },
        { server: "other", lists: { tools: [tool("merge")] } },
      ];
      await tell({ lists: of("x") });
      await view.getByRole("treeitem", { name: "x," }).waitFor();
      await tell({ lists: of("renamed") });
      await view.getByRole("treeitem", { name: "renamed," }).waitFor();
    });

    test("another catalog keeps the choice as far as it goes", async () => {
      await open();
      await view.getByRole("treeitem", { name: "mail" }).click();
      await tell({ at: 1 });
      await shows("send");
    });

    test("a person's preferences are kept", async () => {
      await open();
      await tell({ kept: true });
      await view.getByRole("checkbox", { name: /read/ }).first().click();
      await view.waitForFunction(() => Object.keys(localStorage).length === 1);
      await open();
      await tell({ kept: true });
      await shows("send", "merge");
    });

    test("unmounting frees what the choice holds", async () => {
      await open();
      await view.getByRole("treeitem", { name: "mail" }).click();
      await view.evaluate(() => {
        globalThis.left = document.querySelector("mcp-sieve-picker");
        globalThis.choice = left.picker;
      });
      await tell({ shown: false });
      await view.waitForFunction(() => left.sieve === undefined);
      assert.equal(
        await view.evaluate(() => {
          try {
            return choice.toggle("mail");
          } catch ({ code }) {
            return code;
          }
        }),
        "freed",
      );
      // Shown again, like a component that was only hidden.
      await tell({ shown: true });
      await shows("send", "read");
      // A host that frees its sieve does so before the element is removed, because React cleans up parents first.
      await view.evaluate(() => document.querySelector("mcp-sieve-picker").sieve.free());
      await tell({ shown: false });
      await view.waitForFunction(() => document.querySelector("mcp-sieve-picker") === null);
    });
  });
}
