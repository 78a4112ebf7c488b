// Third-party clients through the Worker, in front of its own backend and of a third-party server.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { clients } from "./support/clients.mjs";
import { startEverything } from "./support/everything.mjs";
import { startWorkers } from "./support/workerd.mjs";

const rules = {
  groups: [{ name: "content", title: "Content" }],
  rules: [
    { match: "kind:tool (name:get-* or name:echo)", groups: ["content"] },
    { match: "name:get-sum or name:echo", tags: ["stable"] },
  ],
};

const tracker = {
  questions: {
    filter: { groups: ["issues"], tags: ["stable"] },
    tool: "get_issue",
    args: { issue: 1 },
    uri: "issue://1",
    prompt: "triage_issue",
    promptArguments: { issue: "1" },
  },
  filtered: [
    "list_issues",
    "get_issue",
    "create_issue",
    "update_issue",
    "close_issue",
    "search_issues",
    "add_comment",
    "list_comments",
  ],
};
const everything = {
  questions: {
    filter: { groups: ["content"], tags: ["stable"] },
    tool: "get-sum",
    args: { a: 2, b: 3 },
    uri: "demo://resource/dynamic/text/1",
    prompt: "args-prompt",
    promptArguments: { city: "Bern" },
  },
  filtered: ["echo", "get-sum"],
};

let upstream;
let workers;
let direct;

before(async () => {
  upstream = await startEverything();
  // Stateless clients are told the stateless revision where sessions are shared.
  const config = { ...rules, upstream: { ...rules.upstream, sessions: "shared" } };
  workers = await startWorkers([{ name: "tracker" }, { name: "everything", upstream: upstream.url, config }]);
  direct = await clients["TypeScript v1"].look(upstream.url, everything.questions);
});
after(async () => {
  await workers?.stop();
  await upstream?.stop();
});

/** Asserts the error for an unknown tool. The Inspector checks the list itself, and never calls unknown tools. */
function refuses({ refused }) {
  if (refused !== undefined) assert.deepEqual(refused, { code: -32602, message: "Unknown tool: no-such-tool" });
}

for (const [name, { look, protocol }] of Object.entries(clients)) {
  describe(name, () => {
    test("lists, filters, calls, reads and gets from the built-in tracker", async () => {
      const seen = await look(`${workers.urls.tracker}/mcp`, tracker.questions);
      assert.equal(seen.protocol, protocol);
      assert.deepEqual(seen.filtered, tracker.filtered);
      assert.ok(seen.all.length >= 24 && tracker.filtered.every((tool) => seen.all.includes(tool)), `${seen.all}`);
      assert.equal(JSON.parse(seen.called[0]).id, 1);
      assert.equal(seen.isError, false);
      assert.deepEqual(seen.read, ["issue://1"]);
      assert.ok(seen.messages > 0);
      assert.ok(seen.templates.includes("issue://{id}") && seen.prompts.length >= 3 && seen.resources.length > 0);
      refuses(seen);
    });

    test("sees the same of server-everything as a client without the gateway (G-30 G-54)", async () => {
      const seen = await look(`${workers.urls.everything}/mcp`, everything.questions);
      assert.equal(seen.protocol, protocol);
      assert.deepEqual(seen.filtered, everything.filtered);
      refuses(seen);
      for (const same of ["called", "isError", "read", "messages", "resources", "templates", "prompts"]) {
        assert.deepEqual(seen[same], direct[same], same);
      }
      // The Inspector has roots, and the server lists one more tool to such clients.
      assert.deepEqual(
        seen.all.filter((tool) => tool !== "get-roots-list"),
        direct.all,
      );
    });

    test("sees the narrowed list behind a URL that narrows, with no filter of its own", async () => {
      const url = `${workers.urls.tracker}/mcp?groups=issues&tags=stable&concern.security=low`;
      const seen = await look(url, { ...tracker.questions, filter: { tags: ["search"] } });
      assert.deepEqual(seen.all, tracker.filtered);
      assert.deepEqual(seen.filtered, ["search_issues"], "the URL and the filter both hold");
    });
  });
}
