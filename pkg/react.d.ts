import type { HTMLAttributes, ReactElement } from "react";
import type { AppliedFilter, FilterInput, Kind, Sieve } from "./types.js";
import type { Labels, Preset } from "./picker.js";

/** `<mcp-sieve-picker>` for React 18 and newer. */
export function SievePicker(properties: {
  readonly sieve: Sieve | undefined;
  readonly filter?: FilterInput;
  readonly presets?: readonly Preset[];
  readonly labels?: Partial<Labels>;
  readonly kind?: Kind;
  readonly name?: string;
  readonly disabled?: boolean;
  /** After each change that a person makes. */
  readonly onChange?: (filter: AppliedFilter, event: CustomEvent) => void;
} & Omit<HTMLAttributes<HTMLElement>, "onChange">): ReactElement;
