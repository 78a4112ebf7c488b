// The mixed load: clients of both revisions, most of them the official SDK's, which go through the balancer. Each outcome is
// recorded with its node, and each thing that a node acknowledged is noted in the ledger.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { openBrowser } from "../support/browser.mjs";
import { EXTENSION } from "../support/tasks.mjs";
import { ask, bearer, digestOf, getTask, inSession, readCalls, steady } from "./ledger.mjs";

const URL_OF_ALL = new URL("http://cluster/mcp");
const identity = { name: "load", version: "1" };
/** Maximum duration of a request, in milliseconds. */
const TIMEOUT_MS = 15_000;
/** Maximum duration of a step of the load, in milliseconds. */
const STEP_MS = 30_000;
/** Pause after a failed request, in milliseconds. */
const PAUSE_MS = 250;
/** Number of steps after which a session is left to itself, and a new one is opened. */
const STEPS_OF_A_SESSION = 25;
/** Pause between two changes of a list, in milliseconds. */
const CHANGE_MS = 5_000;
const SIZES = ["small", "large"];
/** By default, the SDK gives a stream up after two attempts, which is before a lease expires. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 2_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 100,
};
let serial = 0;

/** A client of the stateless revision. */
async function stateless(via, user) {
  const client = new ClientV2(identity, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new HttpV2(URL_OF_ALL, { fetch: via.fetch, requestInit: { headers: bearer(user) } }));
  return client;
}

/** A client with a session, of the first SDK or of the second. */
async function withSession(generation, via, user) {
  const options = { fetch: via.fetch, requestInit: { headers: bearer(user) }, reconnectionOptions: RECONNECTION };
  const client =
    generation === "v1"
      ? new ClientV1(identity, { capabilities: {} })
      : new ClientV2(identity, { versionNegotiation: { mode: "legacy" } });
  const transport = new (generation === "v1" ? HttpV1 : HttpV2)(URL_OF_ALL, options);
  await client.connect(transport);
  const call = (params) =>
    generation === "v1"
      ? client.callTool(params, undefined, { timeout: TIMEOUT_MS })
      : client.callTool(params, { timeout: TIMEOUT_MS });
  const headers = {
    ...bearer(user),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-session-id": transport.sessionId,
    "mcp-protocol-version": "2025-11-25",
  };
  const configure = (concerns) =>
    client.request({ method: "updateConcerns", params: { concerns } }, z.looseObject({}), { timeout: TIMEOUT_MS });
  return { client, call, headers, configure };
}

const saidOf = (result) => result.content?.[0]?.text ?? JSON.stringify(result).slice(0, 200);
const expect = (condition, what) => {
  if (!condition) throw new Error(what);
};

/** A call whose arguments are made once, so that its entry in the log is known. */
async function echo(call, note) {
  const args = { message: `call ${(serial += 1)} ${Math.random().toString(36).slice(2)}` };
  const said = saidOf(await call({ name: "echo", arguments: args }));
  expect(said.includes(args.message), `wrong answer: ${said}`);
  note(digestOf(args));
}

/**
 * The kinds of load. `open` makes what a worker keeps; `step` is one operation. Both get `{ via, ledger, at, stage, kept }`.
 */
const KINDS = {
  "stateless lists and calls": {
    open: ({ via }) => stateless(via, "alice"),
    async step({ via, ledger, kept, at }) {
      if (at % 2 === 0) {
        via.doing = "list";
        const { tools } = await kept.listTools({}, { cacheMode: "refresh", timeout: TIMEOUT_MS });
        expect(steady(tools).includes("list_issues"), "the list is not whole");
      } else {
        via.doing = "call";
        await echo(
          (params) => kept.callTool(params, { timeout: TIMEOUT_MS }),
          (digest) => ledger.calls.push({ digest, node: via.node, at: Date.now() }),
        );
      }
    },
  },
  sessions: {
    async open({ via, ledger, worker }) {
      const session = await withSession(worker % 2 === 0 ? "v1" : "v2", via, "alice");
      const size = SIZES[(serial += 1) % 2];
      await session.configure({ size });
      const listed = await session.client.listTools({}, { timeout: TIMEOUT_MS });
      const names = steady(listed.tools);
      expect(names.split(",").includes("echo") === (size === "small"), `the concerns are not in force: ${names}`);
      ledger.sessions.push({ headers: session.headers, names, node: via.node, at: Date.now() });
      return { ...session, names };
    },
    async step({ via, ledger, kept, at }) {
      if (at % 2 === 0) {
        const { tools } = await kept.client.listTools({}, { timeout: TIMEOUT_MS, cacheMode: "refresh" });
        expect(steady(tools) === kept.names, `the session has other concerns: ${steady(tools)}`);
      } else {
        await echo(kept.call, (digest) => ledger.calls.push({ digest, node: via.node, at: Date.now() }));
      }
      return at % STEPS_OF_A_SESSION === STEPS_OF_A_SESSION - 1 ? "again" : undefined;
    },
    close: (kept) => kept.client.close(),
  },
  "older sessions": {
    async step({ via, ledger }) {
      const { length } = ledger.sessions;
      if (length === 0) return;
      const { headers, names } = ledger.sessions[Math.floor(Math.random() * length)];
      const { status, message } = await inSession(via, headers, { id: 1, method: "tools/list", params: {} });
      expect(status === 200, `${status} ${message?.error?.data?.reason ?? message?.error?.message}`);
      expect(steady(message.result.tools) === names, "the session has other concerns");
    },
  },
  tasks: {
    async step({ via, ledger, at }) {
      if (at % 3 === 0) {
        const params = { name: "report_issues", arguments: { batch: 4, pause_ms: 1_000 } };
        const capabilities = { elicitation: {}, extensions: { [EXTENSION]: {} } };
        const { status, message } = await ask(via, "tools/call", params, bearer("alice"), capabilities);
        expect(message?.result?.taskId, `${status} ${JSON.stringify(message?.error)}`);
        const { taskId: id } = message.result;
        ledger.tasks.push({ owner: "alice", id, expected: "oldest_open", node: via.node, at: Date.now() });
        return;
      }
      const task = ledger.tasks[Math.floor(Math.random() * ledger.tasks.length)];
      if (task === undefined) return;
      const { status, message } = await getTask(via, task);
      expect(message?.result?.status, `${status} ${JSON.stringify(message?.error)}`);
    },
  },
  "tasks of sessions": {
    async open({ via }) {
      const session = await withSession("v1", via, "user-0");
      await session.client.listTools();
      return session;
    },
    async step({ via, ledger, kept, at }) {
      if (at % 3 === 0) {
        const params = { name: "research", arguments: { topic: "leases" }, task: { ttl: 3_600_000 } };
        const { status, message } = await inSession(via, kept.headers, { id: at + 1, method: "tools/call", params });
        expect(message?.result?.task, `${status} ${JSON.stringify(message?.error ?? message?.result)}`);
        ledger.tasks.push({
          owner: "user-0",
          id: message.result.task.taskId,
          expected: "leases",
          node: via.node,
          at: Date.now(),
        });
        return;
      }
      const { status, message } = await inSession(via, kept.headers, { id: at + 1, method: "tasks/list", params: {} });
      expect(message?.result?.tasks, `${status} ${JSON.stringify(message?.error)}`);
    },
    close: (kept) => kept.client.close(),
  },
  "the log of calls": {
    async step({ via, ledger, shared }) {
      const { entries, after } = await readCalls(via, shared.after);
      shared.after = after;
      for (const entry of entries) ledger.entries.add(JSON.stringify(entry));
      await sleep(1_000);
    },
  },
  "signed-in callers": {
    async step({ via, ledger }) {
      const { length } = ledger.signIns;
      if (length === 0) return;
      const { user } = ledger.signIns[Math.floor(Math.random() * length)];
      const { status, message } = await ask(via, "tools/call", { name: "home_whoami", arguments: {} }, bearer(user));
      const said = message?.result && saidOf(message.result);
      expect(said === `whoami for ${user}`, `${status} ${said ?? JSON.stringify(message?.error)}`);
      await sleep(500);
    },
  },
};

/** Opens sessions at one node, so that its objects have something to lose, and notes them in the ledger. */
export async function openSessions(stage, slot, ledger, count) {
  for (let at = 0; at < count; at += 1) {
    const via = stage.balancer.client({ only: slot });
    const { client } = await KINDS.sessions.open({ via, ledger, worker: at });
    await client.close();
  }
}

/** Signs a user in at the server `home`, through the page of a node. */
export async function signIn(stage, slot, user) {
  const { url } = slot.node;
  const browser = openBrowser();
  let page = await browser.get(`${url}/connect/home`);
  page = await page.submit("Go on", { token: `${user}-token` });
  const begun = await page.submit("Connect");
  const done = await browser.get(await stage.servers.authorization.signIn(begun.next, { user }));
  expect(/^Connected/.test(done.title), `the sign-in ended with ${done.status} ${done.title}`);
}

/**
 * A listener for changed lists. It opens its stream again when that ends. `heard` has the times of the notifications, and
 * `opened` the number of streams.
 */
function listener(stage, name, isStateless) {
  const listening = { name, heard: [], opened: 0, running: true };
  const run = async () => {
    while (listening.running) {
      const via = stage.balancer.client();
      const over = new AbortController();
      let client;
      try {
        client = isStateless ? await stateless(via, "alice") : (await withSession("v1", via, "alice")).client;
        const heard = () => listening.heard.push(Date.now());
        if (isStateless) {
          client.setNotificationHandler("notifications/tools/list_changed", heard);
          const stream = await client.listen({ toolsListChanged: true });
          listening.opened += 1;
          listening.over = over;
          await Promise.race([stream.closed, new Promise((done) => over.signal.addEventListener("abort", done))]);
        } else {
          const { ToolListChangedNotificationSchema } = await import("@modelcontextprotocol/sdk/types.js");
          client.setNotificationHandler(ToolListChangedNotificationSchema, heard);
          listening.opened += 1;
          listening.over = over;
          await new Promise((done) => over.signal.addEventListener("abort", done));
        }
      } catch {
        await sleep(PAUSE_MS);
      }
      await client?.close().catch(() => {});
    }
  };
  listening.done = run();
  listening.stop = () => {
    listening.running = false;
    listening.over?.abort();
    return listening.done;
  };
  return listening;
}

/** Resolves as `work` does, or fails when that takes too long: a request that is never answered would hold the load up for ever. */
async function limited(work) {
  const timer = new AbortController();
  const late = sleep(STEP_MS, undefined, { signal: timer.signal }).then(
    () => Promise.reject(new Error(`no answer within ${STEP_MS} ms`)),
    () => {},
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}

/**
 * Starts the load. `workers` has the number of workers of each kind. `outcomes` gets `{ kind, node, at, ms, why }` of each
 * operation; `why` is the reason of one that failed.
 */
export function startLoad(stage, ledger, { workers, thinkMs = 20, listeners: listens = true }) {
  const outcomes = [];
  let running = true;
  const shared = {};

  async function work(kind, worker) {
    const { open, step, close } = KINDS[kind];
    const via = stage.balancer.client();
    let kept;
    for (let at = 0; running; ) {
      const from = performance.now();
      const record = (why) =>
        outcomes.push({ kind, node: via.node, at: Date.now(), ms: performance.now() - from, why });
      try {
        if (open && kept === undefined) kept = await limited(open({ via, ledger, stage, worker }));
        const then = await limited(step({ via, ledger, kept, at, stage, shared }));
        record();
        at += 1;
        if (then === "again") {
          close?.(kept)?.catch(() => {});
          kept = undefined;
        }
        await sleep(thinkMs);
      } catch (error) {
        record(reasonOf(error, via));
        await sleep(PAUSE_MS);
      }
    }
    if (close) await limited(close(kept ?? { client: { close: async () => {} } })).catch(() => {});
  }

  /** Changes a list from time to time, which listeners of all nodes hear of. */
  async function change() {
    const via = stage.balancer.client();
    while (running) {
      await limited(ask(via, "tools/call", { name: "toggle", arguments: {} }, bearer("alice"))).catch(() => {});
      await sleep(CHANGE_MS);
    }
  }
  const tasks = Object.entries(workers).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, worker) => work(kind, worker)),
  );
  const listeners = listens
    ? [listener(stage, "without a session", true), listener(stage, "with a session", false)]
    : [];
  if (listens) tasks.push(change());
  return {
    outcomes,
    listeners,
    async stop() {
      running = false;
      await Promise.all([...tasks, ...listeners.map(({ stop }) => limited(stop()).catch(() => {}))]);
    },
  };
}

/** Returns the reason of a failure in a few words. */
function reasonOf(error, via) {
  const reason = /"reason":"(\w+)"/.exec(error.message)?.[1];
  const cause = error.cause?.code ?? error.cause?.message;
  return [via.doing, via.status, reason ?? error.message.slice(0, 160), cause].filter(Boolean).join(" ");
}
