// How often a request passes between JavaScript and the module of the Worker, and how many bytes are copied, by kind of request.
// Nothing is timed. The bounds are upper ones, and stand in one table.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { serve } from "./attacks/serve.mjs";
import { simple, tool } from "./attacks/upstreams/simple.mjs";
import { request } from "./support/raw-client.mjs";
import { SHIPPED, startWorkers } from "./support/workerd.mjs";

/** Time, in milliseconds, for work that goes on after the end of a response. */
const REST_MS = 50;
const KB = 1_000;
/** What is copied beside bodies: the head of a request, that of its response, and addresses. */
const HEADS = 4 * KB;
/** A part of each result, which the service `redacting` replaces. */
const MAIL = "jane@example.com ";

const call = (length, more = {}) => ["tools/call", { name: "open", arguments: { length, ...more } }];
/**
 * The requests, and the bounds of each:
 * - `sent`: calls into the module until the request to the server is sent
 * - `entries`: calls of exported functions by the entry
 * - `resumptions`: calls by which promises and timers resume the module's work
 * - `imports`: calls of the module to JavaScript
 * - `bytesIn`, `bytesOut`: bytes copied into the module's memory and out of it
 *
 * The calls by which wasm-bindgen manages memory and values are printed, and have no bound.
 */
const KINDS = {
  "list, kept": {
    asked: ["tools/list", {}],
    expected: /"tools":.*"open"/,
    bounds: { entries: 1, resumptions: 0, imports: 4, bytesIn: KB, bytesOut: KB },
  },
  list: {
    asked: ["tools/list", {}],
    expected: /"tools":.*"open"/,
    unseen: true,
    bounds: { entries: 1, resumptions: 0, imports: 12, bytesIn: KB, bytesOut: KB },
  },
  "call refused": {
    asked: ["tools/call", { name: "none", arguments: {} }],
    expected: /"error"/,
    bounds: { entries: 1, resumptions: 0, imports: 12, bytesIn: KB, bytesOut: KB },
  },
  "call of 1 KB": {
    asked: call(KB),
    bounds: { sent: 1, entries: 2, resumptions: 0, imports: 16, bytesIn: HEADS + KB, bytesOut: HEADS },
  },
  "call of 60 KB": {
    asked: call(60 * KB),
    bounds: { sent: 1, entries: 2, resumptions: 0, imports: 16, bytesIn: HEADS + 60 * KB, bytesOut: HEADS },
  },
  "call of 100 KB": {
    asked: call(100 * KB),
    bounds: { sent: 1, entries: 2, resumptions: 0, imports: 16, bytesIn: HEADS + 100 * KB, bytesOut: HEADS },
  },
  // It passes through the module in pieces of 256 KB.
  "call of 4 MB": {
    asked: call(4_000 * KB),
    bounds: {
      sent: 1,
      entries: 40,
      resumptions: 150,
      imports: 1_000,
      bytesIn: HEADS + 4_000 * KB,
      bytesOut: HEADS + 4_000 * KB,
    },
  },
  "call of 1 KB, events": {
    asked: call(KB, { events: true }),
    bounds: { sent: 1, entries: 2, resumptions: 8, imports: 80, bytesIn: HEADS + KB, bytesOut: HEADS + KB },
  },
  "call of 1 KB, looked at": {
    asked: call(KB),
    service: "redacting",
    expected: /"result":.*EMAIL_1/,
    bounds: { entries: 4, resumptions: 8, imports: 80, bytesIn: HEADS + KB, bytesOut: HEADS + KB },
  },
  read: {
    asked: ["resources/read", { uri: "doc://open" }],
    bounds: { sent: 1, entries: 2, resumptions: 0, imports: 16, bytesIn: HEADS, bytesOut: HEADS },
  },
  get: {
    asked: ["prompts/get", { name: "open" }],
    bounds: { sent: 1, entries: 2, resumptions: 0, imports: 16, bytesIn: HEADS, bytesOut: HEADS },
  },
};
const COLUMNS = ["sent", "entries", "resumptions", "imports", "bytesIn", "bytesOut", "internals"];

/** What servers on the official SDKs write into each result. */
const STAMP = {
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "open", version: "1" } },
};

/** Returns the server's answer to a request, as JSON with its length or as an event. */
function answer(id, members, events) {
  const text = JSON.stringify({ jsonrpc: "2.0", id, result: { ...STAMP, ...members } });
  if (events)
    return new Response(`event: message\ndata: ${text}\n\n`, { headers: { "content-type": "text/event-stream" } });
  return new Response(text, { headers: { "content-type": "application/json", "content-length": String(text.length) } });
}

const counted = new Map();
let folder;
let server;
let workers;

before(async () => {
  const text = (length) => [{ type: "text", text: MAIL + "x".repeat(length) }];
  server = await serve(
    simple({
      lists: { tools: [tool("open")], prompts: [{ name: "open" }], resources: [{ uri: "doc://open", name: "open" }] },
      answer: {
        "tools/call": ({ arguments: { length, events } }, { message: { id } }) =>
          answer(id, { content: text(length) }, events),
        "prompts/get": (_, { message: { id } }) => answer(id, { messages: [{ role: "user", content: text(0)[0] }] }),
        "resources/read": ({ uri }, { message: { id } }) =>
          answer(id, { ttlMs: 0, cacheScope: "private", contents: [{ uri, text: MAIL }] }),
      },
    }).fetch,
  );
  folder = mkdtempSync(join(tmpdir(), "sieve-crossings-"));
  cpSync(SHIPPED, folder, { recursive: true });
  cpSync(fileURLToPath(new URL("crossings", import.meta.url)), folder, { recursive: true });
  const redacting = { middleware: { chains: [{ on: ["tools/call"], response: ["pii_redaction"] }] } };
  const common = { bundle: folder, upstream: server.url };
  workers = await startWorkers([
    { name: "plain", ...common },
    { name: "redacting", ...common, config: redacting },
  ]);
});
after(async () => {
  await workers?.stop();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
  const rows = [...counted].map(
    ([kind, counts]) => `| ${[kind, ...COLUMNS.map((name) => counts[name] ?? "–")].join(" | ")} |`,
  );
  console.log([`| request | ${COLUMNS.join(" | ")} |`, `|---|${"--:|".repeat(COLUMNS.length)}`, ...rows].join("\n"));
});

/** Sends a request and returns the counts of what it took. */
async function count(url, [method, params], headers) {
  const sent = request(method, params);
  await (await fetch(`${url}/count`)).text();
  const response = await fetch(`${url}/mcp`, { ...sent, headers: { ...sent.headers, ...headers } });
  const body = await response.text();
  await sleep(REST_MS);
  const { atFetch, ...counts } = await (await fetch(`${url}/count`)).json();
  return { body, counts: { ...counts, sent: atFetch && atFetch.entries + atFetch.resumptions } };
}

for (const [kind, { asked, bounds, expected = /"result":.*jane@/, service = "plain", unseen }] of Object.entries(
  KINDS,
)) {
  test(`${kind}: no more crossings and copies than their bounds`, async () => {
    const url = workers.urls[service];
    let last;
    // The first requests set up what later ones share.
    for (let turn = 0; turn < 3; turn += 1) last = await count(url, asked, unseen ? { "x-turn": String(turn) } : {});
    counted.set(kind, last.counts);
    assert.match(last.body, expected);
    const over = Object.entries(bounds).filter(([name, bound]) => !(last.counts[name] <= bound));
    assert.deepEqual(
      over.map(([name, bound]) => `${name}: ${last.counts[name]} of at most ${bound}`),
      [],
    );
  });
}
