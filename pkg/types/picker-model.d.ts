/// <reference lib="esnext.disposable" />
import type { Concern, Group, Kind, Tag } from "./catalog.js";
import type { ConcernValue } from "./config.js";
import type { SieveError } from "./error.js";
import type { AppliedFilter, FilterInput, Reason } from "./filter.js";
import type { Selection, Sieve } from "./sieve.js";

/** How a thing to choose stands, in primitives of {@link Picker.kind}. */
export interface Counted {
  /** How many there are. */
  readonly members: number;
  /** How many of them everything else that is chosen leaves. */
  readonly left: number;
}

/** A group where it stands in the tree, or the server that it stands below, with the state of its box. */
export interface PickerGroup extends Group, Counted {
  /** The server that it stands below, or that it is; absent unless there are several. */
  readonly server?: string;
  /** Whether it is a server. */
  readonly isServer?: boolean;
  /** How many stand above it. */
  readonly level: number;
  /** The place of what stands above it in {@link Picker.groups}. */
  readonly above?: number;
  /** `mixed`: part of what is below is chosen, or excluded. `excluded`: left out. */
  readonly state: "off" | "on" | "mixed" | "excluded";
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
  /** The server that it came from; absent unless there are several. */
  readonly server?: string;
  readonly title?: string;
  readonly description?: string;
  readonly groups: readonly string[];
  readonly tags: readonly string[];
  readonly tokens: number;
  readonly favorite: boolean;
  /** Whether it is switched off. */
  readonly off: boolean;
  readonly shown: boolean;
  /** The first of `reasons`. */
  readonly reason: PickerReason | null;
  /** Why it is hidden, at most eight reasons. */
  readonly reasons: readonly PickerReason[];
  /** Where it stands among the candidates of the limit, if the limit drops it. */
  readonly rank: PickerRank | null;
}

/**
 * Why a row is hidden. Besides the rules of a filter there are `off` and `favorites`, and for a choice among servers `server`
 * and `not.server`, whose `found` is the server.
 */
export type PickerReason =
  | Reason
  | { readonly rule: "off" | "favorites" }
  | { readonly rule: "server" | "not.server"; readonly wanted: readonly string[]; readonly found: readonly string[] };

/**
 * Where a limit found what it drops. It takes pinned primitives first, then the highest `annotations.priority`, then the most
 * relevant to a `query`, then the order of the catalog.
 */
export interface PickerRank {
  /** The position, from 1. */
  readonly position: number;
  /** How many candidates there are. */
  readonly of: number;
  readonly priority?: number;
  readonly relevance: number;
  /** How many tokens were left, if it takes more than these; otherwise the count was reached. */
  readonly tokensLeft?: number;
}

/** What a list would hold in a disclosure mode: all tools, or tools to find them by. */
export interface DisclosurePreview {
  readonly mode: "flat" | "search" | "groups";
  readonly tools: number;
  readonly tokens: number;
  readonly exact: boolean;
}

/** The most primitives and tokens that a filter leaves; without one of them, any number. */
export interface PickerLimit {
  readonly count?: number | null | undefined;
  readonly tokens?: number | null | undefined;
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
  /** What the filter leaves without its limit. */
  readonly candidates: number;
  readonly candidateTokens: number;
  /** How many of them the limit drops. */
  readonly dropped: number;
  /** Steps that can be taken back, at most 100, and again. */
  readonly undo: number;
  readonly redo: number;
  readonly disabled: readonly (readonly [kind: Kind, name: string])[];
  readonly favorites: readonly (readonly [kind: Kind, name: string])[];
  readonly onlyFavorites: boolean;
}

/**
 * What a person chooses from a catalog, step by step, as one filter; made by {@link Sieve.picker}.
 *
 * Each method that chooses is one step of {@link Picker.undo} and says whether it changed anything. One that makes no
 * filter (too many names, a value that a concern refuses) throws a {@link SieveError}, and everything stays as it was.
 */
export class Picker {
  private constructor();

  /** The groups, depth first, below their servers if there are several; then those that only a filter named. */
  readonly groups: readonly PickerGroup[];
  /** The tags, then those that only a filter named. */
  readonly tags: readonly PickerTag[];
  readonly concerns: readonly PickerConcern[];
  readonly summary: PickerSummary;
  /** The choice as one filter, in canonical form. */
  readonly filter: AppliedFilter;
  /** What a client would be listed of the choice in each disclosure mode; nothing while another kind than tools is shown. */
  readonly disclosure: readonly DisclosurePreview[];

  /**
   * Puts a group or a server in with what is below it, or takes it out if its box is on. A name stands for the first group of
   * that name, and then for a server.
   */
  toggle(group: string | PickerGroup): boolean;
  /** Leaves a group or a server out with what is below it, or no longer. */
  exclude(group: string | PickerGroup): boolean;
  mark(tag: string, mark: TagMark): boolean;
  /** Asks for a value of a concern, for any of several, or with `null` for nothing. */
  setConcern(concern: string, value: ConcernValue | readonly ConcernValue[] | null): boolean;
  /** Keeps what these words are about; for an empty text, everything. */
  setQuery(words: string): boolean;
  /** Sets the most primitives and tokens; `null` for any number. */
  setLimit(limit: PickerLimit | null): boolean;
  /** Switches a primitive of {@link Picker.kind} (or another) off, or on again. */
  setDisabled(name: string, disabled?: boolean, options?: { readonly kind?: Kind }): boolean;
  /** Keeps a primitive at hand, or no longer. */
  setFavorite(name: string, favorite?: boolean, options?: { readonly kind?: Kind }): boolean;
  /** Keeps favorites alone, if there are any. */
  setOnlyFavorites(on?: boolean): boolean;
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
  /** Which rows there are: what is left (at first), what is hidden, what the limit drops (the best first), or all. */
  showing: "left" | "hidden" | "dropped" | "all";
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
