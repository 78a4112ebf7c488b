import type { ConcernValue } from "./config.js";

/** The kinds of primitive, by the member of a list result that holds them. */
export type Kind = "tools" | "resources" | "resourceTemplates" | "prompts" | "skills";

/** What a server answers to a list request. One object may hold several kinds. */
export interface ListResult {
  readonly tools?: readonly object[] | undefined;
  readonly resources?: readonly object[] | undefined;
  readonly resourceTemplates?: readonly object[] | undefined;
  readonly prompts?: readonly object[] | undefined;
  /** Entries of `skills/list` (the extension `io.modelcontextprotocol/skills`). */
  readonly skills?: readonly object[] | undefined;
  readonly nextCursor?: string | undefined;
  readonly _meta?: object | undefined;
}

/** A JSON-RPC response that carries a list result. */
export interface ListResponse {
  readonly result: ListResult;
  readonly jsonrpc?: string;
  readonly id?: string | number;
}

/**
 * A catalog's source: one list result, or several in order (pages of one list and lists of several kinds
 * may mix), or the same as JSON text or its UTF-8 bytes. Bytes are the fastest: nothing is parsed twice.
 */
export type Lists = ListResult | ListResponse | readonly (ListResult | ListResponse)[] | string | Uint8Array;

/** The lists of one of several servers. */
export interface ServerLists {
  /** The name of the server, as the terms `server:` of expressions have it. Each name once, at most 32 servers. */
  readonly server: string;
  readonly lists: Lists;
  /**
   * What is put before a name of its tools and prompts that another server lists too. By default that of the server's
   * entry in `config.upstreams`, if it has one.
   */
  readonly prefix?: string;
  /** Whether the prefix is put before every name. */
  readonly prefixAll?: boolean;
  /**
   * New names of the groups, tags and concerns that its primitives name; `null` leaves one out. By default those of the
   * server's entry in `config.upstreams`, if it has one.
   */
  readonly groups?: { readonly [name: string]: string | null };
  readonly tags?: { readonly [name: string]: string | null };
  readonly concerns?: { readonly [name: string]: string | null };
}

/** A named set of primitives. */
export interface Group {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** The group it stands below, or several: whatever is in this one is in those too. */
  readonly parent?: string | readonly string[];
}

/** A label of primitives, as `tags/list` gives it. */
export interface Tag {
  readonly name: string;
  readonly description?: string;
  /** The name of a person's own tag without `user:`; absent for other tags. */
  readonly title?: string;
  /** Whether it is a person's own tag. */
  readonly own?: true;
}

/** A concern as it was declared: its answers, and the one that a host should preselect. */
export interface Concern {
  readonly name: string;
  readonly description?: string;
  readonly values: readonly string[] | { readonly min: number; readonly max: number; readonly step?: number };
  /** The listed values run from less to more; or words from less to more, with each value among them. */
  readonly ordered?: boolean | readonly string[];
  readonly default?: ConcernValue;
}

/** A primitive that was left out or repaired, or something else about one that deserves a look. */
export interface Report {
  readonly code: /** The protocol's schema rejects some primitives, and nothing was lost by repairing them. One report for each list. */
    | "repaired"
    /** The protocol's schema rejects it, so it was left out. */
    | "invalid"
    /** Clients of revisions before 2026-07-28 reject it, so a gateway does not show it to them. */
    | "modern"
    /** It is listed twice; the first is kept. */
    | "repeated"
    /** It was left out because another primitive has its name. */
    | "name_taken"
    /** Some of its groups, tags or concerns were ignored. */
    | "membership"
    /** Its server defines it differently by revision or by capabilities of the client; one definition is shown. */
    | "differs"
    /** It says wrongly which capabilities it requires of clients. */
    | "required_capabilities"
    /** A policy or predicate could not judge it. */
    | "undecided"
    /** The list has more reports than are kept; `problem` says how many. */
    | "more";
  /** `tool`, `resource`, `template`, `prompt` or `skill`. */
  readonly kind: string;
  /** The primitive's name, or `#` and its place in the list; for a whole list its member, `tools`. */
  readonly name: string;
  readonly problem: string;
}
