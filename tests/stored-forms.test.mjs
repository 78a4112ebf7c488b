// Stored sessions and tasks in a form that the Worker cannot read, as another version may have stored them. They end or are
// left out, and the others continue.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { serialize } from "node:v8";
import "./support/home.mjs";
import { open, post } from "./support/session-client.mjs";
import { startStatelessServer } from "./support/stateless-server.mjs";
import { startWorker } from "./support/workerd.mjs";

const persist = mkdtempSync(join(tmpdir(), "sieve-forms-"));
let behind, worker;
before(async () => {
  behind = await startStatelessServer({ "tools/list": { tools: [] } });
  worker = await startWorker({ upstream: behind.url, persist });
});
after(async () => {
  await worker?.stop();
  await behind?.stop();
  rmSync(persist, { recursive: true, force: true });
});

const PROGRAM = `
import sqlite3, sys, glob
for path in glob.glob(sys.argv[1] + "/*.sqlite"):
    if path.endswith("metadata.sqlite"): continue
    database = sqlite3.connect(path)
    rows = database.execute("UPDATE _cf_KV SET value = ? WHERE key = ?", (bytes.fromhex(sys.argv[3]), sys.argv[2]))
    if rows.rowcount: print(rows.rowcount)
    database.commit()
`;

/** Replaces the stored session at a place of its object. */
function store(place, value) {
  const folder = readdirSync(persist).find((name) => name.endsWith("SessionObject"));
  const args = ["-c", PROGRAM, join(persist, folder), `session/${place}`, serialize(value).toString("hex")];
  assert.equal(String(execFileSync("python3", args)).trim(), "1", "one row");
}

test("a session in another form has ended, and its client opens another", async () => {
  const opened = [];
  for (let count = 0; count < 3; count += 1) opened.push(await open(worker.mcp));
  const list = ({ headers }) => post(worker.mcp, headers, { id: 2, method: "tools/list" });
  const expires = Date.now() + 3_600_000;
  await worker.stopAndEdit(() => {
    store(0, { format: 2, text: "of a later version" });
    store(1, { session: '{"of":"another version"}', expires });
  });
  const [first, second, sound] = [await list(opened[0]), await list(opened[1]), await list(opened[2])];
  assert.deepEqual([first.status, second.status, sound.status], [404, 404, 200]);
  assert.ok(first.message.error.data.reason === second.message.error.data.reason, first.text);
  assert.match(worker.log(), /session: it is stored in a form that cannot be read, and has ended/);
  assert.equal((await list(await open(worker.mcp))).status, 200);
});
