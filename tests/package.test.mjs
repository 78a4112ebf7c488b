// The contents of the tarball, and its use in every supported environment.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import "./support/home.mjs";
import { corpus, worlds } from "./support/package-corpus.mjs";
import { startModules } from "./support/plain-worker.mjs";
import { installTarball, link } from "./support/tarball.mjs";
import { bundleWorker } from "./support/wrangler.mjs";

const run = promisify(execFile);
const bin = (name) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));
const source = (path) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const COMPATIBILITY_DATE = /"compatibility_date":\s*"([\d-]+)"/.exec(source("worker/wrangler.jsonc"))[1];

/** The modules that every loader loads, besides itself and the WebAssembly. */
const MODULES = [
  "loaders/init.js",
  ...[
    "caller",
    "error",
    "filter",
    "index",
    "load",
    "memory",
    "merged-preferences",
    "options",
    "own-tags",
    "parts",
    "picker-model",
    "predicates",
    "preferences",
    "servers",
    "sieve",
    "tagged-lists",
    "tasks",
  ].map((name) => `src/core/${name}.js`),
  ...[
    "announced",
    "changes",
    "facet-lists",
    "host-concerns",
    "listed-server",
    "local-filter",
    "merged-config",
    "pages",
    "renamed-primitives",
    "server-config",
    "server-lists",
    "server-tasks",
    "wrap-client",
    "wrap-clients",
  ].map((name) => `src/client/${name}.js`),
  "src/discovery/discovery.js",
  "src/discovery/formats.js",
  "src/discovery/names.js",
  "dist/sieve.js",
];

/** The demo page, which `dev` and `run` serve. */
const PAGE = [
  "app.js",
  "index.html",
  "more.html",
  "more.js",
  "samples/forge.json",
  "samples/office.json",
  "samples/shop.json",
  "style.css",
  "tasks.css",
];
/** Maximum size of the page, in bytes after brotli, together and without the modules that the package has anyway. */
const MAX_PAGE = 61_000;

let consumer;
let manifest;
const inPackage = (path) => join(consumer.package, path);

before(async () => {
  consumer = await installTarball();
  manifest = JSON.parse(readFileSync(inPackage("package.json"), "utf8"));
});
after(() => consumer.remove());

test("the tarball has the files that the package needs and no others", () => {
  assert.deepEqual(consumer.files, [
    "LICENSE",
    "README.md",
    "cli/commands/access.js",
    "cli/commands/check.js",
    "cli/commands/connections.js",
    "cli/commands/deploy.js",
    "cli/commands/dev.js",
    "cli/commands/explain.js",
    "cli/commands/import.js",
    "cli/commands/import/backups.js",
    "cli/commands/import/collect.js",
    "cli/commands/import/command-trial.js",
    "cli/commands/import/disclosure.js",
    "cli/commands/import/host-files.js",
    "cli/commands/import/install.js",
    "cli/commands/import/presets.js",
    "cli/commands/import/server-trial.js",
    "cli/commands/import/servers.js",
    "cli/commands/import/sign-in.js",
    "cli/commands/import/variables.js",
    "cli/commands/init.js",
    "cli/commands/init/additions.js",
    "cli/commands/init/conditions.js",
    "cli/commands/init/extend.js",
    "cli/commands/init/file.js",
    "cli/commands/init/insertion.js",
    "cli/commands/init/jsonc.js",
    "cli/commands/init/lists.js",
    "cli/commands/init/placeholders.js",
    "cli/commands/init/prefixes.js",
    "cli/commands/init/report.js",
    "cli/commands/init/settle.js",
    "cli/commands/init/suggest.js",
    "cli/commands/init/topics.js",
    "cli/commands/init/words.js",
    "cli/commands/login.js",
    "cli/commands/logout.js",
    "cli/commands/run.js",
    "cli/commands/snapshot.js",
    "cli/commands/stdio.js",
    "cli/commands/tokens.js",
    "cli/commands/verify.js",
    "cli/lib/addresses.js",
    "cli/lib/against-report.js",
    "cli/lib/against.js",
    "cli/lib/authorities.js",
    "cli/lib/bearer.js",
    "cli/lib/callers.js",
    "cli/lib/cli-error.js",
    "cli/lib/cluster/causes.js",
    "cli/lib/cluster/member.js",
    "cli/lib/cluster/options.js",
    "cli/lib/cluster/record.js",
    "cli/lib/commands.js",
    "cli/lib/connections/browser.js",
    "cli/lib/connections/callback.js",
    "cli/lib/connections/client.js",
    "cli/lib/connections/configured.js",
    "cli/lib/connections/door.js",
    "cli/lib/connections/folder.js",
    "cli/lib/connections/oauth.js",
    "cli/lib/connections/record.js",
    "cli/lib/connections/reports.js",
    "cli/lib/connections/served.js",
    "cli/lib/connections/servers.js",
    "cli/lib/connections/service.js",
    "cli/lib/connections/sign-in.js",
    "cli/lib/connections/store.js",
    "cli/lib/connections/token.js",
    "cli/lib/credentials.js",
    "cli/lib/data-folder.js",
    "cli/lib/data-lock.js",
    "cli/lib/definition-difference.js",
    "cli/lib/dev-output.js",
    "cli/lib/directory.js",
    "cli/lib/engine.js",
    "cli/lib/env-file.js",
    "cli/lib/environment.js",
    "cli/lib/exposure.js",
    "cli/lib/files.js",
    "cli/lib/folders.js",
    "cli/lib/follow.js",
    "cli/lib/functions.js",
    "cli/lib/gate.js",
    "cli/lib/gateway-inputs.js",
    "cli/lib/guard.js",
    "cli/lib/headers.js",
    "cli/lib/help.js",
    "cli/lib/input.js",
    "cli/lib/json-tree.js",
    "cli/lib/live-server.js",
    "cli/lib/local-gateway.js",
    "cli/lib/lock-file.js",
    "cli/lib/lock.js",
    "cli/lib/npm.js",
    "cli/lib/optional-packages.js",
    "cli/lib/options.js",
    "cli/lib/own-command.js",
    "cli/lib/own-package.js",
    "cli/lib/page.js",
    "cli/lib/print.js",
    "cli/lib/runtime-log.js",
    "cli/lib/secrets.js",
    "cli/lib/serving.js",
    "cli/lib/signals.js",
    "cli/lib/socket-lock.js",
    "cli/lib/sources.js",
    "cli/lib/suggest.js",
    "cli/lib/total.js",
    "cli/lib/unset-variables.js",
    "cli/lib/upstreams.js",
    "cli/lib/user-folders.js",
    "cli/lib/worker.js",
    "cli/lib/workerd.js",
    "cli/lib/wrapped.js",
    "cli/main.js",
    "cli/stdio/bridge.js",
    "cli/stdio/cmd-words.js",
    "cli/stdio/connection.js",
    "cli/stdio/environment.js",
    "cli/stdio/exchange.js",
    "cli/stdio/front.js",
    "cli/stdio/http-headers.js",
    "cli/stdio/json-text.js",
    "cli/stdio/late-servers.js",
    "cli/stdio/lines.js",
    "cli/stdio/local-process.js",
    "cli/stdio/local-server.js",
    "cli/stdio/localized.js",
    "cli/stdio/message.js",
    "cli/stdio/selection.js",
    "cli/stdio/tool-schemas.js",
    "dist/command.js",
    "dist/command_bg.wasm",
    "dist/docs/configuration.md",
    "dist/docs/expressions.md",
    "dist/handler.js",
    "dist/handler_bg.wasm",
    "dist/middleware.js",
    "dist/middleware_bg.wasm",
    "dist/oauth.js",
    ...PAGE.map((file) => `dist/page/${file}`),
    "dist/parts/discovery.wasm",
    "dist/parts/engine.wasm",
    "dist/parts/picker.wasm",
    "dist/parts/search.wasm",
    "dist/sieve.js",
    "dist/sieve.schema.json",
    "dist/sieve_bg.wasm",
    "dist/worker/deployment.json",
    "dist/worker/index.js",
    "dist/worker/index_bg.wasm",
    "dist/worker/worker.js",
    "loaders/handler-node.js",
    "loaders/handler-workerd.js",
    "loaders/init.js",
    "loaders/middleware-node.js",
    "loaders/middleware-web.js",
    "loaders/middleware-workerd.js",
    "loaders/node.js",
    "loaders/wasm-file.js",
    "loaders/web.js",
    "loaders/workerd.js",
    "package.json",
    "src/client/announced.js",
    "src/client/changes.js",
    "src/client/facet-lists.js",
    "src/client/host-concerns.js",
    "src/client/listed-server.js",
    "src/client/local-filter.js",
    "src/client/merged-config.js",
    "src/client/pages.js",
    "src/client/renamed-primitives.js",
    "src/client/server-config.js",
    "src/client/server-lists.js",
    "src/client/server-tasks.js",
    "src/client/wrap-client.js",
    "src/client/wrap-clients.js",
    "src/core/caller.js",
    "src/core/error.js",
    "src/core/filter.js",
    "src/core/index.js",
    "src/core/load.js",
    "src/core/memory.js",
    "src/core/merged-preferences.js",
    "src/core/options.js",
    "src/core/own-tags.js",
    "src/core/parts.js",
    "src/core/picker-model.js",
    "src/core/predicates.js",
    "src/core/preferences.js",
    "src/core/servers.js",
    "src/core/sieve.js",
    "src/core/tagged-lists.js",
    "src/core/tasks.js",
    "src/discovery/discovery.js",
    "src/discovery/formats.js",
    "src/discovery/names.js",
    "src/element/picker.js",
    "src/element/picker/bar.js",
    "src/element/picker/bounds.js",
    "src/element/picker/budget.js",
    "src/element/picker/concerns.js",
    "src/element/picker/dom.js",
    "src/element/picker/early.js",
    "src/element/picker/element.js",
    "src/element/picker/empty.js",
    "src/element/picker/facets.js",
    "src/element/picker/gauge.js",
    "src/element/picker/labels.js",
    "src/element/picker/list.js",
    "src/element/picker/own-tag.js",
    "src/element/picker/presets.js",
    "src/element/picker/scheme.js",
    "src/element/picker/search.js",
    "src/element/picker/style.js",
    "src/element/picker/tabs.js",
    "src/element/picker/tree.js",
    "src/element/picker/values.js",
    "src/element/react.js",
    "src/handler/ask.js",
    "src/handler/body.js",
    "src/handler/call.js",
    "src/handler/caller.js",
    "src/handler/check-result.js",
    "src/handler/edge.js",
    "src/handler/gateway.js",
    "src/handler/keys.js",
    "src/handler/options.js",
    "src/handler/predicates.js",
    "src/handler/ranker.js",
    "src/handler/sessions.js",
    "src/middleware.js",
    "src/remote/body.js",
    "src/remote/breaker.js",
    "src/remote/connection.js",
    "src/remote/event-stream.js",
    "src/remote/failure.js",
    "src/remote/server.js",
    "src/remote/servers.js",
    "types/catalog.d.ts",
    "types/client.d.ts",
    "types/config.d.ts",
    "types/discovery.d.ts",
    "types/error.d.ts",
    "types/filter.d.ts",
    "types/handler.d.ts",
    "types/index.d.ts",
    "types/init.d.ts",
    "types/middleware.d.ts",
    "types/picker-model.d.ts",
    "types/picker.d.ts",
    "types/preferences.d.ts",
    "types/react.d.ts",
    "types/sieve.d.ts",
    "types/tasks.d.ts",
    "types/worker.d.ts",
  ]);
  assert.equal(readFileSync(inPackage("LICENSE"), "utf8"), source("LICENSE"));
  assert.equal(manifest.version, /^version = "(.+)"$/m.exec(source("Cargo.toml"))[1]);
  assert.deepEqual(
    readdirSync(join(consumer.folder, "node_modules")).filter((name) => !name.startsWith(".")),
    ["mcp-sieve"],
  );
});

test("the demo page adds little to the package", () => {
  const files = PAGE.map((file) => readFileSync(inPackage(`dist/page/${file}`)));
  const { length } = brotliCompressSync(Buffer.concat(files));
  assert.ok(length <= MAX_PAGE, `${length} bytes after brotli`);
});

test("publint finds nothing to remark", async () => {
  const { messages } = await publint({ pkgDir: consumer.package, level: "suggestion", strict: true });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, manifest)),
    [],
  );
});

test("every way in has the types that it has code", async () => {
  const tarball = readdirSync(consumer.folder).find((file) => file.endsWith(".tgz"));
  // Exports that are not modules have no types.
  const other = Object.keys(manifest.exports).filter((path) => /\.(wasm|schema\.json)$/.test(path));
  const { stdout } = await run(bin("attw"), [
    join(consumer.folder, tarball),
    "--profile",
    "esm-only",
    "--format",
    "json",
    "--exclude-entrypoints",
    ...other,
  ]).catch((failed) => failed);
  const { problems = {} } = JSON.parse(stdout);
  const told = Object.values(problems)
    .flat()
    .filter(({ resolutionKind }) => !["node10", "node16-cjs"].includes(resolutionKind));
  assert.deepEqual(told, []);
});

test("a strict TypeScript project may use every member, and slips are caught", async () => {
  const check = (condition, filter, note) =>
    `${condition}(${JSON.stringify(filter)}) satisfies FilterInput; // ${note}`;
  // The protocol also accepts prefixed names, and reports unknown ones. The types contain only the plain names.
  const known = ({ filter }) =>
    filter && Object.keys(filter).every((name) => ["groups", "tags", "concerns", "where", "query"].includes(name));
  const good = corpus.select.filter(known).map((row) => check("", row.filter, row.name));
  const applied = corpus.select
    .filter((row) => row.applied)
    .map((row) => `(${JSON.stringify(row.applied)}) satisfies AppliedFilter; // ${row.name}`);
  // Types cannot check the meaning of an expression.
  const bad = corpus.refuse
    .filter(
      (row) =>
        "filter" in row && row.error.code === "filter_type" && !/reads the caller|whole number/.test(row.error.message),
    )
    .map((row) => check("// @ts-expect-error refused\n", row.filter, row.name));
  const configs = Object.entries(worlds)
    .filter(([, world]) => world.config)
    .map(([name, { config }]) => `(${JSON.stringify(config)}) satisfies Config; // ${name}`);
  for (const rows of [good, bad, applied, configs]) assert.ok(rows.length > 10);
  consumer.write(
    "corpus.ts",
    [
      'import type { AppliedFilter, Config, FilterInput } from "mcp-sieve";',
      ...good,
      ...bad,
      ...applied,
      ...configs,
      "",
    ].join("\n"),
  );
  const { stdout } = await run(bin("tsc"), ["--project", consumer.folder]).catch((failed) => failed);
  assert.equal(stdout, "");
});

test("a project for Node, without the library `dom`, has every type", async (t) => {
  link(consumer, ["@types/node"]);
  const folder = join(consumer.folder, "node-types");
  t.after(() => rmSync(join(consumer.folder, "node_modules/@types"), { recursive: true }));
  cpSync(new URL("support/node-types", import.meta.url), folder, { recursive: true });
  const { stdout } = await run(bin("tsc"), ["--project", folder]).catch((failed) => failed);
  assert.equal(stdout, "");
});

test("the examples of the README print the stated results", async () => {
  const examples = [...readFileSync(inPackage("README.md"), "utf8").matchAll(/^```js\n(.*?)^```$/gms)].map(
    ([, code]) => code,
  );
  assert.equal(examples.length, 15);
  for (const [at, code] of examples.entries()) {
    const said = [...code.matchAll(/console\.log.*\/\/ (.*)$/gm)].map(([, line]) => line);
    assert.ok(said.length > 0);
    // An object may be printed on several lines.
    const printed = (await consumer.print(`example-${at}.mjs`, code))
      .replace(/\n +/g, " ")
      .replace(/\n([\]}])/g, " $1")
      .trimEnd();
    assert.deepEqual(printed.split("\n"), said);
  }
});

test("the required Node is one that has `process.getBuiltinModule`, as the README says", () => {
  assert.equal(manifest.engines.node, "^20.16 || >=22.3");
  assert.match(readFileSync(inPackage("README.md"), "utf8"), /\| \*\*Node 20\.16\*\*, 22\.3 and newer \|/);
});

test("the README states sizes of JavaScript that hold", async () => {
  const readme = readFileSync(inPackage("README.md"), "utf8");
  const stated = /and (\d+) kB of JavaScript after brotli/.exec(readme).slice(1);
  const compressed = (path) => brotliCompressSync(readFileSync(inPackage(path))).length;
  const sizes = [[...MODULES, "loaders/web.js"].map(compressed).reduce((sum, size) => sum + size)];
  const entry = inPackage("src/element/picker.js");
  const files = readdirSync(inPackage("src/element/picker")).map((name) => `src/element/picker/${name}`);
  const bundle = await build({ entryPoints: [entry], bundle: true, minify: true, format: "esm", write: false });
  sizes.push(
    ["src/element/picker.js", ...files].map(compressed).reduce((sum, size) => sum + size),
    brotliCompressSync(bundle.outputFiles[0].contents).length,
  );
  stated.push(
    .../the element is another (\d+) kB of\sJavaScript \((\d+) kB bundled and minified\)/.exec(readme).slice(1),
  );
  sizes.push(compressed("dist/oauth.js"));
  stated.push(/the sign-in to upstream servers \((\d+) kB after brotli\)/.exec(readme)[1]);
  assert.equal(stated.length, sizes.length);
  for (const [at, size] of sizes.entries())
    assert.ok(size <= stated[at] * 1030 + 500, `${size} bytes, the README says ${stated[at]} kB: more than 3 % less`);
});

async function answersAsWorker(modules, compatibilityDate = COMPATIBILITY_DATE) {
  const worker = await startModules(modules, compatibilityDate);
  try {
    const ask = async (body) => {
      const response = await fetch(worker.url, {
        method: "POST",
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(10_000),
      });
      return [response.status, await response.json()];
    };
    const { lists } = worlds.office;
    const [status, { count, indices, list }] = await ask({ lists, filter: { groups: ["mail"], tags: ["stable"] } });
    assert.deepEqual([status, count, indices], [200, 3, [0, 2, 3]]);
    assert.deepEqual(
      list.tools.map(({ name }) => name),
      ["send_mail", "delete_mail", "invite"],
    );
    assert.deepEqual(await ask({ lists, filter: { groups: "mail" } }), [
      400,
      { code: "filter_type", path: "filter.groups" },
    ]);
    assert.deepEqual((await ask({ lists }))[1].count, lists.tools.length);
  } finally {
    await worker.stop();
  }
}

test("a Worker imports it in workerd", async () => {
  assert.equal(manifest.exports["."].workerd, "./loaders/workerd.js");
  // workerd resolves paths only. A bundler would have resolved the condition `workerd` to this file.
  const entry = consumer.write(
    "direct.js",
    readFileSync(join(consumer.folder, "worker.js"), "utf8").replace('"mcp-sieve"', '"./mcp-sieve/loaders/workerd.js"'),
  );
  const files = ["loaders/workerd.js", ...MODULES, "dist/sieve_bg.wasm"];
  const modules = {
    "worker.js": entry,
    ...Object.fromEntries(files.map((file) => [`mcp-sieve/${file}`, inPackage(file)])),
  };
  await answersAsWorker(modules);
  // A date before weak references and disposal existed.
  await answersAsWorker(modules, "2024-01-01");
});

test("wrangler bundles it without settings", async () => {
  const out = join(consumer.folder, "bundle");
  const config = consumer.write(
    "wrangler.json",
    JSON.stringify({ name: "consumer", main: "worker.js", compatibility_date: COMPATIBILITY_DATE }),
  );
  await bundleWorker(consumer, out, "--config", config);
  const wasm = readdirSync(out).filter((name) => name.endsWith(".wasm"));
  assert.equal(wasm.length, 1, "one wasm file, once");
  await answersAsWorker({ "worker.js": join(out, "worker.js"), [wasm[0]]: join(out, wasm[0]) });
});
