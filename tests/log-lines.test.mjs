// The operator's log: text of servers and callers is escaped, and each JSON line stays valid JSON.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gateway } from "../pkg/loaders/handler-node.js";
import { HOSTILE, READABLE, imitationsIn, marksIn } from "./support/hostile.mjs";
import { request } from "./support/raw-client.mjs";
import { startRawServer } from "./support/raw-server.mjs";
import { startWorkers } from "./support/workerd.mjs";

const NAME = `${HOSTILE} ${READABLE}`;
const tool = { name: NAME, inputSchema: { type: "object" } };
const servers = [];
let workers;

before(async () => {
  servers.push(await startRawServer({ lists: { tools: [tool, tool, { ...tool, name: "t" }] } }));
  servers.push(await startRawServer({ error: { code: -32000, message: NAME } }));
  const upstreams = servers.map(({ url }, at) => ({ name: `s${at}`, url }));
  workers = await startWorkers([{ name: "log", assets: "none", config: { upstreams, log: true } }]);
});
after(async () => {
  await workers?.stop();
  servers.forEach(({ stop }) => stop());
});

function requestOf(url, method, params) {
  const _meta = { "io.modelcontextprotocol/clientInfo": { name: NAME, version: "1" } };
  return new Request(url, request(method, { ...params, _meta }));
}

const ask = async (method, params) => (await fetch(requestOf(`${workers.urls.log}/mcp`, method, params))).text();

test("the Worker's log has no marks of servers, and one line for each note", async () => {
  assert.ok((await ask("tools/list")).includes("owned"));
  await ask("tools/call", { name: NAME, arguments: {} });
  const log = workers.log();
  assert.deepEqual([marksIn(log), imitationsIn(log)], [[], []]);
  // A tool that is left out, and the failure of the other server.
  assert.ok(log.split("\n").filter((line) => line.includes("\\u{1b}[2J") && line.includes(READABLE)).length >= 2, log);
  // JSON lines contain the value that was sent, up to their maximum length.
  const called = log
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line)["gen_ai.tool.name"])
    .find((name) => name !== undefined);
  assert.ok(called.includes("\u202e") && NAME.startsWith(called), log);
});

test("before a handler, notes of its tools and errors have no marks, and are one line each", async () => {
  const notes = [];
  const handler = async (request) => {
    const { id, method } = await request.json();
    if (method === "tools/list") return Response.json({ jsonrpc: "2.0", id, result: { tools: [tool, tool] } });
    if (method === "tools/call") throw new Error(NAME);
    return Response.json({
      jsonrpc: "2.0",
      id,
      result: {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        serverInfo: { name: "s", version: "1" },
      },
    });
  };
  const served = gateway(handler, {}, { note: (line) => notes.push(line) });
  const send = (method, params) => served.fetch(requestOf("http://127.0.0.1/mcp", method, params));
  assert.ok((await (await send("tools/list")).text()).includes("owned"));
  await (await send("tools/call", { name: NAME, arguments: {} })).text();
  assert.deepEqual(
    notes.map((note) => [marksIn(note), note.split("\n").length, note.includes(READABLE)]),
    [
      [[], 1, true],
      [[], 1, true],
    ],
  );
});
