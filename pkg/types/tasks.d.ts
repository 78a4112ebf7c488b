/// <reference lib="esnext.disposable" />
import type { ConcernValue, Expression, WantedRange } from "./config.js";
import type { Ignored, UnknownName } from "./filter.js";

/** A task in the format of either protocol era. */
export interface Task {
  readonly taskId: string;
  readonly status: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly statusMessage?: string;
  /** Lifetime in milliseconds from its creation (2025-11-25). */
  readonly ttl?: number | null;
  /** The method of its request, if it is known. Criteria on methods do not apply to tasks without it. */
  readonly method?: string;
  readonly [member: string]: unknown;
}

/** The criteria and order of a task list (SEP-1904). All criteria must hold; of an array, any value. */
export interface TaskFilterInput {
  /** Methods of the tasks' requests, such as `tools/call`. */
  readonly methods?: readonly string[] | null;
  readonly taskIds?: readonly string[] | null;
  /** `working`, `input_required`, `completed`, `failed`, `cancelled`. */
  readonly status?: readonly string[] | null;
  /** Times of ISO 8601 with their offset (`2026-07-28T10:00:00Z`, `20260728T100000Z`, `2026-W31-2`), or dates. Bounds are not included. */
  readonly createdAfter?: string | null;
  readonly createdBefore?: string | null;
  readonly lastUpdatedAfter?: string | null;
  readonly lastUpdatedBefore?: string | null;
  /** The sort key. Tasks with equal keys are ordered by their ids. @default "lastUpdatedAt" */
  readonly orderBy?: "createdAt" | "lastUpdatedAt" | null;
  /** The direction of the order. @default "desc" */
  readonly order?: "asc" | "desc" | null;
  readonly concerns?: { readonly [name: string]: ConcernValue | readonly ConcernValue[] | WantedRange | null } | null;
  /** A condition on `status`, `method`, `taskId`, `createdAt`, `lastUpdatedAt`, `description`, `concern.NAME`. */
  readonly where?: string | Expression | null;
}

/** The parameters of `tasks/list`: the filter in `filter`, or its fields beside it. */
export interface TaskListParams extends TaskFilterInput {
  readonly filter?: TaskFilterInput | null;
  readonly cursor?: string | null;
}

/**
 * A filter of tasks, for servers that support only some criteria or none. It filters and orders the tasks that they list.
 */
export class TaskFilter {
  /**
   * @param filter the filter, the parameters that hold it, or either as JSON text
   * @throws {SieveError} `json`, `filter_field`, `filter_type`, `filter_limit`, `time_format` or `expression`
   */
  constructor(filter?: TaskListParams | string | null);
  /** Returns the tasks that match, in the filter's order, as a server with support for every criterion does. */
  static apply<T extends Task>(tasks: readonly T[], filter?: TaskListParams | string | null): T[];
  /** As {@link TaskFilter.apply}, for more than one list. */
  apply<T extends Task>(tasks: readonly T[]): T[];
  readonly hash: string;
  readonly applied: TaskFilterInput;
  readonly ignored: readonly Ignored[];
  /** The names that match no task, such as an unknown status. */
  readonly unknown: readonly UnknownName[];
  toJSON(): TaskFilterInput;
  /** Frees the memory. Freeing twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
}

/**
 * The tasks that a host runs for a server, such as sampling and elicitation. It answers the server's `tasks/list` with the same
 * filter, in pages.
 */
export class TaskRegistry {
  /** @param options `pageSize`: tasks on one page, 50 by default */
  constructor(options?: { readonly pageSize?: number });
  /**
   * Returns the members of `capabilities.tasks` to declare, besides the requests that may become tasks. `methods` are those of
   * these requests: sampling and elicitation by default.
   */
  static capability(methods?: readonly string[]): { readonly list: { readonly filter: object } };
  readonly size: number;
  /** Stores the current state of a task. `method`, the method of its request, is needed only the first time. */
  set(task: Task, method?: string): this;
  get(taskId: string): Task | undefined;
  delete(taskId: string): boolean;
  /**
   * Answers the `tasks/list` requests of the server to which a client of the official SDK is connected, with
   * {@link TaskRegistry.list}. The client's other handlers stay.
   * @returns a function that ends this
   */
  serve(client: { fallbackRequestHandler?: unknown }): () => void;
  /**
   * Returns the result of `tasks/list`. `now`, in milliseconds since 1970, decides which tasks have expired; `Date.now()` by default.
   * @throws {SieveError} as {@link TaskFilter}; `invalid_cursor`, `cursor_filter_mismatch`
   */
  list(params?: TaskListParams, options?: { readonly now?: number }): { tasks: Task[]; nextCursor?: string };
}
