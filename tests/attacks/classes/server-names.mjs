// Learns the names of entirely hidden servers, while they are up and while they are down.
import { clientsOf, stateless } from "../client.mjs";
import { tokensVariable } from "../../support/tokens.mjs";
import { at } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "names of hidden servers";

const HIDING = {
  policy: { policies: [{ name: "open", show: "name:open or claim.role:hr" }] },
  server: { policies: [{ name: "server", show: "-server:secret-hr or claim.role:hr" }] },
  preset: { presets: [{ name: "open", when: "-claim.role:hr", filter: { namePatterns: ["open"] } }] },
  rule: { rules: [{ match: "server:secret-hr", hide: true }] },
};
const ASKED = [
  ["tools/list", {}],
  ["resources/list", {}],
  ["prompts/list", {}],
  ["resources/templates/list", {}],
  ["groups/list", { counts: true }],
  ["tags/list", {}],
  ["listConcerns", {}],
  ["server/discover", {}],
  ["tools/call", { name: "secret_tool", arguments: {} }],
  ["tools/call", { name: "open", arguments: {} }],
  ["resources/read", { uri: "secret://x" }],
  ["tools/list", { filter: { where: "server:secret-hr" } }],
  ["tools/list", { filter: { query: "secret hr" } }],
  ["com.example/status", {}],
];
const COUNT = [1, 6];

export async function* attempt(stage, size) {
  const open = await stage.served(simple({ lists: { tools: [tool("open")], resources: [], prompts: [] } }));
  const secret = await stage.served(
    simple({
      lists: { tools: [tool("secret_tool")], prompts: [{ name: "secret_prompt" }] },
      instructions: "secret-hr knows what everyone earns.",
      capabilities: { experimental: { "com.example/secret-hr": {} } },
      answer: { "com.example/status": () => ({ of: "secret-hr" }) },
    }),
  );
  const services = [];
  for (const [how, config] of Object.entries(HIDING)) {
    for (const [state, url] of [
      ["up", secret],
      ["down", "http://127.0.0.1:9/mcp"],
    ]) {
      const upstreams = [
        { name: "a", url: open },
        { name: "secret-hr", url, passMethods: ["com.example/*"] },
      ].map((upstream) => ({ ...upstream, timeoutMs: 2_000 }));
      services.push({
        name: `${how}-${state}`,
        config: { ...config, upstreams },
        env: { SIEVE_TOKENS: tokensVariable({ "hr-token": { sub: "h", role: "hr" } }) },
      });
    }
  }
  const started = await stage.workers(services);
  for (const [name, url] of Object.entries(started.urls)) {
    const front = at(url);
    const seen = await stateless(front, { token: "hr-token" })("tools/list");
    const expected = name.endsWith("up") && !name.startsWith("rule") ? "secret-hr" : '"open"';
    yield control(`${name}: the role reads ${expected}`, seen.text.includes(expected), seen.text);
    const discovered = await stateless(front, { token: "hr-token" })("server/discover");
    const introduced = discovered.text.includes("knows what everyone earns");
    const expects = name.endsWith("up") && !name.startsWith("rule");
    yield control(`${name}: the role reads what the server says`, introduced === expects, discovered.text);
    for (const [client, ask] of Object.entries(await clientsOf(front))) {
      for (const [method, params] of Array.from({ length: COUNT[size] }, () => ASKED).flat()) {
        const { text } = await ask(method, params);
        const told = text.replaceAll(
          JSON.stringify(params.filter?.where ?? params.filter?.query ?? "\u0000").slice(1, -1),
          "",
        );
        yield tried(`${name}, ${client}: ${method} ${JSON.stringify(params)}`, !told.includes("secret-hr"), text);
      }
    }
  }
}
