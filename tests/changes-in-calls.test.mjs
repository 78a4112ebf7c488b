// W9: changes of lists that a server announces in the stream of a call, the only stream that it has: it refuses GET.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { events, openSession, send } from "./support/raw-client.mjs";
import { startWorker } from "./support/workerd.mjs";

/** Time, in milliseconds, within which listeners are notified on a busy machine. */
const SOON_MS = 2_000;
const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };

let behind;
let worker;
/** The tools that the server lists now, and the number of times that it was listed. */
let tools = ["grow", "flood"];
let listed = 0;

const results = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "growing", version: "1" },
  }),
  "tools/list": () => {
    listed += 1;
    return { tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })) };
  },
};

/** Answers a call on a stream, after the changes that its tool makes. */
async function call(response, { id, params: { name } }) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const event = (message) => response.write(`data: ${JSON.stringify(message)}\n\n`);
  for (let round = 0; round < (name === "flood" ? 100 : 1); round += 1) {
    tools = [...tools, `tool_${tools.length}`];
    event(CHANGED);
    await sleep(10);
  }
  event({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } });
  response.end();
}

before(async () => {
  behind = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const message = JSON.parse(await text(request));
    if (message.id === undefined) return response.writeHead(202).end();
    if (message.method === "tools/call") return call(response, message);
    const result = results[message.method]?.();
    const outcome = result ? { result } : { error: { code: -32601, message: "unknown method" } };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...outcome }));
  }).listen(0, "127.0.0.1");
  await once(behind, "listening");
  const upstream = `http://127.0.0.1:${behind.address().port}/mcp`;
  worker = await startWorker({
    upstream,
    config: { upstream: { ttlMs: 600_000, minTtlMs: 600_000, capabilities: {} } },
  });
});
after(async () => {
  await worker?.stop();
  behind?.closeAllConnections();
  behind?.close();
});

/** Opens a stream of changes. Returns a function that returns the methods of the notifications so far. */
async function listen(stream) {
  const heard = [];
  (async () => {
    for await (const { at, message } of events(stream)) if (message) heard.push({ at, method: message.method });
  })().catch(() => {});
  await sleep(200);
  return () => heard.filter(({ method }) => method === CHANGED.method);
}

const openers = {
  "a session": async (signal) => {
    const headers = await openSession(worker.mcp);
    return fetch(worker.mcp, { headers: { ...headers, accept: "text/event-stream" }, signal });
  },
  "subscriptions/listen": (signal) =>
    send(worker.mcp, "subscriptions/listen", { notifications: { toolsListChanged: true } }, { signal }),
};

for (const [name, open] of Object.entries(openers)) {
  test(`a change during a call reaches a listener at once, although nobody lists: ${name}`, async () => {
    const hangUp = new AbortController();
    const heard = await listen(await open(hangUp.signal));
    const before = listed;
    await (await send(worker.mcp, "tools/call", { name: "grow" })).text();
    const since = Date.now();
    while (heard().length === 0 && Date.now() < since + SOON_MS) await sleep(20);
    assert.equal(heard().length, 1, `nothing within ${SOON_MS} ms`);
    assert.equal(listed, before + 1);
    hangUp.abort();
  });
}

test("a flood of changes during a call is followed four times a second, and its last change is heard", async () => {
  const hangUp = new AbortController();
  const heard = await listen(await openers["subscriptions/listen"](hangUp.signal));
  const before = listed;
  await (await send(worker.mcp, "tools/call", { name: "flood" })).text();
  await sleep(SOON_MS);
  assert.ok(heard().length > 0);
  // Twelve changes at once, then one every 250 ms of the second that the call took.
  assert.ok(listed - before <= 12 + 6, `${listed - before} lists`);
  const { result } = await (await send(worker.mcp, "tools/list", {})).json();
  assert.equal(result.tools.length, tools.length);
  assert.ok(listed - before <= 12 + 6, "nothing is left to list");
  hangUp.abort();
});
