// Detects a tool that is hidden from strangers by the scores of `tool_filter`.
import { read, stateless } from "../client.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { at } from "../stage.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "hidden tools in the scores of `tool_filter`";

const TOKEN = "a token of the application, long enough";
const HIDING = {
  preset: { presets: [{ name: "strangers", when: "-claim.role:*", filter: { namePatterns: ["open*"] } }] },
  policy: { policies: [{ name: "open", show: "name:open* or claim.role:hr" }] },
  nothing: {},
  rule: { rules: [{ match: "name:secret*", hide: true }] },
  both: {
    presets: [{ name: "strangers", when: "-claim.role:*", filter: { namePatterns: ["*"] } }],
    policies: [{ name: "open", show: "name:open* or claim.role:hr" }],
  },
};
// The mount allows 600 calls a minute, and each query takes two.
const COUNT = [10, 290];

export async function* attempt(stage, size, random) {
  const lists = {
    tools: [
      tool("open_notes", { description: "Takes notes of a meeting" }),
      tool("secret_x", { description: "Launches a classified wombat" }),
    ],
  };
  const upstream = await stage.served(simple({ lists }));
  const services = Object.entries(HIDING).map(([name, config]) => ({
    name,
    upstream,
    config: { ...config, middleware: {} },
    env: { SIEVE_MIDDLEWARE_TOKEN: TOKEN },
  }));
  const started = await stage.workers(services);
  for (const [name, url] of Object.entries(started.urls)) {
    const front = at(url);
    const ask = async (text, availableTools) => {
      const params = {
        name: "tool_filter",
        arguments: { availableTools },
        context: [{ type: "text", text }],
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      };
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "middleware/invoke",
        authorization: `Bearer ${TOKEN}`,
      };
      return read(
        await front.fetch("/middleware", {
          method: "POST",
          headers,
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "middleware/invoke", params }),
        }),
      );
    };
    // An isolate knows tools only after they have been listed.
    await stateless(front)("tools/list");
    const seen = await ask("take notes of the meeting", ["open_notes"]);
    yield control(`${name}: a visible tool is found`, seen.text.includes("score"), seen.text);
    if (name === "nothing") {
      const [there, never] = [
        await ask("classified wombat", ["secret_x"]),
        await ask("classified wombat", ["secret_y"]),
      ];
      yield control(
        "where nothing hides it, the scores tell the tool from a missing one",
        there.text.replaceAll("secret_x", "") !== never.text.replaceAll("secret_y", ""),
        there.text,
      );
      continue;
    }
    // The names themselves are left out: the words of a name count even if the tool is not listed.
    const words = ["classified", "wombat", "launches", "launch", "a", "wombats", "classify"];
    for (let left = COUNT[size]; left > 0; left -= 1) {
      const query = random
        .shuffle(words)
        .slice(0, 2 + random.below(4))
        .join(" ");
      const [hidden, never] = [await ask(query, ["secret_x"]), await ask(query, ["secret_y"])];
      const same = hidden.text.replaceAll("secret_x", "NAME") === never.text.replaceAll("secret_y", "NAME");
      yield tried(`${name}: tool_filter of secret_x with ${JSON.stringify(query)}`, same, hidden.text);
    }
  }
}
