/// <reference lib="esnext.disposable" />
import type { Change, Concern, Group, Kind, Lists, Report, ServerLists, Tag } from "./catalog.js";
import type { Config } from "./config.js";
import type { Explanation, Filter, FilterInput, SearchParamsLike } from "./filter.js";
import type { Picker } from "./picker-model.js";
import type { OwnTags } from "./preferences.js";

/** Options of compiling that a configuration cannot contain. */
export interface CompileOptions {
  /** Policies as functions. They are evaluated with the policies of the configuration, by priority. */
  readonly predicates?: readonly Predicate[];
  /** The caller for which the catalog is compiled, passed to predicates as `context.caller`. */
  readonly caller?: unknown;
}

/** Options of {@link Sieve.compile}. */
export interface TaggedOptions extends CompileOptions {
  /**
   * A user's own tags, usually {@link Preferences.tags}. Filters name them `user:NAME`. Tags of the server or the
   * configuration that begin with `user:` are left out. A sieve compiled with this option, even with `{}`, keeps its lists
   * for {@link Sieve.tagged}.
   */
  readonly tags?: OwnTags | null;
  /**
   * The lock of the configuration: what `check --lock FILE --accept` wrote, as its text or parsed. What differs from it is
   * treated as `lock` of the configuration says, hidden by default. A lock that cannot be read accepts nothing.
   */
  readonly lock?: string | Readonly<Record<string, unknown>> | null;
}

/** A policy as a function. A primitive is visible only if every policy holds. */
export interface Predicate {
  /** The name in {@link Sieve.reports}. Predicates of the same priority are evaluated in the order of their names. */
  readonly name: string;
  /** Predicates with a higher priority are evaluated first. @default 0 */
  readonly priority?: number;
  /** The kinds of primitives it is evaluated for; all by default. */
  readonly kinds?: readonly Kind[];
  /** Whether the primitive is shown if `test` throws. By default it is hidden. The error is reported either way. */
  readonly failOpen?: boolean;
  /**
   * Returns whether the primitive is visible. Called once while the catalog is compiled, and once for each
   * {@link Sieve.view} of a caller. It must not return a promise.
   */
  test(primitive: Readonly<Record<string, any>>, context: PredicateContext): boolean;
}

/** The second argument of a predicate. */
export interface PredicateContext {
  readonly kind: Kind;
  /** The server of the primitive. */
  readonly server: string;
  /** The caller of {@link Sieve.view}; otherwise the option `caller` of {@link Sieve.compile} or {@link Sieve.restore}. */
  readonly caller?: any;
}

/**
 * The caller of a view, as policies, presets and checks read it. An absent member has no value there: `header.x=y` is then
 * false, and `-header.x=y` true. So give every member that the configuration reads.
 */
export interface Caller {
  /** The claims of the caller's token, for `claim.` terms. They are taken as given. */
  readonly claims?: Readonly<Record<string, unknown>> | null;
  /** The name and version by which its client introduces itself, for `client.` terms. */
  readonly client?: { readonly name?: string; readonly version?: string } | null;
  /**
   * The capabilities that its client declares, for `capability.` terms. Primitives that require others are hidden if the
   * configuration says so; without this member, none are.
   */
  readonly capabilities?: object | null;
  /** The headers of its request, for `header.` terms: `Headers`, or an object. */
  readonly headers?:
    | { readonly [name: string]: string | readonly string[] }
    | (Iterable<readonly [string, string]> & { get(name: string): string | null })
    | null;
  /** `_meta` of its request, for `request.meta.` terms. */
  readonly meta?: Readonly<Record<string, unknown>> | null;
  /** The JSON-RPC method of its request, such as `tools/list`. */
  readonly method?: string | null;
  /** The protocol revision of its request, such as `2026-07-28`. */
  readonly protocol?: string | null;
  /** The transport of its request. */
  readonly transport?: "http" | "stdio" | null;
  /** The preset in whose path it connects: `read-only` for `/mcp/read-only`. */
  readonly preset?: string | null;
}

/** The primitives that a query is about. An unknown option throws `invalid_option`. */
export interface QueryOptions {
  /** Selects primitives; all visible primitives by default. */
  readonly filter?: Filter | FilterInput | string | null | undefined;
  /** The kind of primitives. @default "tools" */
  readonly kind?: Kind | undefined;
}

/** Options of {@link Sieve.search}. */
export interface SearchOptions extends QueryOptions {
  /** Maximum number of matches; `Infinity` for all. @default 10 */
  readonly limit?: number | undefined;
  /**
   * Scores primitives by other means than words, such as embeddings of a model. Its order and the order of the search by words
   * are joined by reciprocal rank fusion: a primitive counts `1 / (60 + position)` in each.
   */
  readonly ranker?: Ranker | undefined;
}

/**
 * Returns a score for each of `names`, the names of all primitives that match the filter. Higher scores are better, and only
 * their order counts. `NaN` leaves a primitive to the search by words. Wait for an asynchronous model before the search:
 * `const scores = await model(query, sieve.names()); sieve.search(query, { ranker: () => scores })`.
 */
export type Ranker = (query: string, names: readonly string[]) => ArrayLike<number>;

/** Indices into the visible primitives of a kind, `0` to `size(kind) - 1`, ascending. */
export interface Selection {
  readonly count: number;
  readonly indices: Uint32Array;
}

/** A primitive that a search found. */
export interface Match {
  /** The index among the visible primitives of its kind, as in {@link Selection}. */
  readonly index: number;
  /** The name; for a resource its `uri`, for a template its `uriTemplate`. */
  readonly name: string;
  /**
   * The certainty of the match, from 0 to 1000. At 700 and above, about nine in ten matches are right. At 500 and below,
   * another primitive matches at least as well. With a {@link Ranker}, only scores of one search can be compared.
   */
  readonly score: number;
}

/** The size of a list in a model's context, in tokens of the o200k vocabulary. */
export interface Tokens {
  readonly count: number;
  readonly exact: boolean;
}

/** Bytes in memory that is not shared, as `fetch` and `Response` accept them. */
export type Bytes = ReturnType<Uint8Array["slice"]>;

/** A part of the engine that a page loads on demand. */
export type Part = "search" | "picker" | "discovery";

/**
 * A compiled catalog. It is immutable: compile it once, query it many times.
 *
 * Queries take {@link QueryOptions}: `sieve.names({ filter, kind })`. A compiled {@link Filter} is the fastest. A plain object
 * is converted to text and looked up among the last few filters. Without a filter, or with an empty one, everything visible is
 * selected. Results are always in the order of the lists.
 */
export class Sieve {
  private constructor();

  /**
   * Compiles list results under an optional configuration, an object or JSONC text.
   *
   * A primitive that cannot be used is left out and named in {@link Sieve.reports}. Results of `groups/list`, `tags/list` and
   * `listConcerns` among the lists declare groups, tags and concerns as servers of a gateway do: the configuration takes
   * precedence, and members that it leaves open come from the declarations. In `server:` terms a single server has the
   * name `upstream.name` of the configuration. Name each of several servers:
   * `[{ server: "forge", lists }, { server: "wiki", lists, prefix: "wiki_" }]`. Names that two of them list are distinguished
   * by prefixes, as in the gateway.
   * @throws {SieveError} `json`, `catalog`, `config`, `predicate`, or `preferences` for own tags that cannot be used
   */
  static compile(
    lists: Lists | readonly ServerLists[],
    config?: Config | string | null,
    options?: TaggedOptions,
  ): Sieve;

  /**
   * Restores a sieve from a snapshot, without parsing lists or applying rules. The checksum detects damage, not tampering:
   * restore only snapshots from a trusted source. A snapshot does not contain predicates, so pass them again.
   * @throws {SieveError} `snapshot` for bytes that are no snapshot, have another format or are damaged
   */
  static restore(snapshot: Uint8Array, options?: CompileOptions): Sieve;

  /** Returns the catalog and its configuration as bytes for {@link Sieve.restore} of the same version of this package. */
  snapshot(): Bytes;

  /** Whether the sieve was compiled with the option `tags`, so that {@link Sieve.tagged} can be called. */
  readonly taggable: boolean;
  /**
   * Returns another sieve of the same lists with these own tags. Both sieves are yours to free.
   * @throws {SieveError} `invalid_option` if this one was compiled without the option `tags`, or restored; `preferences`
   */
  tagged(tags: OwnTags | null): Sieve;

  /**
   * Returns another sieve in which these lists replace those of `server`, with the same configuration, predicates and own
   * tags. Both sieves are yours to free. A sieve of several servers keeps a reference to the lists that it was compiled from.
   * @throws {SieveError} `invalid_option` if this one was not compiled from the lists of several servers, if it was restored,
   * and for a server that it does not have; the codes of {@link Sieve.compile}
   */
  update(server: string, lists: Lists): Sieve;

  /** The hash of the content, 32 hex digits. Equal catalogs have equal hashes; names of servers are no part of it. */
  readonly hash: string;
  /**
   * Primitives that differ from the option `lock`, hidden ones included. It is for the operator, not for callers. A restored
   * sieve has none.
   */
  readonly changes: readonly Change[];
  /** Primitives that were left out or repaired, and declarations in lists that were left out or have no effect, with the reason. */
  readonly reports: readonly Report[];
  /** Declared groups in the order of their declaration, then undeclared ones that primitives name. A group that only lists declare has members. */
  readonly groups: readonly Group[];
  /** Declared tags in the order of their declaration, then undeclared ones that primitives have. */
  readonly tags: readonly Tag[];
  /** The declared concerns. */
  readonly concerns: readonly Concern[];

  /**
   * Compiles a filter for repeated use, from an object, JSON text, or URL parameters as the gateway reads them
   * (`groups=issues,pulls&tags=stable&concern.cost=low&q=name:create_*`). It can be used with this sieve only.
   * @throws {SieveError} `json`, `expression`, `filter_type`, `filter_field`, `filter_limit` or `concern_value`
   */
  filter(input?: FilterInput | SearchParamsLike | string | null): Filter;

  /** Returns the number of matching primitives; without a filter, the number of visible ones. */
  count(options?: QueryOptions | null): number;

  /**
   * Returns the matching primitives. A compiled filter keeps its selection and returns the same object again, so copy the
   * indices before you write to them.
   */
  select(options?: QueryOptions | null): Selection;

  /** Returns the list result with the matching primitives, `{"tools":[…]}`, as a copy in UTF-8. */
  list(options?: QueryOptions | null): Bytes;

  /**
   * Returns the same bytes without a copy, in the engine's memory; do not write to them. They are valid until the next call of
   * any sieve or filter, which may overwrite them or move the memory, after which the view is empty.
   */
  view(options?: QueryOptions | null): Bytes;
  /**
   * Returns what a caller may see, as another sieve, which is yours to free: the policies, presets and checks of the
   * configuration are evaluated as in the gateway. Claims are taken as given, so this is a preview and protects nothing.
   * A member of {@link Caller} distinguishes this call from that for bytes; `{ claims: null }` is a caller without a token.
   * @throws {SieveError} `check` with the message of the first check that the caller fails, `preset` for the path of a preset
   * that does not exist for it, `invalid_option` for members of another form
   */
  view(caller: Caller): Sieve;

  /**
   * Returns the number of tokens of the matching primitives in a model's context. It is `exact` if all were counted before the
   * snapshot was made. Otherwise it is estimated from the bytes, 2.3 % off on average.
   */
  tokens(options?: QueryOptions | null): Tokens;

  /** Returns the names of the matching primitives; for resources the `uri`, for templates the `uriTemplate`. */
  names(options?: QueryOptions | null): string[];

  /** Returns whether the primitive with this name, `uri` or `uriTemplate` is shown, and the reason if it is not. */
  explain(name: string, options?: QueryOptions | null): Explanation;

  /**
   * Returns the server of a primitive and the primitive's name on that server; `undefined` if it is not visible. For a URI
   * that a template matches, returns the server of the template.
   * @throws {SieveError} `invalid_name` for a value that is no string
   */
  origin(name: string, options?: Pick<QueryOptions, "kind"> | null): { server: string; name: string } | undefined;

  /**
   * Loads parts of the engine that pages load on demand, once for all sieves: `"search"` for {@link Sieve.search} and filters
   * with a `query`, `"picker"` for {@link Sieve.picker}, and `"discovery"` for `discovery`. Until then these throw `part`. A part
   * is loaded once. Outside pages, `mcp-sieve` has the whole engine, as has `mcp-sieve/sieve.wasm`, so nothing is loaded; in
   * Node, `mcp-sieve/init` reads a part when it is first used. The element and the wrapped clients load their parts themselves.
   * @throws {SieveError} `load`; the next call tries again. `invalid_option` for an unknown part
   */
  ready(...parts: Part[]): Promise<void>;

  /**
   * Returns the primitives that match these words, in any order, best first. Equal scores are in the order of names.
   *
   * Words are compared by their stems. Synonyms and topics of everyday English and typos match too. Results below a fifth of
   * the best visible result are dropped. At most 2048 bytes of the text are read. The first search of a kind builds an index of a
   * tenth of the catalog's size.
   * @throws {SieveError} `part` in a page before `await sieve.ready("search")`, `query` for a value that is no string, `limit`
   * for one that is no number of matches, and as {@link Sieve.count}
   */
  search(text: string, options?: SearchOptions | null): Match[];

  /**
   * Returns the model of `<mcp-sieve-picker>`: a choice among the visible primitives. It outlives the sieve.
   * @throws {SieveError} `part` in a page before `await sieve.ready("picker")`
   */
  picker(): Picker;

  /** Frees the memory. Later calls throw `freed`; freeing twice does nothing. */
  free(): void;
  /** `using sieve = Sieve.compile(…)`. */
  [Symbol.dispose](): void;
}
