/// <reference lib="esnext.disposable" />
import type { Concern, Group, Kind, Tag } from "./catalog.js";
import type { ConcernValue } from "./config.js";
import type { SieveError } from "./error.js";
import type { AppliedFilter, FilterInput, Reason } from "./filter.js";
import type { Selection, Sieve } from "./sieve.js";

/** The sizes of a facet, in primitives of {@link Picker.kind}. */
export interface Counted {
  /** The number of its primitives. */
  readonly members: number;
  /** The number of its primitives that match the rest of the choice. */
  readonly left: number;
}

/** A node of the tree: a group or a server, with the state of its checkbox. */
export interface PickerGroup extends Group, Counted {
  /** The server that it belongs to, or that it is; absent if there is only one. */
  readonly server?: string;
  /** Whether it is a server. */
  readonly isServer?: boolean;
  /** The number of its ancestors. */
  readonly level: number;
  /** The index of its parent in {@link Picker.groups}. */
  readonly above?: number;
  /** `mixed`: some of its descendants are chosen or excluded. `excluded`: its members are left out. */
  readonly state: "off" | "on" | "mixed" | "excluded";
}

/** A tag and its mark. */
export interface PickerTag extends Tag, Counted {
  readonly mark: TagMark;
}

/** The wish for a tag: none, required, or excluded. */
export type TagMark = "any" | "must" | "not";

/** A concern with the sizes of each listed value; a range has none. */
export interface PickerConcern extends Concern {
  readonly options: readonly (Counted & { readonly value: string; readonly chosen: boolean })[];
}

/** A row of the list: a primitive. */
export interface PickerRow {
  /** The index among the visible primitives, as in {@link Selection}. */
  readonly index: number;
  /** The name, `uri` or `uriTemplate`. */
  readonly name: string;
  /** The server of the primitive; absent if there is only one. */
  readonly server?: string;
  readonly title?: string;
  readonly description?: string;
  readonly groups: readonly string[];
  readonly tags: readonly string[];
  readonly tokens: number;
  readonly favorite: boolean;
  /** Whether it is switched off. */
  readonly off: boolean;
  /** Whether it is pinned: see {@link Picker.setUsed}. */
  readonly pinned: boolean;
  readonly shown: boolean;
  /** The first of `reasons`. */
  readonly reason: PickerReason | null;
  /** The reasons why it is hidden, at most eight. */
  readonly reasons: readonly PickerReason[];
  /** Its position among the candidates of the limit, if the limit drops it. */
  readonly rank: PickerRank | null;
}

/**
 * The reason why a row is hidden. Besides the rules of a filter there are `off` and `favorites`, and for a choice among servers
 * `server` and `not.server`, whose `found` is the server.
 */
export type PickerReason =
  | Reason
  | { readonly rule: "off" | "favorites" }
  | { readonly rule: "server" | "not.server"; readonly wanted: readonly string[]; readonly found: readonly string[] };

/**
 * The position of a primitive that the limit drops. The limit takes primitives that the configuration pins first, then those that
 * the user pinned, the latest one first, then favorites, then those with the highest `annotations.priority`, then the most relevant to a `query`. Among
 * equals, the servers take turns, each in the order of the catalog.
 */
export interface PickerRank {
  /** The position, from 1. */
  readonly position: number;
  /** The number of candidates. */
  readonly of: number;
  readonly priority?: number;
  readonly relevance: number;
  /** The number of remaining tokens, if the primitive has more. Otherwise the maximum count was reached. */
  readonly tokensLeft?: number;
}

/** The size of the first list in a disclosure mode: all tools, or tools that find them. */
export interface DisclosurePreview {
  readonly mode: "flat" | "search" | "groups";
  readonly tools: number;
  readonly tokens: number;
  readonly exact: boolean;
}

/** Maximum numbers of primitives and tokens; an absent one is unlimited. */
export interface PickerLimit {
  readonly count?: number | null | undefined;
  readonly tokens?: number | null | undefined;
}

/** The choice in numbers. */
export interface PickerSummary {
  /** The number of rows. */
  readonly rows: number;
  readonly selected: number;
  readonly total: number;
  /** The tokens of the selected primitives in a model's context. */
  readonly tokens: number;
  readonly totalTokens: number;
  readonly exact: boolean;
  /** The number of primitives that match the filter without its limit. */
  readonly candidates: number;
  readonly candidateTokens: number;
  /** The number of candidates that the limit drops. */
  readonly dropped: number;
  /** The numbers of steps that can be undone, at most 100, and redone. */
  readonly undo: number;
  readonly redo: number;
  readonly disabled: readonly (readonly [kind: Kind, name: string])[];
  readonly favorites: readonly (readonly [kind: Kind, name: string])[];
  /** The latest one first. */
  readonly pins: readonly (readonly [kind: Kind, name: string])[];
  readonly onlyFavorites: boolean;
}

/**
 * A user's choice from a catalog as one filter, made step by step. {@link Sieve.picker} creates it.
 *
 * Each method that changes the choice is one step of {@link Picker.undo} and returns whether it changed anything. A method whose
 * result is no valid filter (too many names, a value that a concern rejects) throws a {@link SieveError} and changes nothing.
 */
export class Picker {
  private constructor();

  /** The groups, depth first, below their servers if there are several. Groups that only a filter names follow. */
  readonly groups: readonly PickerGroup[];
  /** The tags. Tags that only a filter names follow. */
  readonly tags: readonly PickerTag[];
  readonly concerns: readonly PickerConcern[];
  readonly summary: PickerSummary;
  /**
   * The choice as one filter, in canonical form. If the limit of a request would keep other primitives than that of the choice, the
   * filter names those that are kept: `-kind:tool or kind:tool (name=a or name=b)`.
   */
  readonly filter: AppliedFilter;
  /** {@link Picker.filter} without these names, for another catalog. */
  readonly plainFilter: AppliedFilter;
  /** The numbers of rows that {@link Picker.words} find if `showing` is `left`, `hidden` or `dropped`; 0 without words. */
  readonly hits: { readonly left: number; readonly hidden: number; readonly dropped: number };
  /** The sizes of the first list of the choice in each disclosure mode; empty for other kinds than tools. */
  readonly disclosure: readonly DisclosurePreview[];

  /**
   * Adds a group or server with its descendants to the choice, or removes it if it is on. A name means the first group of that
   * name, or else the server of that name.
   */
  toggle(group: string | PickerGroup): boolean;
  /** Excludes a group or server with its descendants, or ends that. */
  exclude(group: string | PickerGroup): boolean;
  /** Requires or excludes a tag, or ends that with `any`. */
  mark(tag: string, mark: TagMark): boolean;
  /** Sets the wanted value of a concern, or several; `null` for none. */
  setConcern(concern: string, value: ConcernValue | readonly ConcernValue[] | null): boolean;
  /** Sets the query of the filter; an empty text removes it. */
  setQuery(words: string): boolean;
  /** Sets the maximum numbers of primitives and tokens; `null` for no limit. */
  setLimit(limit: PickerLimit | null): boolean;
  /** Switches a primitive of {@link Picker.kind} (or of another kind) off, or on again. */
  setDisabled(name: string, disabled?: boolean, options?: { readonly kind?: Kind }): boolean;
  /**
   * Uses a primitive, or switches it off. One that is used is pinned: it comes first within a limit, before those that were pinned
   * earlier, and the last one that the limit kept makes room. Switching it off ends that.
   * @throws {SieveError} `filter_limit` for a primitive that has no room even so: it is larger than the whole limit, or a filter cannot
   * name all that the limit keeps (256 terms, 8 KB)
   */
  setUsed(name: string, used?: boolean, options?: { readonly kind?: Kind }): boolean;
  /** Adds a primitive to the favorites, or removes it. Favorites come early if there is a limit. */
  setFavorite(name: string, favorite?: boolean, options?: { readonly kind?: Kind }): boolean;
  /** Limits the choice to favorites, if there are any. */
  setOnlyFavorites(on?: boolean): boolean;
  /** Replaces the choice by a filter, such as a preset. Primitives that are switched off stay off. */
  set(filter: FilterInput | string | null): boolean;
  /**
   * As `set`, for a filter that the program sets, such as a stored one. A change clears the steps of `undo`. Names at the end of
   * `where` that the limit keeps anyway are no condition then, so that another limit keeps others.
   */
  begin(filter: FilterInput | string | null): boolean;
  /** `set({})` */
  clear(): boolean;
  /** Reverts the last step, of at most 100. */
  undo(): boolean;
  /** Repeats the step that `undo` has reverted last. */
  redo(): boolean;
  /** Applies stored {@link Picker.preferences} of this version or an older one. This is no step of `undo`. */
  prefer(preferences: string | object): boolean;
  /** The user's own part of the choice as text, for storing. */
  readonly preferences: string;

  /** The kind of rows and counts. @default "tools" */
  kind: Kind;
  /** The rows: those that match (the default), hidden ones, those that the limit drops (best first), or all. */
  showing: "left" | "hidden" | "dropped" | "all";
  /** Words that search the rows, best first. They do not change the filter. */
  words: string;

  /**
   * Builds the index for `words` now. Otherwise the first search waits for it, some 10 ms for 1,000 primitives. The element does
   * this when the page is idle.
   */
  prepare(): void;
  /** Returns the rows, as indices into the visible primitives. */
  order(): Uint32Array;
  /** Returns the rows from `from` up to, but not including, `to`; at most 1000. */
  rows(from: number, to: number): PickerRow[];

  /** Returns {@link Picker.filter}. */
  toJSON(): AppliedFilter;
  free(): void;
  [Symbol.dispose](): void;
}
