// Concerns of servers behind the gateway (#1936): the tracker keeps its mapping to itself, and the gateway filters as the
// tracker does. And servers to which the concerns of callers are forwarded.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { send } from "./support/raw-client.mjs";
import { open, post } from "./support/session-client.mjs";
import { plainTool, startStatelessServer } from "./support/stateless-server.mjs";
import { startWorkers } from "./support/workerd.mjs";

const LISTS = {
  "tools/list": ["tools", "name"],
  "resources/list": ["resources", "uri"],
  "resources/templates/list": ["resourceTemplates", "uriTemplate"],
  "prompts/list": ["prompts", "name"],
};
const CONCERNS = [{ name: "mood", values: ["calm", "wild"], default: "calm" }];

let direct, behind, server, counted;

before(async () => {
  server = await startStatelessServer({
    "server/discover": {
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, concerns: CONCERNS },
    },
    "tools/list": { tools: [plainTool("sing")] },
    "tools/call": { content: [] },
  });
  counted = await startStatelessServer({
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {}, concerns: CONCERNS } },
    "tools/list": ({ _meta }) => ({
      tools: [plainTool("sing"), ...(_meta.concerns?.mood === "calm" ? [] : [plainTool("shout")])],
    }),
  });
  direct = await startWorkers([{ name: "tracker", tracker: true }]);
  const upstream = `${direct.urls.tracker}/mcp`;
  behind = await startWorkers([
    { name: "learn", upstream },
    { name: "renamed", config: { upstream: { url: upstream, concerns: { cost: "price" } } } },
    { name: "ignore", config: { upstream: { url: upstream, concerns: "ignore" } } },
    { name: "counted", config: { upstream: { url: counted.url, ttlMs: 100, minTtlMs: 0 } } },
    { name: "forward", config: { upstream: { url: server.url, concerns: "forward" } } },
  ]);
});
after(async () => {
  await behind?.stop();
  await direct?.stop();
  await server?.stop();
  await counted?.stop();
});

const urlOf = (name) => `${behind.urls[name] ?? direct.urls[name]}/mcp`;

/** Returns the result of a stateless request. */
async function ask(name, method, params = {}) {
  const { result, error } = await (await send(urlOf(name), method, params)).json();
  assert.equal(error, undefined, `${name}: ${method}`);
  return result;
}

/** Returns the names of every list of a server for these concerns. */
async function names(name, concerns) {
  const found = {};
  for (const [method, [kind, id]] of Object.entries(LISTS)) {
    const filter = concerns && { concerns };
    found[kind] = (await ask(name, method, { filter }))[kind].map((item) => item[id]);
  }
  return found;
}

test("the gateway has the concerns of the tracker, and each value lists what it lists directly", async () => {
  const { concerns } = await ask("tracker", "listConcerns");
  assert.equal(concerns.length, 4);
  assert.deepEqual((await ask("learn", "listConcerns")).concerns, concerns);
  const all = await names("tracker");
  assert.deepEqual(await names("learn"), all);
  for (const { name, values } of concerns) {
    for (const value of values) {
      const wanted = { [name]: value };
      const listed = await names("tracker", wanted);
      assert.deepEqual(await names("learn", wanted), listed, `${name}=${value}`);
      assert.notDeepEqual(listed, all, `${name}=${value} hides nothing`);
    }
  }
  const cheap = await names("learn", { cost: "minimal" });
  assert.ok(cheap.tools.length < all.tools.length);
});

test("combinations, ranges and several values list what they list directly", async () => {
  const combined = [
    { cost: "minimal", security: "low" },
    { cost: "moderate", security: "low", performance: "fast", lifecycle: "preview" },
    { cost: ["minimal", "high"] },
    { cost: { min: "moderate" }, lifecycle: "production" },
    { security: "elevated", performance: "slow" },
  ];
  for (const concerns of combined)
    assert.deepEqual(await names("learn", concerns), await names("tracker", concerns), JSON.stringify(concerns));
});

test("the definitions are those of the tracker: the mapping stays internal", async () => {
  const [own, passed] = await Promise.all(["tracker", "learn"].map((name) => ask(name, "tools/list")));
  assert.deepEqual(passed.tools, own.tools);
  // Two tools state their values.
  const stating = passed.tools.filter((tool) => /"dev\.mcpsieve\/concerns"|"concerns":/.test(JSON.stringify(tool)));
  assert.deepEqual(
    stating.map(({ name }) => name),
    ["import_issues", "audit_issues"],
  );
});

test("the operator's names apply to learned values", async () => {
  const listed = await ask("renamed", "listConcerns");
  assert.deepEqual(
    listed.concerns.map(({ name }) => name),
    ["security", "price", "performance", "lifecycle"],
  );
  assert.deepEqual(await names("renamed", { price: "minimal" }), await names("tracker", { cost: "minimal" }));
});

test("concerns that are ignored do not exist behind the gateway", async () => {
  assert.deepEqual((await ask("ignore", "listConcerns")).concerns, []);
  assert.deepEqual(await names("ignore", { cost: "minimal" }), await names("tracker"));
});

test("concerns that are forwarded reach the server with each call, from every channel", async () => {
  const own = "dev.mcpsieve/concerns";
  const { concerns } = await ask("forward", "listConcerns");
  assert.deepEqual(concerns, CONCERNS);
  assert.deepEqual((await ask("forward", "tools/list", { filter: { concerns: { mood: "wild" } } })).tools, [
    plainTool("sing"),
  ]);
  const called = async (url, params = {}) => {
    const response = await send(url, "tools/call", { name: "sing", arguments: {}, ...params });
    assert.equal((await response.json()).error, undefined);
    const { _meta } = server.seen.findLast(({ method }) => method === "tools/call").params;
    assert.deepEqual(_meta[own], _meta.concerns);
    return _meta.concerns;
  };
  const url = urlOf("forward");
  assert.equal(await called(url), undefined);
  assert.deepEqual(await called(url, { _meta: { concerns: { mood: "wild", colour: "red" } } }), { mood: "wild" });
  assert.deepEqual(await called(url, { _meta: { [own]: { mood: "calm" } } }), { mood: "calm" });
  assert.deepEqual(await called(`${url}?concern.mood=wild`), { mood: "wild" });

  const { headers } = await open(url);
  const inSession = async (id, method, params) => (await post(url, headers, { id, method, params })).message;
  assert.equal((await inSession(2, "updateConcerns", { concerns: { mood: "wild" } })).error, undefined);
  assert.equal((await inSession(3, "tools/call", { name: "sing", arguments: {} })).error, undefined);
  const { _meta } = server.seen.findLast(({ method }) => method === "tools/call").params;
  assert.deepEqual(_meta.concerns, { mood: "wild" });
  assert.ok(
    server.seen.every(({ method, params }) => !method.endsWith("/list") || params._meta.concerns === undefined),
    "lists are shared by all callers",
  );
});

test("values are learned once, and not again when lists expire", async () => {
  const lists = () => counted.seen.filter(({ method }) => method === "tools/list");
  const learned = () => lists().filter(({ params }) => params._meta.concerns !== undefined).length;
  const calm = { filter: { concerns: { mood: "calm" } } };
  for (let round = 0; round < 4; round++) {
    assert.deepEqual((await ask("counted", "tools/list", calm)).tools, [plainTool("sing")]);
    assert.equal(learned(), 2);
    await sleep(300);
  }
  assert.ok(lists().length - learned() > 1, "the lists expired");
});
