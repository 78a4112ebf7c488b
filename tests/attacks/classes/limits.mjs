// Exceeds the limits by other addresses, tokens, batches and methods, and on the operator's own endpoints.
import { request } from "../../support/raw-client.mjs";
import { digest, tokensVariable } from "../../support/tokens.mjs";
import { session } from "../client.mjs";
import { at } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "requests that bypass the limits";

const LIMIT = 5;
/**
 * Number of wrong tokens of the operator or the application that one address may try, regardless of the configuration.
 */
const WRONG_TOKENS = 30;
const TRIES = [40, 70];
/**
 * Number of windows of the limit that a series of tries may touch: if a minute ends between two of them, twice as many
 * pass.
 */
const MINUTES = 2;
let address = 0;

export async function* attempt(stage, size, random) {
  const upstream = await stage.served(simple({ lists: { tools: [tool("open")] } }));
  const config = {
    limits: { rate: { requests: LIMIT, seconds: 60 } },
    presets: [{ name: "open", filter: { namePatterns: ["*"] } }],
    middleware: { interceptors: true },
  };
  const env = {
    SIEVE_TOKENS: tokensVariable({ "alice-token": { sub: "alice" } }),
    SIEVE_MIDDLEWARE_TOKEN: "a token of the application, long enough",
    SIEVE_OPERATOR: digest("operator"),
  };
  const started = await stage.workers([{ name: "limited", upstream, config, env }]);
  const front = at(started.urls.limited);
  const list = () => request("tools/list");
  const fresh = () => {
    address += 1;
    return `203.0.113.${address}`;
  };
  const post = (path, headers, sent = list()) =>
    front.fetch(path, { ...sent, headers: { ...sent.headers, ...headers } });
  const own = fresh();
  const first = await post("/mcp", { "cf-connecting-ip": own });
  yield control("the first request is served", first.status === 200, await first.text());
  const hex = () => random.below(65_536).toString(16);
  const WAYS = {
    "the same address": (ip) => post("/mcp", { "cf-connecting-ip": ip }),
    "X-Forwarded-For": (ip) =>
      post("/mcp", { "cf-connecting-ip": ip, "x-forwarded-for": `198.51.100.${random.below(250)}` }),
    "X-Real-IP, Forwarded, True-Client-IP": (ip) =>
      post("/mcp", {
        "cf-connecting-ip": ip,
        "x-real-ip": `198.51.100.${random.below(250)}`,
        forwarded: `for=198.51.100.${random.below(250)}`,
        "true-client-ip": hex(),
      }),
    "made-up tokens": (ip) => post("/mcp", { "cf-connecting-ip": ip, authorization: `Bearer ${random.text(20)}` }),
    "made-up tokens with dots": (ip) =>
      post("/mcp", {
        "cf-connecting-ip": ip,
        authorization: `Bearer ${random.text(9)}.${random.text(9)}.${random.text(9)}`,
      }),
    "presets' paths and queries": (ip) =>
      post(`${random.pick(["/mcp", "/mcp/open", "/mcp/read-only"])}?x=${hex()}`, { "cf-connecting-ip": ip }),
    "made-up sessions": (ip) => post("/mcp", { "cf-connecting-ip": ip, "mcp-session-id": random.text(30) }),
    "plain lists": (ip) => front.fetch("/catalog/tools", { headers: { "cf-connecting-ip": ip } }),
    "other methods": (ip) =>
      post(
        "/mcp",
        { "cf-connecting-ip": ip },
        request(random.pick(["tools/list", "prompts/list", "ping", "groups/list", `x/${hex()}`])),
      ),
    "odd verbs": (ip) =>
      front.fetch("/mcp", {
        method: random.pick(["GET", "DELETE", "POST"]),
        headers: { "cf-connecting-ip": ip, accept: "application/json" },
      }),
    "broken bodies": (ip) =>
      front.fetch("/mcp", { method: "POST", headers: { ...list().headers, "cf-connecting-ip": ip }, body: "{" }),
    "one network of IPv6": (_, number) =>
      post("/mcp", { "cf-connecting-ip": `2001:db8:0:${number}:${hex()}:${hex()}:${hex()}:1` }),
    "wrong tokens of the operator": (ip) =>
      front.fetch("/audit", { headers: { "cf-connecting-ip": ip, authorization: `Bearer ${random.text(20)}` } }),
    "wrong tokens of the application": (ip) =>
      front.fetch("/middleware", {
        ...list(),
        headers: { ...list().headers, "cf-connecting-ip": ip, authorization: `Bearer ${random.text(20)}` },
      }),
    "alice, by other addresses": () =>
      post("/mcp", { "cf-connecting-ip": `198.51.100.${random.below(250)}`, authorization: "Bearer alice-token" }),
  };
  let number = 0;
  for (const [what, ask] of Object.entries(WAYS)) {
    const ip = fresh();
    number += 1;
    let passed = 0;
    const allowed = MINUTES * (what.startsWith("wrong tokens") ? WRONG_TOKENS : LIMIT);
    const most = Math.max(TRIES[size], allowed + 10);
    for (let tries = 1; tries <= most; tries += 1) {
      const reply = await ask(ip, number);
      const text =
        reply.headers.get("content-type")?.startsWith("text/event-stream") && reply.ok
          ? (await reply.body.cancel(), "")
          : await reply.text();
      passed += Number(reply.status !== 429);
      yield tried(
        `${what}: request ${tries} of ${most}`,
        passed <= allowed,
        `${reply.status} ${text}, ${passed} passed`,
      );
    }
  }
  const opened = await session(front, { headers: { "cf-connecting-ip": fresh() }, revision: "2025-03-26" });
  const batch = await opened.batch(Array.from({ length: 50 }, () => ["ping", {}]));
  yield tried("a batch of 50 is one request", batch.status === 429, `${batch.status} ${batch.text}`);
}
