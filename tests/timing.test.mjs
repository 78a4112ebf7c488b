// Hidden and missing names have the same reply, for every method with a name as a parameter. Tests the comparison of
// their times.
import assert from "node:assert/strict";
import { test } from "node:test";
import { auc, aucInterval, missingName, sampleTimes, startTimed } from "./support/timing.mjs";

test("hidden names and names that do not exist get the same reply in every revision", { timeout: 60_000 }, async () => {
  const timed = await startTimed();
  try {
    const methods = new Set(timed.cases.map(({ method }) => method));
    for (const method of [
      "tools/call",
      "tools/call as a task",
      "search_tools",
      "call_tool",
      "prompts/get",
      "completion/complete, prompt",
      "completion/complete, template",
      "resources/read",
      "resources/subscribe",
      "tasks/get",
      "a preset's path",
      "X-MCP-Tools",
      "batch of tools/call",
    ])
      assert.ok(methods.has(method), method);
    const sampled = await sampleTimes({ ...timed, cases: timed.cases.slice(0, 2) }, 3);
    assert.deepEqual(
      sampled.map(({ hidden, missing }) => [hidden.length, missing.length]),
      [
        [3, 3],
        [3, 3],
      ],
    );
  } finally {
    await timed.stop();
  }
});

test("the probability that one is slower counts equal times as half", () => {
  assert.equal(auc([1, 2, 3], [4, 5]), 0);
  assert.equal(auc([4, 5], [1, 2, 3]), 1);
  assert.equal(auc([1, 2], [1, 2]), 0.5);
  assert.equal(auc([2, 2, 9], [2, 3]), (0.5 + 0 + 0.5 + 0 + 1 + 1) / 6);
  const [from, to] = aucInterval([1, 2, 3], [7, 8, 9], 50);
  assert.deepEqual([from, to], [0, 0]);
});

test("a name that does not exist has the length and the form of the one that does", () => {
  for (const name of ["tool_abc-1", "page://abc/{id}", "X.y"]) {
    const form = (text) => text.replaceAll(/[a-z]/g, "a").replaceAll(/[A-Z]/g, "A").replaceAll(/\d/g, "0");
    const missing = missingName(name);
    assert.equal(form(missing), form(name));
    if (name.startsWith("page")) assert.match(missing, /^page:.*{id}$/);
  }
});
