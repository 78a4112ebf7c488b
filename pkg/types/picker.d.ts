import type {
  AppliedFilter,
  DisclosurePreview,
  FilterInput,
  Kind,
  Picker,
  PickerReason,
  PickerRow,
  PickerSummary,
  SieveError,
  Preferences,
  Sieve,
} from "./index.js";

/** A named filter, which is a button of the element. */
export interface Preset {
  readonly name: string;
  readonly title?: string;
  readonly filter: FilterInput;
}

/** The singular and plural of a kind: `["tool", "tools"]`. */
export type KindWords = readonly [one: string, many: string];

/** The texts of the element. Set all or some of them to translate it. */
export interface Labels {
  picker: string;
  loading: string;
  failed: string;
  groups: string;
  /** The title of a tree whose first level are servers, and the word for one server. */
  servers: string;
  server: string;
  tags: string;
  concerns: string;
  presets: string;
  group: string;
  tag: string;
  /** The note beside a user's own tag. */
  own: string;
  /** The field for a user's own tag of a primitive, and the buttons beside it. */
  ownTag(name: string): string;
  /** Why something was not stored: `full`, `forbidden` or another code of `Preferences.problem`. */
  notStored(problem: string): string;
  /** Why a choice was refused. `message` is in English, `code` is the code of the error. */
  refused(error: SieveError): string;
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
  /** The text of a bar. `counted` is the number of candidates with its unit, and `most` the limit, if there is one. */
  reading(used: number, candidates: number, counted: string, most?: number): string;
  tokens(n: number, exact: boolean): string;
  /** The button that shows the rows that the limit drops. */
  showDropped(n: number, kind: KindWords): string;
  /** The texts for a host that accepts `most` tools: whether all fit. */
  fits(most: number): string;
  exceeds(most: number, over: number): string;
  /** What a model reads at first in each disclosure mode: a title, the name of the mode with what it lists, and tokens. */
  disclosure: string;
  modes: Record<DisclosurePreview["mode"], readonly [name: string, description: string]>;
  size(tokens: number, exact: boolean): string;
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
  /** The number of rows that a search finds; `elsewhere` is the number of those under other tabs. */
  hits(n: number, elsewhere?: number): string;
  /** The button that shows the rows that a search finds under another tab. */
  more(n: number, showing: "left" | "hidden" | "dropped"): string;
  /** The mark of a pinned row. */
  pinned: string;
  about(words: string): string;
  favorite(name: string): string;
  enabled(name: string): string;
  /** The button that adds a group: `facet` is `group`, `tag` or the name of a concern. */
  include(facet: string, name: string): string;
  require(facet: string, name: string): string;
  exclude(facet: string, name: string): string;
  columns: { use: string; name: string; groups: string; tokens: string; favorite: string };
  /** The texts of an empty list: the server has no primitives, the filter or a search matches none, or none is hidden. */
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
  /** The reason why a row is hidden: a sentence without its full stop. `title` returns the title of a group. */
  why(reason: PickerReason, title: (group: string) => string, row: PickerRow): string;
}

/** A change of the filter. `detail.filter` is the whole new filter. */
export type PickerChangeEvent = CustomEvent<{ readonly filter: AppliedFilter }>;

/** A change of the limit. It follows the `change` of the filter. */
export type PickerBudgetEvent = CustomEvent<{
  readonly maxTools: number | null;
  readonly maxTokens: number | null;
  readonly selected: number;
  readonly tokens: number;
  readonly dropped: number;
}>;

/** The events of the element: those of any element, with its own `change` and `budget`. */
export interface SievePickerEventMap extends Omit<HTMLElementEventMap, "change"> {
  change: PickerChangeEvent;
  budget: PickerBudgetEvent;
}

/**
 * `<mcp-sieve-picker name="filter" kind="tools">`, by which a user chooses from a catalog. Importing this module registers it.
 *
 * In a form, its value under its `name` is the filter as JSON. `change` bubbles after each change by the user and after `undo`,
 * `redo` and `clear`. It is also sent whenever the filter is not the one that the page has set or received last: if stored
 * `preferences`, the bounds of the attributes or a new `sieve` change it. So the last `change` always has the filter that is shown.
 * Until `sieve` or `picker` is set, the element shows that it is loading.
 *
 * It paints its own surface, in its color scheme (CSS `color-scheme`), the one of `theme`, or that of the background behind it.
 * The list is as high as its rows, and scrolls with the page. With `--mcp-sieve-list-height` it has that height, and scrolls by itself.
 * Custom properties: `--mcp-sieve-accent`, `-on-accent`, `-text`, `-muted`, `-surface`, `-line`, `-danger`, `-radius`, `-font`,
 * `-padding`, `-list-height`. Set `-text`, `-muted` and `-surface` together. Parts: `root`, `bar`, `status`, `presets`, `preset`,
 * `budget`, `budget-line`, `meter`, `hosts`, `modes`, `facets`, `groups`, `tree`, `group`, `tags`, `concerns`, `concern`, `values`, `value`, `sign`, `require`, `exclude`, `own`, `results`,
 * `tabs`, `tab`, `tools`, `find`, `hits`, `list`, `row`, `none`, `skeleton`, `alert`, `button`, …
 */
export class SievePickerElement extends HTMLElement {
  /** The catalog to choose from. When it is replaced, the choice stays as far as the new catalog allows. */
  sieve: Sieve | undefined;
  /** The model of the element. Set an existing one instead of `sieve`, and call `redraw` after changing it. */
  picker: Picker | undefined;
  /** The choice as a filter. Setting it sets the value to which the form is reset, and clears the steps of `undo`. */
  get filter(): AppliedFilter;
  set filter(filter: FilterInput | string | null);
  /** `filter` as JSON text. */
  value: string;
  kind: Kind;
  presets: readonly Preset[];
  /**
   * Whether the budget is shown: a line with bars of the used amounts, which opens editable limits and the tokens of each disclosure
   * mode. It is always shown if the filter has a `limit`.
   */
  budget: boolean;
  /** `limit.count` of the filter; the attribute `max-tools` is the initial value. */
  maxTools: number | null;
  /** `limit.tokens` of the filter; the attribute `max-tokens` is the initial value. */
  maxTokens: number | null;
  /** Maximum numbers of tools of hosts, which the budget marks; 40, 64 and 128 by default. */
  get thresholds(): readonly number[];
  set thresholds(thresholds: readonly number[] | null);
  /** The reason why there is no catalog: a message, or an error with one. It replaces the loading state. */
  get error(): string | undefined;
  set error(error: Error | string | null | undefined);
  /**
   * The color scheme. `"auto"` uses the scheme of the page, and in a page that sets none, the one that its background asks for.
   * @default "auto"
   */
  theme: "light" | "dark" | "auto";
  /**
   * The store of the user's own part of the choice. The choice begins with it, each change is stored, and what another tab
   * stores is taken over. If `sieve` is {@link Sieve.taggable}, the user
   * can also tag primitives; the element then shows a sieve of its own, and tagging clears the steps of `undo`.
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
