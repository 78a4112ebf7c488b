// Fills the memory of a wrapped handler with sessions that are opened and abandoned.
import { session, stateless } from "../client.mjs";
import { wrap } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "sessions that fill the memory of a wrapped handler";

/** Number of sessions that one stranger opens. The first of them must be gone by then. */
const OPENED = [12_000, 60_000];

export async function* attempt(stage, size) {
  const front = wrap(simple({ lists: { tools: [tool("open")] } }), {});
  const alive = async (opened) => (await opened("ping")).message?.result !== undefined;
  const first = await session(front);
  yield control("a session that was just opened is alive", await alive(first), first.opened.text);
  let last;
  for (let count = 0; count < OPENED[size]; count += 1) {
    last = await front.fetch("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: `c${count}`, version: "1" } },
      }),
    });
    await last.text();
  }
  yield tried(`${OPENED[size]} sessions are opened; the first is still kept`, !(await alive(first)), "alive");
  const newest = await session(front);
  yield control("a new session is served all the same", await alive(newest), newest.opened.text);
  const other = await stateless(front)("tools/list");
  yield control("stateless requests are served all the same", other.text.includes('"open"'), other.text);
}
