// Tasks: the filter of SEP-1904 behind servers that do not have it, and before servers that ask.
import { TaskQuery } from "../../dist/sieve.js";
import { SieveError, freed, jsonOf, refusal, textOf } from "./error.js";
import { initialised } from "./sieve.js";

const PARAMS = "the parameters of a list of tasks, or a filter of them, as an object or JSON text";
/** Tasks on one page of a registry, unless it says otherwise. */
const PAGE = 50;

export class TaskFilter {
  #query;
  #description;

  constructor(filter) {
    initialised("new TaskFilter");
    const params = textOf(filter ?? {}, "filter_type", PARAMS);
    try {
      this.#query = new TaskQuery(params);
    } catch (error) {
      throw refusal(error);
    }
  }

  /** What a server would have listed that serves every criterion. */
  static apply(tasks, filter) {
    const compiled = new TaskFilter(filter);
    try {
      return compiled.apply(tasks);
    } finally {
      compiled.free();
    }
  }

  apply(tasks) {
    const query = this.#open();
    const text = jsonOf(tasks, "filter_type", "an array of tasks");
    try {
      return Array.from(query.select(text), (at) => tasks[at]);
    } catch (error) {
      throw refusal(error);
    }
  }

  get hash() { return this.#facts().hash; }
  get applied() { return this.#facts().applied; }
  get ignored() { return this.#facts().ignored; }

  /** In a request's `params.filter`. */
  toJSON() { return this.applied; }

  free() {
    this.#query?.free();
    this.#query = undefined;
  }

  #open() { return this.#query ?? freed("filter"); }
  #facts() { return this.#description ??= this.#open().describe(); }
}

if (Symbol.dispose) TaskFilter.prototype[Symbol.dispose] = TaskFilter.prototype.free;

/** The tasks that a host runs for a server, which may ask for them. */
export class TaskRegistry {
  #tasks = new Map();
  #page;

  constructor({ pageSize = PAGE } = {}) {
    if (!(Number.isInteger(pageSize) && pageSize > 0)) throw new SieveError("limit", "expected `pageSize` to be a whole number from 1");
    this.#page = pageSize;
  }

  /** What a client declares under `capabilities.tasks` whose lists are answered here. */
  static capability(methods = ["sampling/createMessage", "elicitation/create"]) {
    const both = { before: true, after: true };
    const order = { by: ["createdAt", "lastUpdatedAt"], direction: ["asc", "desc"] };
    return { list: { filter: { methods: [...methods], taskIds: true, status: true, createdAt: { ...both }, lastUpdatedAt: { ...both }, order } } };
  }

  get size() { return this.#tasks.size; }

  /** Keeps a task as it is now; `method` is that of the request it is of, told once. */
  set(task, method) {
    if (typeof task?.taskId !== "string") throw new SieveError("filter_type", "expected a task with a `taskId`");
    const known = this.#tasks.get(task.taskId);
    this.#tasks.set(task.taskId, { task, method: method ?? known?.method });
    return this;
  }

  get(taskId) { return this.#tasks.get(taskId)?.task; }
  delete(taskId) { return this.#tasks.delete(taskId); }

  /** The result of `tasks/list` with these parameters. */
  list(params = {}, now = Date.now()) {
    const filter = new TaskFilter(params);
    const { orderBy, order } = filter.applied;
    const alive = [...this.#tasks.values()].filter(({ task }) => !(Number.isFinite(task.ttl) && Date.parse(task.createdAt) + task.ttl <= now));
    const found = filter.apply(alive.map(({ task, method }) => (method === undefined ? task : { ...task, method })));
    const sign = order === "desc" ? -1 : 1;
    const place = (task) => Date.parse(task[orderBy]) * sign;
    let rest = found;
    let began = now;
    if (params.cursor !== undefined) {
      const cursor = opened(params.cursor, filter.hash);
      began = cursor.began;
      // Behind what was listed last, and nothing that has changed since the first page.
      const later = (task) => place(task) > cursor.at || (place(task) === cursor.at && task.taskId > cursor.id);
      rest = found.filter((task) => later(task) && place(task) * sign <= Math.max(began, cursor.at * sign));
    }
    const page = rest.slice(0, this.#page);
    const result = { tasks: page.map(({ taskId }) => this.#tasks.get(taskId).task) };
    const last = page.at(-1);
    if (rest.length > page.length) result.nextCursor = btoa(JSON.stringify({ hash: filter.hash, at: place(last), id: last.taskId, began }));
    return result;
  }
}

/** A cursor leads on in the list that it is of. It is no secret: a server sees no more with one that it made up. */
function opened(cursor, hash) {
  let read;
  try {
    read = JSON.parse(atob(cursor));
  } catch {
    // What is no JSON is no cursor.
  }
  if (typeof read?.hash !== "string" || typeof read.id !== "string" || !Number.isFinite(read.at) || !Number.isFinite(read.began)) {
    throw new SieveError("invalid_cursor", "cursor: not a cursor of this registry", { path: "cursor" });
  }
  if (read.hash !== hash) {
    throw new SieveError("cursor_filter_mismatch", "cursor: the cursor belongs to another filter or order; start again without it", { path: "cursor" });
  }
  return read;
}
