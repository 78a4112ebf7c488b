// Tasks of the stateless revision with a raw client, which retries while the Worker restarts.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import "./home.mjs";
import { ask } from "./raw-client.mjs";
import { tokensVariable } from "./tokens.mjs";

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
export const EXTENSION = "io.modelcontextprotocol/tasks";
export const QUERY = "dev.mcpsieve/tasks/query";
const ENDED = ["completed", "failed", "cancelled"];
const WAIT_MS = 30_000;

/** Returns `SIEVE_TOKENS` with the token `NAME-token` for each name. */
export const tokens = (...people) => tokensVariable(Object.fromEntries(people.map((sub) => [`${sub}-token`, { sub }])));

/** Returns a client of one person, or without a name an anonymous client. */
export function taskClient(url, person) {
  const _meta = { [CAPABILITIES]: { elicitation: {}, extensions: { [EXTENSION]: {} } } };
  const authorization = person && { authorization: `Bearer ${person}-token` };

  /** Returns the last message of a response: `{result}` or `{error}`. */
  const request = async (method, params = {}) => {
    const name = params.taskId && { "mcp-name": params.taskId };
    const headers = { ...authorization, ...name };
    return (await ask(url, method, { ...params, _meta: { ..._meta, ...params._meta } }, { headers })).at(-1).message;
  };
  const result = async (method, params) => {
    const { result, error } = await request(method, params);
    assert.equal(error, undefined, `${method} ${JSON.stringify(params)}`);
    return result;
  };
  const client = {
    request,
    result,
    call: (name, args = {}, more = {}) => result("tools/call", { name, arguments: args, ...more }),
    get: (taskId) => result("tasks/get", { taskId }),
    update: (taskId, inputResponses) => result("tasks/update", { taskId, inputResponses }),
    cancel: (taskId) => result("tasks/cancel", { taskId }),
    query: async (filter = {}, more = {}) => result(QUERY, { filter, ...more }),
    /** Returns every task that matches a filter, from all pages. */
    async all(filter) {
      const tasks = [];
      for (let cursor; ; ) {
        const page = await client.query(filter, cursor === undefined ? {} : { cursor });
        tasks.push(...page.tasks);
        cursor = page.nextCursor;
        if (cursor === undefined) return tasks;
      }
    },
    /** Returns the task once `holds` accepts it. Requests are retried while the server does not answer. */
    async until(taskId, holds) {
      const late = Date.now() + WAIT_MS;
      for (let seen; ; ) {
        const task = await again(() => client.get(taskId));
        assert.ok(
          seen === undefined || Date.parse(task.lastUpdatedAt) >= Date.parse(seen),
          "time does not run backwards",
        );
        seen = task.lastUpdatedAt;
        if (holds(task)) return task;
        assert.ok(!ENDED.includes(task.status), JSON.stringify(task));
        assert.ok(Date.now() < late, `still ${JSON.stringify(task)}`);
        await sleep(20);
      }
    },
    ended: (taskId) => client.until(taskId, ({ status }) => ENDED.includes(status)),
    asked: (taskId) => client.until(taskId, ({ status }) => status === "input_required"),
  };
  return client;
}

/** Repeats an action until the server answers. */
export async function again(does) {
  const late = Date.now() + WAIT_MS;
  for (;;) {
    try {
      return await does();
    } catch (problem) {
      if (problem instanceof assert.AssertionError || Date.now() > late) throw problem;
      await sleep(20);
    }
  }
}

/** The answer to the question of `import_issues`. */
export const yes = { confirm: { action: "accept", content: { proceed: true } } };

/** Runs Python code on the storage that has the task `id`, with the variables `db` and `id`. */
export function editTasks(persist, id, python) {
  const folder = readdirSync(persist).find((name) => name.endsWith("TasksObject"));
  const program = `
import sqlite3, sys, glob, json
id = sys.argv[2]
for path in glob.glob(sys.argv[1] + "/*.sqlite"):
    db = sqlite3.connect(path)
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'tasks'").fetchone(): continue
    if not db.execute("SELECT 1 FROM tasks WHERE id = ?", (id,)).fetchone(): continue
${python
  .split("\n")
  .map((line) => `    ${line}`)
  .join("\n")}
    db.commit(); db.close(); print("edited")
`;
  assert.match(String(execFileSync("python3", ["-c", program, join(persist, folder), id])), /edited/);
}
