// A server with sessions that asks its client during a call, with clients of both revisions.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { TOKENS, startSessionServer } from "./support/session-server.mjs";
import { messages } from "./support/raw-client.mjs";
import { until } from "./support/until.mjs";
import { startWorker } from "./support/workerd.mjs";

const WAIT_MS = 30_000;
const ASKED_MS = 5_000; // time that the upstream server waits for an answer
const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const TOOLS = ["greet", "plan", "stubborn", "proud"];
const QUESTION = {
  mode: "form",
  message: "Who are you?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};
const PROMPT = { messages: [{ role: "user", content: { type: "text", text: "A city?" } }], maxTokens: 10 };

const text = (said) => ({ content: [{ type: "text", text: said }] });
/** The calls that were cancelled at the upstream server. */
const cancelled = [];
let behind;
let worker;

async function call({ params: { name } }, { sendRequest, signal }) {
  signal.addEventListener("abort", () => cancelled.push(name));
  const limits = { signal, timeout: ASKED_MS };
  const elicit = () => sendRequest({ method: "elicitation/create", params: QUESTION }, ElicitResultSchema, limits);
  const sample = () =>
    sendRequest({ method: "sampling/createMessage", params: PROMPT }, CreateMessageResultSchema, limits);
  const roots = () => sendRequest({ method: "roots/list" }, ListRootsResultSchema, limits);
  if (name === "greet") {
    const { action, content } = await elicit();
    return text(action === "accept" ? `Hello, ${content.name}!` : `${action}ed`);
  }
  if (name === "plan") {
    const [
      { content: city },
      {
        roots: [root],
      },
    ] = await Promise.all([sample(), roots()]);
    const { content } = await elicit();
    return text(`${content.name} in ${city.text} at ${root.uri}`);
  }
  if (name === "proud")
    return elicit().then(
      () => text("asked"),
      () => text("went on alone"),
    );
  await elicit();
  return text("asked");
}

before(async () => {
  behind = await startSessionServer({ name: "asking", tools: TOOLS, call });
  worker = await startWorker({ upstream: behind.url, env: { SIEVE_TOKENS: TOKENS } });
});
after(async () => {
  await worker?.stop();
  behind?.stop();
});

const send = (message, headers = {}, signal = undefined) =>
  fetch(worker.mcp, {
    method: "POST",
    signal,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });

async function last(response) {
  let end;
  for await (const message of messages(response)) end = message;
  return end;
}

const ALL = { elicitation: {}, sampling: {}, roots: {} };

/** Sends one call of a stateless client. `from` is the reply with the questions that it answers. */
async function modern(name, { capabilities = ALL, token, from, answers, more: added } = {}) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const more = from ? { requestState: from.result.requestState, inputResponses: answers } : {};
  const headers = { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": name, ...added };
  if (token) headers.authorization = `Bearer ${token}`;
  return last(await send({ id: randomUUID(), method: "tools/call", params: { name, ...more, _meta } }, headers));
}

const accept = { action: "accept", content: { name: "Ada" } };
const said = (reply) => reply.result?.content?.[0]?.text ?? reply;

test("a question goes out in a result and its answer comes in the next request", { timeout: WAIT_MS }, async () => {
  for (const token of [undefined, "alice-token"]) {
    const asked = await modern("greet", { token });
    assert.equal(asked.result?.resultType, "input_required", JSON.stringify(asked));
    const params = { ...QUESTION, _meta: { "dev.mcpsieve/server": "upstream" } };
    assert.deepEqual(asked.result.inputRequests, { "question-1": { method: "elicitation/create", params } });
    const greeted = await modern("greet", { token, from: asked, answers: { "question-1": accept } });
    assert.equal(said(greeted), "Hello, Ada!");
    assert.equal(greeted.result.resultType, "complete");
    const again = await modern("greet", { token, from: asked, answers: { "question-1": accept } });
    assert.deepEqual(again.error?.data, { reason: "handle_expired" });
  }
});

test("in as many rounds as it takes", { timeout: WAIT_MS }, async () => {
  const given = {
    "sampling/createMessage": { role: "assistant", model: "m", content: { type: "text", text: "Bern" } },
    "roots/list": { roots: [{ uri: "file:///home" }] },
    "elicitation/create": accept,
  };
  let reply = await modern("plan");
  const methods = [];
  while (reply.result?.resultType === "input_required") {
    const asked = Object.entries(reply.result.inputRequests);
    methods.push(...asked.map(([, { method }]) => method));
    const answers = Object.fromEntries(asked.map(([key, { method }]) => [key, given[method]]));
    reply = await modern("plan", { from: reply, answers });
  }
  assert.equal(said(reply), "Ada in Bern at file:///home");
  assert.deepEqual(methods.sort(), Object.keys(given).sort());
});

test("another caller cannot go on with a call", { timeout: WAIT_MS }, async () => {
  const asked = await modern("greet", { token: "alice-token" });
  for (const token of ["bob-token", undefined]) {
    const refused = await modern("greet", { token, from: asked, answers: { "question-1": accept } });
    assert.deepEqual(refused.error?.data, { reason: "handle_invalid" });
  }
  assert.equal(
    said(
      await modern("greet", { token: "alice-token", from: asked, answers: { "question-1": { action: "decline" } } }),
    ),
    "declineed",
  );
});

test("what the Worker tells its objects of a caller is read from no client", { timeout: WAIT_MS }, async () => {
  const asked = await modern("greet", { token: "alice-token" });
  const claims = Buffer.from(JSON.stringify({ sub: "alice" })).toString("base64url");
  // A value that the same key sealed for another purpose.
  for (const written of [claims, asked.result.requestState]) {
    for (const token of ["bob-token", undefined]) {
      const refused = await modern("greet", {
        token,
        from: asked,
        answers: { "question-1": accept },
        more: { "sieve-claims": written },
      });
      assert.deepEqual(refused.error?.data, { reason: "handle_invalid" });
    }
    const unknown = await modern("greet", {
      token: "made-up",
      from: asked,
      answers: { "question-1": accept },
      more: { "sieve-claims": written },
    });
    assert.deepEqual(unknown.error?.data, { reason: "unauthorized" });
  }
  const more = { "sieve-claims": claims };
  assert.equal(
    said(await modern("greet", { token: "alice-token", from: asked, answers: { "question-1": accept }, more })),
    "Hello, Ada!",
  );
});

test("a client that cannot be asked is told what it lacks, unless the server goes on without", {
  timeout: WAIT_MS,
}, async () => {
  for (const capabilities of [{}, { sampling: {} }]) {
    const refused = await modern("stubborn", { capabilities });
    assert.equal(refused.error?.code, -32021, JSON.stringify(refused));
    assert.deepEqual(refused.error.data, { requiredCapabilities: { elicitation: {} } });
    assert.equal(said(await modern("proud", { capabilities })), "went on alone");
  }
});

test("a client with a session is asked on its stream", { timeout: WAIT_MS }, async () => {
  // The session in which the server was listed with capabilities.
  behind.ended.length = 0;
  const params = {
    protocolVersion: LEGACY,
    capabilities: { elicitation: {} },
    clientInfo: { name: "old", version: "1" },
  };
  const begun = await send({ id: 0, method: "initialize", params });
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id"), "mcp-protocol-version": LEGACY };
  let greeted;
  for await (const message of messages(
    await send({ id: 1, method: "tools/call", params: { name: "greet" } }, session),
  )) {
    if (message.method !== "elicitation/create") {
      greeted = message;
      continue;
    }
    assert.equal(message.params.message, QUESTION.message);
    assert.equal((await send({ id: message.id, result: accept }, session)).status, 202);
  }
  assert.equal(said(greeted), "Hello, Ada!");

  // A client that cancels also cancels the upstream call.
  const asking = messages(await send({ id: 2, method: "tools/call", params: { name: "greet" } }, session));
  assert.equal((await asking.next()).value.method, "elicitation/create");
  cancelled.length = 0;
  await send({ method: "notifications/cancelled", params: { requestId: 2 } }, session);
  assert.equal((await asking.next()).done, true);
  await until(() => cancelled.includes("greet"), "the cancellation at the upstream server");

  assert.deepEqual(behind.ended, []);
  assert.equal((await fetch(worker.mcp, { method: "DELETE", headers: session })).status, 204);
  await until(() => behind.ended.length > 0, "the end of the session at the upstream server");
  assert.equal(behind.ended.length, 1);
});

test("a call that waited in a Worker which was restarted has to be made anew", { timeout: WAIT_MS }, async () => {
  const asked = await modern("greet", { token: "alice-token" });
  await worker.restart();
  const lost = await modern("greet", { token: "alice-token", from: asked, answers: { "question-1": accept } });
  assert.deepEqual(lost.error?.data, { reason: "handle_expired" });
  const anew = await modern("greet", { token: "alice-token" });
  assert.equal(
    said(await modern("greet", { token: "alice-token", from: anew, answers: { "question-1": accept } })),
    "Hello, Ada!",
  );
});
