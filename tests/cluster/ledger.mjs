// What the nodes have acknowledged to clients, and whether it is still there afterwards.
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { messages, request } from "../support/raw-client.mjs";
import { EXTENSION } from "../support/tasks.mjs";
import { OPERATOR } from "./servers.mjs";

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
/** Wait for an answer after a fault, in milliseconds. A lease lasts 20 s. */
const WAIT_MS = 60_000;
const AGAIN_MS = 500;
/** Statuses and reasons of requests that a client may send again. */
const AGAIN = [429, 502, 503, 504];
const AT_ONCE = 4;
/** Time in which an isolate writes the entries of answered calls, in milliseconds. */
const WRITTEN_MS = 3_000;
/** How long entries may be late that wait for an object which another node takes over, in milliseconds. */
const LATE_MS = 20_000;

export const digestOf = (args) => `sha256:${createHash("sha256").update(JSON.stringify(args)).digest("hex")}`;
export const bearer = (user) => ({ authorization: `Bearer ${user}-token` });

/** Sends one stateless request through the balancer. Returns the status and the last message. */
export async function ask(via, method, params, headers, capabilities = {}) {
  const sent = request(method, { ...params, _meta: { [CAPABILITIES]: capabilities, ...params._meta } });
  const response = await via.fetch("http://cluster/mcp", { ...sent, headers: { ...sent.headers, ...headers } });
  return { status: response.status, message: await lastOf(response) };
}

/** Sends one message in a session. */
export async function inSession(via, headers, message) {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  const response = await via.fetch("http://cluster/mcp", { method: "POST", headers, body });
  return { status: response.status, message: response.status === 202 ? undefined : await lastOf(response) };
}

async function lastOf(response) {
  let last;
  const type = response.headers.get("content-type") ?? "";
  if (!/json|event-stream/.test(type)) return { error: { message: await response.text() } };
  for await (const message of messages(response)) last = message;
  return last;
}

/** The request for a task of its owner. */
export const getTask = (via, { owner, id }) =>
  ask(
    via,
    "tasks/get",
    { taskId: id },
    { ...bearer(owner), "mcp-name": id },
    { elicitation: {}, extensions: { [EXTENSION]: {} } },
  );

/** Returns the names in a list that do not change while the load runs. */
export const steady = (tools) =>
  tools
    .map(({ name }) => name)
    .filter((name) => name !== "extra" && !name.startsWith("home_"))
    .sort()
    .join();

export function makeLedger() {
  return {
    /** `{ owner, id, expected, node, at }` of each task whose creation was answered. */
    tasks: [],
    /** `{ headers, names, node, at }` of each session whose concerns were answered. */
    sessions: [],
    /** `{ digest, node, at }` of each answered call. */
    calls: [],
    /** The entries of the log of calls that a reader saw, by their JSON text. */
    entries: new Set(),
    /** `{ user }` of each sign-in whose last page was shown. */
    signIns: [],
  };
}

/** Reads the log of calls to its end, from `after` on. Returns its entries and the position of the next read. */
export async function readCalls(via, after) {
  const entries = [];
  for (let position = after; ; ) {
    const query = position === undefined ? "" : `?after=${encodeURIComponent(position)}`;
    const response = await via.fetch(`http://cluster/audit/calls${query}`, {
      headers: { authorization: `Bearer ${OPERATOR}` },
    });
    if (response.status !== 200)
      throw new Error(`the log of calls answers ${response.status}: ${await response.text()}`);
    const { calls, next } = await response.json();
    entries.push(...calls);
    if (next === undefined) return { entries, after: position };
    position = next;
  }
}

/** Repeats a request while its answer may be sent again, or is `unsettled`. Returns the last answer. */
async function settled(send, unsettled = () => false) {
  const late = Date.now() + WAIT_MS;
  for (;;) {
    const answer = await send().catch((error) => ({ status: 503, message: { error: { message: error.message } } }));
    if ((!AGAIN.includes(answer.status) && !unsettled(answer)) || Date.now() > late) return answer;
    await sleep(AGAIN_MS);
  }
}

/** Calls `check` for each of `items`, a few at a time, and returns those for which it returned a text. */
async function failing(items, check) {
  const lost = [];
  const rest = [...items];
  const one = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      const why = await check(item);
      if (why !== undefined) lost.push({ item, why });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return lost;
}

/**
 * Checks everything in the ledger. Returns the lost items of each kind, `{ item, why }`. Entries of calls for which `isExcused`
 * returns `true` are not waited for.
 */
export async function checkLedger(ledger, balancer, isExcused = () => false) {
  const via = () => balancer.client();
  const said = ({ message, status }) => `${status} ${JSON.stringify(message?.error ?? message?.result).slice(0, 300)}`;
  const tasks = await failing(ledger.tasks, async (task) => {
    const late = Date.now() + WAIT_MS;
    for (;;) {
      const answer = await settled(() => getTask(via(), task));
      const result = answer.message?.result;
      if (result?.status === "completed")
        return JSON.stringify(result.result).includes(task.expected) ? undefined : said(answer);
      if (result?.status !== "working" || Date.now() > late) return said(answer);
      await sleep(AGAIN_MS);
    }
  });
  const sessions = await failing(ledger.sessions, async ({ headers, names }) => {
    const answer = await settled(() => inSession(via(), headers, { id: 1, method: "tools/list", params: {} }));
    const listed = answer.message?.result?.tools;
    return listed && steady(listed) === names ? undefined : said(answer);
  });
  const signIns = await failing(ledger.signIns, async ({ user }) => {
    // The tool is unknown at a node until its server has listed it for the caller again.
    const answer = await settled(
      () => ask(via(), "tools/call", { name: "home_whoami", arguments: {} }, bearer(user)),
      ({ message }) => /^Unknown tool/.test(message?.error?.message),
    );
    return answer.message?.result?.content?.[0]?.text === `whoami for ${user}` ? undefined : said(answer);
  });
  let entries;
  let unwritten;
  for (const late = Date.now() + LATE_MS; ; ) {
    await sleep(WRITTEN_MS);
    ({ entries } = await again(() => readCalls(via())));
    const digests = new Set(entries.map(({ arguments: digest }) => digest));
    unwritten = ledger.calls.filter(({ digest }) => !digests.has(digest));
    if (unwritten.every(isExcused) || Date.now() > late) break;
  }
  const stored = new Set(entries.map((entry) => JSON.stringify(entry)));
  const lines = [...ledger.entries]
    .filter((entry) => !stored.has(entry))
    .map((item) => ({ item, why: "not in the log" }));
  const own = new Set(ledger.calls.map(({ digest }) => digest));
  const ofOwn = entries.filter(({ arguments: digest }) => own.has(digest));
  const repeated = ofOwn.length - new Set(ofOwn.map(({ arguments: digest }) => digest)).size;
  return {
    lost: { tasks, sessions, "sign-ins": signIns, "audit entries": lines },
    unwritten,
    repeated,
    written: entries.length,
  };
}

async function again(does) {
  const late = Date.now() + WAIT_MS;
  for (;;) {
    try {
      return await does();
    } catch (error) {
      if (Date.now() > late) throw error;
      await sleep(AGAIN_MS);
    }
  }
}
