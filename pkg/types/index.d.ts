/// <reference lib="esnext.disposable" />
export { pick, wrapClient } from "./client.js";
export type { FilterReport, Filtered, McpClient, WrapOptions, Wrapped } from "./client.js";
import type { ConcernValue, Config, Expression } from "./config.js";
export type * from "./config.js";

/** The kinds of primitive, by the member of a list result that holds them. */
export type Kind = "tools" | "resources" | "resourceTemplates" | "prompts";

/** What a server answers to a list request. One object may hold several kinds. */
export interface ListResult {
  readonly tools?: readonly object[] | undefined;
  readonly resources?: readonly object[] | undefined;
  readonly resourceTemplates?: readonly object[] | undefined;
  readonly prompts?: readonly object[] | undefined;
  readonly nextCursor?: string | undefined;
  readonly _meta?: object | undefined;
}

/** A JSON-RPC response that carries a list result. */
export interface ListResponse {
  readonly result: ListResult;
  readonly jsonrpc?: string;
  readonly id?: string | number;
}

/**
 * A catalog's source: one list result, or several in order (pages of one list and lists of several kinds
 * may mix), or the same as JSON text or its UTF-8 bytes. Bytes are the fastest: nothing is parsed twice.
 */
export type Lists = ListResult | ListResponse | readonly (ListResult | ListResponse)[] | string | Uint8Array;

/** What is asked for. An absent field, an empty array and `null` ask for nothing. */
export interface FilterInput {
  /** Member of any of these groups. */
  readonly groups?: readonly string[] | null;
  /** Carries all of these tags. */
  readonly tags?: readonly string[] | null;
  /** For each concern any of the values. A primitive that says nothing about a concern matches every value. */
  readonly concerns?: Readonly<Record<string, ConcernValue | readonly ConcernValue[] | null>> | null;
  /** In none of these groups, carrying none of these tags. */
  readonly not?: { readonly groups?: readonly string[] | null; readonly tags?: readonly string[] | null } | null;
  /** Its name matches any of these: `*` is any run of characters, `?` any one; upper case is not lower case. */
  readonly namePatterns?: readonly string[] | null;
  /** Its URI, or a template's text, matches any of these. Tools and prompts are not asked. */
  readonly uriPatterns?: readonly string[] | null;
  /** Meets this expression, which reads no caller. */
  readonly where?: Expression | null;
  /**
   * Is about these words of a person, in any order: what {@link Sieve.search} finds without a limit, and what
   * is pinned. Considered is all that is visible, whatever the other fields leave of it. At most 2048 bytes.
   */
  readonly query?: string | null;
  /**
   * The best of what the rest leaves, of each kind: by `annotations.priority`, then by how well `query` fits, then
   * in the catalog's order.
   */
  readonly limit?: Limit | null;
  /** Members to write: `["title"]` keeps these, `["-outputSchema"]` leaves these out. What makes a primitive stays. */
  readonly fields?: readonly string[] | null;
  /** Asks the declared default of every concern that `concerns` does not name. */
  readonly applyDefaults?: boolean | null;
}

/** How much there is room for; whole numbers from 1. */
export interface Limit {
  /** Most primitives. */
  readonly count?: number | null;
  /** Most tokens of a model's context: what is too large for the rest makes room for what is smaller. */
  readonly tokens?: number | null;
}

/** The parameters of a URL: a `URLSearchParams`. */
export interface Parameters {
  getAll(name: string): string[];
  toString(): string;
}

/** A filter in canonical form: sorted, without repetition, without what has no effect. */
export interface AppliedFilter {
  readonly groups?: readonly string[];
  readonly tags?: readonly string[];
  readonly concerns?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly not?: { readonly groups?: readonly string[]; readonly tags?: readonly string[] };
  readonly namePatterns?: readonly string[];
  readonly uriPatterns?: readonly string[];
  /** The expression as text. */
  readonly where?: string;
  readonly query?: string;
  readonly limit?: { readonly count?: number; readonly tokens?: number };
  readonly fields?: readonly string[];
}

/** Part of a filter that had no effect. */
export interface Ignored {
  /** `groups[0]`, `concerns.cost`, or the name of an unknown field: `colour`, and `?page` in a URL. */
  readonly field: string;
  /** `unknown field`, `unknown group`, `unknown concern`, … */
  readonly reason: string;
  /** The field that was probably meant, where `field` looks misspelt. */
  readonly meant?: string;
}

/** A named set of primitives. */
export interface Group {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** The group it stands below: whatever is in this one is in that one too. */
  readonly parent?: string;
}

/** A label of primitives, as `tags/list` gives it. */
export interface Tag {
  readonly name: string;
  readonly description?: string;
}

/** A concern as it was declared: its answers, and the one that a host should preselect. */
export interface Concern {
  readonly name: string;
  readonly description?: string;
  readonly values: readonly string[] | { readonly min: number; readonly max: number; readonly step?: number };
  /** The listed values run from less to more. */
  readonly ordered?: boolean;
  readonly default?: ConcernValue;
}

/** What is not said in a configuration. */
export interface Options {
  /** Asked among the policies of the configuration, in one order. */
  readonly predicates?: readonly Predicate[];
}

/** A policy as a function: a primitive is visible only where every policy holds. */
export interface Predicate {
  /** To order predicates of one priority, and to name it in {@link Sieve.reports}. */
  readonly name: string;
  /** Higher is asked first; 0 unless given. */
  readonly priority?: number;
  /** The kinds it judges; all unless given. */
  readonly kinds?: readonly Kind[];
  /** Shows the primitive when `test` throws. Otherwise it is hidden; the error is reported either way. */
  readonly failOpen?: boolean;
  /** Whether the primitive is visible. It is asked once, while the catalog is compiled; it gives no promise. */
  test(primitive: Readonly<Record<string, any>>, context: PredicateContext): boolean;
}

/** What a predicate is told beside the primitive. */
export interface PredicateContext {
  readonly kind: Kind;
  /** The server it came from. */
  readonly server: string;
}

/** A primitive that was left out or repaired, or something else about one that deserves a look. */
export interface Report {
  readonly code:
    /** The protocol's schema rejects some primitives, and nothing was lost by repairing them. One report for each list. */
    | "repaired"
    /** The protocol's schema rejects it, so it was left out. */
    | "invalid"
    /** Clients of revisions before 2026-07-28 reject it, so a gateway does not show it to them. */
    | "modern"
    /** It is listed twice; the first is kept. */
    | "repeated"
    /** It was left out because another primitive has its name. */
    | "name_taken"
    /** Some of its groups, tags or concerns were ignored. */
    | "membership"
    /** A policy or predicate could not judge it. */
    | "undecided"
    /** The list has more reports than are kept; `problem` says how many. */
    | "more";
  /** `tool`, `resource`, `template` or `prompt`. */
  readonly kind: string;
  /** The primitive's name, or `#` and its place in the list; for a whole list its member, `tools`. */
  readonly name: string;
  readonly problem: string;
}

/** The first thing that kept a primitive from being shown. */
export type Reason =
  /** Nothing of that name is visible: what a policy hides cannot be told from what does not exist. */
  | { readonly rule: "unknown" }
  /** It is in none of the wanted groups, or lacks a wanted tag. */
  | { readonly rule: "groups" | "tags"; readonly wanted: readonly string[]; readonly found: readonly string[] }
  /** It is in a refused group, or carries a refused tag. */
  | { readonly rule: "not.groups" | "not.tags"; readonly wanted: readonly string[]; readonly found: readonly string[] }
  /** It has other values of a concern. */
  | {
      readonly rule: "concern";
      readonly concern: string;
      readonly wanted: readonly string[];
      readonly found: readonly string[];
    }
  /** It meets none of these parts of an expression, of which one was wanted; it has these values instead. */
  | {
      readonly rule: "namePatterns" | "uriPatterns" | "where";
      readonly wanted: readonly string[];
      readonly found: readonly string[];
    }
  /** It is not about these words, or about them far less than something else is. */
  | { readonly rule: "query"; readonly wanted: readonly [string]; readonly found: readonly [] }
  /** Others are better, and there is room for no more. */
  | { readonly rule: "limit"; readonly wanted: readonly string[]; readonly found: readonly string[] };

/** Whether a primitive is shown, and why not. */
export type Explanation =
  | { readonly shown: true; readonly reason: null }
  | { readonly shown: false; readonly reason: Reason };

/** Indices into the visible primitives of a kind, `0` to `size(kind) - 1`, ascending. */
export interface Selection {
  readonly count: number;
  readonly indices: Uint32Array;
}

/** Where to search, and for how much. */
export interface SearchOptions {
  /** Only what matches this. */
  readonly filter?: Filter | FilterInput | string | null;
  /** `"tools"` unless given. */
  readonly kind?: Kind;
  /** Most matches, 10 unless given; `Infinity` for all. */
  readonly limit?: number;
}

/** A primitive that a search found. */
export interface Match {
  /** Its place among the visible primitives of its kind, as in {@link Selection}. */
  readonly index: number;
  /** Its name; of a resource the `uri`, of a template the `uriTemplate`. */
  readonly name: string;
  /** How well it fits, from 0 to 1000, which would be a primitive that says nothing else. */
  readonly score: number;
}

/** What a list takes of a model's context, in tokens of the o200k vocabulary. */
export interface Tokens {
  readonly count: number;
  readonly exact: boolean;
}

/** Bytes over memory that is not shared, as `fetch` and `Response` take them. */
export type Bytes = ReturnType<Uint8Array["slice"]>;

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
  /** Times as RFC 3339 has them, with any offset, or dates. Bounds are not included. */
  readonly createdAfter?: string | null;
  readonly createdBefore?: string | null;
  readonly lastUpdatedAfter?: string | null;
  readonly lastUpdatedBefore?: string | null;
  /** `lastUpdatedAt`, unless it says otherwise. Equals are ordered by their ids. */
  readonly orderBy?: "createdAt" | "lastUpdatedAt" | null;
  /** `desc`, unless it says otherwise. */
  readonly order?: "asc" | "desc" | null;
  readonly concerns?: { readonly [name: string]: ConcernValue | readonly ConcernValue[] | null } | null;
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
   * The result of `tasks/list`.
   * @throws {SieveError} as {@link TaskFilter}; `invalid_cursor`, `cursor_filter_mismatch`
   */
  list(params?: TaskListParams, now?: number): { tasks: Task[]; nextCursor?: string };
}

/**
 * A compiled catalog. Immutable: compile it once, ask it many times.
 *
 * Wherever a filter is taken, a compiled {@link Filter} is the fastest. A plain object is turned into text
 * and looked up; the last few are remembered. No filter, or an empty one, selects everything visible.
 * Answers are in the order in which the lists had the primitives, always.
 */
export class Sieve {
  private constructor();

  /**
   * Compiles list results under an optional configuration, an object or JSONC text.
   *
   * A primitive that cannot be used is left out and named in {@link Sieve.reports}; the rest is kept. A sieve holds the
   * lists of one server, whose name in `server:` terms is the configuration's `upstream.name`. For several servers compile
   * one sieve each, or merge them with the command `mcp-sieve snapshot`.
   * @throws {SieveError} `json`, `catalog`, `config` or `predicate`
   */
  static compile(lists: Lists, config?: Config | string | null, options?: Options): Sieve;

  /**
   * The sieve that a snapshot was made of, without parsing lists or applying rules. A checksum tells damage, not
   * intent: restore only what you would run. Predicates are no part of a snapshot: give them again.
   * @throws {SieveError} `snapshot` for what is none, one of another format, and one that is damaged
   */
  static restore(snapshot: Uint8Array, options?: Options): Sieve;

  /** The catalog and its configuration as bytes for {@link Sieve.restore} of the same version of this package. */
  snapshot(): Bytes;

  /** Hash of the content, 32 hex digits: equal for equal catalogs. */
  readonly hash: string;
  /** What was left out and why. */
  readonly reports: readonly Report[];
  /** Declared groups in declaration order, then those merely used. */
  readonly groups: readonly Group[];
  /** Declared tags in declaration order, then those merely used. */
  readonly tags: readonly Tag[];
  /** Declared concerns. */
  readonly concerns: readonly Concern[];

  /** How many primitives of the kind (`"tools"` unless given) are visible. */
  size(kind?: Kind): number;

  /**
   * Compiles a filter to be asked many times, from an object, JSON text, or the parameters of a URL as a
   * gateway reads them (`groups=issues,pulls&tags=stable&concern.cost=low&q=name:create_*`). It belongs to
   * this sieve.
   * @throws {SieveError} `json`, `expression`, `filter_type`, `filter_field`, `filter_limit` or `concern_value`
   */
  filter(input?: FilterInput | Parameters | string | null): Filter;

  /** How many primitives match. */
  count(filter?: Filter | FilterInput | string | null, kind?: Kind): number;

  /**
   * Which primitives match. A compiled filter keeps its selection: asked again, it gives the same object, so
   * copy the indices before you write to them.
   */
  select(filter?: Filter | FilterInput | string | null, kind?: Kind): Selection;

  /** The list result that holds what matches, `{"tools":[…]}`, as UTF-8 bytes of your own. */
  list(filter?: Filter | FilterInput | string | null, kind?: Kind): Bytes;

  /**
   * The same bytes without a copy, in the engine's memory. They are valid until the next call of any
   * sieve or filter, which may write over them or move the memory: then the view is empty. Read only.
   */
  view(filter?: Filter | FilterInput | string | null, kind?: Kind): Bytes;

  /**
   * How many tokens of a model's context what matches takes, as it is listed. `exact` where each was counted before
   * the snapshot was made, else estimated from the bytes, some 2 % off.
   */
  tokens(filter?: Filter | FilterInput | string | null, kind?: Kind): Tokens;

  /** The names of what matches; of resources the `uri`, of templates the `uriTemplate`. */
  names(filter?: Filter | FilterInput | string | null, kind?: Kind): string[];

  /** Whether the primitive of that name, `uri` or `uriTemplate` is shown, and why not. */
  explain(name: string, filter?: Filter | FilterInput | string | null, kind?: Kind): Explanation;

  /**
   * What is about these words of a person, in any order, the best first; among equals in the catalog's order.
   *
   * Words are compared by their stems, with equivalents and topics of everyday English and with slips of the
   * keyboard. Found is what fits at least a fifth as well as the best of all that is visible; of the text at most
   * 2048 bytes are read. The first search of a kind makes an index, a tenth of the catalog's size.
   * @throws {SieveError} `query` for what is no text, `limit` for what is no number of matches, and as {@link Sieve.count}
   */
  search(text: string, options?: SearchOptions | null): Match[];

  /** A choice to be made by hand from what is visible: what `<mcp-sieve-picker>` draws. It outlives the sieve. */
  picker(): Picker;

  /** Gives the memory back. Whatever is asked afterwards throws `freed`; freeing twice does nothing. */
  free(): void;
  /** `using sieve = Sieve.compile(…)`. */
  [Symbol.dispose](): void;
}

/** A filter compiled for one sieve, by {@link Sieve.filter}. */
export class Filter {
  private constructor();

  /** Equal for filters that ask the same, 32 hex digits. */
  readonly hash: string;
  /** The filter as it is applied. */
  readonly applied: AppliedFilter;
  /** What of it had no effect. */
  readonly ignored: readonly Ignored[];

  /** {@link Filter.applied}, so that a request may carry `params: { filter }`. */
  toJSON(): AppliedFilter;

  /** Gives its memory back. A filter that is forgotten instead goes with the garbage. */
  free(): void;
  /** `using filter = sieve.filter(…)`. */
  [Symbol.dispose](): void;
}

/** How a thing to choose stands, in primitives of {@link Picker.kind}. */
export interface Counted {
  /** How many there are. */
  readonly members: number;
  /** How many of them everything else that is chosen leaves. */
  readonly left: number;
}

/** A group where it stands in the tree, with the state of its box. */
export interface PickerGroup extends Group, Counted {
  /** How many groups stand above it. */
  readonly level: number;
  /** The place of the group above it in {@link Picker.groups}. */
  readonly above?: number;
  /** `mixed`: part of what is below is chosen, or refused. `refused`: left out. */
  readonly state: "off" | "on" | "mixed" | "refused";
}

/** A tag and what is wanted of it. */
export interface PickerTag extends Tag, Counted {
  readonly mark: TagMark;
}

/** What is wanted of a tag: nothing, that it is there, or that it is not. */
export type TagMark = "any" | "must" | "not";

/** A concern with what each listed value would leave; a range has none. */
export interface PickerConcern extends Concern {
  readonly options: readonly (Counted & { readonly value: string; readonly chosen: boolean })[];
}

/** A primitive as a list shows it. */
export interface PickerRow {
  /** Its place among the visible, as in {@link Selection}. */
  readonly index: number;
  /** Its name, `uri` or `uriTemplate`. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly groups: readonly string[];
  readonly tags: readonly string[];
  readonly tokens: number;
  readonly favourite: boolean;
  /** Whether it is switched off. */
  readonly off: boolean;
  readonly shown: boolean;
  /** The first of `reasons`. */
  readonly reason: Reason | { readonly rule: "off" | "favourites" } | null;
  /** Why it is hidden, at most eight reasons. Besides the rules of a filter there are `off` and `favourites`. */
  readonly reasons: readonly (Reason | { readonly rule: "off" | "favourites" })[];
}

/** The choice in numbers. */
export interface PickerSummary {
  /** How many rows there are. */
  readonly rows: number;
  readonly selected: number;
  readonly total: number;
  /** What is selected takes of a model's context. */
  readonly tokens: number;
  readonly totalTokens: number;
  readonly exact: boolean;
  /** Steps that can be taken back, at most 100, and again. */
  readonly undo: number;
  readonly redo: number;
  readonly disabled: readonly (readonly [kind: Kind, name: string])[];
  readonly favourites: readonly (readonly [kind: Kind, name: string])[];
  readonly onlyFavourites: boolean;
}

/**
 * What a person chooses from a catalog, step by step, as one filter; made by {@link Sieve.picker}.
 *
 * Each method that chooses is one step of {@link Picker.undo} and says whether it changed anything. One that makes no
 * filter (too many names, a value that a concern refuses) throws a {@link SieveError}, and everything stays as it was.
 */
export class Picker {
  private constructor();

  /** The groups, depth first, then those that only a filter named. */
  readonly groups: readonly PickerGroup[];
  /** The tags, then those that only a filter named. */
  readonly tags: readonly PickerTag[];
  readonly concerns: readonly PickerConcern[];
  readonly summary: PickerSummary;
  /** The choice as one filter, in canonical form. */
  readonly filter: AppliedFilter;

  /** Puts a group in with what is below it, or takes it out if its box is on. */
  toggle(group: string): boolean;
  /** Leaves a group out with what is below it, or no longer. */
  refuse(group: string): boolean;
  mark(tag: string, mark: TagMark): boolean;
  /** Asks a value of a concern, any of several, or with `null` nothing. */
  wish(concern: string, value: ConcernValue | readonly ConcernValue[] | null): boolean;
  /** Keeps what these words are about; of an empty text, everything. */
  about(words: string): boolean;
  /** Switches a primitive of {@link Picker.kind} (or another) off, or on again. */
  disable(name: string, off?: boolean, kind?: Kind): boolean;
  /** Keeps a primitive at hand, or no longer. */
  favour(name: string, on?: boolean, kind?: Kind): boolean;
  /** Keeps favourites alone, if there are any. */
  onlyFavourites(on?: boolean): boolean;
  /** Chooses what a filter asks for, such as a preset. What is switched off stays so. */
  set(filter: FilterInput | string | null): boolean;
  /** As `set`, for a filter that a program brings, such as a kept one: a change is where `undo` ends from then on. */
  begin(filter: FilterInput | string | null): boolean;
  /** `set({})` */
  clear(): boolean;
  undo(): boolean;
  redo(): boolean;
  /** Begins with kept {@link Picker.preferences}, of this version or an older one: no step of `undo`. */
  prefer(preferences: string | object): boolean;
  /** What of the choice is a person's own, as text to be kept. */
  readonly preferences: string;

  /** What rows and counts are of; `"tools"` at first. */
  kind: Kind;
  /** Which rows there are: what is left (at first), what is hidden, or all. */
  showing: "left" | "hidden" | "all";
  /** Rows about these words alone, the best first. The filter stays as it is. */
  words: string;

  /**
   * Makes what `words` are found by, now: the first to be typed waits for it otherwise, some 10 ms for 1,000 primitives.
   * The element does so when the page has nothing else to do.
   */
  prepare(): void;
  /** The rows, as indices into the visible primitives. */
  order(): Uint32Array;
  /** The rows from one to before another, at most 1000. */
  rows(from: number, to: number): PickerRow[];

  /** {@link Picker.filter} */
  toJSON(): AppliedFilter;
  free(): void;
  [Symbol.dispose](): void;
}

/** What preferences are kept in: `sessionStorage`, or anything with these three methods. */
export interface PreferenceStorage {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
  removeItem(key: string): void;
}

/**
 * What of a choice is a person's own, kept for each server and user: favourites, names that are switched off (not
 * those that are on, so that a server's next tool is seen) and chosen concerns. Nothing of it goes over the wire.
 * Give it to the element as `preferences`, or call `apply` and `save`. A storage that is full or forbidden costs
 * what would be kept, and throws nothing.
 */
export class Preferences {
  /** `server` is its address or name. Kept in the browser's `localStorage` unless another storage is given. */
  constructor(server: string, options?: { readonly user?: string; readonly storage?: PreferenceStorage });
  readonly key: string;
  /**
   * Why the last access came to nothing: `full`, `forbidden` (or there is no storage here), or the code of what is kept
   * and cannot be read. What a later version kept is left alone.
   */
  readonly problem: string | undefined;
  /** Lets a choice begin with what is kept; says whether that changed it. */
  apply(picker: Picker): boolean;
  /** What a filter becomes under what is kept. */
  filter(sieve: Sieve, filter?: FilterInput | string | null): AppliedFilter;
  /** Keeps a person's part of the choice; says whether it could be. */
  save(picker: Picker): boolean;
  /** What is kept, as text; `undefined` for nothing. */
  export(): string | undefined;
  /**
   * Takes what was exported elsewhere, into the choice and the storage.
   * @throws {SieveError} `json` or `preferences`: nothing has changed then
   */
  import(text: string, picker: Picker): boolean;
  /** Keeps nothing any longer. */
  forget(): boolean;
}

/**
 * An input that was refused.
 *
 * `json`: text that is not JSON. `catalog`: lists of another shape. `config`: a configuration that
 * contradicts its schema or itself. `expression`: a `where` that does not parse. `filter_type`, `filter_limit`, `concern_value`: a filter of the wrong
 * type, over its limits, or with a value that is not declared. `filter_field`: a URL with a misspelt field, such as `group`. `kind`, `name`, `query`, `limit`: no such kind, no text, no number.
 * `snapshot`: bytes that are no snapshot, or of another format. `preferences`: kept ones of another shape, or of a later version.
 * `unknown_middleware`, `arguments_invalid`, `context_invalid`, `context_limit`, `middleware_failed`: context middleware
 * that there is not, that was asked wrongly, or that could not do its work.
 * `freed`, `foreign_filter`: a sieve or filter after `free`, a filter of another sieve.
 * `uninitialised`: the WebAssembly of `mcp-sieve/init` is not there yet.
 * `load`: the WebAssembly could not be loaded; `url`, `status` and `contentType` say what the server sent.
 * `handler`: a handler or option of `sieve` that cannot be used. `client`, `by`: what `wrapClient` was given is no client, or nothing that could filter; `capability`: the server does
 * not say that it can do this; `pages`: a list has no end.
 */
export class SieveError extends Error {
  private constructor();
  readonly name: "SieveError";
  readonly code:
    | "json"
    | "catalog"
    | "config"
    | "expression"
    | "filter_type"
    | "filter_field"
    | "filter_limit"
    | "concern_value"
    | "kind"
    | "name"
    | "query"
    | "limit"
    | "time_format"
    | "invalid_cursor"
    | "cursor_filter_mismatch"
    | "snapshot"
    | "unknown_middleware"
    | "arguments_invalid"
    | "context_invalid"
    | "context_limit"
    | "middleware_failed"
    | "preferences"
    | "freed"
    | "foreign_filter"
    | "uninitialised"
    | "load"
    | "client"
    | "handler"
    | "by"
    | "capability"
    | "pages";
  /** The byte of the UTF-8 text where it went wrong. */
  readonly at?: number;
  /** The member that was refused: `filter.groups[2]`, `rules[0].match`. */
  readonly path?: string;
  /** The address of the file that could not be loaded. */
  readonly url?: string;
  /** The HTTP status of the response. */
  readonly status?: number;
  /** The `Content-Type` of the response. */
  readonly contentType?: string;
}
