// The cost of sessions for the process that serves them, and the responses to clients when it cannot open files.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { allDone, fill } from "./stress/sessions.mjs";
import { startVices } from "./stress/upstream.mjs";
import "./support/home.mjs";
import { descriptors, memory } from "./support/process.mjs";
import { ask } from "./support/raw-client.mjs";
import { open, post } from "./support/session-client.mjs";
import { until } from "./support/until.mjs";
import { startWorker } from "./support/workerd.mjs";

const SESSIONS = 600;
/** Maximum number of open files of the process per session. An object has three, and many sessions share it. */
const MAX_FILES = 0.25;
/** Maximum memory that sessions add, as a factor of the process's memory before. */
const MAX_MEMORY = 2;
/** Maximum number of files that the process may open: half the number of sessions. */
const FILES = SESSIONS / 2;
const CLOSED_MS = 30_000;
const WAIT_MS = 60_000;
const MB = 1024 * 1024;
/** Maximum size of the stored events of a session, in bytes. */
const MAX_STORED = 64 * MB;
/** Maximum number of the stored events of a session. */
const MAX_EVENTS = 1_000;

let vices;
before(async () => {
  vices = await startVices();
});
after(() => vices?.stop());

async function start(context, options) {
  const worker = await startWorker({ upstream: vices.url, ...options });
  context.after(() => worker.stop());
  assert.ok((await ask(worker.mcp, "tools/list"))[0].message.result);
  return worker;
}

test("many new sessions share a few open files and little memory", async (context) => {
  const worker = await start(context, { files: FILES });
  const [files, bytes] = [descriptors(worker.pid), memory(worker.pid)];
  const sessions = await fill(worker.mcp, SESSIONS);
  assert.equal(sessions.length, SESSIONS);
  assert.ok(allDone(sessions), JSON.stringify(sessions.find(({ status }) => status !== 200)));
  const opened = (descriptors(worker.pid) - files) / SESSIONS;
  assert.ok(opened < MAX_FILES, `${opened} open files for each session`);
  const added = (memory(worker.pid) - bytes) / bytes;
  assert.ok(added < MAX_MEMORY, `sessions add ${added} times the memory of the process`);
});

const errorOf = ({ status, retryAfter, message }) => ({ status, retryAfter, reason: message?.error?.data?.reason });
const unavailable = { status: 503, retryAfter: "10", reason: "storage_unavailable" };

/** Returns the number of open files of sessions' objects. */
function sessionFiles(pid) {
  const targets = readdirSync(`/proc/${pid}/fd`).map((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      return ""; // It was closed after the folder was read.
    }
  });
  return targets.filter((target) => /SessionObject\/[0-9a-f]+\.sqlite/.test(target)).length;
}

test("a process without files to open refuses with a retry time, and loses no session", async (context) => {
  const worker = await start(context);
  // One persistent connection, because the process cannot accept another one later.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  context.after(() => agent.destroy());
  const { headers } = await open(worker.mcp, agent);
  const list = () => post(worker.mcp, headers, { id: 2, method: "tools/list" }, agent);
  assert.equal((await list()).status, 200);
  assert.ok(sessionFiles(worker.pid) > 0);
  // The runtime closes the files of an object some time after its last request.
  await until(() => sessionFiles(worker.pid) === 0, "the files of the session's object to be closed", {
    within: CLOSED_MS,
  });
  const limit = (files) => execFileSync("prlimit", ["--pid", String(worker.pid), `--nofile=${files}:`]);
  const usual = /Max open files\s+(\d+)/.exec(readFileSync(`/proc/${worker.pid}/limits`, "utf8"))[1];

  limit(1);
  const refused = [await open(worker.mcp, agent), await list()];
  limit(usual);
  assert.deepEqual(refused.map(errorOf), [unavailable, unavailable]);
  assert.match(refused[1].message.error.message, /too many open files.*try again in 10 s/);

  assert.equal((await list()).message.result.tools.length > 0, true);
  assert.equal((await open(worker.mcp, agent)).status, 200);
});

/** Returns the events of a stream in their order: the id and the message of each. */
function events(text) {
  const parts = text.split("\n\n").filter((part) => part.includes("id: "));
  return parts.map((part) => ({
    id: /^id: (.*)$/m.exec(part)[1],
    message: JSON.parse(/^data: (.+)$/m.exec(part)?.[1] ?? "null"),
  }));
}

test("sessions that share an object are resumed and ended each by itself", async (context) => {
  const worker = await start(context);
  const sessions = [await open(worker.mcp), await open(worker.mcp)];
  const call = (at) => {
    const params = { name: "tell", arguments: { events: 3, every: 10 }, _meta: { progressToken: `token ${at}` } };
    return post(worker.mcp, sessions[at].headers, { id: `call ${at}`, method: "tools/call", params });
  };
  const resume = async (at, id) => {
    const headers = { ...sessions[at].headers, accept: "text/event-stream", "last-event-id": id };
    const response = await fetch(worker.mcp, { headers });
    return { status: response.status, events: events(await response.text()).filter(({ message }) => message) };
  };
  const streams = (await Promise.all([call(0), call(1)])).map(({ text }) => events(text));
  const of = (at) => (event) => {
    const { params, id } = event.message;
    return params ? params.progressToken === `token ${at}` : id === `call ${at}`;
  };
  for (const at of [0, 1]) {
    const sent = streams[at].filter(({ message }) => message);
    assert.equal(sent.length, 4);
    assert.ok(sent.every(of(at)));
    // The events after the first one, as they were sent.
    assert.deepEqual((await resume(at, sent[0].id)).events, sent.slice(1));
  }

  const ended = await fetch(worker.mcp, { method: "DELETE", headers: sessions[0].headers });
  assert.equal(ended.status, 204);
  const list = (at) => post(worker.mcp, sessions[at].headers, { id: 3, method: "tools/list" });
  assert.equal((await list(0)).status, 404);
  assert.equal((await resume(0, streams[0][0].id)).status, 404);
  assert.equal((await list(1)).status, 200);
  const sent = streams[1].filter(({ message }) => message);
  assert.deepEqual((await resume(1, sent[0].id)).events, sent.slice(1));
  assert.equal((await fetch(worker.mcp, { method: "DELETE", headers: sessions[1].headers })).status, 204);
  assert.equal((await list(1)).status, 404);
});

/** A program that backdates the expiry of a session, and makes its object's alarm fire at the next start. */
const EXPIRE = `
import re, sqlite3, struct, sys
folder, path, place = sys.argv[1:]
past = struct.pack("<d", 1.0)
db = sqlite3.connect(path)
key = "session/" + place
[value] = db.execute("SELECT value FROM _cf_KV WHERE key = ?", (key,)).fetchone()
value = re.sub(rb"(expiresN)(?s:.{8})", lambda found: found[1] + past, value)
db.execute("UPDATE _cf_KV SET value = ? WHERE key = ?", (value, key))
db.execute("UPDATE _cf_METADATA SET value = 1 WHERE key = 1")
db.commit(); db.close()
db = sqlite3.connect(folder + "/metadata.sqlite")
db.execute("UPDATE _cf_ALARM SET scheduled_time = 1")
db.commit(); db.close()
`;
/**
 * A program that prints an object's stored data: its sessions, the number of their events, and whether an alarm is set.
 */
const STORED = `
import json, sqlite3, sys
db = sqlite3.connect("file:" + sys.argv[2] + "?mode=ro", uri=True)
tables = [name for [name] in db.execute("SELECT name FROM sqlite_master")]
rows = lambda table, columns: db.execute("SELECT " + columns + " FROM " + table).fetchall() if table in tables else []
print(json.dumps({"sessions": [key for [key] in rows("_cf_KV", "key")], "events": len(rows("journal", "event")),
    "bytes": sum(length for [length] in rows("journal", "length(body)")), "alarm": any(value is not None and value > 1 for [value] in rows("_cf_METADATA", "value"))}))
`;

/** Starts a Worker whose storage can be read. `python` runs a program with the paths of the first object's storage. */
async function startStored(context) {
  const persist = mkdtempSync(join(tmpdir(), "sieve-sessions-"));
  context.after(() => rmSync(persist, { recursive: true, force: true }));
  const worker = await start(context, { persist });
  const paths = () => {
    const object = readdirSync(persist).find((name) => name.endsWith("SessionObject"));
    const folder = join(persist, object);
    const file = readdirSync(folder).find((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
    return [folder, join(folder, file ?? "none.sqlite")];
  };
  const python = (program, ...args) =>
    execFileSync("python3", ["-c", program, ...paths(), ...args], { encoding: "utf8" });
  const stored = () => {
    const [, file] = paths();
    try {
      return JSON.parse(python(STORED));
    } catch (error) {
      // An object without stored data has no file.
      if (existsSync(file)) throw error;
      return { sessions: [], events: 0, bytes: 0, alarm: false };
    }
  };
  return { worker, python, stored };
}

test("a session that expires ends alone, and the last one with all storage", { timeout: WAIT_MS }, async (context) => {
  const { worker, python, stored } = await startStored(context);
  const [first, second] = [await open(worker.mcp), await open(worker.mcp)];
  const params = { name: "tell", arguments: { events: 3, every: 10 }, _meta: { progressToken: 1 } };
  for (const { headers } of [first, second]) {
    assert.equal((await post(worker.mcp, headers, { id: 2, method: "tools/call", params })).status, 200);
  }
  const before = stored();
  assert.deepEqual([before.sessions, before.alarm], [["session/0", "session/1"], true]);

  await worker.stopAndEdit(() => python(EXPIRE, "0"));
  await until(() => stored().sessions.length === 1, "the first session to expire");
  await until(() => stored().alarm, "the alarm of the second session");
  assert.deepEqual(stored(), {
    sessions: ["session/1"],
    events: before.events / 2,
    bytes: before.bytes / 2,
    alarm: true,
  });
  const list = ({ headers }) => post(worker.mcp, headers, { id: 3, method: "tools/list" });
  assert.equal((await list(first)).status, 404);
  assert.equal((await list(second)).status, 200);

  await worker.stopAndEdit(() => python(EXPIRE, "1"));
  await until(() => stored().sessions.length === 0, "the second session to expire");
  assert.deepEqual(stored(), { sessions: [], events: 0, bytes: 0, alarm: false });
  assert.equal((await list(second)).status, 404);
});

/** Calls `flood` in a session and returns the open response. */
const flood = async ({ headers }, url, bytes, piece) => {
  const params = { name: "flood", arguments: { bytes, piece }, _meta: { progressToken: 1 } };
  const message = { jsonrpc: "2.0", id: 2, method: "tools/call", params };
  const sent = httpRequest(url, { method: "POST", headers }).end(JSON.stringify(message));
  const [response] = await once(sent, "response");
  return response;
};

/** Returns the numbers of the progress events of a stream, and `"result"` for the result. */
const told = (text) =>
  events(text)
    .filter(({ message }) => message)
    .map(({ message }) => message.params?.progress ?? (message.result ? "result" : message.error.data.reason));
const numbers = (count) => Array.from({ length: count }, (_, at) => at + 1);

test("a client that reads slowly misses no event, and holds the server back", { timeout: WAIT_MS }, async (context) => {
  const worker = await start(context);
  const session = await open(worker.mcp);
  const [pieces, piece] = [(MAX_STORED + 8 * MB) / MB, MB - 1_000];
  const before = vices.state("flood").written;
  const response = await flood(session, worker.mcp, pieces * piece, piece);
  await sleep(2_000);
  const written = vices.state("flood").written - before;
  assert.ok(written < MAX_STORED / 2, `${written} bytes were sent while the client read nothing`);
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  assert.deepEqual(told(text), [...numbers(pieces), "result"]);
});

test("an event that is too long for the log reaches a client that is connected", async (context) => {
  const worker = await start(context);
  const session = await open(worker.mcp);
  const response = await flood(session, worker.mcp, 3 * MB, 1.5 * MB);
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  assert.deepEqual(told(text), [1, 2, "result"]);
  assert.ok(text.length > 3 * MB);
});

test("a client that loses its connection in a flood resumes it where it stopped", {
  timeout: WAIT_MS,
}, async (context) => {
  const worker = await start(context);
  const session = await open(worker.mcp);
  const [pieces, piece] = [60, 100_000];
  const response = await flood(session, worker.mcp, pieces * piece, piece);
  const [chunk] = await once(response.setEncoding("utf8"), "data");
  const [, id] = /^id: (.*)$/m.exec(chunk);
  response.destroy();
  const headers = { ...session.headers, accept: "text/event-stream", "last-event-id": id };
  const resumed = await fetch(worker.mcp, { headers });
  assert.deepEqual(told(await resumed.text()), [...numbers(pieces), "result"]);
});

test("a stream whose events are no longer stored cannot be resumed", { timeout: WAIT_MS }, async (context) => {
  const worker = await start(context);
  const session = await open(worker.mcp);
  const tell = { name: "tell", arguments: { events: 1, every: 1 }, _meta: { progressToken: 1 } };
  const [{ id }] = events(
    (await post(worker.mcp, session.headers, { id: 1, method: "tools/call", params: tell })).text,
  );
  const resume = async () => {
    const headers = { ...session.headers, accept: "text/event-stream", "last-event-id": id };
    const response = await fetch(worker.mcp, { headers });
    return { status: response.status, text: await response.text() };
  };
  assert.deepEqual(told((await resume()).text), [1, "result"]);
  const response = await flood(session, worker.mcp, MAX_EVENTS * 100, 100);
  await response.resume().toArray();
  const { status, text } = await resume();
  assert.equal(status, 400);
  assert.equal(JSON.parse(text).error.data.reason, "last_event_id");
});

test("the stored events of a session are bounded in bytes", { timeout: WAIT_MS }, async (context) => {
  const { worker, stored } = await startStored(context);
  const [one, other] = [await open(worker.mcp), await open(worker.mcp)];
  const read = async (session, bytes) => {
    let text = "";
    for await (const chunk of (await flood(session, worker.mcp, bytes, 1_000_000)).setEncoding("utf8")) text += chunk;
    return told(text);
  };
  assert.deepEqual(await read(other, 5_000_000), [...numbers(5), "result"]);
  const small = stored();
  const count = Math.ceil(MAX_STORED / 1_000_000) + 2;
  assert.deepEqual(await read(one, count * 1_000_000), [...numbers(count), "result"]);
  const { events, bytes } = stored();
  assert.ok(bytes - small.bytes < MAX_STORED, `${bytes} bytes`);
  assert.ok(bytes - small.bytes > MAX_STORED / 4, `${bytes} bytes`);
  assert.ok(events > small.events, "the newest events are stored");
});
