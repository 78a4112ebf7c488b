// @ts-check
// The tasks of a server, filtered by the server as far as it says that it can, and here for the rest (SEP-1904).
import { pagesOf } from "./pages.js";
import { unknownIn, whole } from "./server-lists.js";
import { SieveError } from "../core/error.js";
import { TaskFilter } from "../core/tasks.js";

const EXTENSION = "dev.mcpsieve/tasks";
const REPORT = "dev.mcpsieve/filter";

/** Criteria of the proposal: what the capability says of each. */
const CRITERIA = {
  methods: (served, methods) => Array.isArray(served.methods) && methods.every((name) => served.methods.includes(name)),
  taskIds: (served) => served.taskIds === true,
  status: (served) => served.status === true,
  createdAfter: (served) => served.createdAt?.after === true,
  createdBefore: (served) => served.createdAt?.before === true,
  lastUpdatedAfter: (served) => served.lastUpdatedAt?.after === true,
  lastUpdatedBefore: (served) => served.lastUpdatedAt?.before === true,
  orderBy: (served, by) => served.order?.by?.includes(by) === true,
  order: (served, direction) => served.order?.direction?.includes(direction) === true,
};
const ORDER = ["orderBy", "order"];

/**
 * Lists the tasks of a server: `params.filter` keeps, and orders, what it says. Only criteria that the server declares
 * are sent. If it declares all of them, the result is its page; otherwise the result has every task, filtered and
 * ordered here. Tasks that a server sends although they do not match are left out.
 * @param {any} client
 * @param {{ filter?: any, cursor?: string } & Record<string, unknown>} [params]
 * @param {any} [options] of the client's `request`
 * @throws {SieveError} `capability` if the server lists no tasks
 */
export async function listTasks(client, params = {}, options) {
  const { filter, cursor, ...rest } = params;
  const { method, served } = declaredBy(client);
  const local = new TaskFilter(typeof filter === "string" ? `{"filter":${filter}}` : { filter: filter ?? {} });
  try {
    const asked = typeof filter === "string" ? JSON.parse(filter) : filter;
    // The default order is no criterion of the caller.
    const wanted = Object.entries(local.applied).filter(([name]) => !ORDER.includes(name) || given(asked, name));
    const sendable = wanted.filter(([name, value]) => Object.hasOwn(CRITERIA, name) && CRITERIA[name](served, value));
    const sent = Object.fromEntries(sendable);
    const ask = (cursor) => {
      const params = { ...rest, ...(wanted.length > 0 && sendable.length > 0 && { filter: sent }) };
      return client.request({ method, params: cursor === undefined ? params : { ...params, cursor } }, whole, options);
    };
    if (wanted.length === 0) return await ask(cursor);
    if (sendable.length === wanted.length) {
      const page = await ask(cursor);
      // A server may send more tasks than match; their order is the server's.
      const kept = new Set(local.apply(page.tasks));
      const tasks = page.tasks.filter((task) => kept.has(task));
      const ordered = ORDER.every((name) => CRITERIA[name](served, local.applied[name]));
      const applied = ordered ? local.applied : Object.fromEntries(wanted);
      return reported(page, tasks, { applied, ignored: local.ignored, unknown: local.unknown }, "server");
    }
    if (cursor !== undefined)
      throw new SieveError("invalid_cursor", "cursor: a list that is filtered here has one page", { path: "cursor" });
    const found = [];
    for await (const page of pagesOf(ask, method)) found.push(page);
    const { nextCursor: _, ...first } = found[0];
    const all = found.flatMap((page) => page.tasks);
    return reported(first, local.apply(all), local, "client", all.length);
  } finally {
    local.free();
  }
}

/** The method that lists tasks, and the criteria that the server serves. */
function declaredBy(client) {
  const capabilities = client.getServerCapabilities?.();
  const ours = capabilities?.extensions?.[EXTENSION];
  if (typeof ours?.method === "string") return { method: ours.method, served: Object(ours.filter) };
  if (capabilities?.tasks?.list) return { method: "tasks/list", served: Object(capabilities.tasks.list.filter) };
  throw new SieveError("capability", "the server does not list tasks: it declares no `tasks.list`");
}

/** Whether a filter has a member, beside other parameters or under `filter`. */
const given = (filter, name) => (filter?.[name] ?? filter?.filter?.[name] ?? null) !== null;

/** The result with who filtered it. */
function reported(result, tasks, { applied, ignored, unknown }, by, total) {
  const report = {
    applied,
    ignored,
    ...unknownIn(unknown),
    matched: tasks.length,
    by,
    ...(total !== undefined && { total }),
  };
  return { ...result, tasks, _meta: { ...result._meta, [REPORT]: report } };
}
