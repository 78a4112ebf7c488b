// A model of the application that scores tools for the searches of the discovery tools, in front of a handler.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { gateway } from "../pkg/loaders/handler-node.js";
import { requestOf, sessionRequest, tinyHandler, told } from "./support/tiny-handler.mjs";
import { triples } from "./support/triples.mjs";
import { CONFIG, TOOLS } from "./support/ranked-tools.mjs";

/** `MAX_RANK_MS` of crates/gateway/src/host/platform.rs. */
const MAX_RANK_MS = 2_000;

function over(ranker, tools = TOOLS) {
  const notes = [];
  const { handler } = tinyHandler({ tools });
  const served = gateway(handler, CONFIG, { ranker, note: (line) => notes.push(line) });
  const ask = async (params) => told(await served.fetch(requestOf("tools/call", params), { MODEL: "triples" }));
  const search = async (query) => {
    const { result } = await ask({ name: "search_tools", arguments: { query } });
    return result.structuredContent.tools;
  };
  return { ask, search, notes, served };
}

const names = (tools) => tools.map(({ name }) => name);
const BY_WORDS = "a search was made by words alone: ranker: ";

test("a ranker finds tools that share no word, and gets only tools that the caller can find", async () => {
  const asked = [];
  const { ask, search, notes, served } = over(async (query, given, context) => {
    asked.push([query, given, context]);
    return triples(query, given);
  });
  assert.deepEqual(names(await over().search("thermostats")), [], "no tool that the caller sees has the word");
  const [found, ...others] = await search(" thermostats ");
  // A tool that is first in one of two orders has half of the maximum score.
  assert.deepEqual([found.name, found.score, others], ["thermometer", 500, []]);
  const context = { env: { MODEL: "triples" }, descriptions: ["Reads a sensor.", ""] };
  assert.deepEqual(asked, [["thermostats", ["thermometer", "send_mail"], context]]);
  assert.deepEqual(names(await search("mail thermostats")), ["send_mail", "thermometer"]);

  // Other calls do not use the model.
  await search(" ");
  await ask({ name: "describe_tools", arguments: { names: ["send_mail"] } });
  await ask({ name: "call_tool", arguments: { name: "send_mail", arguments: {} } });
  assert.deepEqual([asked.length, notes], [2, []]);

  // Clients with a session get the same results.
  const session = (await served.fetch(sessionRequest("initialize"))).headers.get("mcp-session-id");
  const params = { name: "search_tools", arguments: { query: "thermostats" } };
  const { result } = await told(await served.fetch(sessionRequest("tools/call", { session, params })));
  assert.deepEqual(names(result.structuredContent.tools), ["thermometer"]);
});

test("a search uses words alone when a ranker fails, and the operator is notified", async () => {
  const failures = [
    [() => [1], "expected 2 scores, one for each tool, got 1"],
    [() => "1,2", "it failed: expected an array of scores, got string"],
    [() => undefined, "it failed: expected an array of scores, got undefined"],
    [() => [Symbol("score"), 1], "it failed: Cannot convert a Symbol value to a number"],
    [() => Promise.reject(new Error("out of memory")), "it failed: out of memory"],
    [
      () => {
        throw new Error("not loaded");
      },
      "it failed: not loaded",
    ],
  ];
  for (const [ranker, why] of failures) {
    const { search, notes } = over(ranker);
    assert.deepEqual(names(await search("mail")), ["send_mail"], why);
    assert.deepEqual(
      notes.filter((note) => note.startsWith(BY_WORDS)),
      [`${BY_WORDS}${why}`],
    );
  }
});

test("a search does not wait for ever for a ranker", async (t) => {
  const { search, notes } = over(() => new Promise(() => {}));
  await over(() => []).search("mail");
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  let found;
  const searched = search("mail").then((tools) => {
    found = tools;
  });
  const turns = async () => {
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  };
  await turns();
  mock.timers.tick(MAX_RANK_MS - 1);
  await turns();
  assert.equal(found, undefined, "answered before the time was up");
  mock.timers.tick(1);
  await searched;
  assert.deepEqual(names(found), ["send_mail"]);
  assert.ok(notes.includes(`${BY_WORDS}it took longer than ${MAX_RANK_MS} ms`), notes.join("\n"));
});

test("a ranker that is no function is refused when the module is loaded", () => {
  assert.throws(() => over("model"), { code: "handler", message: "ranker: expected a function" });
});
