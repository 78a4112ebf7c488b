// `sieve.view` of callers: the rows of the gateway about policies, presets and checks, and the form of a caller.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Sieve } from "../pkg/loaders/node.js";
import { fixture, world } from "./support/protocol-worlds.mjs";

const FILES = ["policies", "presets", "checks", "required-capabilities"];
/** The methods that list, with the member of their results. */
const LISTS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
};
const ENVELOPE = "io.modelcontextprotocol/";

/** Returns the caller of a step, as `sieve.view` takes it: of a stateless request, or of a session with its handshake. */
function callerOf(step, { tokens = {} }, handshake) {
  const { token, headers = {}, meta = {}, era, method, params, path } = step;
  const { _meta: sent = {}, clientInfo, capabilities } = handshake?.params ?? {};
  const stateless = era === "2026-07-28";
  const client = stateless ? meta[`${ENVELOPE}clientInfo`] : clientInfo;
  return {
    claims: token === undefined ? null : tokens[token],
    client,
    capabilities: (stateless ? meta[`${ENVELOPE}clientCapabilities`] : capabilities) ?? {},
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== null)),
    meta: { ...sent, ...params?._meta, ...meta },
    method,
    protocol: era,
    transport: "http",
    preset: /^\/mcp\/(.+)$/.exec(path ?? "")?.[1],
  };
}

/** Whether the expectation of a step is one on the whole of a list. */
const isList = ({ method, params = {}, query, expect, verb = "POST" }) =>
  verb === "POST" &&
  Object.hasOwn(LISTS, method) &&
  expect.names !== undefined &&
  !params.cursor &&
  query === undefined;

let compared = 0;
for (const { name, world: worldName, steps } of FILES.flatMap((file) => fixture(`protocol/${file}`))) {
  const { lists, config, ...rest } = world(worldName);
  // A page of a list is no view, and tokens of an issuer are verified by the gateway.
  if (config?.pageSize !== undefined || config?.auth !== undefined || config?.checkStateless === false) continue;
  test(name, () => {
    const sieve = Sieve.compile(lists, config);
    let handshake;
    for (const step of steps) {
      if (step.method === "initialize") handshake = step;
      const { message, data } = step.expect.error ?? {};
      const isRefused = data?.reason === "check";
      // A session is checked once, at its handshake.
      const isUnchecked = config?.checks && step.era !== "2026-07-28";
      if (!isRefused && (!isList(step) || isUnchecked)) continue;
      const caller = callerOf(step, rest, handshake);
      if (isRefused) {
        assert.throws(() => sieve.view(caller), { name: "SieveError", code: "check", message });
      } else {
        const view = sieve.view(caller);
        const found = view.names({ filter: step.params?.filter, kind: LISTS[step.method] });
        assert.deepEqual(found, step.expect.names, JSON.stringify(caller));
        view.free();
      }
      compared += 1;
    }
    sieve.free();
  });
}

test("most rows of the gateway about callers were compared", () => assert.ok(compared > 60, `${compared}`));

const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });
const lists = { tools: [tool("read", { annotations: { readOnlyHint: true } }), tool("write"), tool("wipe")] };
const config = {
  policies: [{ name: "staff", show: "-name:wipe or claim.role=staff" }],
  presets: [{ name: "writers", when: "claim.team=writers", filter: { namePatterns: ["write"] } }],
  checks: [
    { name: "banned", priority: 1, require: "-claim.banned=true", message: "You are banned." },
    { name: "tenant", require: "header.x-tenant:*", message: "Name your tenant." },
  ],
};
const headers = new Headers({ "X-Tenant": "acme" });

test("a view has the queries of a sieve, and outlives it", () => {
  const sieve = Sieve.compile(lists, config);
  assert.deepEqual(sieve.names(), ["read", "write"]);
  const view = sieve.view({ claims: { role: "staff" }, headers });
  const other = view.view({ claims: { team: ["writers"] }, headers: { "x-tenant": ["acme", "b"] } });
  sieve.free();
  assert.deepEqual([view.names(), view.count(), other.names()], [["read", "write", "wipe"], 3, ["write"]]);
  assert.deepEqual(view.explain("wipe"), { shown: true, reason: null });
  assert.deepEqual(other.explain("wipe"), { shown: false, reason: { rule: "unknown" } });
  assert.deepEqual(
    view.search("wipe").map(({ name }) => name),
    ["wipe"],
  );
  assert.deepEqual(JSON.parse(new TextDecoder().decode(view.list({ filter: { namePatterns: ["wi*"] } }))), {
    tools: [lists.tools[2]],
  });
  for (const call of [() => view.snapshot(), () => view.tagged({}), () => view.update("a", lists)])
    assert.throws(call, { code: "invalid_option" });
});

test("a caller that the gateway refuses is refused with the first check, and with a preset that is not for it", () => {
  const sieve = Sieve.compile(lists, config);
  const view = (caller) => () => sieve.view(caller);
  assert.throws(view({ claims: { banned: true } }), { code: "check", message: "You are banned." });
  assert.throws(view({ claims: null }), { code: "check", message: "Name your tenant." });
  assert.throws(view({ claims: null, preset: "nope" }), { code: "check" });
  assert.throws(view({ headers, preset: "nope" }), { code: "preset" });
  assert.throws(view({ headers, preset: "writers" }), { code: "preset" });
  assert.deepEqual(sieve.view({ headers, preset: "read-only" }).names(), ["read"]);
});

test("predicates are called for each view, with the caller", () => {
  const test = ({ name }, { caller }) => caller?.claims?.names?.includes(name) ?? name === "read";
  const predicates = [{ name: "own", test }];
  const bytes = Sieve.compile(lists, {}).snapshot();
  for (const sieve of [Sieve.compile(lists, {}, { predicates }), Sieve.restore(bytes, { predicates })]) {
    assert.deepEqual(sieve.names(), ["read"]);
    assert.deepEqual(sieve.view({ claims: { names: ["write", "wipe"] } }).names(), ["write", "wipe"]);
    assert.deepEqual(sieve.view({ method: "tools/list" }).names(), ["read"]);
  }
});

test("a caller of another form is refused with its place", () => {
  const sieve = Sieve.compile(lists, config);
  for (const [caller, path] of [
    [{ claims: "admin" }, "claims"],
    [{ claims: new Map([["role", "staff"]]) }, "claims"],
    [{ client: "host" }, "client"],
    [{ client: { title: "host" } }, "client.title"],
    [{ capabilities: [] }, "capabilities"],
    [{ headers: { "x-tenant": 7 } }, "headers.x-tenant"],
    [{ meta: 1 }, "meta"],
    [{ method: 1 }, "method"],
    [{ preset: ["a"] }, "preset"],
    [{ claims: {}, filter: { tags: ["stable"] } }, undefined],
    [{ claims: {}, claim: {} }, undefined],
  ]) {
    const refused = (() => {
      try {
        return sieve.view(caller);
      } catch (error) {
        return error;
      }
    })();
    assert.deepEqual([refused.name, refused.code, refused.path], ["SieveError", "invalid_option", path], path);
  }
});

test("bytes of a view are those of its lists", () => {
  const sieve = Sieve.compile(lists, config);
  assert.ok(sieve.view() instanceof Uint8Array && sieve.view({}) instanceof Uint8Array);
  const view = sieve.view({ claims: {}, headers });
  assert.equal(new TextDecoder().decode(view.view()), JSON.stringify({ tools: lists.tools.slice(0, 2) }));
});
