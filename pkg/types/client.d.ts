import type {
  AppliedFilter,
  Concern,
  ConcernConfiguration,
  Config,
  Filter,
  FilterInput,
  Ignored,
  Match,
  Preferences,
  QueryOptions,
  SearchOptions,
  ServerLists,
  Sieve,
  Task,
  TaskFilterInput,
  UnknownName,
} from "./index.js";

/** The required members of a client, such as `Client` of `@modelcontextprotocol/sdk` and `@modelcontextprotocol/client`. */
export interface McpClient {
  listTools(params?: any, options?: any): Promise<{ tools: object[]; nextCursor?: string | undefined }>;
  getServerCapabilities(): object | undefined;
}

export interface WrapOptions {
  /** The filter of lists that are requested without one. */
  readonly filter?: FilterInput | Filter;
  /**
   * Groups, tags and rules for local filters, in addition to the server's declarations, as in `sieve.jsonc`. Tools and prompts
   * that it renames are called by their new names. It is not sent to a server that filters itself; `by: "client"` applies it
   * there too.
   */
  readonly config?: Config | string;
  /**
   * Where lists are filtered. `"auto"` uses the server for what it supports, and filters locally otherwise. Lists of a client that
   * is itself wrapped are filtered locally, so that the filter of the inner wrapper applies too. @default "auto"
   */
  readonly by?: "auto" | "server" | "client";
  /** The host's configuration of concerns when the client connects; {@link Wrapped.updateConcerns} replaces it. */
  readonly concerns?: ConcernConfiguration;
  /**
   * The preferences with a user's own tags. Filters that name one are always applied locally, since own tags are sent to no server.
   */
  readonly preferences?: Pick<Preferences, "tags">;
}

/** The part of a configuration of concerns that has an effect. */
export interface EffectiveConcerns {
  readonly concerns: ConcernConfiguration;
  /** Entries without an effect, such as a concern that is not declared; absent if there are none. */
  readonly ignored?: readonly Ignored[];
}

/** A list that changed. `resources` includes resource templates. */
export interface ListChange {
  readonly list: "tools" | "resources" | "prompts" | "groups" | "tags" | "concerns";
}

/** The report on the filter of a list. */
export interface FilterReport {
  readonly applied: AppliedFilter;
  readonly ignored: readonly Ignored[];
  /** The names in the filter that match nothing; absent if there are none. */
  readonly unknown?: readonly UnknownName[];
  /** The number of items that the caller can see, and the number of those that match the filter. */
  readonly total: number;
  readonly matched: number;
  /** Present if the filter was applied locally. */
  readonly by?: "client";
}

/** The report on the filter of a task list. */
export interface TaskReport {
  readonly applied: TaskFilterInput;
  readonly ignored: readonly Ignored[];
  /** The names in the filter that match no task; absent if there are none. */
  readonly unknown?: readonly UnknownName[];
  readonly matched: number;
  /** The number of tasks that the server sent, if the filter was applied locally. */
  readonly total?: number;
  readonly by: "server" | "client";
}

/** A list result, with a report if there was a filter. */
export type Filtered<Result> = Result & { readonly _meta?: { readonly "dev.mcpsieve/filter"?: FilterReport } };

/** A method that lists, with a filter among its parameters. */
type Filtering<Method> = Method extends (params?: infer Params, ...rest: infer Rest) => Promise<infer Result>
  ? (params?: Params & { filter?: FilterInput | Filter | string }, ...rest: Rest) => Promise<Filtered<Result>>
  : Method;

/** `connect`, with the host's configuration of concerns among its options. */
type Connecting<Method> = Method extends (transport: infer Transport, options?: infer Options) => infer Result
  ? (transport: Transport, options?: Options & { readonly concerns?: ConcernConfiguration }) => Result
  : Method;

/** A client with filtered lists. */
export type Wrapped<Client extends McpClient> = Omit<
  Client,
  "listTools" | "listResources" | "listResourceTemplates" | "listPrompts" | "listTasks" | "connect"
> & {
  /**
   * Connects the client. The configuration of concerns is sent in the notification `initialized`, or in each list request of the
   * stateless revision, which has no such notification.
   */
  readonly [Method in Extract<keyof Client, "connect">]: Connecting<Client[Method]>;
} & {
  readonly [Method in Extract<
    keyof Client,
    "listTools" | "listResources" | "listResourceTemplates" | "listPrompts"
  >]: Filtering<Client[Method]>;
} & {
  /** The filter of lists that are requested without one. It can be set at any time. */
  filter: FilterInput | Filter | undefined;
  /** Returns where this filter, or the default one, is applied: by the server if it supports it, otherwise locally. */
  filteredBy(filter?: FilterInput | Filter): "server" | "client";
  /**
   * `groups/list` of the server. For a server that does not filter, returns the groups of `config` and of its primitives, in
   * the same form.
   * @throws {SieveError} `capability` if the server filters without groups, or if there are none
   */
  listGroups(
    params?: { parent?: string | null; counts?: boolean },
    options?: any,
  ): Promise<{ groups: { name: string; title?: string; description?: string }[] }>;
  /** `tags/list` of the server, or the tags of `config` and of its primitives; as {@link Wrapped.listGroups}. */
  listTags(params?: { counts?: boolean }, options?: any): Promise<{ tags: { name: string; description?: string }[] }>;
  /**
   * Lists the server's tasks that match a filter (SEP-1904). Only criteria that the server declares are sent. If it declares all
   * of them, the result is its page, in its order unless it declares `order`. Otherwise every page is fetched, and the tasks are
   * filtered and ordered locally. `_meta["dev.mcpsieve/filter"]` says what was applied, and `by` `"server"` or `"client"`.
   * @throws {SieveError} `capability` if the server declares no `tasks.list`; as {@link TaskFilter} for the filter
   */
  listTasks(
    params?: { filter?: TaskFilterInput | string | null; cursor?: string },
    options?: any,
  ): Promise<{ tasks: Task[]; nextCursor?: string; _meta?: { readonly "dev.mcpsieve/filter"?: TaskReport } }>;
  /**
   * Returns the declared concerns (#1936): those of the server, from its capabilities or by `listConcerns`. For a server
   * that does not implement concerns, those of `config`, or else those with values in `_meta` of primitives.
   */
  listConcerns(options?: any): Promise<{ concerns: readonly Concern[] }>;
  /**
   * Replaces the whole configuration of concerns of the host for later lists: `{}` unsets all. `concerns` is the object of names
   * and values itself. It is sent, as `{ concerns }`, to servers that implement concerns, and otherwise
   * applied locally. The result is the same.
   * @throws {SieveError} `filter_type`, `filter_limit` or `concern_value` for an invalid configuration, which changes nothing;
   * `capability` if the server implements concerns without `updateConcerns`
   */
  updateConcerns(concerns: ConcernConfiguration, options?: any): Promise<EffectiveConcerns>;
  /**
   * Calls `listener` after each `notifications/…/list_changed` of the server, and after {@link Wrapped.updateConcerns} unless
   * the server itself sends notifications then. Cached lists are dropped first. The host's own handlers on the client stay. In
   * the stateless revision, the first listener opens one subscription, and removing the last one closes it. What a listener
   * throws, and why its promise rejects, is passed to the client's `onerror`.
   * @returns a function that removes the listener
   */
  onChange(listener: (change: ListChange) => unknown): () => void;
  /**
   * Returns a sieve of all lists of the server, which is yours to free. Without a `config`, the server's declared groups, tags
   * and concerns apply; declarations that cannot be used are passed to the client's `onerror`. If the server filters by concerns,
   * one list is requested for each value, since only this shows which primitives have the value. A server that implements
   * concerns by `updateConcerns` alone lists what its session selects. Lists are cached until the server announces a change: at
   * most for their `ttlMs`, or for a minute without one. Lists of servers with neither notifications nor `ttlMs` are fetched
   * each time.
   */
  catalog(options?: any): Promise<Sieve>;
};

/**
 * Adds filters to a client: `client.listTools({ filter: { groups: ["issues"] } })`. Servers that support filters do the
 * filtering. For all others the whole list is fetched and filtered locally, and `_meta["dev.mcpsieve/filter"].by` of the result
 * is `"client"`. All other methods are the client's own.
 */
export function wrapClient<Client extends McpClient>(client: Client, options?: WrapOptions): Wrapped<Client>;

/** A server and its client. The other members are those of {@link ServerLists}. */
export interface ServerClient extends Omit<ServerLists, "lists"> {
  readonly client: McpClient;
}

/** The state of a server, as the gateway reports it. */
export interface ServerState {
  readonly name: string;
  /** `stale` if the server cannot be listed and its last lists stay; `down` if it has never been listed. */
  readonly status: "ok" | "stale" | "down";
  /** Time of the first failure, as an ISO 8601 timestamp. */
  readonly since?: string;
  /** The message of the last failure. */
  readonly error?: string;
}

/** The options of {@link wrapClients}. */
export interface WrapClientsOptions {
  /** The configuration of the catalog. By default the groups, tags and concerns that the servers declare. */
  readonly config?: Config | string;
  /** The filter of lists that are requested without one. */
  readonly filter?: FilterInput | Filter;
  /**
   * Maximum time, in milliseconds, for which a list waits for a server. Lists that arrive later are announced to the listeners
   * of {@link WrappedClients.onChange}.
   * @default 10000
   */
  readonly listWaitMs?: number;
}

type ListParams = { filter?: FilterInput | Filter | string | null };
type ListMeta = {
  readonly "dev.mcpsieve/upstreams": readonly ServerState[];
  readonly "dev.mcpsieve/filter"?: FilterReport;
};

/** Several clients as one. */
export interface WrappedClients {
  /** The filter of lists that are requested without one. It can be set at any time. */
  filter: FilterInput | Filter | undefined;
  /** The methods return the whole list of all servers, filtered locally. */
  listTools(params?: ListParams, options?: any): Promise<{ tools: any[]; _meta: ListMeta }>;
  listResources(params?: ListParams, options?: any): Promise<{ resources: any[]; _meta: ListMeta }>;
  listResourceTemplates(params?: ListParams, options?: any): Promise<{ resourceTemplates: any[]; _meta: ListMeta }>;
  listPrompts(params?: ListParams, options?: any): Promise<{ prompts: any[]; _meta: ListMeta }>;
  /** Searches the primitives of all servers, as {@link Sieve.search} does. */
  search(words: string, query?: SearchOptions, options?: any): Promise<Match[]>;
  /**
   * The methods call the server that has the tool, prompt or resource, under its name on that server. The other arguments are
   * those of the client.
   * @throws an error with the code -32602 for names that no server lists
   */
  callTool(params: { name: string; arguments?: any; [member: string]: unknown }, ...more: any[]): Promise<any>;
  getPrompt(params: { name: string; arguments?: any; [member: string]: unknown }, ...more: any[]): Promise<any>;
  readResource(params: { uri: string; [member: string]: unknown }, ...more: any[]): Promise<any>;
  complete(params: { ref: any; argument: any; [member: string]: unknown }, ...more: any[]): Promise<any>;
  /** Returns a sieve of the lists of all servers, which is yours to free. */
  catalog(options?: any): Promise<Sieve>;
  /** Returns the state of each server at its last request. */
  servers(): ServerState[];
  /**
   * Calls `listener` after each `notifications/…/list_changed` of a server, and when late lists arrive. Only the lists of the
   * changed server are fetched again. What a listener throws, and why its promise rejects, is passed to the client's `onerror`.
   * @returns a function that removes the listener
   */
  onChange(listener: (change: ListChange & { readonly server: string }) => unknown): () => void;
  /** Closes every client. */
  close(): Promise<void>;
}

/**
 * Joins the clients of several servers. Lists, searches and filters cover all of them, and calls go to the server that has the
 * tool. Names that two servers list are distinguished by prefixes, as in the gateway. If a server fails, the others keep working.
 * @throws {SieveError} `client`, `invalid_option`, and the codes of {@link Sieve.compile}
 */
export function wrapClients(clients: readonly ServerClient[], options?: WrapClientsOptions): WrappedClients;

export interface FilterToolsOptions extends Pick<QueryOptions, "filter"> {
  /**
   * Returns the name that the server lists, from the name that the host has given: `(name) => name.replace(/^github__/, "")` for a
   * host that prefixes names. By default they are the same.
   */
  readonly originalName?: (name: string) => string;
}

/**
 * Filters tools in the format of another library: an object by name, such as the `tools` of the AI SDK, or an array of objects
 * with a `name`, such as those of `use-mcp`. Tools that the sieve does not have are left out.
 */
export function filterTools<Tool extends { name: string }>(
  tools: readonly Tool[],
  sieve: Sieve,
  options?: FilterToolsOptions,
): Tool[];
export function filterTools<Tools extends Record<string, unknown>>(
  tools: Tools,
  sieve: Sieve,
  options?: FilterToolsOptions,
): string extends keyof Tools ? Tools : Partial<Tools>;
