/// <reference lib="esnext.disposable" />
import type { ConcernValue, Expression, WantedRange } from "./config.js";
import type { Sieve } from "./sieve.js";

/** The wanted values of concerns, by name: a value, any of several, a range, or `null` for no wish (#1936). */
export type ConcernConfiguration = Readonly<
  Record<string, ConcernValue | readonly ConcernValue[] | WantedRange | null>
>;

/** The criteria of a filter, all of which must hold. An absent field, an empty array and `null` have no effect. */
export interface FilterInput {
  /** Selects members of any of these groups. */
  readonly groups?: readonly string[] | null;
  /** Selects primitives with all of these tags. */
  readonly tags?: readonly string[] | null;
  /** Selects primitives with any of the values of each concern. A primitive without a value of a concern matches every value. */
  readonly concerns?: ConcernConfiguration | null;
  /** Excludes members of these groups and primitives with these tags. */
  readonly not?: { readonly groups?: readonly string[] | null; readonly tags?: readonly string[] | null } | null;
  /** Selects names that match any of these: `*` stands for any text, `?` for one character. Case matters. */
  readonly namePatterns?: readonly string[] | null;
  /** Selects resources whose URI, and templates whose text, matches any of these. Tools and prompts are not affected. */
  readonly uriPatterns?: readonly string[] | null;
  /** Selects primitives that meet this expression. It must not read the caller. */
  readonly where?: Expression | null;
  /**
   * Selects all results of {@link Sieve.search} for these words, and pinned primitives. The search is made among everything
   * visible, whatever the other fields select. At most 2048 bytes.
   */
  readonly query?: string | null;
  /**
   * Selects the best primitives of each kind among those that the other fields select: by `annotations.priority`, then by
   * relevance to `query`, then in the catalog's order.
   */
  readonly limit?: Limit | null;
  /** The members to write: `["title"]` only these, `["-outputSchema"]` all but these. Required members always stay. */
  readonly fields?: readonly string[] | null;
  /** Whether to apply the declared default of every concern that `concerns` does not name. */
  readonly applyDefaults?: boolean | null;
}

/** The limits of a selection; whole numbers from 1. */
export interface Limit {
  /** Maximum number of primitives. */
  readonly count?: number | null;
  /** Maximum number of tokens in a model's context. A primitive that does not fit is skipped, and smaller ones follow. */
  readonly tokens?: number | null;
}

/** The parameters of a URL: a `URLSearchParams`. */
export interface SearchParamsLike {
  getAll(name: string): string[];
  toString(): string;
}

/** A filter in canonical form: sorted, without repetitions and without entries that have no effect. */
export interface AppliedFilter {
  readonly groups?: readonly string[];
  readonly tags?: readonly string[];
  /** The wanted values. A number is written as text; a range keeps the bounds that it has. */
  readonly concerns?: Readonly<
    Record<string, string | readonly string[] | { readonly min?: string; readonly max?: string } | null>
  >;
  readonly not?: { readonly groups?: readonly string[]; readonly tags?: readonly string[] };
  readonly namePatterns?: readonly string[];
  readonly uriPatterns?: readonly string[];
  /** The expression as text. */
  readonly where?: string;
  readonly query?: string;
  readonly limit?: { readonly count?: number; readonly tokens?: number };
  readonly fields?: readonly string[];
}

/** An entry of a filter that had no effect. */
export interface Ignored {
  /** `concerns.cost`, or the name of an unknown field: `colour`, and `?page` in a URL. */
  readonly field: string;
  /** `unknown field`, `unknown concern`, … */
  readonly reason: string;
  /** The field that was probably meant, if `field` looks misspelt and the configuration says `"onUnknownMember": "ignore"`. */
  readonly meant?: string;
}

/** A name in a filter that matches nothing. */
export interface UnknownName {
  /** The place of the name: `groups[0]`, `where.tag:stabel`, `status[0]`. */
  readonly field: string;
  /** `unknown group`, `unknown tag`, `unknown status`, … */
  readonly reason: string;
}

/** The first reason why a primitive is not shown. */
export type Reason =
  /** No visible primitive has the name. Primitives that policies hide are reported like missing ones. */
  | { readonly rule: "unknown" }
  /** It is in none of the wanted groups, or lacks a wanted tag. */
  | { readonly rule: "groups" | "tags"; readonly wanted: readonly string[]; readonly found: readonly string[] }
  /** It is in an excluded group, or has an excluded tag. */
  | { readonly rule: "not.groups" | "not.tags"; readonly wanted: readonly string[]; readonly found: readonly string[] }
  /** It has other values of a concern. */
  | {
      readonly rule: "concern";
      readonly concern: string;
      readonly wanted: readonly string[];
      readonly found: readonly string[];
    }
  /** It meets none of the patterns or conditions in `wanted`. `found` has its values. */
  | {
      readonly rule: "namePatterns" | "uriPatterns" | "where";
      readonly wanted: readonly string[];
      readonly found: readonly string[];
    }
  /** It does not match these words, or far less than another primitive does. */
  | { readonly rule: "query"; readonly wanted: readonly [string]; readonly found: readonly [] }
  /** Better primitives have used up the limit. */
  | { readonly rule: "limit"; readonly wanted: readonly string[]; readonly found: readonly string[] };

/** Whether a primitive is shown, and the reason if it is not. */
export type Explanation =
  | { readonly shown: true; readonly reason: null }
  | { readonly shown: false; readonly reason: Reason };

/** A filter that {@link Sieve.filter} compiled for one sieve. */
export class Filter {
  private constructor();

  /** The hash of the filter, 32 hex digits. Filters with the same meaning have equal hashes. */
  readonly hash: string;
  /** The filter as it is applied, in canonical form. */
  readonly applied: AppliedFilter;
  /** The entries that have no effect. */
  readonly ignored: readonly Ignored[];
  /** The names that match nothing, because nothing visible has them. */
  readonly unknown: readonly UnknownName[];

  /** Returns {@link Filter.applied}, so that a request can contain `params: { filter }`. */
  toJSON(): AppliedFilter;

  /** Frees the memory. The garbage collector frees a filter that is no longer referenced. */
  free(): void;
  /** `using filter = sieve.filter(…)`. */
  [Symbol.dispose](): void;
}
