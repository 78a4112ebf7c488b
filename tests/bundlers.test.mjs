// Hosts as bundlers build them: the packed tarball in Vite, webpack and esbuild, each without a plug-in, tested in
// Chromium.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import * as esbuild from "esbuild";
import { build as vite, createServer as serve } from "vite";
import webpack from "webpack";
import { isSplit } from "../scripts/size.mjs";
import { launch, overheard, startSite } from "./support/site.mjs";
import { installTarball } from "./support/tarball.mjs";

const HOST = `
const tool = (name, groups) => ({ name, groups, inputSchema: { type: "object" } });
const element = document.querySelector("mcp-sieve-picker");
element.sieve = Sieve.compile({ tools: [tool("send", ["mail"]), tool("merge", ["code"])] });
element.addEventListener("change", ({ detail }) => { document.title = element.sieve.names({ filter: detail.filter }).join(); });
`;
const PLAIN = `import { Sieve } from "mcp-sieve";\nimport "mcp-sieve/picker";\n${HOST}`;
// The same without a top-level await, so that the page does not wait. The WebAssembly file is found by its URL next to
// the code.
const LAZY = `import init, { Sieve } from "mcp-sieve/init";\nimport "mcp-sieve/picker";\ninit().then(() => {\n${HOST}\n});\n`;
// esbuild does not follow `new URL`. Its loader returns the URL of the module instead.
const LOADED = `import wasm from "mcp-sieve/sieve.wasm";\nimport init, { Sieve } from "mcp-sieve/init";\nimport "mcp-sieve/picker";\nawait init(new URL(wasm, import.meta.url));\n${HOST}`;
const ALONE = 'import { wrapClient } from "mcp-sieve";\nglobalThis.wrap = wrapClient;\n';
/** Text that the code of each part contains, whichever minifier processed it. */
const PARTS = {
  client: "resources/templates/list",
  picker: "mcp-sieve-picker",
  preferences: "no storage here",
  tasks: "an array of tasks",
};
const page = (script) =>
  `<!doctype html><html lang="en"><title>A host</title><link rel="icon" href="data:,"><mcp-sieve-picker></mcp-sieve-picker><script type="module" src="${script}"></script>`;

let consumer, browser;
before(async () => {
  consumer = await installTarball();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  consumer?.remove();
});

const builds = {
  async vite(out, host = PLAIN) {
    consumer.write("vite.js", host);
    consumer.write("index.html", page("/vite.js"));
    await vite({
      root: consumer.folder,
      configFile: false,
      logLevel: "error",
      build: { outDir: out, target: "es2022" },
    });
  },
  async webpack(out, host = PLAIN) {
    const entry = consumer.write("webpack-host.js", host);
    const stats = await promisify(webpack)({
      context: consumer.folder,
      mode: "production",
      entry,
      experiments: { outputModule: true },
      output: { path: out, filename: "host.js", module: true, chunkFormat: "module" },
    });
    assert.deepEqual(stats.toJson({ all: false, errors: true }).errors, []);
  },
  async esbuild(out, host = LOADED) {
    const entry = consumer.write("esbuild-host.js", host);
    await esbuild.build({
      entryPoints: { host: entry },
      bundle: true,
      format: "esm",
      target: "es2022",
      minify: true,
      outdir: out,
      loader: { ".wasm": "file" },
      logLevel: "error",
    });
  },
};

for (const [name, build] of Object.entries(builds)) {
  for (const [how, host] of name === "esbuild" ? [["as it is"]] : [["as it is"], ["with `init`", LAZY]])
    test(`${name} takes it ${how}`, async (t) => {
      const out = join(consumer.folder, `out-${name}-${how.length}`);
      await build(out, host);
      const files = readdirSync(out, { recursive: true }).map(String);
      // esbuild uses the whole engine; the others find the first module and its parts. Vite inlines empty modules, which
      // an engine that is not split has in place of parts.
      const modules = files.filter((file) => file.endsWith(".wasm"));
      const [least, most] = name === "esbuild" ? [1, 1] : [isSplit() ? 4 : 1, 4];
      assert.ok(modules.length >= least && modules.length <= most, `the WebAssembly files in ${files}`);
      const site = await startSite({ folders: { "/": out }, pages: name === "vite" ? {} : { "/": page("/host.js") } });
      try {
        const view = await browser.newPage();
        const mishaps = overheard(view, site.url);
        await view.goto(`${site.url}/${name === "vite" ? "index.html" : ""}`);
        await view.getByRole("treeitem", { name: "mail" }).click();
        assert.equal(await view.title(), "send");
        assert.deepEqual(mishaps, []);
        await view.close();
        t.diagnostic(files.join(" "));
      } finally {
        site.stop();
      }
    });

  test(`${name} leaves out what is not imported`, async () => {
    const partsOf = async (host) => {
      const out = join(consumer.folder, `alone-${name}`);
      await build(out, host);
      const code = readdirSync(out, { recursive: true })
        .map(String)
        .filter((file) => file.endsWith(".js"))
        .map((file) => readFileSync(join(out, file), "utf8"))
        .join("");
      return Object.keys(PARTS).filter((part) => code.includes(PARTS[part]));
    };
    // esbuild cannot follow the URL of the WebAssembly.
    const alone = name === "esbuild" ? ALONE.replace('"mcp-sieve"', '"mcp-sieve/init"') : ALONE;
    // A wrapped client also filters tasks.
    assert.deepEqual(await partsOf(alone), ["client", "tasks"]);
    assert.deepEqual(
      await partsOf(alone.replace("wrap = wrapClient", "wrap = all").replace("{ wrapClient }", "* as all")),
      ["client", "preferences", "tasks"],
    );
  });
}

for (const [how, host] of [
  ["as it is", PLAIN],
  ["with `init`", LAZY],
])
  test(`vite serves it in development ${how}`, async () => {
    consumer.write("vite.js", host);
    consumer.write("index.html", page("/vite.js"));
    const server = await serve({
      root: consumer.folder,
      configFile: false,
      logLevel: "error",
      server: { host: "127.0.0.1", port: 0 },
    });
    try {
      await server.listen();
      const url = `http://127.0.0.1:${server.httpServer.address().port}`;
      const view = await browser.newPage();
      const mishaps = overheard(view, url);
      await view.goto(url);
      await view.getByRole("treeitem", { name: "mail" }).click();
      assert.equal(await view.title(), "send");
      assert.deepEqual(mishaps, []);
      await view.close();
    } finally {
      await server.close();
    }
  });
