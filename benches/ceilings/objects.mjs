// Requests to one object of each class that several callers share. Each measurement returns rows `{binding, request,
// rate, cpuMs}`.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSession } from "../../tests/support/raw-client.mjs";
import { taskClient, tokens } from "../../tests/support/tasks.mjs";
import { startWorker, startWorkers } from "../../tests/support/workerd.mjs";
import { exchange } from "../scale/client.mjs";
import { WIDTH, drive, onGateway, onObject } from "./load.mjs";

/** Another build than the shipped one, for comparisons. */
const BUILD = process.env.SCALE_BUILD;
const DRIVER = fileURLToPath(new URL("driver", import.meta.url));
/** Number of tools of the catalog. */
export const TOOLS = 1_000;
/** Numbers of lines that an isolate appends to a log at once: one, and the most. */
const DENIALS = [1, 50];
const CALLS = [1, 500];
const DIGEST = `sha256:${"0".repeat(64)}`;
const DOCUMENTS = [100, 1_000, 10_000];
const MINUTES_MS = 600_000;
/** A filter with one tool as its result, so that its length does not matter. */
const NARROW = { filter: { limit: 1 } };

/** Starts the Worker, and beside it the Worker that sends requests to its objects. */
async function started({ url }, work) {
  const persist = mkdtempSync(join(tmpdir(), "sieve-ceilings-"));
  const services = [
    { name: "sieve", upstream: url, build: BUILD },
    { name: "driver", bundle: DRIVER, shares: "sieve" },
  ];
  const workers = await startWorkers(services, { persist });
  try {
    return await work(workers, persist);
  } finally {
    await workers.stop();
    rmSync(persist, { recursive: true, force: true });
  }
}

/** Returns the lines of a request to a log, different from those of other requests. */
const denials = (count) => {
  const [now, names] = [Date.now(), ["delete_ticket"]];
  const line = { at: now, last: now, count: 1, method: "tools/call", kind: "tool", reason: "hidden", names };
  return Array.from({ length: count }, (_, at) => ({ ...line, who: `caller-NUMBER-${at}` }));
};
const calls = (count) => {
  const line = { who: "alice", method: "tools/call", server: "bank", name: "pay", arguments: DIGEST };
  return Array.from({ length: count }, () => ({ ...line, at: Date.now() }));
};

async function logs({ server, ms }) {
  return started(server, async (workers) => {
    const [binding, rows] = ["AUDIT", []];
    const add = async (what, request) =>
      rows.push({ binding, request: what, ...(await onObject(workers, { binding, ...request }, ms)) });
    for (const count of DENIALS) {
      const body = JSON.stringify(denials(count));
      await add(`append denied requests, ${count} at once`, { name: "audit", path: "/audit", body });
    }
    for (const count of CALLS) {
      const body = JSON.stringify(calls(count));
      await add(`append allowed calls, ${count} at once`, { name: "calls", path: "/audit/calls", body });
    }
    const path = "/audit?shard=0&after=0&limit=201";
    await add("read a page of denied requests", { name: "audit", method: "GET", path });
    return rows;
  });
}

/** A text of a kilobyte, in which each document has a number of its own. */
const TEXT = Array.from(
  { length: 16 },
  (_, at) => `harbour${at} closes at NUMBER, after the lighthouse${at} and the tide`,
);

async function library({ server, ms, quick }) {
  return started(server, async (workers) => {
    const [binding, name, rows] = ["LIBRARY", "library", []];
    const document = { id: "document-NUMBER", source: "s", title: "Document NUMBER", text: TEXT.join(" ") };
    const put = { binding, name, method: "PUT", path: "/middleware/documents", body: JSON.stringify(document) };
    const query = "when does the lighthouse3 of harbour3 close, at 17";
    const search = { binding, name, path: "/search", body: JSON.stringify({ query, sources: null, most: 5 }) };
    let stored = 0;
    for (const count of quick ? DOCUMENTS.slice(0, 1) : DOCUMENTS) {
      await drive(workers, { ...put, first: stored, count: count - stored, ms: MINUTES_MS });
      stored = count;
      const result = await onObject(workers, search, ms);
      rows.push({ binding, request: `search ${count.toLocaleString("en")} documents of 1 KB`, ...result });
    }
    const kept = { at: Date.now(), reason: "before the model", label: "turn", context: "x".repeat(1_000) };
    const keep = { binding, name, path: "/keep", body: JSON.stringify(kept) };
    rows.push({ binding, request: "store a context of 1 KB", ...(await onObject(workers, keep, ms)) });
    return rows;
  });
}

/** Prints the key under which the object has stored the catalog. */
const KEY = `
import sqlite3, sys, glob
for path in glob.glob(sys.argv[1] + "/*CatalogObject/*.sqlite"):
    try:
        for (key,) in sqlite3.connect(path).execute("SELECT bytes FROM blocks WHERE name = 'key'"): print(key.decode())
    except sqlite3.OperationalError: pass # Another object, or the runtime's own.
`;

async function catalog({ server, ms }) {
  return started(server, async (workers, persist) => {
    await (await fetch(`${workers.urls.sieve}/catalog/tools`)).text();
    const key = String(execFileSync("python3", ["-c", KEY, persist])).trim();
    const body = JSON.stringify({ key, have: null, changed: [] });
    const read = { binding: "CATALOG", name: "/catalog", path: "/catalog", body };
    const what = `read the catalog of ${TOOLS.toLocaleString("en")} tools`;
    return [{ binding: "CATALOG", request: what, ...(await onObject(workers, read, ms)) }];
  });
}

async function sessions({ server, ms }) {
  const worker = await startWorker({ upstream: server.url, build: BUILD });
  try {
    // The first sessions of an isolate share one object.
    const opened = await Promise.all(Array.from({ length: WIDTH }, () => openSession(worker.mcp)));
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: NARROW });
    const list = async (agent, lane) => {
      const { status, text } = await exchange(agent, worker.mcp, { headers: opened[lane], body });
      if (status !== 200) throw new Error(`tools/list: ${status} ${text.slice(0, 200)}`);
    };
    const result = await onGateway(worker, list, ms);
    return [{ binding: "SESSIONS", request: `list one tool, in ${WIDTH} sessions`, ...result }];
  } finally {
    await worker.stop();
  }
}

async function tasks({ ms }) {
  const worker = await startWorker({ env: { SIEVE_TOKENS: tokens("alice") } });
  try {
    const alice = taskClient(worker.mcp, "alice");
    const rows = { issues: [{ title: "Buoys" }], batch: 1 };
    const begin = async () => {
      const { taskId } = await alice.call("import_issues", rows);
      await alice.cancel(taskId);
    };
    return [{ binding: "TASKS", request: "begin a task and cancel it", ...(await onGateway(worker, begin, ms)) }];
  } finally {
    await worker.stop();
  }
}

export const measurements = { logs, library, catalog, sessions, tasks };
