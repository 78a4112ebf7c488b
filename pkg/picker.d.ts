import type { AppliedFilter, FilterInput, Kind, Picker, PickerSummary, Preferences, Reason, Sieve } from "./types.js";

/** A filter by name, for a click. */
export interface Preset {
  readonly name: string;
  readonly title?: string;
  readonly filter: FilterInput;
}

/** What the element says; a host that speaks another language sets them, whole or in part. */
export interface Labels {
  picker: string; groups: string; groupsHint: string; tags: string; tagsHint: string; presets: string; list: string;
  kind: string; rows: string; left: string; hidden: string; all: string; find: string; keep: string;
  anything: string; default: string; undo: string; redo: string; clear: string; onlyFavourites: string;
  refused: string; must: string; not: string; nothing: string;
  about(words: string): string;
  favourite(name: string): string;
  enabled(name: string): string;
  refuse(name: string): string;
  unrefuse(name: string): string;
  notFound(words: string): string;
  columns: { use: string; name: string; groups: string; tokens: string; favourite: string };
  kinds: Record<Kind, readonly [one: string, many: string]>;
  count(n: number, kind: readonly [one: string, many: string]): string;
  number(n: number): string;
  of(left: string, members: string): string;
  selected(summary: PickerSummary, kind: readonly [one: string, many: string]): string;
  why(reason: Reason | { rule: "off" | "favourites" }): string;
}

/** A change that a person made; `detail.filter` is the whole filter from then on. */
export type PickerChangeEvent = CustomEvent<{ readonly filter: AppliedFilter }>;

/** The events of the element: those of any element, with a `change` of its own. */
export interface SievePickerEventMap extends Omit<HTMLElementEventMap, "change"> {
  change: PickerChangeEvent;
}

/**
 * `<mcp-sieve-picker name="filter" kind="tools">`: choosing from a catalog by hand. Importing this module registers it.
 *
 * It takes part in a form under its `name`, with the filter as JSON. `change` bubbles after each change that a person
 * makes, never after one that a program makes. Custom properties: `--mcp-sieve-accent`, `-on-accent`, `-text`,
 * `-muted`, `-surface`, `-line`, `-danger`, `-radius`, `-font`, `-list-height`. Parts: `bar`, `facets`, `groups`, `tree`,
 * `group`, `tags`, `tag`, `concerns`, `concern`, `choice`, `presets`, `preset`, `tools`, `find`, `results`, `status`, `list`,
 * `row`, `button`, …
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
  /** Where a person's own part of the choice is kept: it begins with that, and each change is kept. */
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
  addEventListener<Type extends keyof SievePickerEventMap>(type: Type, listener: (this: SievePickerElement, event: SievePickerEventMap[Type]) => unknown, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<Type extends keyof SievePickerEventMap>(type: Type, listener: (this: SievePickerElement, event: SievePickerEventMap[Type]) => unknown, options?: boolean | EventListenerOptions): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "mcp-sieve-picker": SievePickerElement;
  }
}
