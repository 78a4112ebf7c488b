// How the packed package is loaded: by `import` and `require`, from a bundle for Node, and from each source of WebAssembly.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";
import "./support/home.mjs";
import { installTarball } from "./support/tarball.mjs";

const run = promisify(execFile);
const consumer = await installTarball();
after(() => consumer.remove());

test("Node requires it as it imports it", async () => {
  const imported = await consumer.load();
  assert.deepEqual(Object.keys(imported).sort(), [
    "Filter",
    "Picker",
    "Preferences",
    "Sieve",
    "SieveError",
    "TaskFilter",
    "TaskRegistry",
    "discovery",
    "filterTools",
    "wrapClient",
    "wrapClients",
  ]);
  const required = createRequire(join(consumer.folder, "entry.cjs"))("mcp-sieve");
  assert.equal(required.Sieve, imported.Sieve);
  assert.equal(required.Sieve.compile({ prompts: [{ name: "a" }] }).count({ kind: "prompts" }), 1);
});

test("a bundle for Node, which lacks the WebAssembly, says what to do", async () => {
  const files = { "": "sieve_bg.wasm", "/handler": "handler_bg.wasm", "/middleware": "middleware_bg.wasm" };
  for (const [entry, file] of Object.entries(files))
    for (const [format, extension] of [
      ["esm", "mjs"],
      ["cjs", "cjs"],
    ]) {
      const entryPoint = consumer.write("bundled.mjs", `export * from "mcp-sieve${entry}";\n`);
      const outfile = join(consumer.folder, `bundle.${extension}`);
      await build({ entryPoints: [entryPoint], bundle: true, platform: "node", format, outfile, logLevel: "silent" });
      const { stderr = "" } = await run(process.execPath, [outfile]).catch((failed) => failed);
      const [, reason] = /^SieveError: could not load the WebAssembly (.*)$/m.exec(stderr) ?? [];
      assert.ok(reason?.startsWith(`${file}: `), stderr);
      assert.ok(reason.endsWith("; in a bundle for Node, declare `mcp-sieve` as external"), stderr);
    }
});

test("uninitialised, it says so and takes every kind of source", async (t) => {
  const wasm = readFileSync(join(consumer.package, "dist/sieve_bg.wasm"));
  const server = createServer((_, response) => response.setHeader("content-type", "application/wasm").end(wasm));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => server.close());
  const sources = {
    bytes: "initSync(bytes)",
    module: "initSync(new WebAssembly.Module(bytes))",
    address: `await init("http://127.0.0.1:${server.address().port}/")`,
    response: `await init(fetch(new URL("http://127.0.0.1:${server.address().port}/")))`,
    nothing: "await init()",
    twice: "initSync(bytes), await init(), initSync(bytes)",
  };
  for (const [name, call] of Object.entries(sources)) {
    const printed = await consumer.print(
      `init-${name}.mjs`,
      `
      import { readFileSync } from "node:fs";
      import init, { initSync, Sieve } from "mcp-sieve/init";
      const bytes = readFileSync(new URL(import.meta.resolve("mcp-sieve/sieve.wasm")));
      try { Sieve.compile({ tools: [] }); } catch (error) { console.log(error.name, error.code, error.message); }
      ${call};
      console.log(Sieve.compile({ prompts: [{ name: "a" }, { name: "b" }] }).count({ kind: "prompts" }));
    `,
    );
    assert.equal(printed, "SieveError uninitialised call `init` or `initSync` before `Sieve.compile`\n2\n", name);
  }
});
