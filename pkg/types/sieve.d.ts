/// <reference lib="esnext.disposable" />
import type { Concern, Group, Kind, Lists, Report, ServerLists, Tag } from "./catalog.js";
import type { Config } from "./config.js";
import type { Explanation, Filter, FilterInput, SearchParamsLike } from "./filter.js";
import type { Picker } from "./picker-model.js";
import type { OwnTags } from "./preferences.js";

/** What is not said in a configuration. */
export interface CompileOptions {
  /** Asked among the policies of the configuration, in one order. */
  readonly predicates?: readonly Predicate[];
  /** What predicates get as `context.caller`: the caller for which the catalog is compiled. */
  readonly caller?: unknown;
}

/** How lists are compiled. */
export interface TaggedOptions extends CompileOptions {
  /**
   * A person's own tags, usually {@link Preferences.tags}. In filters they are called `user:NAME`. Tags of the server or
   * the configuration that begin with `user:` are left out. A sieve that is compiled with this option, even `{}`, keeps
   * its lists for {@link Sieve.tagged}.
   */
  readonly tags?: OwnTags | null;
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
  /** The option `caller` of {@link Sieve.compile} or {@link Sieve.restore}, if it was given. */
  readonly caller?: any;
}

/** What a question is about. An unknown option throws `invalid_option`. */
export interface QueryOptions {
  /** Only what matches this; without it, everything visible. */
  readonly filter?: Filter | FilterInput | string | null | undefined;
  /** `"tools"` unless given. */
  readonly kind?: Kind | undefined;
}

/** Where to search, and for how much. */
export interface SearchOptions extends QueryOptions {
  /** Most matches, 10 unless given; `Infinity` for all. */
  readonly limit?: number | undefined;
  /**
   * Scores names by other means than words, such as a model's embeddings. Its order and that of the search by words are
   * joined by reciprocal rank fusion: a primitive counts `1 / (60 + position)` in each.
   */
  readonly ranker?: Ranker | undefined;
}

/**
 * Returns a score for each of `names`, the names of all primitives that match the filter. A higher score fits better, only
 * their order counts; `NaN` leaves a primitive to the search by words. For a model that answers later, wait for it first:
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
  /** Its place among the visible primitives of its kind, as in {@link Selection}. */
  readonly index: number;
  /** Its name; of a resource the `uri`, of a template the `uriTemplate`. */
  readonly name: string;
  /**
   * How sure it is that this primitive is meant, from 0 to 1000. From 700 on, about nine in ten are right; at 500 and below,
   * another primitive fits at least as well. With a {@link Ranker} it compares the matches of one search only.
   */
  readonly score: number;
}

/** What a list takes of a model's context, in tokens of the o200k vocabulary. */
export interface Tokens {
  readonly count: number;
  readonly exact: boolean;
}

/** Bytes over memory that is not shared, as `fetch` and `Response` take them. */
export type Bytes = ReturnType<Uint8Array["slice"]>;

/** A part of the engine that a page loads on demand. */
export type Part = "search" | "picker" | "discovery";

/**
 * A compiled catalog. Immutable: compile it once, ask it many times.
 *
 * Every question takes {@link QueryOptions}: `sieve.names({ filter, kind })`. A compiled {@link Filter} is the fastest. A plain object is turned into text
 * and looked up; the last few are remembered. No filter, or an empty one, selects everything visible.
 * Answers are in the order in which the lists had the primitives, always.
 */
export class Sieve {
  private constructor();

  /**
   * Compiles list results under an optional configuration, an object or JSONC text.
   *
   * A primitive that cannot be used is left out and named in {@link Sieve.reports}; the rest is kept. The lists of one
   * server go by the name `upstream.name` of the configuration in `server:` terms. For several servers give each its name:
   * `[{ server: "forge", lists }, { server: "wiki", lists, prefix: "wiki_" }]`. Names that two of them list are told apart by
   * prefixes, as in the gateway.
   * @throws {SieveError} `json`, `catalog`, `config`, `predicate`, or `preferences` for own tags that cannot be used
   */
  static compile(
    lists: Lists | readonly ServerLists[],
    config?: Config | string | null,
    options?: TaggedOptions,
  ): Sieve;

  /**
   * The sieve that a snapshot was made of, without parsing lists or applying rules. A checksum tells damage, not
   * intent: restore only what you would run. Predicates are no part of a snapshot: give them again.
   * @throws {SieveError} `snapshot` for what is none, one of another format, and one that is damaged
   */
  static restore(snapshot: Uint8Array, options?: CompileOptions): Sieve;

  /** The catalog and its configuration as bytes for {@link Sieve.restore} of the same version of this package. */
  snapshot(): Bytes;

  /** Whether it was compiled with the option `tags`, so that {@link Sieve.tagged} can be called. */
  readonly taggable: boolean;
  /**
   * Returns another sieve of the same lists, with these own tags in place of those that this one has. Both are yours to free.
   * @throws {SieveError} `invalid_option` if this one was compiled without the option `tags`, or restored; `preferences`
   */
  tagged(tags: OwnTags | null): Sieve;

  /**
   * Returns another sieve with these lists in place of those that `server` had, under the same configuration, predicates and
   * own tags. Both are yours to free. A sieve of several servers keeps a reference to the lists that it was compiled from.
   * @throws {SieveError} `invalid_option` if this one was not compiled from the lists of several servers, if it was restored,
   * and for a server that it does not have; the codes of {@link Sieve.compile}
   */
  update(server: string, lists: Lists): Sieve;

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

  /**
   * Compiles a filter to be asked many times, from an object, JSON text, or the parameters of a URL as a
   * gateway reads them (`groups=issues,pulls&tags=stable&concern.cost=low&q=name:create_*`). It belongs to
   * this sieve.
   * @throws {SieveError} `json`, `expression`, `filter_type`, `filter_field`, `filter_limit` or `concern_value`
   */
  filter(input?: FilterInput | SearchParamsLike | string | null): Filter;

  /** How many primitives match; without a filter, how many are visible. */
  count(options?: QueryOptions | null): number;

  /**
   * Which primitives match. A compiled filter keeps its selection: asked again, it gives the same object, so
   * copy the indices before you write to them.
   */
  select(options?: QueryOptions | null): Selection;

  /** The list result that holds what matches, `{"tools":[…]}`, as UTF-8 bytes of your own. */
  list(options?: QueryOptions | null): Bytes;

  /**
   * The same bytes without a copy, in the engine's memory. They are valid until the next call of any
   * sieve or filter, which may write over them or move the memory: then the view is empty. Read only.
   */
  view(options?: QueryOptions | null): Bytes;

  /**
   * How many tokens of a model's context what matches takes, as it is listed. `exact` where each was counted before
   * the snapshot was made, else estimated from the bytes, 2.3 % off on average.
   */
  tokens(options?: QueryOptions | null): Tokens;

  /** The names of what matches; of resources the `uri`, of templates the `uriTemplate`. */
  names(options?: QueryOptions | null): string[];

  /** Whether the primitive of that name, `uri` or `uriTemplate` is shown, and why not. */
  explain(name: string, options?: QueryOptions | null): Explanation;

  /**
   * The server of a primitive, and the name that it goes by there; `undefined` for one that is not visible. A URI also leads
   * to the server whose template makes it.
   * @throws {SieveError} `invalid_name` for what is no text
   */
  origin(name: string, options?: Pick<QueryOptions, "kind"> | null): { server: string; name: string } | undefined;

  /**
   * Loads parts of the engine that a page loads on demand: `"search"` for {@link Sieve.search} and filters with a `query`,
   * `"picker"` for {@link Sieve.picker}, which searches too, and `"discovery"` for `discovery`. It is done once for all sieves.
   * Until then these throw `part`. Nothing is loaded twice, and nothing where the engine is whole: in Node, Deno, Bun and
   * workerd, and from `mcp-sieve/sieve.wasm`. The element and the wrapped clients load what they need themselves.
   * @throws {SieveError} `load`; the next call tries again. `invalid_option` for an unknown part
   */
  ready(...parts: Part[]): Promise<void>;

  /**
   * What is about these words of a person, in any order, the best first; equal scores in the order of names.
   *
   * Words are compared by their stems, with equivalents and topics of everyday English and with slips of the
   * keyboard. Found is what fits at least a fifth as well as the best of all that is visible; of the text at most
   * 2048 bytes are read. The first search of a kind makes an index, a tenth of the catalog's size.
   * @throws {SieveError} `part` in a page before `await sieve.ready("search")`, `query` for what is no text, `limit` for what is
   * no number of matches, and as {@link Sieve.count}
   */
  search(text: string, options?: SearchOptions | null): Match[];

  /**
   * A choice to be made by hand from what is visible: what `<mcp-sieve-picker>` draws. It outlives the sieve.
   * @throws {SieveError} `part` in a page before `await sieve.ready("picker")`
   */
  picker(): Picker;

  /** Gives the memory back. Whatever is asked afterwards throws `freed`; freeing twice does nothing. */
  free(): void;
  /** `using sieve = Sieve.compile(…)`. */
  [Symbol.dispose](): void;
}
