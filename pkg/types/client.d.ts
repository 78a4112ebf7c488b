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
  /** The host's configuration of concerns when the client connects; {@link Wrapped.updateConcerns} replaces it. */
  readonly concerns?: ConcernConfiguration;
  /**
   * Where a person's own tags are kept. A filter that names one is always applied here: own tags are sent to no server.
   */
  readonly preferences?: Pick<Preferences, "tags">;
}

/** What of a configuration of concerns has an effect. */
export interface EffectiveConcerns {
  readonly concerns: ConcernConfiguration;
  /** Entries without an effect, such as a concern that is not declared; absent if there are none. */
  readonly ignored?: readonly Ignored[];
}

/** A list that changed. `resources` stands for resource templates too. */
export interface ListChange {
  readonly list: "tools" | "resources" | "prompts" | "groups" | "tags" | "concerns";
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

/** `connect`, with the host's configuration of concerns among its options. */
type Connecting<Method> = Method extends (transport: infer Transport, options?: infer Options) => infer Result
  ? (transport: Transport, options?: Options & { readonly concerns?: ConcernConfiguration }) => Result
  : Method;

/** The client, its lists filtered. */
export type Wrapped<Client extends McpClient> = Omit<
  Client,
  "listTools" | "listResources" | "listResourceTemplates" | "listPrompts" | "listTasks" | "connect"
> & {
  /**
   * Connects the client. The configuration of concerns, if there is one, goes into the notification `initialized`; in the
   * stateless revision, which has none, into each request for a list.
   */
  readonly [Method in Extract<keyof Client, "connect">]: Connecting<Client[Method]>;
} & {
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
   * Returns the declared concerns (#1936): those of the server, from its capabilities or by `listConcerns`. For a server
   * that does not implement concerns, those of `config`, or else those whose values primitives carry in `_meta`.
   */
  listConcerns(options?: any): Promise<{ concerns: readonly Concern[] }>;
  /**
   * Replaces the host's configuration of concerns, for all lists that follow. A server that implements concerns is sent
   * it. For any other, this package applies it to the lists. Returns the same either way.
   * @throws {SieveError} `filter_type`, `filter_limit` or `concern_value` for a configuration that is refused, which
   * changes nothing; `capability` if the server implements concerns without `updateConcerns`
   */
  updateConcerns(concerns: ConcernConfiguration, options?: any): Promise<EffectiveConcerns>;
  /**
   * Calls `listener` after each `notifications/…/list_changed` of the server, and after {@link Wrapped.updateConcerns} unless
   * the server sends notifications of that itself. Lists that were kept are dropped before. Handlers that the host sets on
   * its client stay. In the stateless revision, the first listener opens one subscription, and the last one closes it.
   * @returns a function that removes the listener
   */
  onChange(listener: (change: ListChange) => void): () => void;
  /**
   * All that the server lists, compiled, to be asked here as often as you like; without a `config` of yours under what it
   * declares: groups and tags with their titles, concerns with their defaults. Of a server that filters by concerns each
   * value is asked for once, since that is how it shows which primitive has it. The lists are kept until the server says that one changed, for as long as their `ttlMs`, or for a
   * minute if they have none; lists of a server that says neither are fetched each time. Yours to free.
   */
  catalog(options?: any): Promise<Sieve>;
};

/**
 * The same client, with filters: `client.listTools({ filter: { groups: ["issues"] } })`. A server that says that it
 * filters is asked to; for any other its whole list is fetched and filtered here, and
 * `_meta["dev.mcpsieve/filter"].by` of the result says `"client"`. Everything else is the client's own.
 */
export function wrapClient<Client extends McpClient>(client: Client, options?: WrapOptions): Wrapped<Client>;

/** One of several servers, and its client. The other members are those of {@link ServerLists}. */
export interface ServerClient extends Omit<ServerLists, "lists"> {
  readonly client: McpClient;
}

/** The state of a server, as the gateway reports it. */
export interface ServerState {
  readonly name: string;
  /** `stale` if the server cannot be listed and its last lists stay; `down` if it has never been listed. */
  readonly status: "ok" | "stale" | "down";
  /** When it first could not be listed, as an ISO 8601 timestamp. */
  readonly since?: string;
  /** The last failure, in words. */
  readonly error?: string;
}

/** The options of {@link wrapClients}. */
export interface WrapClientsOptions {
  /** The configuration of the catalog. By default the groups, tags and concerns that the servers declare. */
  readonly config?: Config | string;
  /** The filter of lists that are asked for without one. */
  readonly filter?: FilterInput | Filter;
  /**
   * Maximum number of milliseconds for which a list waits for a server. Lists that arrive later are announced to the
   * listeners of {@link WrappedClients.onChange}.
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
  /** For lists that are asked for without one. */
  filter: FilterInput | Filter | undefined;
  /** Each returns the whole list of all servers, filtered here. */
  listTools(params?: ListParams, options?: any): Promise<{ tools: any[]; _meta: ListMeta }>;
  listResources(params?: ListParams, options?: any): Promise<{ resources: any[]; _meta: ListMeta }>;
  listResourceTemplates(params?: ListParams, options?: any): Promise<{ resourceTemplates: any[]; _meta: ListMeta }>;
  listPrompts(params?: ListParams, options?: any): Promise<{ prompts: any[]; _meta: ListMeta }>;
  /** What is about these words, over all servers: as {@link Sieve.search}. */
  search(words: string, query?: SearchOptions, options?: any): Promise<Match[]>;
  /**
   * Each calls the server that has the tool, prompt or resource, under the name that the server knows. The other arguments
   * are those of the client.
   * @throws an error with the code -32602 for what no server lists
   */
  callTool(params: { name: string; arguments?: any; [member: string]: unknown }, ...more: any[]): Promise<any>;
  getPrompt(params: { name: string; arguments?: any; [member: string]: unknown }, ...more: any[]): Promise<any>;
  readResource(params: { uri: string; [member: string]: unknown }, ...more: any[]): Promise<any>;
  complete(params: { ref: any; argument: any; [member: string]: unknown }, ...more: any[]): Promise<any>;
  /** All that the servers list, compiled. Yours to free. */
  catalog(options?: any): Promise<Sieve>;
  /** How each server stood when it was last asked. */
  servers(): ServerState[];
  /**
   * Calls `listener` after each `notifications/…/list_changed` of a server, whose lists alone are fetched again, and when
   * lists arrive that were late. Returns a function that ends this.
   */
  onChange(listener: (change: ListChange & { readonly server: string }) => void): () => void;
  /** Closes every client. */
  close(): Promise<void>;
}

/**
 * The clients of several servers as one: lists, searches and filters over all of them, and calls at the server that has
 * the tool. Names that two servers list are told apart by their prefixes, as in the gateway. A server that fails takes no other
 * away.
 * @throws {SieveError} `client`, `invalid_option`, and the codes of {@link Sieve.compile}
 */
export function wrapClients(clients: readonly ServerClient[], options?: WrapClientsOptions): WrappedClients;

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
