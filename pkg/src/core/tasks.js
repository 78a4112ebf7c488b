// @ts-check
// The task filter of SEP-1904, for clients whose server does not support it, and for clients that run tasks themselves.
import { TaskQuery } from "../../dist/sieve.js";
import { SieveError, freed, jsonOf, refusal, textOf } from "./error.js";
import { initialised } from "./memory.js";
import { checkedOptions } from "./options.js";

const PARAMS = "the parameters of a list of tasks, or a filter of them, as an object or JSON text";
/** Tasks on one page of a registry, unless it says otherwise. */
const PAGE = 50;
const METHOD_NOT_FOUND = -32601;

/** A page of the tasks that a filter keeps, as the indices of its tasks: for the registry, which is no part of the filter. */
let pageOf;

export class TaskFilter {
  #query;
  #description;

  static {
    pageOf = (filter, tasks, { cursor: given, limit, now }) => {
      // Some clients write a cursor that they leave out as `null`.
      const cursor = given ?? undefined;
      if (cursor !== undefined && typeof cursor !== "string")
        throw new SieveError("invalid_cursor", "cursor: expected a string", { path: "cursor" });
      const query = filter.#open();
      try {
        return query.page(jsonOf(tasks, "filter_type", "an array of tasks"), cursor, limit, now);
      } catch (error) {
        throw refusal(error);
      }
    };
  }

  constructor(filter) {
    initialised("new TaskFilter");
    const params = textOf(filter ?? {}, "filter_type", PARAMS);
    try {
      this.#query = new TaskQuery(params);
    } catch (error) {
      throw refusal(error);
    }
  }

  /** Returns the tasks that a server with support for every criterion would list. */
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

  get hash() {
    return this.#facts().hash;
  }
  get applied() {
    return this.#facts().applied;
  }
  get ignored() {
    return this.#facts().ignored;
  }
  get unknown() {
    return this.#facts().unknown ?? [];
  }

  /** In a request's `params.filter`. */
  toJSON() {
    return this.applied;
  }

  free() {
    this.#query?.free();
    this.#query = undefined;
  }

  #open() {
    return this.#query ?? freed("filter");
  }
  #facts() {
    return (this.#description ??= this.#open().describe());
  }
}

if (Symbol.dispose) TaskFilter.prototype[Symbol.dispose] = TaskFilter.prototype.free;

/** The tasks that a host runs for a server, which may ask for them. */
export class TaskRegistry {
  #tasks = new Map();
  #page;

  constructor(options = {}) {
    const { pageSize = PAGE } = checkedOptions(options, ["pageSize"]);
    if (!(Number.isInteger(pageSize) && pageSize > 0))
      throw new SieveError("limit", "expected `pageSize` to be a whole number from 1");
    this.#page = pageSize;
  }

  /** Returns `capabilities.tasks` for a client whose task lists are answered here. */
  static capability(methods = ["sampling/createMessage", "elicitation/create"]) {
    initialised("TaskRegistry.capability");
    return { list: { filter: TaskQuery.capability(JSON.stringify([...methods])) } };
  }

  get size() {
    return this.#tasks.size;
  }

  /** Stores the current state of a task. `method` is the method of its request, and is needed only the first time. */
  set(task, method) {
    if (typeof task?.taskId !== "string") throw new SieveError("filter_type", "expected a task with a `taskId`");
    const known = this.#tasks.get(task.taskId);
    this.#tasks.set(task.taskId, { task, method: method ?? known?.method });
    return this;
  }

  get(taskId) {
    return this.#tasks.get(taskId)?.task;
  }
  delete(taskId) {
    return this.#tasks.delete(taskId);
  }

  /**
   * Answers the `tasks/list` requests of the server that `client`, of the official SDK, is connected to. Requests that
   * another handler serves stay with it. Returns a function that stops this.
   */
  serve(client) {
    const before = client.fallbackRequestHandler;
    let serving = true;
    const answer = async (request, ...rest) => {
      if (serving && request?.method === "tasks/list") return this.list(request.params);
      if (before) return before(request, ...rest);
      throw Object.assign(new Error("Method not found"), { code: METHOD_NOT_FOUND });
    };
    client.fallbackRequestHandler = answer;
    return () => {
      // A wrapper of the client returns another function than the one that was set.
      serving = false;
      if (client.fallbackRequestHandler === answer) client.fallbackRequestHandler = before;
    };
  }

  /** The result of `tasks/list` with these parameters. */
  list(params = {}, { now = Date.now() } = {}) {
    const filter = new TaskFilter(params);
    try {
      const tasks = [...this.#tasks.values()];
      const shown = tasks.map(({ task, method }) => (method === undefined ? task : { ...task, method }));
      const { indices, nextCursor } = pageOf(filter, shown, { cursor: params.cursor, limit: this.#page, now });
      return { tasks: indices.map((at) => tasks[at].task), ...(nextCursor !== undefined && { nextCursor }) };
    } finally {
      filter.free();
    }
  }
}
