import type {
  AppliedFilter,
  DisclosurePreview,
  FilterInput,
  Kind,
  Picker,
  PickerReason,
  PickerRow,
  PickerSummary,
  Preferences,
  Sieve,
} from "./index.js";

/** A filter by name, for a click. */
export interface Preset {
  readonly name: string;
  readonly title?: string;
  readonly filter: FilterInput;
}

/** The words for one primitive of a kind and for several: `["tool", "tools"]`. */
export type KindWords = readonly [one: string, many: string];

/** The texts of the element. A host that speaks another language sets them, whole or in part. */
export interface Labels {
  picker: string;
  loading: string;
  failed: string;
  groups: string;
  /** The title of a tree whose first level are servers, and the word for one of them. */
  servers: string;
  server: string;
  tags: string;
  concerns: string;
  presets: string;
  group: string;
  tag: string;
  /** The note beside a person's own tag. */
  own: string;
  /** The field for a person's own tag of a primitive, and the buttons beside it. */
  ownTag(name: string): string;
  addTag: string;
  removeTag: string;
  rows: string;
  left: string;
  hidden: string;
  all: string;
  /** The rows that the limit drops. */
  dropped: string;
  budget: string;
  maxTools(kind: KindWords): string;
  maxTokens: string;
  usedTools(kind: KindWords): string;
  usedTokens: string;
  /** What a bar shows: `counted` is the number of candidates with its unit, `most` the bound if there is one. */
  reading(used: number, candidates: number, counted: string, most?: number): string;
  tokens(n: number, exact: boolean): string;
  /** The button that shows what the limit drops. */
  showDropped(n: number, kind: KindWords): string;
  /** Whether a host that takes `most` tools takes all. */
  fits(most: number): string;
  exceeds(most: number, over: number): string;
  disclosure: string;
  modes: Record<DisclosurePreview["mode"], readonly [name: string, description: string]>;
  keep: string;
  anything: string;
  default: string;
  undo: string;
  redo: string;
  clear: string;
  onlyFavorites: string;
  excluded: string;
  filters(n: number): string;
  list(kind: KindWords): string;
  find(kind: KindWords): string;
  hits(n: number): string;
  about(words: string): string;
  favorite(name: string): string;
  enabled(name: string): string;
  /** The button that adds a group: `facet` is `group`, `tag` or the name of a concern. */
  include(facet: string, name: string): string;
  require(facet: string, name: string): string;
  exclude(facet: string, name: string): string;
  columns: { use: string; name: string; groups: string; tokens: string; favorite: string };
  /** A list without rows: the server has none, the filter or a search leaves none, none is hidden. */
  nothing(kind: KindWords): string;
  noMatch(kind: KindWords): string;
  notFound(words: string, kind: KindWords): string;
  noneHidden(kind: KindWords): string;
  noneDropped(kind: KindWords): string;
  kinds: Record<Kind, KindWords>;
  count(n: number, kind: KindWords): string;
  number(n: number): string;
  of(left: string, members: string): string;
  selected(summary: PickerSummary, kind: KindWords): string;
  /** Why a row is hidden: a sentence without its full stop. `title` returns the title of a group. */
  why(reason: PickerReason, title: (group: string) => string, row: PickerRow): string;
}

/** A change that a person made; `detail.filter` is the whole filter from then on. */
export type PickerChangeEvent = CustomEvent<{ readonly filter: AppliedFilter }>;

/** A change of the limit that a person made; it follows the `change` of the filter. */
export type PickerBudgetEvent = CustomEvent<{
  readonly maxTools: number | null;
  readonly maxTokens: number | null;
  readonly selected: number;
  readonly tokens: number;
  readonly dropped: number;
}>;

/** The events of the element: those of any element, with a `change` and a `budget` of its own. */
export interface SievePickerEventMap extends Omit<HTMLElementEventMap, "change"> {
  change: PickerChangeEvent;
  budget: PickerBudgetEvent;
}

/**
 * `<mcp-sieve-picker name="filter" kind="tools">`: choosing from a catalog by hand. Importing this module registers it.
 *
 * It takes part in a form under its `name`, with the filter as JSON. `change` bubbles after each change that a person
 * makes, never after one that a program makes. Until it gets a `sieve` or a `picker` it shows that it loads.
 *
 * It paints its own surface, in the color scheme that applies to it (CSS `color-scheme`), or in the one that `theme` names.
 * Custom properties: `--mcp-sieve-accent`, `-on-accent`, `-text`, `-muted`, `-surface`, `-line`, `-danger`, `-radius`, `-font`,
 * `-padding`, `-list-height`. Set `-text`, `-muted` and `-surface` together. Parts: `root`, `bar`, `status`, `presets`, `preset`,
 * `budget`, `meter`, `hosts`, `modes`, `facets`, `groups`, `tree`, `group`, `tags`, `concerns`, `concern`, `values`, `value`, `sign`, `require`, `exclude`, `own`, `results`,
 * `tabs`, `tab`, `tools`, `find`, `hits`, `list`, `row`, `none`, `skeleton`, `alert`, `button`, …
 */
export class SievePickerElement extends HTMLElement {
  /** What to choose from. The choice stays, as far as a new one goes. */
  sieve: Sieve | undefined;
  /** The choice behind the element. One made elsewhere may be set in place of `sieve`; call `redraw` after changing it. */
  picker: Picker | undefined;
  /** The choice as a filter. Setting it is what a form's reset comes back to, and where `undo` begins anew. */
  get filter(): AppliedFilter;
  set filter(filter: FilterInput | string | null);
  /** `filter` as JSON text. */
  value: string;
  kind: Kind;
  presets: readonly Preset[];
  /**
   * Whether the budget is shown: bounds to edit, bars of what is used, and the tokens of each disclosure mode. It is shown
   * without this where the filter has a `limit`.
   */
  budget: boolean;
  /** `limit.count` of the filter; the attribute `max-tools` is the value to begin with. */
  maxTools: number | null;
  /** `limit.tokens` of the filter; the attribute `max-tokens` is the value to begin with. */
  maxTokens: number | null;
  /** The most tools that hosts take, marked in the budget; 40, 64 and 128 by default. */
  get thresholds(): readonly number[];
  set thresholds(thresholds: readonly number[] | null);
  /** Why there is nothing to choose from: a message, or an error that has one. Shown in place of the loading state. */
  get error(): string | undefined;
  set error(error: Error | string | null | undefined);
  /** The color scheme; `"auto"`, the default, is that of the page around the element. */
  theme: "light" | "dark" | "auto";
  /**
   * Where a person's own part of the choice is kept: it begins with that, and each change is kept. With it, and a `sieve`
   * that is {@link Sieve.taggable}, a person can tag what is listed; the element then shows a sieve of its own, and steps of
   * `undo` end there.
   */
  preferences: Preferences | undefined;
  get labels(): Labels;
  set labels(labels: Partial<Labels>);
  disabled: boolean;
  name: string;
  readonly form: HTMLFormElement | null;
  undo(): void;
  redo(): void;
  clear(): void;
  redraw(): void;
  addEventListener<Type extends keyof SievePickerEventMap>(
    type: Type,
    listener: (this: SievePickerElement, event: SievePickerEventMap[Type]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<Type extends keyof SievePickerEventMap>(
    type: Type,
    listener: (this: SievePickerElement, event: SievePickerEventMap[Type]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "mcp-sieve-picker": SievePickerElement;
  }
}
