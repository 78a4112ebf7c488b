// Listens for changes of hidden resources, and for the delay that a hidden change causes to the next visible one.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "../../support/raw-client.mjs";
import { at } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "changes of hidden items, reported to listeners or measurable by them";
/** Measures time or memory, so no other class may run meanwhile. */
export const alone = true;

/**
 * Maximum delay of a notification. It is far below the poll of 5 s and more that reaches a listener which was not
 * woken.
 */
const SOON_MS = 1_500;
const ROUNDS = [4, 25];
const URIS = ["doc://a", "doc://other", "doc://secret"];

/** Returns a server that sends a notification on its streams when the test calls `say`. */
function telling() {
  const streams = new Set();
  const encoder = new TextEncoder();
  const answer = {
    GET: () => {
      let own;
      const body = new ReadableStream({
        start(controller) {
          own = controller;
          streams.add(own);
          controller.enqueue(encoder.encode(": open\n\n"));
        },
        cancel: () => void streams.delete(own),
      });
      return new Response(body, { headers: { "content-type": "text/event-stream", "mcp-session-id": randomUUID() } });
    },
    "resources/subscribe": () => ({}),
  };
  const resources = URIS.map((uri) => ({ uri, name: uri.slice(6) }));
  const behind = simple({
    label: "telling",
    lists: { tools: [tool("open")], resources },
    sessions: true,
    answer,
    capabilities: { resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } },
  });
  const say = (uri) =>
    streams.forEach((stream) =>
      stream.enqueue(
        encoder.encode(
          `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } })}\n\n`,
        ),
      ),
    );
  return { ...behind, say, streams };
}

/** Listens to `uris`. Events are appended to `heard`. */
async function listen(front, uris) {
  const abort = new AbortController();
  const { body, ...options } = request("subscriptions/listen", {
    notifications: { resourceSubscriptions: uris, toolsListChanged: true },
  });
  const response = await front.fetch("/mcp", { ...options, body, signal: abort.signal });
  const heard = [];
  (async () => {
    let rest = "";
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + piece).split("\n\n");
      rest = events.pop();
      for (const event of events) if (event.includes("data:")) heard.push(event);
    }
  })().catch(() => {});
  return { heard, stop: () => abort.abort() };
}

async function within(holds, ms) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(10)) if (holds()) return true;
  return false;
}

export async function* attempt(stage, size) {
  const behind = telling();
  const upstream = await stage.served(behind);
  const started = await stage.workers([
    {
      name: "changes",
      upstream,
      config: { upstream: { ttlMs: 600_000 }, policies: [{ name: "open", show: "-name:secret or claim.role:hr" }] },
    },
  ]);
  const front = at(started.urls.changes);
  const reader = await listen(front, ["doc://a", "doc://secret"]);
  stage.defer(reader.stop);
  const other = await listen(front, ["doc://other"]);
  stage.defer(other.stop);
  const connected = await within(() => behind.streams.size > 0, 20_000);
  yield control("the gateway listens to the upstream server", connected, behind.streams.size);
  const told = (uri) =>
    reader.heard.filter((event) => event.includes("resources/updated") && event.includes(`"${uri}"`)).length;
  // The subscription may not have reached the server yet, so the first change is repeated until it is received.
  let first = false;
  for (let round = 0; round < 30 && !first; round += 1) {
    behind.say("doc://a");
    first = await within(() => told("doc://a") > 0, 1_000);
  }
  yield control("a visible change is heard", first, reader.heard);
  for (let round = 0; round < ROUNDS[size]; round += 1) {
    for (const hidden of ["doc://other", "doc://secret"]) {
      const before = told("doc://a");
      behind.say(hidden);
      await sleep(150);
      behind.say("doc://a");
      const soon = await within(() => told("doc://a") > before, SOON_MS);
      yield tried(`${hidden} changes, then doc://a: the second is heard at once`, soon, `not within ${SOON_MS} ms`);
      yield tried(`${hidden} changes: the reader hears of it`, told(hidden) === 0, reader.heard.at(-1));
      if (!soon) await within(() => told("doc://a") > before, 20_000);
    }
  }
}
