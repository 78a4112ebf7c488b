import type {
  AppliedFilter,
  Config,
  Filter,
  FilterInput,
  Ignored,
  QueryOptions,
  Sieve,
  Task,
  TaskFilterInput,
} from "./index.js";

/** As much of a client as this needs: `Client` of `@modelcontextprotocol/sdk` and of `@modelcontextprotocol/client`. */
export interface McpClient {
  listTools(params?: any, options?: any): Promise<{ tools: object[]; nextCursor?: string | undefined }>;
  getServerCapabilities(): object | undefined;
}

export interface WrapOptions {
  /** For lists that are asked for without one. */
  readonly filter?: FilterInput | Filter;
  /** What a filter here knows beyond what the server says: groups, tags and rules of `sieve.jsonc`. */
  readonly config?: Config | string;
  /** Who filters: `"auto"` (unless given) has the server do what it says that it can, and does the rest here. */
  readonly by?: "auto" | "server" | "client";
}

/** What a list says of the filter that it went through. */
export interface FilterReport {
  readonly applied: AppliedFilter;
  readonly ignored: readonly Ignored[];
  /** How many there are for this caller, and how many of them the filter leaves. */
  readonly total: number;
  readonly matched: number;
  /** Where the server did not do it. */
  readonly by?: "client";
}

/** What a list of tasks says of the filter that it went through. */
export interface TaskReport {
  readonly applied: TaskFilterInput;
  readonly ignored: readonly Ignored[];
  readonly matched: number;
  /** How many tasks the server sent, if the filter was applied here. */
  readonly total?: number;
  readonly by: "server" | "client";
}

/** A list as it comes, with the report where there was a filter. */
export type Filtered<Result> = Result & { readonly _meta?: { readonly "dev.mcpsieve/filter"?: FilterReport } };

/** A method that lists, with a filter among its parameters. */
type Filtering<Method> = Method extends (params?: infer Params, ...rest: infer Rest) => Promise<infer Result>
  ? (params?: Params & { filter?: FilterInput | Filter | string }, ...rest: Rest) => Promise<Filtered<Result>>
  : Method;

/** The client, its lists filtered. */
export type Wrapped<Client extends McpClient> = Omit<
  Client,
  "listTools" | "listResources" | "listResourceTemplates" | "listPrompts" | "listTasks"
> & {
  readonly [Method in Extract<
    keyof Client,
    "listTools" | "listResources" | "listResourceTemplates" | "listPrompts"
  >]: Filtering<Client[Method]>;
} & {
  /** For lists that are asked for without one; may be set anew at any time. */
  filter: FilterInput | Filter | undefined;
  /** Who would do this filter, or the usual one: the server if it says that it can, and otherwise this side. */
  filteredBy(filter?: FilterInput | Filter): "server" | "client";
  /**
   * `groups/list` of the server.
   * @throws {SieveError} `capability` where it does not say that it has any
   */
  listGroups(
    params?: { parent?: string | null; counts?: boolean },
    options?: any,
  ): Promise<{ groups: { name: string; title?: string; description?: string }[] }>;
  /** `tags/list` of the server. */
  listTags(params?: { counts?: boolean }, options?: any): Promise<{ tags: { name: string; description?: string }[] }>;
  /**
   * Lists the server's tasks that a filter keeps, in its order (SEP-1904). Only criteria that the server declares are
   * sent. If it declares all of them, the result is its page. Otherwise every page is fetched, and the tasks are filtered
   * and ordered here; `_meta["dev.mcpsieve/filter"].by` says `"server"` or `"client"`.
   * @throws {SieveError} `capability` if the server declares no `tasks.list`; as {@link TaskFilter} for the filter
   */
  listTasks(
    params?: { filter?: TaskFilterInput | string | null; cursor?: string },
    options?: any,
  ): Promise<{ tasks: Task[]; nextCursor?: string; _meta?: { readonly "dev.mcpsieve/filter"?: TaskReport } }>;
  /**
   * All that the server lists, compiled, to be asked here as often as you like; without a `config` of yours under what it
   * declares: groups and tags with their titles, concerns with their defaults. Of a server that filters by concerns each
   * value is asked for once, since that is how it shows which primitive has it. Yours to free.
   */
  catalog(options?: any): Promise<Sieve>;
};

/**
 * The same client, with filters: `client.listTools({ filter: { groups: ["issues"] } })`. A server that says that it
 * filters is asked to; for any other its whole list is fetched and filtered here, and
 * `_meta["dev.mcpsieve/filter"].by` of the result says `"client"`. Everything else is the client's own.
 */
export function wrapClient<Client extends McpClient>(client: Client, options?: WrapOptions): Wrapped<Client>;

/**
 * The tools that a filter leaves, of tools in another library's shape: an object by name, as the `tools` of the AI SDK, or an
 * array of things with a `name`, as those of `use-mcp`.
 */
export function filterTools<Tool extends { name: string }>(
  tools: readonly Tool[],
  sieve: Sieve,
  options?: Pick<QueryOptions, "filter">,
): Tool[];
export function filterTools<Tools extends Record<string, unknown>>(
  tools: Tools,
  sieve: Sieve,
  options?: Pick<QueryOptions, "filter">,
): string extends keyof Tools ? Tools : Partial<Tools>;
