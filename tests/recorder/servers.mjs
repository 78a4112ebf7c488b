// The servers that are recorded, and what each is asked. All are those of other projects.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { startForeign } from "../conformance/foreign/server.mjs";
import { startEverything } from "../support/everything.mjs";
import { start } from "../support/foreign.mjs";
import { freePort } from "../support/port.mjs";
import { filesystem, makeFolders, startLowlevel } from "../support/real-servers.mjs";
import { SESSION, STATELESS } from "./wire.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { resolve } = createRequire(new URL("../reference-servers/package.json", import.meta.url));
const local = (...command) => ({ start: async () => ({ place: command, stop() {} }) });
/** Returns a local server of npm on an old SDK. */
const old = (name, ...args) => local(process.execPath, resolve(`@modelcontextprotocol/${name}/dist/index.js`), ...args);

/** A page that logs when its button is clicked, so that the server announces a changed resource during a call. */
const PAGE = "data:text/html,<button onclick=\"console.log('clicked')\">B</button>";
const BROWSER = { headless: true, args: ["--no-sandbox"] };

/** What the low-level servers of both major versions of the Python SDK are asked. */
const LOWLEVEL = {
  calls: [
    ["count", {}],
    ["count", {}],
    ["progress", {}],
    ["measure", {}],
    ["measure", { z: "text" }],
    ["picture", {}],
    ["fail", {}],
    ...["elicitation", "sampling", "roots"].flatMap((kind) => [
      ["ask_related", { kind }],
      ["ask", { kind }],
    ]),
    ["log", {}],
  ],
  reads: ["note://one", "note://three"],
  prompts: [
    ["greet", { who: "Ada" }],
    ["greet", {}],
  ],
  completions: [{ ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: "A" } }],
  subscription: { uri: "note://one", call: ["touch", { uri: "note://one" }] },
};

/**
 * Each server has `start`, which resolves with `{ place, stop }`: the URL or the command of the server, `revisions` for raw
 * clients, and what it is asked: `calls` as `[tool, arguments]`, `reads`, `prompts`, `completions`, and a `subscription`, the
 * resource and a call that changes it. `clients` replaces the official clients, and `env` is the environment of a local server.
 */
export const SERVERS = {
  "server-everything": {
    start: async () => {
      const { url, stop } = await startEverything();
      return { place: url, stop };
    },
    revisions: [SESSION],
    calls: [
      ["echo", { message: "höre" }],
      ["echo", {}],
      ["get-annotated-message", { messageType: "error", includeImage: true }],
      ["get-resource-links", { count: 3 }],
      ["get-resource-reference", { resourceType: "Text", resourceId: 2 }],
      ["get-structured-content", { location: "Chicago" }],
      ["get-sum", { a: 2, b: 40 }],
      ["get-sum", { a: "two" }],
      ["get-tiny-image", {}],
      ["trigger-long-running-operation", { duration: 0.2, steps: 2 }],
      ["get-roots-list", {}],
      ["trigger-elicitation-request", {}],
      ["trigger-sampling-request", { prompt: "A city?" }],
    ],
    reads: ["demo://resource/static/document/architecture.md", "demo://resource/dynamic/text/7"],
    prompts: [
      ["simple-prompt", {}],
      ["args-prompt", { city: "Oslo", state: "N" }],
      ["args-prompt", {}],
      ["resource-prompt", { resourceType: "Text", resourceId: "1" }],
    ],
    completions: [
      { ref: { type: "ref/prompt", name: "completable-prompt" }, argument: { name: "department", value: "S" } },
      {
        ref: { type: "ref/resource", uri: "demo://resource/dynamic/text/{resourceId}" },
        argument: { name: "resourceId", value: "2" },
      },
    ],
    subscription: { uri: "demo://resource/dynamic/text/1", call: ["toggle-subscriber-updates", {}] },
  },
  // Over stdio, through `mcp-sieve -- COMMAND`.
  "server-filesystem": {
    start: async () => {
      const folders = makeFolders("given", "root");
      return { place: filesystem(folders.given), root: folders.root, stop: folders.remove, folders };
    },
    revisions: [SESSION],
    calls: ({ given, root }) => [
      ["list_allowed_directories", {}],
      ["read_text_file", { path: `${given}/given.txt` }],
      ["read_text_file", { path: `${root}/root.txt` }],
      ["list_directory", { path: given }],
      ["list_directory", { path: "/" }],
      ["read_text_file", { path: `${given}/none.txt` }],
      ["read_text_file", {}],
    ],
  },
  // Its application redirects `/mcp` to `/mcp/`.
  FastMCP: {
    start: async () => {
      const port = await freePort();
      const server = await start(port, here("../../.tools/venv/bin/python"), [
        here("../reference-servers/fastapi_server.py"),
        String(port),
      ]);
      return { place: `${server.url}/`, stop: server.stop };
    },
    revisions: [SESSION, STATELESS],
    calls: [
      ["forecast", { city: "Bern", days: 2 }],
      ["forecast", { days: "two" }],
      ["report", { city: "größer", temperature: 1.5 }],
      ["fail", {}],
      ["travel", { steps: 2 }],
      ["ask", {}],
    ],
    reads: ["weather://cities", "weather://Bern/now"],
    prompts: [
      ["plan", { city: "Bern" }],
      ["plan", {}],
    ],
    completions: [{ ref: { type: "ref/prompt", name: "plan" }, argument: { name: "city", value: "B" } }],
    subscription: { uri: "weather://cities", call: ["report", { city: "Bern", temperature: 2 }] },
  },
  "Python mcp 1.30": {
    start: async () => {
      const { url, stop } = await startLowlevel("1.30");
      return { place: url, stop };
    },
    revisions: [SESSION],
    ...LOWLEVEL,
  },
  "Python mcp 2.3": {
    start: async () => {
      const { url, stop } = await startLowlevel("2.3");
      return { place: url, stop };
    },
    revisions: [SESSION, STATELESS],
    ...LOWLEVEL,
  },
  "TypeScript 2.4": {
    start: async () => {
      const { url, stop } = await startForeign();
      return { place: url, stop };
    },
    revisions: [SESSION, STATELESS],
    calls: [
      "test_simple_text",
      "test_image_content",
      "test_multiple_content_types",
      "test_error_handling",
      "test_tool_with_progress",
      "test_tool_with_logging",
      "test_input_required_result_elicitation",
      "test_input_required_result_sampling",
      "test_input_required_result_list_roots",
      "test_input_required_result_multi_round",
    ].map((name) => [name, {}]),
    reads: ["test://static-text", "test://template/7/data"],
    prompts: [
      ["test_simple_prompt", {}],
      ["test_prompt_with_arguments", { arg1: "a", arg2: "b" }],
      ["test_input_required_result_prompt", {}],
    ],
    completions: [
      { ref: { type: "ref/prompt", name: "test_prompt_with_arguments" }, argument: { name: "arg1", value: "a" } },
    ],
    subscription: { uri: "test://watched-resource", call: ["test_simple_text", {}] },
  },
  // The rest are asked by raw clients alone. This one refuses the methods of capabilities that it does not announce.
  rmcp: {
    ...local(here("../../target/peers/debug/rmcp-server")),
    clients: {},
    revisions: [SESSION, STATELESS],
    calls: [
      ["add", { a: 2, b: 3 }],
      ["add", { a: "two" }],
      ["wait", {}],
      ["fail", {}],
      ["refuse", {}],
    ],
  },
  // It speaks 2024-11-05, announces resources without templates, and its list of resources changes.
  "server-puppeteer": {
    ...old("server-puppeteer"),
    env: { DOCKER_CONTAINER: "true", PUPPETEER_EXECUTABLE_PATH: "/usr/bin/chromium" },
    clients: {},
    revisions: [SESSION],
    calls: [
      ["puppeteer_navigate", { url: PAGE, launchOptions: BROWSER, allowDangerous: true }],
      ["puppeteer_click", { selector: "button" }],
      ["puppeteer_click", { selector: "#none" }],
      ["puppeteer_evaluate", { script: "document.title + 1" }],
      ["puppeteer_screenshot", { name: "shot", width: 20, height: 20 }],
    ],
    reads: ["console://logs", "screenshot://shot"],
  },
  // Without its database, `resources/list` answers -32603.
  "server-postgres": {
    ...old("server-postgres", "postgresql://127.0.0.1:1/none"),
    clients: {},
    revisions: [SESSION],
    calls: [
      ["query", { sql: "SELECT 1" }],
      ["query", {}],
    ],
  },
};
