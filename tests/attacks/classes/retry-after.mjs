// Stops a wrapped handler for all callers by failures that concern one caller.
import { stateless } from "../client.mjs";
import { wrap } from "../stage.mjs";
import { json, simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "`Retry-After` and failures for one caller that pause requests of others";

const FAILURES = {
  "429 with Retry-After": () => new Response("slow down", { status: 429, headers: { "retry-after": "3600" } }),
  "503 with Retry-After": () => new Response("slow down", { status: 503, headers: { "retry-after": "3600" } }),
  "429 with a date": () =>
    new Response("slow down", {
      status: 429,
      headers: { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() },
    }),
  "429 as JSON-RPC": ({ id }) =>
    json({ id, error: { code: -32000, message: "slow down" } }, { status: 429, headers: { "retry-after": "600" } }),
  "an exception": () => {
    throw new Error("no such tenant");
  },
  500: () => new Response("no", { status: 500 }),
  502: () => new Response("no", { status: 502 }),
  "no JSON": () => new Response("<html>", { headers: { "content-type": "text/html" } }),
  401: () => new Response("no", { status: 401 }),
};
const ROUNDS = [8, 60];

export async function* attempt(stage, size) {
  const failing = (request) => request.headers.get("x-caller") === "mallory";
  for (const sessions of [false, true]) {
    for (const [what, fail] of Object.entries(FAILURES)) {
      const behind = simple({ lists: { tools: [tool("open")] }, sessions });
      const fetch = async (request) => (failing(request) ? fail(await request.clone().json()) : behind.fetch(request));
      const front = wrap(
        { label: sessions ? "handler with sessions" : "stateless handler", fetch },
        { upstream: { ttlMs: 0 } },
      );
      const [alice, mallory] = ["alice", "mallory"].map((name) => stateless(front, { headers: { "x-caller": name } }));
      const called = () => alice("tools/call", { name: "open", arguments: {} });
      const before = await called();
      yield control(`${front.name}: alice is served`, before.text.includes("called open"), before.text);
      const own = await mallory("tools/call", { name: "open", arguments: {} });
      yield control(`${front.name}: mallory gets ${what}`, !own.text.includes("called open"), own.text);
      for (let round = 0; round < ROUNDS[size]; round += 1) {
        await mallory("tools/call", { name: "open", arguments: {} });
        await mallory("tools/list");
        const { text } = await called();
        yield tried(
          `${front.name}: mallory gets ${what} for the ${round + 1}th time, then alice calls`,
          text.includes("called open"),
          text,
        );
      }
    }
  }
}
