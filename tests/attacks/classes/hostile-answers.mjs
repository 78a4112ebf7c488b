// Exhausts the gateway by responses of an upstream server: megabytes, compression bombs, floods, depth, questions, cut
// connections.
import { gzipSync } from "node:zlib";
import { memory } from "../../support/process.mjs";
import { stateless } from "../client.mjs";
import { json, simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "hostile answers of upstream servers";
/** Measures time or memory, so no other class may run meanwhile. */
export const alone = true;

const MB = 1024 * 1024;
const PIECE = new TextEncoder().encode("x".repeat(64 * 1024));
const encoder = new TextEncoder();
const flood = (head, piece, bytes, type) => () => {
  let left = bytes;
  return new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(encoder.encode(head)),
      pull(controller) {
        if ((left -= piece.length) < 0) return controller.close();
        controller.enqueue(piece);
      },
    }),
    { headers: { "content-type": type } },
  );
};
const HEAD = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"';
const ANSWERS = (bytes) => ({
  "JSON without end": flood(HEAD, PIECE, bytes, "application/json"),
  "an event without end": flood(`data: ${HEAD}`, PIECE, bytes, "text/event-stream"),
  "comments without end": flood(": x\n\n", encoder.encode(`: ${"x".repeat(60_000)}\n\n`), bytes, "text/event-stream"),
  "a gzip bomb": () =>
    new Response(gzipSync(Buffer.alloc(bytes, " ")), {
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
    }),
  depth: () =>
    new Response(`${'{"a":'.repeat(500_000)}1${"}".repeat(500_000)}`, {
      headers: { "content-type": "application/json" },
    }),
  brackets: () => new Response("[".repeat(4 * MB), { headers: { "content-type": "application/json" } }),
  "no JSON": () => new Response("<html>", { headers: { "content-type": "text/html" } }),
  nothing: () => new Response(null, { status: 200 }),
  204: () => new Response(null, { status: 204 }),
  "another id": () => json({ id: 999, result: {} }),
  null: () => new Response("null", { headers: { "content-type": "application/json" } }),
  "an error without a message": ({ id }) => json({ id, error: {} }),
  "an error of 20 MB": ({ id }) => json({ id, error: { code: -1, message: "x".repeat(20 * MB) } }),
  "a header of 60 KB": ({ id }) => json({ id, result: { content: [] } }, { headers: { "x-long": "x".repeat(60_000) } }),
  "a result that is a text": ({ id }) => json({ id, result: "x" }),
  "100,000 notifications": flood(
    "",
    encoder.encode(
      `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n`.repeat(500),
    ),
    9 * MB,
    "text/event-stream",
  ),
  "a surrogate": () =>
    new Response('{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\\ud800"}]}}', {
      headers: { "content-type": "application/json" },
    }),
  "a stream that errs": () =>
    new Response(new ReadableStream({ start: (controller) => controller.error(new Error("cut")) }), {
      headers: { "content-type": "application/json" },
    }),
});
const ROUNDS = [1, 3];
const MOST_GROWTH = 480 * MB;

export async function* attempt(stage, size) {
  const answers = ANSWERS(size === 1 ? 100 * MB : 40 * MB);
  const call = (params, { message }) =>
    params.name === "open" ? { content: [{ type: "text", text: "fine" }] } : answers[params.name](message);
  const tools = ["open", ...Object.keys(answers)].map((name) => tool(name));
  const config = { upstream: { callTimeoutMs: 4_000, timeoutMs: 4_000 } };
  const worlds = { stateless: { behind: simple({ lists: { tools }, answer: { "tools/call": call } }), config } };
  if (size === 1)
    worlds.sessions = { behind: simple({ lists: { tools }, sessions: true, answer: { "tools/call": call } }), config };
  for (const fronts of Object.values(await stage.fronts(worlds))) {
    for (const front of fronts) {
      const ask = stateless(front);
      const open = () => ask("tools/call", { name: "open", arguments: {} });
      const seen = await open();
      yield control(`${front.name}: a good answer arrives`, seen.text.includes("fine"), seen.text);
      const before = front.pid ? memory(front.pid) : 0;
      for (let round = 0; round < ROUNDS[size]; round += 1) {
        for (const what of Object.keys(answers)) {
          const reply = await ask("tools/call", { name: what, arguments: {} }).catch((error) => ({
            status: 0,
            text: String(error),
          }));
          // The gateway pauses a server that fails repeatedly. The failures are that server's own, so the next call may
          // wait.
          let next = await open();
          for (let tries = 0; tries < 40 && next.text.includes("upstream_paused"); tries += 1) {
            await new Promise((done) => setTimeout(done, 250));
            next = await open();
          }
          const grown = front.pid ? memory(front.pid) - before : 0;
          yield tried(
            `${front.name}: ${what}`,
            next.text.includes("fine") && grown < MOST_GROWTH && reply.text.length < 18 * MB,
            `${reply.status} ${reply.text.slice(0, 120)}; next ${next.text.slice(0, 150)}; ${Math.round(grown / MB)} MB grown`,
          );
        }
      }
    }
  }
}
