import type { AppliedFilter, FilterInput } from "./filter.js";
import type { Picker } from "./picker-model.js";
import type { Kind } from "./catalog.js";
import type { Sieve } from "./sieve.js";

/**
 * A person's own tags, by name: the primitives of each kind that have it. At most 100 tags with names of 1 to 64
 * characters, and 1000 names of primitives under all of them together.
 */
export type OwnTags = Readonly<Record<string, Readonly<Partial<Record<Kind, readonly string[]>>>>>;

/** What preferences are kept in: `sessionStorage`, or anything with these three methods. */
export interface PreferenceStorage {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
  removeItem(key: string): void;
}

/**
 * What of a choice is a person's own, kept for each server and user: favorites, names that are switched off (not
 * those that are on, so that a server's next tool is seen), chosen concerns and own tags. Nothing of it goes over the wire.
 * Give it to the element as `preferences`, or call `apply` and `save`. A storage that is full or forbidden costs
 * what would be kept, and throws nothing.
 */
export class Preferences {
  /** `server` is its address or name. Kept in the browser's `localStorage` unless another storage is given. */
  constructor(server: string, options?: { readonly user?: string; readonly storage?: PreferenceStorage });
  readonly key: string;
  /**
   * Why the last access came to nothing: `full`, `forbidden` (or there is no storage here), or the code of what is kept
   * and cannot be read. What a later version kept is left alone.
   */
  readonly problem: string | undefined;
  /** Lets a choice begin with what is kept; says whether that changed it. */
  apply(picker: Picker): boolean;
  /** The person's own tags; `{}` if there are none, or none that can be read. */
  readonly tags: OwnTags;
  /**
   * Gives a primitive one or several own tags, and keeps that; says whether it could be kept. A sieve has them once it is
   * compiled with the option `tags`, or by {@link Sieve.tagged}.
   * @throws {SieveError} `preferences` for a name that cannot be used, too many tags and too many names: nothing changes
   */
  tag(name: string, tags: string | readonly string[], options?: { readonly kind?: Kind }): boolean;
  /** Takes own tags from a primitive. A tag that no primitive has is gone. */
  untag(name: string, tags: string | readonly string[], options?: { readonly kind?: Kind }): boolean;
  /** What a filter becomes under what is kept. */
  filter(sieve: Sieve, filter?: FilterInput | string | null): AppliedFilter;
  /** Keeps a person's part of the choice; says whether it could be. */
  save(picker: Picker): boolean;
  /** What is kept, as text; `undefined` for nothing. */
  export(): string | undefined;
  /**
   * Takes what was exported elsewhere, into the choice and the storage.
   * @throws {SieveError} `json` or `preferences`: nothing has changed then
   */
  import(text: string, picker: Picker): boolean;
  /** Keeps nothing any longer. */
  forget(): boolean;
}
