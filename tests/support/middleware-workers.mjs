// Workers with context middleware, and requests to their endpoints.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before } from "node:test";
import { digest, tokensVariable } from "./tokens.mjs";
import { startWorkers } from "./workerd.mjs";

export const TOKEN = "an application's token";
export const OPERATOR = "the operator's token";
/** The Worker's limit for each address and minute. */
export const WRONG_TOKENS = 30;
export const VERSION = "2026-07-28";
const fixture = (name) => JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), "utf8"));
export const { rows: ownRows, ...file } = fixture("middleware-own");
export const own = { policies: file.policies, patterns: file.patterns };
export const rows = ["middleware", "middleware-pii", "middleware-secrets", "middleware-moderation"].flatMap(fixture);

/** The chains of the world `told`: one that changes contexts, one that only audits, and one that refuses. */
const CHAINS = [
  {
    on: ["tools/call"],
    request: ["pii_redaction", { use: "secret_detection", arguments: { action: "refuse" } }],
    response: ["pii_restoration", { use: "content_moderation", mode: "audit" }],
  },
  {
    on: ["prompts/get"],
    request: [{ use: "tool_filter", mode: "audit", arguments: { availableTools: ["create_note"] } }],
  },
];

/** Levels of a content policy, each with the severity from which it blocks. Callers have the level as a claim. */
const BLOCK_AT = { consumer: "high", enterprise: "medium", regulated: "low" };
export const LEVELS = Object.keys(BLOCK_AT);
export const levels = {
  presets: LEVELS.map((name) => ({ name, when: `claim.level:${name}`, filter: { where: "kind:*" } })),
  middleware: {
    chains: LEVELS.map((name) => ({
      on: ["tools/call"],
      presets: [name],
      request: [{ use: "content_moderation", arguments: { blockAt: BLOCK_AT[name], warning: false } }],
    })),
  },
};

export let workers;
export let at;

/** Starts Workers with context middleware in different configurations, for the tests of a file. */
export function middlewareWorkers() {
  before(async () => {
    const secrets = { SIEVE_MIDDLEWARE_TOKEN: TOKEN, SIEVE_OPERATOR: digest(OPERATOR) };
    workers = await startWorkers([
      { name: "on", config: { middleware: { keep: true, interceptors: true } }, env: secrets },
      { name: "few", config: { middleware: { functions: ["timestamp_injector"] } }, env: secrets },
      {
        name: "hidden",
        config: { middleware: {}, policies: [{ name: "none", show: "-name:delete_label" }] },
        env: secrets,
      },
      { name: "gone", config: { middleware: {}, rules: [{ match: "name:delete_label", hide: true }] }, env: secrets },
      { name: "off", config: {}, env: secrets },
      { name: "tokenless", config: { middleware: { interceptors: true } } },
      {
        name: "misspelt",
        config: { middleware: { functions: ["timestamp_injector", "pii_redactoin"] } },
        env: secrets,
        assets: "none",
      },
      { name: "own", config: { middleware: own }, env: secrets, assets: "none" },
      {
        name: "wrong",
        config: { middleware: { patterns: { DESK: { pattern: "D(?=1)" } } } },
        env: secrets,
        assets: "none",
      },
      {
        name: "told",
        config: { log: true, middleware: { keep: true, interceptors: true, chains: CHAINS } },
        env: secrets,
        assets: "none",
      },
      {
        name: "levels",
        config: levels,
        env: {
          ...secrets,
          SIEVE_TOKENS: tokensVariable(
            Object.fromEntries(LEVELS.map((level) => [`${level} token`, { sub: level, level }])),
          ),
        },
        assets: "none",
      },
      {
        name: "people",
        config: { middleware: {} },
        env: { ...secrets, SIEVE_TOKENS: tokensVariable({ "a person's token": { sub: "alice" } }) },
        assets: "none",
      },
    ]);
    at = (name, path) => new URL(path, workers.urls[name]);
  });
  after(() => workers?.stop());
}

export async function post(name, path, method, params = {}, { token = TOKEN, headers = {} } = {}) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return fetch(at(name, path), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": VERSION,
      "mcp-method": method,
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
}

export const call = async (...request) => (await post(...request)).json();
export const invoke = (params) => call("on", "/middleware", "middleware/invoke", params);

export async function manage(method, path, body) {
  const response = await fetch(at("on", path), {
    method,
    headers: { authorization: `Bearer ${TOKEN}` },
    body: body && JSON.stringify(body),
  });
  assert.equal(response.status, 200, await response.clone().text());
  return response.json();
}

/** Removes the parts of a result that depend on the environment: times, and the rarity of words among candidates. */
export const alike = (value) =>
  JSON.parse(
    JSON.stringify(value, (key, part) =>
      key === "relevance" ? 0 : typeof part === "string" ? part.replace(/\[Current time: [^\]]*\]/, "[now]") : part,
    ),
  );

export const pointer = (value, path) =>
  path
    .split("/")
    .slice(1)
    .reduce((found, key) => found?.[key] ?? null, value);

/** Returns the lines of a Worker's audit log. */
export async function operationsOf(name) {
  const response = await fetch(at(name, "/audit"), { headers: { authorization: `Bearer ${OPERATOR}` } });
  return (await response.json()).operations;
}
