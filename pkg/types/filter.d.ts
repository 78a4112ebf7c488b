/// <reference lib="esnext.disposable" />
import type { ConcernValue, Expression, WantedRange } from "./config.js";
import type { Sieve } from "./sieve.js";

/** What a host asks of concerns, by their names: a value, any of several, a range, or with `null` nothing (#1936). */
export type ConcernConfiguration = Readonly<
  Record<string, ConcernValue | readonly ConcernValue[] | WantedRange | null>
>;

/** What is asked for. An absent field, an empty array and `null` ask for nothing. */
export interface FilterInput {
  /** Member of any of these groups. */
  readonly groups?: readonly string[] | null;
  /** Carries all of these tags. */
  readonly tags?: readonly string[] | null;
  /** For each concern any of the values. A primitive that says nothing about a concern matches every value. */
  readonly concerns?: ConcernConfiguration | null;
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
export interface SearchParamsLike {
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
