import type { HTMLAttributes, ReactElement } from "react";
import type { AppliedFilter, FilterInput, Kind, Preferences, Sieve } from "./types.js";
import type { Labels, Preset } from "./picker.js";

/** `<mcp-sieve-picker>` for React 18 and newer. */
export function SievePicker(properties: {
  /** Yours to free, after the element is gone. */
  readonly sieve: Sieve | undefined;
  readonly filter?: FilterInput;
  readonly presets?: readonly Preset[];
  readonly labels?: Partial<Labels>;
  readonly preferences?: Preferences;
  readonly kind?: Kind;
  readonly name?: string;
  readonly disabled?: boolean;
  /** After each change that a person makes. */
  readonly onChange?: (filter: AppliedFilter, event: CustomEvent) => void;
} & Omit<HTMLAttributes<HTMLElement>, "onChange">): ReactElement;
