// Keeps a call open indefinitely by a response that arrives byte by byte, or by comments on a stream.
import { stateless } from "../client.mjs";
import { parallel } from "../parallel.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "answers that arrive a few bytes at a time";

const CALL_MS = 1_000;
/** Maximum duration of a call with a timeout of 1 s. */
const OVER_MS = 12_000;
const EVERY_MS = 300;

const trickling = (type, first, piece) => () => {
  let timer;
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode(first));
      timer = setInterval(() => controller.enqueue(encoder.encode(piece())), EVERY_MS);
    },
    cancel: () => clearInterval(timer),
  });
  return new Response(body, { headers: { "content-type": type } });
};
const FORMS = {
  "white space before JSON": trickling("application/json", " ", () => " "),
  "a text without end": trickling(
    "application/json",
    '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"',
    () => "x",
  ),
  "comments on a stream": trickling("text/event-stream", ": x\n\n", () => ": x\n\n"),
  "bytes of one event": trickling("text/event-stream", "data: {", () => " "),
  "events without data": trickling("text/event-stream", "event: message\n\n", () => "id: 1\n\n"),
  "empty lines": trickling("text/event-stream", "\n\n", () => "\n\n"),
  "retry fields": trickling("text/event-stream", "retry: 1\n\n", () => "retry: 1\n\n"),
};

export async function* attempt(stage, size) {
  const upstream = { callTimeoutMs: CALL_MS, timeoutMs: CALL_MS, listTimeoutMs: CALL_MS };
  const answer = {
    "tools/call": (params, context) =>
      params.name === "open" ? { content: [{ type: "text", text: "done" }] } : FORMS[params.name](params, context),
  };
  const tools = ["open", ...Object.keys(FORMS)].map((name) => tool(name));
  const worlds = { stateless: { behind: simple({ lists: { tools }, answer }), config: { upstream } } };
  if (size === 1)
    worlds.sessions = { behind: simple({ lists: { tools }, answer, sessions: true }), config: { upstream } };
  worlds.lists = {
    behind: simple({ lists: { tools }, answer: { "tools/list": FORMS["a text without end"] } }),
    config: { upstream },
  };
  const fronts = await stage.fronts(worlds);
  const tries = [];
  for (const [name, places] of Object.entries(fronts)) {
    for (const front of places) {
      if (name === "lists") {
        tries.push([front, "tools/list", {}, "the list, a text without end"]);
        continue;
      }
      const seen = await stateless(front)("tools/call", { name: "open", arguments: {} });
      yield control(`${front.name}: a prompt answer arrives`, seen.text.includes("done"), seen.text);
      for (const what of Object.keys(FORMS)) tries.push([front, "tools/call", { name: what, arguments: {} }, what]);
    }
  }
  yield* parallel(
    tries,
    async ([front, method, params, what]) => {
      const abort = new AbortController();
      const answered = stateless(front)(method, params, { signal: abort.signal }).then(
        ({ text }) => ({ over: true, text }),
        (error) => ({ over: true, text: String(error) }),
      );
      let timer;
      const expired = new Promise((done) => {
        timer = setTimeout(done, OVER_MS, { over: false, text: `no end within ${OVER_MS} ms` });
      });
      const { over, text } = await Promise.race([answered, expired]);
      clearTimeout(timer);
      abort.abort();
      return tried(`${front.name}: ${what}, ${method}`, over, text);
    },
    40,
  );
}
