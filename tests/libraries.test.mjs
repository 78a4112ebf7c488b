// Tools in third-party libraries, selected as in the package's README: the Vercel AI SDK in Node, with a model that
// only calls tools, and `use-mcp` in React in Chromium, built by Vite. They use the gateway in workerd and a
// third-party server.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build as vite } from "vite";
import { startEverything } from "./support/everything.mjs";
import "./support/home.mjs";
import { serviceOf, world } from "./support/protocol-worlds.mjs";
import { POLICY, launch, overheard, startSite } from "./support/site.mjs";
import { installTarball, link } from "./support/tarball.mjs";
import { startUpstream } from "./support/upstream.mjs";
import { startWorkers } from "./support/workerd.mjs";

const run = promisify(execFile);
const office = world("office");
let consumer, everything, upstream, workers;
const snippet = (name) =>
  new RegExp(`<!-- snippet: ${name} -->\\n\`\`\`tsx?\\n([^]*?)\`\`\``).exec(
    readFileSync(join(consumer.package, "README.md"), "utf8"),
  )[1];

before(async () => {
  consumer = await installTarball();
  link(consumer, ["@ai-sdk/mcp", "ai", "react", "react-dom", "use-mcp", "zod"]);
  everything = await startEverything();
  upstream = await startUpstream({ office });
  workers = await startWorkers([serviceOf("office", office, upstream.url("office"))]);
});
after(async () => {
  await workers?.stop();
  await upstream?.stop();
  await everything?.stop();
  consumer?.remove();
});

test("the README's snippets have the types that the older SDK and the AI SDK expect", async () => {
  link(consumer, ["@modelcontextprotocol/sdk"]);
  const files = {
    "wrap-1.ts": snippet("wrap").replace(
      /^import.*\n/,
      `import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";\n`,
    ),
    "ai.ts": `${snippet("ai")}import { generateText, type LanguageModel } from "ai";
export const answer = (model: LanguageModel) => generateText({ model, tools, prompt: "go" });`,
  };
  for (const [name, text] of Object.entries(files))
    consumer.write(`typed-${name}`, `declare const process: { argv: string[] };\n${text}\nexport {};\n`);
  const settings = {
    extends: "./tsconfig.json",
    compilerOptions: { jsx: "react-jsx", skipLibCheck: true },
    include: ["typed-*"],
  };
  const { stdout } = await run(fileURLToPath(new URL("node_modules/.bin/tsc", import.meta.url)), [
    "--project",
    consumer.write("tsconfig.typed.json", JSON.stringify(settings)),
  ]).catch((failed) => failed);
  assert.equal(stdout, "");
});

/** Runs the README's lines and, after them, a model that calls the first of its tools. */
async function ask(url, more, input) {
  return JSON.parse(
    await consumer.print(
      "ai.mjs",
      `${snippet("ai")}
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const model = new MockLanguageModelV4({ doGenerate: async ({ prompt, tools }) => (prompt.length > 1
  ? { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] }
  : { content: [{ type: "tool-call", toolCallId: "1", toolName: tools[0].name, input: '${JSON.stringify(input)}' }], finishReason: { unified: "tool-calls" }, usage, warnings: [] }) });
const given = await (async () => { ${more} })();
const { steps, text } = await generateText({ model, tools: given, prompt: "go", stopWhen: isStepCount(2) });
console.log(JSON.stringify({ seen: model.doGenerateCalls[0].tools.map(({ name }) => name), text, answered: steps[0].toolResults[0]?.output.content[0].text }));
await mcpClient.close();
`.replaceAll("process.argv[2]", JSON.stringify(url)),
    ),
  );
}

test("the Vercel AI SDK: a model sees the picked tools, and calls them (G-47)", async () => {
  const { seen, text, answered } = await ask(everything.url, "return tools;", {});
  assert.ok(seen.length > 2 && seen.every((name) => name.startsWith("get-")), seen.join());
  assert.equal(text, "done");
  assert.ok(answered.length > 0);
});

test("the Vercel AI SDK: a model finds a tool and calls it by name", async () => {
  const more = `const { discovery } = await import("mcp-sieve");
const found = discovery(sieve, { mode: "search", call: (made) => ({ content: [{ type: "text", text: JSON.stringify(made) }] }) });
return { call_tool: found.aiSdk().call_tool };`;
  const { seen, text, answered } = await ask(everything.url, more, { name: "get-sum", arguments: { a: 2, b: 3 } });
  assert.deepEqual([seen, text], [["call_tool"], "done"]);
  assert.deepEqual(JSON.parse(answered), {
    tool: "get-sum",
    server: "upstream",
    name: "get-sum",
    arguments: { a: 2, b: 3 },
  });
});

test("the Vercel AI SDK: a server that filters is asked to", async () => {
  const more =
    'return mcpClient.toolsFromDefinitions(await mcpClient.listTools({ params: { filter: { groups: ["mail"], tags: ["stable"], where: "-tag:destructive" } } }));';
  const { seen, answered } = await ask(`${workers.urls.office}/mcp`, more, {});
  assert.deepEqual(seen, ["send_mail", "invite"]);
  assert.match(answered, /^called send_mail/);
});

test("use-mcp: the picker chooses among the gateway's tools, by the groups that it tells of", async () => {
  cpSync(fileURLToPath(new URL("support/react/tools.jsx", import.meta.url)), join(consumer.folder, "tools.jsx"));
  consumer.write("tools-readme.tsx", snippet("use-mcp"));
  const out = join(consumer.folder, "out");
  consumer.write(
    "index.html",
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A host</title><link rel="icon" href="data:,"></head><body><div id="root"></div><script type="module" src="/tools.jsx"></script></body></html>',
  );
  await vite({ root: consumer.folder, configFile: false, logLevel: "error", build: { outDir: out, target: "es2022" } });
  const server = workers.urls.office;
  const site = await startSite({
    folders: { "/": out },
    policy: POLICY.replace("connect-src 'self'", `connect-src 'self' ${server}`),
  });
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const mishaps = overheard(page, site.url);
    const listed = async (url, ...names) => {
      await page.goto(`${site.url}/index.html?url=${encodeURIComponent(url)}`);
      await page.waitForFunction((count) => document.querySelectorAll("li").length === count, names.length);
      assert.deepEqual(await page.locator("li").allTextContents(), names);
    };
    await listed(`${server}/mcp?groups=mail&tags=stable`, "send_mail", "delete_mail", "invite");
    await listed(`${server}/mcp`, ...office.lists.tools.map(({ name }) => name));
    await page.getByRole("treeitem", { name: "Mail" }).click();
    await page.waitForFunction(() => document.querySelectorAll("li").length === 4);
    assert.deepEqual(await page.locator("li").allTextContents(), ["send_mail", "draft_mail", "delete_mail", "invite"]);
    // Requests to the server are expected. A library below `use-mcp` tests whether it may evaluate text, and works
    // without.
    assert.deepEqual(
      mishaps.filter((mishap) => mishap !== `asks ${server}` && !mishap.includes("'TrustedScript'")),
      [],
    );
  } finally {
    await browser.close();
    site.stop();
  }
});
