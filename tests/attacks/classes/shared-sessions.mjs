// Reads data that a stateful handler stores for another caller, when callers are known without `sub` or not at all.
import { randomUUID } from "node:crypto";
import { clientsOf, session, stateless } from "../client.mjs";
import { wrap } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "sessions of a stateful handler shared by callers without `sub`";

/** Returns a server that binds the user to the session when it is opened, and stores a basket in it. */
function shop() {
  const baskets = new Map();
  const answer = {
    initialize: (_, { request }) => {
      const id = randomUUID();
      baskets.set(id, {
        owner: request.headers.get("authorization") ?? request.headers.get("cookie") ?? "a stranger",
        items: [],
      });
      const result = {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "shop", version: "1" },
      };
      return new Response(JSON.stringify({ jsonrpc: "2.0", id: 0, result }), {
        headers: { "content-type": "application/json", "mcp-session-id": id },
      });
    },
    "tools/call": ({ arguments: { put } }, { request }) => {
      const basket = baskets.get(request.headers.get("mcp-session-id"));
      if (put) basket.items.push(put);
      return { content: [{ type: "text", text: JSON.stringify(basket) }] };
    },
  };
  const behind = simple({ label: "stateful handler", lists: { tools: [tool("basket")] }, sessions: true, answer });
  const fetch = async (request) => {
    const response = await behind.fetch(request.clone());
    const { id, method } = await request.json().catch(() => ({}));
    if (method !== "initialize") return response;
    return new Response((await response.text()).replace('"id":0', `"id":${JSON.stringify(id)}`), response);
  };
  return { ...behind, fetch };
}
const IDENTIFY = {
  "no identify": undefined,
  "claims without sub": (request) => (request.headers.get("authorization") ? { role: "staff" } : null),
  "claims with sub": (request) =>
    request.headers.get("authorization") ? { sub: request.headers.get("authorization") } : null,
};
const COUNT = [6, 150];

export async function* attempt(stage, size, random) {
  for (const [how, identify] of Object.entries(IDENTIFY)) {
    for (const credential of ["authorization", "cookie"]) {
      if (how === "claims with sub" && credential === "cookie") continue;
      const front = wrap(shop(), {}, { identify });
      const ask = (client, put) => client("tools/call", { name: "basket", arguments: put ? { put } : {} });
      const ofCaller = (name) => ({ headers: name === undefined ? {} : { [credential]: `Bearer ${name}` } });
      const alice = await clientsOf(front, ofCaller("alice"));
      for (const client of Object.values(alice)) {
        const seen = await ask(client, "card-of-alice");
        yield control(
          `${how}, ${credential}: alice has a basket of her own`,
          seen.text.includes("card-of-alice") && seen.text.includes("alice"),
          seen.text,
        );
      }
      const names = [
        "bob",
        undefined,
        ...Array.from({ length: COUNT[size] }, () => random.text(1 + random.below(8))),
      ].filter((name) => name !== "alice");
      for (const name of names) {
        for (const [client, other] of Object.entries(await clientsOf(front, ofCaller(name)))) {
          const { text } = await ask(other);
          yield tried(
            `${how}, ${credential}, ${client}: ${name ?? "a stranger"} reads the basket`,
            !text.includes("alice"),
            text,
          );
        }
        const stolen = stateless(front, {
          headers: { ...ofCaller(name).headers, "mcp-session-id": alice["2025-11-25"].id },
        });
        const { text } = await ask(stolen);
        yield tried(
          `${how}, ${credential}: ${name ?? "a stranger"} with the session id of alice`,
          !text.includes("card-of-alice"),
          text,
        );
        const own = await session(front, ofCaller(name));
        const inside = await own.post(
          { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "basket", arguments: {} } },
          { "mcp-session-id": alice["2025-11-25"].id },
        );
        yield tried(
          `${how}, ${credential}: ${name ?? "a stranger"} in the session of alice`,
          !inside.text.includes("card-of-alice"),
          inside.text,
        );
      }
    }
  }
}
