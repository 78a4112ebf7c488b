// Calls that lose one side: a client that disconnects, a Worker that is restarted.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { after, before, test } from "node:test";
import { events, request } from "./support/raw-client.mjs";
import { TOKENS, startSessionServer } from "./support/session-server.mjs";
import { until } from "./support/until.mjs";
import { startWorker } from "./support/workerd.mjs";

const WAIT_MS = 30_000;
const LEGACY = "2025-11-25";

/** Calls in progress at the upstream server, by id, and the ids of those that were cancelled there. */
const running = new Map();
const cancelled = new Set();
let behind;
let worker;

/** Notifies the client that the call has begun, and waits for the test to continue. */
async function call(
  {
    params: {
      arguments: { id },
    },
  },
  { sendNotification, signal },
) {
  signal.addEventListener("abort", () => cancelled.add(id));
  await sendNotification({ method: "notifications/message", params: { level: "error", data: "begun" } });
  await new Promise((done) => running.set(id, done));
  return { content: [{ type: "text", text: id }] };
}

before(async () => {
  behind = await startSessionServer({ name: "slow", tools: ["wait"], call, capabilities: { logging: {} } });
  worker = await startWorker({ upstream: behind.url, env: { SIEVE_TOKENS: TOKENS } });
});
after(async () => {
  await worker?.stop();
  behind?.stop();
});

const TYPES = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const post = (message, headers) =>
  fetch(worker.mcp, {
    method: "POST",
    headers: { ...TYPES, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });

async function rest(stream) {
  const all = [];
  for await (const { message } of stream) if (message) all.push(message);
  return all;
}

async function begin(token) {
  const authorization = `Bearer ${token}`;
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "client", version: "1" } };
  const begun = await post({ id: 0, method: "initialize", params }, { authorization });
  return { authorization, "mcp-session-id": begun.headers.get("mcp-session-id"), "mcp-protocol-version": LEGACY };
}

/**
 * Starts a call in a session. Returns its stream and the ids of its first events, once the upstream server has begun.
 */
async function start(session, id) {
  const stream = events(await post({ id, method: "tools/call", params: { name: "wait", arguments: { id } } }, session));
  const prime = (await stream.next()).value;
  const begun = (await stream.next()).value;
  assert.equal(begun.message.params.data, "begun");
  await until(() => running.has(id), `call ${id} at the upstream server`);
  return { stream, prime: prime.id, begun: begun.id };
}

const comeBack = async (session, last) =>
  fetch(worker.mcp, { headers: { ...session, accept: "text/event-stream", "last-event-id": last } });

test("a session and its events outlive the Worker, and no other caller finds it", { timeout: WAIT_MS }, async () => {
  const session = await begin("alice-token");
  const lost = await start(session, "lost");
  const ended = await start(session, "ended");
  running.get("ended")();
  const [answer] = await rest(ended.stream);
  assert.equal(answer.result.content[0].text, "ended");
  await worker.restart();

  const listed = await (await post({ id: 5, method: "tools/list" }, session)).json();
  assert.deepEqual(
    listed.result.tools.map(({ name }) => name),
    ["wait"],
  );
  // The whole stream of the call that had ended, and then only the events after its first message.
  const again = await rest(events(await comeBack(session, ended.prime)));
  assert.deepEqual(
    again.map((message) => message.params?.data ?? message),
    ["begun", answer],
  );
  assert.deepEqual(await rest(events(await comeBack(session, ended.begun))), [answer]);
  // The restart lost the other call, and its client is told at once.
  const [failed] = await rest(events(await comeBack(session, lost.begun)));
  assert.equal(failed.id, "lost");
  assert.deepEqual(failed.error, {
    code: -32603,
    message: "the server was restarted; send the request again",
    data: { reason: "restarted" },
  });

  for (const authorization of ["Bearer bob-token", undefined]) {
    const { authorization: _, ...stolen } = session;
    const headers = authorization ? { ...stolen, authorization } : stolen;
    const attempts = [
      post({ id: 6, method: "tools/list" }, headers),
      comeBack(headers, ended.prime),
      fetch(worker.mcp, { method: "DELETE", headers }),
    ];
    for (const reply of await Promise.all(attempts)) {
      assert.equal(reply.status, 404);
      assert.deepEqual((await reply.json()).error.data, { reason: "session_unknown" });
    }
  }
  assert.equal((await post({ id: 7, method: "ping" }, session)).status, 200, "it is still there for its own client");
});

test("a client that loses its connection comes back for the response", { timeout: WAIT_MS }, async () => {
  const session = await begin("alice-token");
  const { stream, begun } = await start(session, "later");
  await stream.return();
  running.get("later")();
  const [answer] = await rest(events(await comeBack(session, begun)));
  assert.equal(answer.result.content[0].text, "later");
  assert.ok(!cancelled.has("later"));
});

test("a stateless client that hangs up has cancelled its call, behind too", { timeout: WAIT_MS }, async () => {
  const _meta = { "io.modelcontextprotocol/logLevel": "error" };
  const { body, ...options } = request("tools/call", { name: "wait", arguments: { id: "gone" }, _meta });
  const sent = httpRequest(worker.mcp, options).end(body);
  const [response] = await once(sent, "response");
  assert.match(String((await once(response, "data"))[0]), /begun/);
  await until(() => running.has("gone"), "the call at the upstream server");
  for (const side of [sent, response]) side.on("error", () => {});
  sent.socket.resetAndDestroy();
  await until(() => cancelled.has("gone"), "the cancellation at the upstream server");
});
