import type { ConcernValue } from "./config.js";

/** The kinds of primitives, by their member of a list result. */
export type Kind = "tools" | "resources" | "resourceTemplates" | "prompts" | "skills";

/** The result of a list request. One object may contain several kinds. */
export interface ListResult {
  readonly tools?: readonly object[] | undefined;
  readonly resources?: readonly object[] | undefined;
  readonly resourceTemplates?: readonly object[] | undefined;
  readonly prompts?: readonly object[] | undefined;
  /** Entries of `skills/list` (the extension `io.modelcontextprotocol/skills`). */
  readonly skills?: readonly object[] | undefined;
  /** Groups, tags and concerns that the server declares: the results of `groups/list`, `tags/list` and `listConcerns`. */
  readonly groups?: readonly object[] | undefined;
  readonly tags?: readonly object[] | undefined;
  readonly concerns?: readonly object[] | undefined;
  readonly nextCursor?: string | undefined;
  readonly _meta?: object | undefined;
}

/** A JSON-RPC response with a list result. */
export interface ListResponse {
  readonly result: ListResult;
  readonly jsonrpc?: string;
  readonly id?: string | number;
}

/**
 * The source of a catalog: one list result, or several in order (pages of a list and lists of several kinds may be mixed), or
 * the same as JSON text or UTF-8 bytes. Bytes are the fastest, because nothing is parsed twice.
 */
export type Lists = ListResult | ListResponse | readonly (ListResult | ListResponse)[] | string | Uint8Array;

/** The lists of one of several servers. */
export interface ServerLists {
  /** The name of the server in `server:` terms of expressions. Names are unique; at most 500 servers. */
  readonly server: string;
  readonly lists: Lists;
  /**
   * The prefix of its tools and prompts whose name another server lists too. By default the prefix of the server's entry in
   * `config.upstreams`. A name that several servers list belongs to none of them, unless a rule gives it to one by `name`,
   * or the first has no prefix and the others have one.
   */
  readonly prefix?: string;
  /** Whether every name gets the prefix. */
  readonly prefixAll?: boolean;
  /**
   * New names for the groups, tags and concerns of its primitives; `null` leaves one out. By default those of the server's
   * entry in `config.upstreams`.
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
  /** The parent group, or several. Members of a group are members of its parents too. */
  readonly parent?: string | readonly string[];
}

/** A label of primitives, as in the result of `tags/list`. */
export interface Tag {
  readonly name: string;
  readonly description?: string;
  /** The name of a user's own tag without `user:`; absent for other tags. */
  readonly title?: string;
  /** Whether it is a user's own tag. */
  readonly own?: true;
}

/** A declared concern: its values, and the one that a host should preselect. */
export interface Concern {
  readonly name: string;
  readonly description?: string;
  readonly values: readonly string[] | { readonly min: number; readonly max: number; readonly step?: number };
  /** `true` if the listed values are in ascending order; or an ascending order that contains each value. */
  readonly ordered?: boolean | readonly string[];
  readonly default?: ConcernValue;
}

/** A primitive that differs from the lock. */
export interface Change {
  /** The name of its server. */
  readonly server: string;
  /** `tool`, `resource`, `template`, `prompt` or `skill`. */
  readonly kind: string;
  /** Its name or URI at its server. */
  readonly name: string;
  /** Whether it differs from what was accepted, is not in the lock, or is no longer listed. `unreadable`: the lock cannot be read. */
  readonly state: "changed" | "new" | "removed" | "unreadable";
}

/** A report about a primitive or a declaration that was left out, repaired or is otherwise conspicuous. */
export interface Report {
  readonly code: /** Some primitives violated the protocol's schema and were repaired without a loss. One report for each list. */
    | "repaired"
    /** The protocol's schema rejects it, so it was left out. */
    | "invalid"
    /** Clients of revisions before 2026-07-28 reject it, so a gateway does not show it to them. */
    | "modern"
    /** It is listed twice; the first is kept. */
    | "repeated"
    /** It was left out because its name belongs to another server, or to none of several that list it. */
    | "name_taken"
    /** It is listed under the prefix of its server, because another server has or lists its name. */
    | "prefixed"
    /** Some of its groups, tags or concerns were ignored. */
    | "membership"
    /** Its server defines it differently by revision or by capabilities of the client; one definition is shown. */
    | "differs"
    /** The capabilities that it requires of clients are malformed. */
    | "required_capabilities"
    /** A group, tag or concern that a list declares was left out or changed, or has no effect. */
    | "declaration"
    /** A policy or predicate could not be evaluated for it. */
    | "undecided"
    /** It is not as the lock has it, or the lock cannot be read; `problem` says what became of it. */
    | "not_accepted"
    /** The list has more reports than are stored; `problem` has their number. */
    | "more";
  /** `tool`, `resource`, `template`, `prompt` or `skill`; `server` for a declaration. */
  readonly kind: string;
  /**
   * The primitive's name, or `#` and its position in the list. For a whole list, its member, such as `tools`. For a
   * declaration, the name of the server.
   */
  readonly name: string;
  readonly problem: string;
}
