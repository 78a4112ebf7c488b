import type { DetailedHTMLProps, HTMLAttributes, ReactElement, Ref } from "react";
import type {
  AppliedFilter,
  Config,
  FilterInput,
  Kind,
  Lists,
  OwnTags,
  Preferences,
  Sieve,
  SieveError,
} from "./index.js";
import type { Picker } from "./index.js";
import type { Labels, PickerBudgetEvent, PickerChangeEvent, Preset, SievePickerElement } from "./picker.js";

export interface SievePickerProperties extends Omit<HTMLAttributes<HTMLElement>, "onChange"> {
  /** A compiled catalog. It is yours to free after the component is unmounted. */
  readonly sieve?: Sieve | undefined;
  /** Lists to compile instead, as soon as the WebAssembly is loaded. The component frees the sieve. */
  readonly lists?: Lists | null | undefined;
  /** The configuration for `lists`. */
  readonly config?: Config | string | null | undefined;
  /** An error to show, such as that of `useSieve`. Errors of `lists` and `config` are always shown. */
  readonly error?: Error | undefined;
  readonly filter?: FilterInput | undefined;
  readonly presets?: readonly Preset[] | undefined;
  readonly labels?: Partial<Labels> | undefined;
  readonly preferences?: Preferences | undefined;
  /** Whether the budget is shown; see {@link SievePickerElement.budget}. */
  readonly budget?: boolean | undefined;
  /** The initial limits of tools and tokens. */
  readonly maxTools?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly thresholds?: readonly number[] | undefined;
  readonly kind?: Kind | undefined;
  readonly name?: string | undefined;
  readonly disabled?: boolean | undefined;
  /** The color scheme. `"auto"` uses the scheme of the page. @default "auto" */
  readonly theme?: "light" | "dark" | "auto" | undefined;
  /** Called after each change by the user, and if stored `preferences` change the filter with which the choice begins. */
  readonly onChange?: ((filter: AppliedFilter, event: PickerChangeEvent) => void) | undefined;
  /** Called after each change of the limit, with what is used then. */
  readonly onBudget?: ((budget: PickerBudgetEvent["detail"], event: PickerBudgetEvent) => void) | undefined;
  /** The element, for its methods: `ref.current.undo()`. */
  readonly ref?: Ref<SievePickerElement> | undefined;
}

/**
 * `<mcp-sieve-picker>` as a component, for React 18 and newer. With `lists` it loads the WebAssembly itself. The application
 * renders at once, and the picker shows that it is loading, or the error.
 */
export function SievePicker(properties: SievePickerProperties): ReactElement;

/** A catalog or an error; neither while the WebAssembly is loading or `lists` is undefined. */
export interface SieveState {
  readonly sieve?: Sieve;
  /** `load`, if the WebAssembly could not be loaded; otherwise an error of `Sieve.compile`. */
  readonly error?: SieveError;
}

/**
 * Loads the WebAssembly and compiles lists, again whenever the lists or the configuration change. Objects may be written in
 * place: `useSieve({ tools }, { rules: [] })`. `tags` are a user's own tags, as for `Sieve.compile`. The hook frees each sieve
 * when it is replaced, and the last one when the component is unmounted.
 */
export function useSieve(
  lists: Lists | null | undefined,
  config?: Config | string | null,
  options?: { readonly tags?: OwnTags | null | undefined },
): SieveState;

/** `<mcp-sieve-picker>` in JSX. React 19 sets these as properties; React 18 sets attributes only, so use `SievePicker` there. */
interface SievePickerAttributes extends HTMLAttributes<SievePickerElement> {
  class?: string | undefined;
  sieve?: Sieve | undefined;
  picker?: Picker | undefined;
  filter?: FilterInput | string | null | undefined;
  value?: string | undefined;
  presets?: readonly Preset[] | undefined;
  labels?: Partial<Labels> | undefined;
  preferences?: Preferences | undefined;
  budget?: boolean | undefined;
  "max-tools"?: number | undefined;
  "max-tokens"?: number | undefined;
  maxTools?: number | null | undefined;
  maxTokens?: number | null | undefined;
  thresholds?: readonly number[] | undefined;
  kind?: Kind | undefined;
  name?: string | undefined;
  disabled?: boolean | undefined;
  error?: Error | string | null | undefined;
  theme?: "light" | "dark" | "auto" | undefined;
  /** The events of the element, which React 19 takes under the lower-case names of events. */
  onchange?: ((event: PickerChangeEvent) => void) | undefined;
  onbudget?: ((event: PickerBudgetEvent) => void) | undefined;
}

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "mcp-sieve-picker": DetailedHTMLProps<SievePickerAttributes, SievePickerElement>;
    }
  }
}
