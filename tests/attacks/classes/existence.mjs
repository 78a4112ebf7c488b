// Distinguishes hidden primitives from ones that never existed by messages, status, headers, the form of batches, and
// with the server down.
import { session, stateless } from "../client.mjs";
import { parallel } from "../parallel.mjs";
import { compare, shape } from "../pairs.mjs";
import { PEOPLE, SHOW, sessionVault, statelessVault } from "../upstreams/vault.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "hidden and missing items told apart by text, headers, batches or an outage";

const complete = (ref) => ({ ref, argument: { name: "path", value: "a" } });
const PAIRS = [
  ["tools/call", (name) => ({ name, arguments: {} }), "secret_tool", "secret_togl"],
  ["prompts/get", (name) => ({ name, arguments: {} }), "secret_prompt", "secret_promqt"],
  ["completion/complete", (name) => complete({ type: "ref/prompt", name }), "secret_prompt", "secret_promqt"],
  [
    "completion/complete",
    (uri) => complete({ type: "ref/resource", uri }),
    "file:///private/{+path}",
    "file:///privane/{+path}",
  ],
  ["resources/read", (uri) => ({ uri }), "docs://payroll", "docs://payrolx"],
  ["resources/read", (uri) => ({ uri }), "https://intra.example/hr", "https://intra.example/hx"],
  ["resources/read", (uri) => ({ uri }), "people://7/salary", "people://7/salarx"],
  ["resources/read", (uri) => ({ uri }), "file:///private/a", "file:///privane/a"],
  ["resources/subscribe", (uri) => ({ uri }), "docs://payroll", "docs://payrolx"],
  ["resources/unsubscribe", (uri) => ({ uri }), "docs://payroll", "docs://payrolx"],
  ["tools/list", (name) => ({ filter: { namePatterns: [name] } }), "secret_tool", "secret_togl"],
  ["resources/list", (uri) => ({ filter: { uriPatterns: [uri] } }), "docs://payroll", "docs://payrolx"],
  ["tools/list", (query) => ({ filter: { query } }), "classified wombat", "classifiex wombax"],
  ["dev.mcpsieve/explain", (name) => ({ name, kind: "tool", filter: {} }), "secret_tool", "secret_togl"],
];
const BATCHES = [
  (call) => [call],
  (call) => [call, ["ping", {}]],
  (call) => [["tools/list", {}], call, ["resources/read", { uri: "docs://open" }]],
];
const COUNT = [1, 2];

/** Returns a server that reports missing resources with its own message and code. */
const worded = (behind) => ({
  ...behind,
  label: `${behind.label} with its own words`,
  url: undefined,
  async fetch(request, ...rest) {
    const response = await behind.fetch(request, ...rest);
    const text = await response.text();
    const own = text.replace(
      /"error":\{"code":-3\d+,"message":"[^"]*[Rr]esource[^"]*"/g,
      '"error":{"code":0,"message":"Unknown resource"',
    );
    return new Response(text === "" ? null : own, { status: response.status, headers: response.headers });
  },
});

/** Returns the same server with a switch that takes it down. */
const breakable = (behind) => {
  const state = { down: false };
  const fetch = (request, ...rest) => (state.down ? Promise.reject(new Error("down")) : behind.fetch(request, ...rest));
  return { ...behind, label: `${behind.label}, down`, url: undefined, fetch, state };
};

export async function* attempt(stage, size) {
  const [two, one, down] = [statelessVault(), sessionVault(), breakable(statelessVault())];
  const config = {
    policies: [{ name: "hr only", show: SHOW }],
    upstream: { ttlMs: 600_000 },
    filtering: { explain: true },
  };
  const world = (behind, more) => ({ behind, config: { ...config, ...more }, people: PEOPLE });
  const worlds = await stage.fronts({
    two: world(two),
    one: world(one),
    worded: world(worded(statelessVault())),
    python: world(await stage.python()),
    unlisted: world(two, { upstream: { unlisted: true, ttlMs: 600_000 } }),
    listed: world(two, { upstream: { unlisted: false } }),
    down: world(down),
  });
  // Two worlds suffice in the small run.
  if (size === 0) for (const name of ["one", "python", "unlisted", "listed"]) delete worlds[name];
  for (const [name, fronts] of Object.entries(worlds)) {
    for (const front of fronts) {
      const clients = {
        stateless: stateless(front),
        session: await session(front),
        "token without the role": stateless(front, { token: "plain-token" }),
      };
      const batched = await session(front, { revision: "2025-03-26" });
      for (const ask of Object.values(clients)) await ask("tools/list");
      const hr = stateless(front, { token: "hr-token" });
      const visible = shape(await hr("tools/call", { name: "secret_tool", arguments: {} }), "secret_tool");
      const missing = shape(await hr("tools/call", { name: "secret_togl", arguments: {} }), "secret_togl");
      yield control(
        `${front.name}, ${name}: the comparison tells a visible tool from a missing one`,
        visible !== missing,
        visible,
      );
      down.state.down = name === "down";
      const rounds = Array.from({ length: COUNT[size] }, () => PAIRS).flat();
      yield* parallel(
        rounds.flatMap((pair) => Object.entries(clients).map(([client, ask]) => [client, ask, ...pair])),
        async ([client, ask, method, params, hidden, never]) => {
          const [same, saw] = await compare((about) => ask(method, params(about)), hidden, never);
          return tried(`${front.name}, ${name}, ${client}: ${method} ${hidden} and ${never}`, same, saw);
        },
      );
      for (const [at, batch] of BATCHES.entries()) {
        for (const [method, params, hidden, never] of rounds) {
          const [same, saw] = await compare((about) => batched.batch(batch([method, params(about)])), hidden, never);
          yield tried(`${front.name}, ${name}, batch ${at}: ${method} ${hidden} and ${never}`, same, saw);
        }
      }
      down.state.down = false;
    }
  }
}
