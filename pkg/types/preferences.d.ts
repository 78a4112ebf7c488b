import type { AppliedFilter, FilterInput } from "./filter.js";
import type { Picker } from "./picker-model.js";
import type { Kind } from "./catalog.js";
import type { Sieve } from "./sieve.js";

/**
 * A user's own tags: for each tag, the names of the primitives of each kind that have it. At most 100 tags with names of 1 to 64
 * characters, and 1000 names of primitives in all.
 */
export type OwnTags = Readonly<Record<string, Readonly<Partial<Record<Kind, readonly string[]>>>>>;

/** A storage for preferences, such as `sessionStorage`. */
export interface PreferenceStorage {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
  removeItem(key: string): void;
}

/**
 * The stored preferences of a user for a server: favorites, pins, primitives that are switched off (so that new tools of the server
 * are on), chosen concerns, bounds and own tags. They are never sent to a server. Set them as `preferences` of the element, or call
 * `apply` and `save`. If the storage is full or forbidden, nothing is stored and no error is thrown.
 */
export class Preferences {
  /** `server` is the URL or name of the server. The default storage is the browser's `localStorage`. */
  constructor(server: string, options?: { readonly user?: string; readonly storage?: PreferenceStorage });
  /** The key under which the preferences are stored. */
  readonly key: string;
  /**
   * The problem of the last access: `full`, `forbidden` (also if there is no storage), `filter_limit` if this tab and another
   * have together switched off more than 255 names or chosen more than 1,000 favorites or pins, or the error code of stored preferences
   * that cannot be used. These, such as those of a later version, are not overwritten, unless they are no JSON.
   */
  readonly problem: string | undefined;
  /** Applies the preferences to a choice. Returns whether that changed it. */
  apply(picker: Picker): boolean;
  /** The user's own tags; `{}` if there are none, or they cannot be read. */
  readonly tags: OwnTags;
  /**
   * Adds one or several own tags to a primitive and stores them. Returns whether they were stored. A sieve has them if it is
   * compiled with the option `tags`, or by {@link Sieve.tagged}.
   * @throws {SieveError} `preferences` for an invalid name, too many tags or too many names; nothing changes then
   */
  tag(name: string, tags: string | readonly string[], options?: { readonly kind?: Kind }): boolean;
  /** Removes own tags from a primitive. A tag without primitives is deleted. Returns whether the change was stored. */
  untag(name: string, tags: string | readonly string[], options?: { readonly kind?: Kind }): boolean;
  /** Returns a filter under the preferences. */
  filter(sieve: Sieve, filter?: FilterInput | string | null): AppliedFilter;
  /**
   * Stores the user's own part of the choice. Returns whether it was stored. Changes that another tab has stored since the
   * choice was applied or saved are kept.
   */
  save(picker: Picker): boolean;
  /** Returns the stored preferences as text; `undefined` if there are none. */
  export(): string | undefined;
  /**
   * Applies exported preferences to the choice and stores them.
   * @throws {SieveError} `json` or `preferences`; nothing changes then
   */
  import(text: string, picker: Picker): boolean;
  /** Deletes the stored preferences. Returns whether they were deleted. */
  forget(): boolean;
}
