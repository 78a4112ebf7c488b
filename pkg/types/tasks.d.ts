/// <reference lib="esnext.disposable" />
import type { ConcernValue, Expression, WantedRange } from "./config.js";
import type { Ignored } from "./filter.js";

/** A task as a server shows it, in either era's shape. */
export interface Task {
  readonly taskId: string;
  readonly status: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly statusMessage?: string;
  /** Milliseconds from its creation for which it is kept (2025-11-25). */
  readonly ttl?: number | null;
  /** The request that it is of, where that is known. What does not say is not asked. */
  readonly method?: string;
  readonly [member: string]: unknown;
}

/** Which tasks a list is to hold, and in which order (SEP-1904). All criteria must hold; of an array, any value. */
export interface TaskFilterInput {
  /** Requests that tasks are of: `tools/call`. */
  readonly methods?: readonly string[] | null;
  readonly taskIds?: readonly string[] | null;
  /** `working`, `input_required`, `completed`, `failed`, `cancelled`. */
  readonly status?: readonly string[] | null;
  /** Times of ISO 8601 with their offset (`2026-07-28T10:00:00Z`, `20260728T100000Z`, `2026-W31-2`), or dates. Bounds are not included. */
  readonly createdAfter?: string | null;
  readonly createdBefore?: string | null;
  readonly lastUpdatedAfter?: string | null;
  readonly lastUpdatedBefore?: string | null;
  /** `lastUpdatedAt`, unless it says otherwise. Equals are ordered by their ids. */
  readonly orderBy?: "createdAt" | "lastUpdatedAt" | null;
  /** `desc`, unless it says otherwise. */
  readonly order?: "asc" | "desc" | null;
  readonly concerns?: { readonly [name: string]: ConcernValue | readonly ConcernValue[] | WantedRange | null } | null;
  /** A condition on `status`, `method`, `taskId`, `createdAt`, `lastUpdatedAt`, `description`, `concern.NAME`. */
  readonly where?: string | Expression | null;
}

/** The parameters of `tasks/list`: the filter in `filter`, or its fields beside it. */
export interface TaskListParams extends TaskFilterInput {
  readonly filter?: TaskFilterInput | null;
  readonly cursor?: string;
}

/**
 * A filter of tasks, for lists of servers that filter by less than was asked, or not at all: what they list is
 * filtered and ordered again.
 */
export class TaskFilter {
  /**
   * @param filter the filter, the parameters that hold it, or either as JSON text
   * @throws {SieveError} `json`, `filter_type`, `filter_limit`, `time_format` or `expression`
   */
  constructor(filter?: TaskListParams | string | null);
  /** The tasks that a server would have listed that serves every criterion, in its order. */
  static apply<T extends Task>(tasks: readonly T[], filter?: TaskListParams | string | null): T[];
  /** As {@link TaskFilter.apply}, for more than one list. */
  apply<T extends Task>(tasks: readonly T[]): T[];
  readonly hash: string;
  readonly applied: TaskFilterInput;
  readonly ignored: readonly Ignored[];
  toJSON(): TaskFilterInput;
  /** Gives its memory back. Twice is once. */
  free(): void;
  [Symbol.dispose](): void;
}

/**
 * The tasks that a host runs for a server: sampling, elicitation. It answers the server's `tasks/list` by the same
 * filter, in pages.
 */
export class TaskRegistry {
  /** @param options `pageSize`: tasks on one page, 50 unless it says otherwise */
  constructor(options?: { readonly pageSize?: number });
  /** What to declare under `capabilities.tasks`, beside the requests that may be tasks. */
  static capability(methods?: readonly string[]): { readonly list: { readonly filter: object } };
  readonly size: number;
  /** Keeps a task as it is now. The method of its request is told once. */
  set(task: Task, method?: string): this;
  get(taskId: string): Task | undefined;
  delete(taskId: string): boolean;
  /**
   * Answers the `tasks/list` requests of the server that a client of the official SDK is connected to, with
   * {@link TaskRegistry.list}. Requests that another handler of the client serves stay with it.
   * @returns a function that stops this
   */
  serve(client: { fallbackRequestHandler?: unknown }): () => void;
  /**
   * The result of `tasks/list`. `now`, in milliseconds since 1970, decides which tasks have expired; `Date.now()` unless given.
   * @throws {SieveError} as {@link TaskFilter}; `invalid_cursor`, `cursor_filter_mismatch`
   */
  list(params?: TaskListParams, options?: { readonly now?: number }): { tasks: Task[]; nextCursor?: string };
}
