// Reads, answers and cancels tasks of other callers, and injects SQL into filters of tasks.
import { taskClient, tokens } from "../../support/tasks.mjs";
import { parallel } from "../parallel.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "tasks of other callers";

const LETTERS = [..."ABCDEFabcdef0123456789-_"];
const SQL = [
  "' OR 1=1 --",
  "completed' OR '1'='1",
  '"; DROP TABLE tasks; --',
  "%",
  "_",
  "*",
  "completed') UNION SELECT * FROM tasks --",
  "\u0000",
  "completed\\' OR 1=1",
];
const COUNT = [12, 600];

export async function* attempt(stage, size, random) {
  const started = await stage.workers([
    {
      name: "tracker",
      env: { SIEVE_TOKENS: tokens("alice", "bob") },
      config: { policies: [{ name: "no imports for bob", show: "-name:import_issues or claim.sub:alice" }] },
    },
  ]);
  const mcp = `${started.urls.tracker}/mcp`;
  const [alice, bob, stranger] = ["alice", "bob", undefined].map((person) => taskClient(mcp, person));
  const { taskId } = await alice.call("import_issues", {
    issues: [{ title: "TOP SECRET" }, { title: "b" }, { title: "c" }],
    batch: 1,
  });
  const own = await alice.get(taskId);
  yield control("alice gets her task", own.taskId === taskId, own);
  const found = await alice.query();
  yield control("alice finds her task", JSON.stringify(found).includes(taskId), found);
  const flip = () => {
    const at = random.below(taskId.length);
    return `${taskId.slice(0, at)}${random.pick(LETTERS.filter((letter) => letter !== taskId[at]))}${taskId.slice(at + 1)}`;
  };
  const others = { bob, "a stranger": stranger };
  const requests = [];
  for (const [who, client] of Object.entries(others)) {
    for (const method of [
      "tasks/get",
      "tasks/result",
      "tasks/cancel",
      "tasks/update",
      "tasks/list",
      "dev.mcpsieve/tasks/query",
    ]) {
      for (const params of [
        { taskId },
        { taskId: `${taskId} ` },
        { taskId: taskId.toUpperCase() },
        { taskId: [taskId] },
        { taskId, _meta: { sub: "alice" } },
        { taskId, inputResponses: { proceed: { action: "accept" } } },
        { taskId, owner: "alice" },
      ])
        requests.push([who, client, method, params]);
    }
    for (const text of SQL) {
      for (const filter of [
        { status: [text] },
        { method: text },
        { createdAfter: text },
        { orderBy: text },
        { taskId: text },
        { name: text },
      ])
        requests.push([who, client, "dev.mcpsieve/tasks/query", { filter }]);
      requests.push(
        [who, client, "tasks/get", { taskId: text }],
        [who, client, "dev.mcpsieve/tasks/query", { cursor: text }],
      );
    }
    requests.push([who, client, "tools/call", { name: "import_issues", arguments: { issues: [] } }]);
  }
  for (let left = COUNT[size]; left > 0; left -= 1)
    requests.push(["alice", alice, random.pick(["tasks/get", "tasks/cancel"]), { taskId: flip() }]);
  yield* parallel(requests, async ([who, client, method, params]) => {
    const message = await client.request(method, params).catch((error) => ({ error: String(error) }));
    const leaked =
      JSON.stringify(message.result ?? {}).includes("SECRET") ||
      (who !== "alice" && JSON.stringify(message.result ?? {}).includes(taskId)) ||
      (method !== "tools/call" &&
        params.taskId !== undefined &&
        message.result !== undefined &&
        !method.endsWith("query") &&
        method !== "tasks/list");
    return tried(`${who}: ${method} ${JSON.stringify(params)}`, !leaked, message);
  });
  const after = await alice.get(taskId);
  yield tried("the task of alice after all this", !["cancelled", "failed"].includes(after.status), after);
}
