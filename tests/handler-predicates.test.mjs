// Predicates and the results of checks in front of a wrapped handler: the members of the caller that they receive, and
// the effect of their results.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CheckResult, gateway } from "../pkg/loaders/handler-node.js";
import { bodyOf, requestOf, sessionRequest, tinyHandler, told } from "./support/tiny-handler.mjs";

const OPTIONS = { key: "a key that is long enough for a test", sessions: "memory", note: () => {} };
const server = (options, config = {}) =>
  gateway(tinyHandler({ tools: ["open", "north", "staff"] }).handler, config, { ...OPTIONS, ...options });

/** Sends a request of the stateless revision, with additional members of `_meta`. */
async function ask(served, method, params = {}, meta = {}) {
  const message = { ...JSON.parse(bodyOf(method, params)), id: "the request" };
  Object.assign(message.params._meta, meta);
  return told(await served.fetch(requestOf(method, params, { body: JSON.stringify(message) }), {}, {}));
}
const names = ({ result }) => result.tools.map(({ name }) => name);

test("Q-14: a predicate knows the caller, and the id, the method and the _meta of its request", async () => {
  const seen = [];
  const served = server({
    identify: (request) => ({ sub: request.headers.get("x-who") ?? "guest" }),
    predicates: [
      {
        name: "tenants",
        kinds: ["tools"],
        test: (tool, context) => {
          seen.push([tool.name, context]);
          return tool.name === "open" || context.caller.meta.tenant === tool.name;
        },
      },
    ],
  });
  assert.deepEqual(names(await ask(served, "tools/list")), ["open"]);
  const [name, { kind, server: from, caller }] = seen[0];
  assert.deepEqual([name, kind, from], ["open", "tools", "upstream"]);
  const { meta, ...rest } = caller;
  assert.deepEqual(rest, {
    id: "the request",
    method: "tools/list",
    protocol: "2026-07-28",
    transport: "http",
    client: { name: "tiny", version: "1" },
    capabilities: {},
    claims: { sub: "guest" },
    presets: [],
  });
  assert.equal(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
  assert.ok(Object.isFrozen(caller) && Object.isFrozen(caller.claims), "predicates share it");

  assert.deepEqual(names(await ask(served, "tools/list", {}, { tenant: "north" })), ["open", "north"]);
  const hidden = await ask(served, "tools/call", { name: "north" });
  assert.equal(hidden.error.message, "Unknown tool: north");
  const called = await ask(served, "tools/call", { name: "north" }, { tenant: "north" });
  assert.equal(called.result.content[0].text, "north was called");
  assert.equal(seen.at(-1)[1].caller.method, "tools/call");
});

test("Q-12: `meta` is an object, even where a request has no `_meta`", async () => {
  const seen = [];
  const test = (_, { caller }) => seen.push([caller.method, caller.meta]) > 0;
  const served = server({ predicates: [{ name: "meta", test }] });
  const opened = await served.fetch(sessionRequest("initialize"), {}, {});
  const session = opened.headers.get("mcp-session-id");
  seen.length = 0;
  assert.equal((await told(await served.fetch(sessionRequest("tools/list", { session }), {}, {}))).status, 200);
  assert.deepEqual(seen[0], ["tools/list", {}]);
});

test("Q-9, Q-10: predicates stand among policies by priority, and one that throws is logged and hides or fails open", async () => {
  const asked = [];
  const notes = [];
  const noting = (name, priority, result) => ({
    name,
    priority,
    test: (tool) => {
      asked.push(`${name} ${tool.name}`);
      return result(tool);
    },
  });
  const served = server(
    {
      note: (line) => notes.push(line),
      predicates: [
        noting("last", -1, () => true),
        noting("first", 9, () => true),
        { ...noting("odd", 0, (tool) => (tool.name === "staff" ? "staff" : true)), failOpen: true },
        noting("thrower", 1, (tool) => {
          if (tool.name === "north") throw new Error("no north");
          return true;
        }),
      ],
    },
    { policies: [{ name: "m", priority: 5, show: "-name:open" }] },
  );
  assert.deepEqual(names(await ask(served, "tools/list")), ["staff"]);
  assert.deepEqual(notes, [
    "tool `north`: policy `thrower`: no north, hidden",
    "tool `staff`: policy `odd`: it returned string, expected true or false, shown",
  ]);
  assert.deepEqual(
    asked.filter((line) => line.startsWith("first")),
    ["first open", "first north", "first staff"],
  );
  assert.deepEqual(
    asked.filter((line) => line.startsWith("last")),
    ["last staff"],
  );
});

test("predicates that are none are refused when the module is loaded", () => {
  for (const [predicates, message] of [
    [{}, "predicates: expected an array of predicates"],
    [[{ test: () => true }], "predicates[0]: expected `name`, text"],
    [[{ name: "a" }], "predicates[0]: expected `test`, a function"],
    [[{ name: "a", priority: 0.5, test: () => true }], "predicates[0]: expected `priority`, a whole number"],
  ])
    assert.throws(() => server({ predicates }), { code: "handler", message });
});

//
test("a check says its result in words, beside the short forms", async () => {
  assert.deepEqual([CheckResult.success(), CheckResult.SUCCESS.isError()], [CheckResult.SUCCESS, false]);
  assert.equal(CheckResult.SUCCESS.message(), null);
  const failed = CheckResult.error("come back later");
  assert.deepEqual([failed.isError(), failed.message()], [true, "come back later"]);
  for (const [result, message] of [
    [CheckResult.success(), undefined],
    [CheckResult.SUCCESS, undefined],
    [failed, "come back later"],
    [Promise.resolve(CheckResult.error("not today")), "not today"],
    [CheckResult.error(""), "refused"],
  ]) {
    const { error } = await ask(server({ checks: () => result }), "tools/list");
    assert.equal(error?.message, message);
  }
});

/** The check printed in the proposal, reimplemented: it rejects clients without sampling. */
const sampling = (caller) => {
  const { name, version } = caller.client;
  assert.ok(caller.protocol && name && version);
  return caller.capabilities.sampling === undefined
    ? CheckResult.error("This server needs a client with sampling")
    : CheckResult.success();
};

test("a check on sampling refuses at initialize, and opens no session", async () => {
  const served = server({ checks: sampling });
  const refused = await served.fetch(sessionRequest("initialize"), {}, {});
  assert.equal(refused.headers.get("mcp-session-id"), null);
  assert.equal((await told(refused)).error.message, "This server needs a client with sampling");
});
