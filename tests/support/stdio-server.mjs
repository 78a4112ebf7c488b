// A stdio server without an SDK, of either revision, with faults on demand: `node stdio-server.mjs FLAG...`. It prints
// which requests are cancelled on standard error.
//   --stateless  answers only requests of 2026-07-28
//   --banner     prints a line of text on standard output first
//   --exit       ends at once, with a message on standard error
//   --silent     reads and never answers
//   --slow       answers two seconds after its start
//   --deaf       ignores SIGTERM and the end of its input, as does a child of it; prints the ids of both
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const flags = new Set(process.argv.slice(2));
const REVISION = "io.modelcontextprotocol/protocolVersion";
const TOOLS = ["pid", "environment", "crash", "large", "ask", "count", "region", "wait"];
/** An argument that clients over HTTP repeat as a header. */
const REGION = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } };
const serverInfo = { name: "fixture", version: "1" };
const capabilities = { tools: { listChanged: true } };
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const said = (text) => ({ content: [{ type: "text", text }] });
/** Question id → the handler of its answer. */
const questions = new Map();

if (flags.has("--exit")) {
  process.stderr.write("no configuration\n");
  process.exit(3);
}
if (flags.has("--crash")) throw new Error("no database");
if (flags.has("--deaf")) {
  const deaf = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1_000)';
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1_000);
  const child = spawn(process.execPath, ["-e", `${deaf}; console.log()`], { stdio: ["ignore", "pipe", "ignore"] });
  // Once it ignores the signal.
  child.stdout.once("data", () => process.stderr.write(`deaf ${process.pid} ${child.pid}\n`));
}
if (flags.has("--slow")) await sleep(2_000);
if (flags.has("--banner")) process.stdout.write("Welcome to the fixture!\n");

const tools = {
  pid: () => said(String(process.pid)),
  environment: () => said(JSON.stringify(process.env)),
  crash: () => process.exit(7),
  large: ({ bytes }) => said("x".repeat(bytes)),
  async ask({ afterMs = 0 }) {
    await sleep(afterMs);
    const id = `question-${questions.size}`;
    const answer = new Promise((done) => questions.set(id, done));
    send({
      id,
      method: "elicitation/create",
      params: { message: "Which?", requestedSchema: { type: "object", properties: {} } },
    });
    return said(JSON.stringify(await answer));
  },
  async log({ afterMs = 0, data }) {
    await sleep(afterMs);
    send({ method: "notifications/message", params: { level: "error", data } });
    return said("logged");
  },
  region: ({ region }) => said(region),
  wait: () => new Promise(() => {}),
  async count(_, progressToken) {
    for (const progress of [1, 2, 3]) {
      send({ method: "notifications/progress", params: { progressToken, progress } });
      await sleep(100);
    }
    return said("3");
  },
};

async function resultOf({ method, params }) {
  if (method === "initialize" && !flags.has("--stateless"))
    return { protocolVersion: "2025-11-25", capabilities, serverInfo };
  if (flags.has("--stateless") && params?._meta?.[REVISION] === undefined) return undefined;
  const stateless = flags.has("--stateless") ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
  if (method === "server/discover" && flags.has("--stateless"))
    return { ...stateless, supportedVersions: ["2026-07-28"], capabilities, serverInfo };
  if (method === "tools/list")
    return {
      ...stateless,
      tools: TOOLS.map((name) => ({ name, inputSchema: name === "region" ? REGION : { type: "object" } })),
    };
  if (method === "tools/call")
    return { ...stateless, ...(await tools[params.name](params.arguments ?? {}, params._meta?.progressToken)) };
  return undefined;
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  if (flags.has("--silent")) return;
  const message = JSON.parse(line);
  if (message.method === undefined) return questions.get(message.id)?.(message.result ?? message.error);
  if (message.method === "notifications/cancelled") process.stderr.write(`cancelled ${message.params.requestId}\n`);
  if (message.id === undefined) return;
  const result = await resultOf(message);
  send({
    id: message.id,
    ...(result === undefined ? { error: { code: -32601, message: `unknown method ${message.method}` } } : { result }),
  });
});
