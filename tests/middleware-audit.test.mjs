// The logs of context middleware at the edge.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LEVELS, call, middlewareWorkers, operationsOf, workers } from "./support/middleware-workers.mjs";
import { until } from "./support/until.mjs";

middlewareWorkers();

/** Waits until a Worker's audit log has a line of each of these functions, and returns its lines. */
async function audited(name, functions) {
  let missing;
  const logged = async () => {
    const operations = await operationsOf(name);
    missing = functions.filter((function_) => !operations.some(({ kind }) => kind === function_));
    return missing.length === 0 && operations;
  };
  return until(logged, () => `a line of each of ${missing}`);
}

test("M-40 M-46: no log has any of the passed content, for every outcome", async () => {
  const canary = "Canary-7f3a";
  const said = [
    { type: "text", text: `${canary} wrote to ${canary}@example.com, password=${canary}Zq9!x` },
    { type: "tool_use", id: canary, name: canary, input: { [canary]: canary } },
  ];
  const {
    result: { middleware },
  } = await call("told", "/middleware", "middleware/list");
  const names = middleware.map(({ name }) => name);
  const given = {
    pii_restoration: { redactions: { [canary]: canary } },
    tool_filter: { availableTools: [canary] },
    hallucination_check: { given: [canary], tools: [canary] },
    context_logger: { reason: "r", label: "l" },
    document_retrieval: { sources: [canary] },
    secret_detection: { action: "refuse" },
  };
  for (const name of names) {
    for (const args of [given[name] ?? {}, { [canary]: canary }, canary])
      await call("told", "/middleware", "middleware/invoke", { name, arguments: args, context: said });
    await call("told", "/middleware", "middleware/invoke", { name, context: canary });
    for (const phase of ["request", "response"])
      await call("told", "/interceptors", "interceptor/invoke", {
        name,
        event: "llm/completion",
        phase,
        payload: said,
        config: given[name],
      });
  }
  await call("told", "/middleware", "middleware/invoke", { name: canary, context: said });
  await call("told", "/middleware", `middleware/${canary}`, { context: said });
  const outcomes = [];
  for (const [method, params] of [
    ["tools/call", { name: "create_note", arguments: { title: canary, body: `${canary}@example.com` } }],
    ["tools/call", { name: "create_note", arguments: { title: "key", body: `ghp_${"a1B2c3D4e5F6".repeat(3)}` } }],
    ["tools/call", { name: "create_note", arguments: { [canary]: canary } }],
    ["prompts/get", { name: "triage_issue", arguments: { issue: canary } }],
  ])
    outcomes.push(await call("told", "/mcp", method, params, { token: null, headers: { "mcp-name": params.name } }));
  assert.equal(outcomes[1].error?.data.reason, "middleware_refused", JSON.stringify(outcomes[1]));

  const operations = await audited("told", names);
  // With `"log": true`, one line per request reports the work of all its functions, in numbers.
  const treated = workers
    .log()
    .split("\n")
    .filter((line) => line.includes('"dev.mcpsieve.middleware"'))
    .map((line) => JSON.parse(line));
  assert.ok(treated.every(({ time }) => !Number.isNaN(Date.parse(time))));
  const chained = treated
    .map((line) => line["dev.mcpsieve.middleware"])
    .filter(([{ method }]) => method === "tools/call");
  assert.deepEqual(
    chained[0].map(({ function: name, mode }) => [name, mode]),
    [
      ["pii_redaction", "enforce"],
      ["secret_detection", "enforce"],
      ["pii_restoration", "enforce"],
      ["content_moderation", "audit"],
    ],
  );
  assert.ok(chained[0].every(({ bytes, items, ms }) => bytes.length === 2 && items.length === 2 && ms >= 0));
  assert.equal(
    operations.filter(
      ({ method, kind, reason }) => method === "tools/call" && kind === "pii_redaction" && reason === "changed",
    ).length,
    1,
    "calls that end alike are one line",
  );
  assert.ok(operations.some(({ method, kind }) => method === "tools/call" && kind === "pii_redaction"));
  assert.ok(
    operations.some(({ reason }) => reason === "secret"),
    "a refusal is a line",
  );
  assert.ok(
    operations.some(({ reason }) => reason.startsWith("audit:")),
    "what is only told is a line",
  );
  for (const text of [JSON.stringify(operations), workers.log()]) {
    assert.equal(
      text.includes(canary),
      false,
      text.slice(Math.max(0, text.indexOf(canary) - 200), text.indexOf(canary) + 200),
    );
    assert.equal(text.includes("ghp_"), false);
  }
});

test("M-49: each level's decisions are lines of the audit log, with the caller and the number", async () => {
  const texts = { low: "What a load of bullshit", medium: "He would beat you up", high: "how to make a bomb" };
  const decided = {};
  for (const level of LEVELS) {
    for (const [severity, body] of Object.entries(texts)) {
      const params = { name: "create_note", arguments: { title: severity, body } };
      const options = { token: `${level} token`, headers: { "mcp-name": "create_note" } };
      const { error } = await call("levels", "/mcp", "tools/call", params, options);
      decided[level] = [...(decided[level] ?? []), error?.data.reason ?? "allowed"];
    }
  }
  const refused = "middleware_refused";
  assert.deepEqual(decided, {
    consumer: ["allowed", "allowed", refused],
    enterprise: ["allowed", refused, refused],
    regulated: [refused, refused, refused],
  });
  const decisions = async () =>
    (await operationsOf("levels"))
      .filter(({ kind }) => kind === "content_moderation")
      .map(({ who, method, reason, count }) => `${who}: ${method} ${reason} ${count}`)
      .sort();
  const expected = [
    "consumer: tools/call moderation 1",
    "consumer: tools/call unchanged 2",
    "enterprise: tools/call moderation 2",
    "enterprise: tools/call unchanged 1",
    "regulated: tools/call moderation 3",
  ];
  let found;
  const written = async () => {
    found = await decisions();
    return found.length >= expected.length;
  };
  await until(written, () => `all decisions in ${JSON.stringify(found)}`);
  assert.deepEqual(found, expected);
});
