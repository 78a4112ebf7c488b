/// <reference lib="esnext.disposable" />
import type { ContentPolicy, PiiPattern } from "./config.js";

export { SieveError } from "./error.js";
export type { ContentPolicy, PiiPattern };

/** An item of a context, in MCP's format of content: text, an image, a tool call. Unknown items stay unchanged. */
export interface ContentItem {
  type: string;
  text?: string | undefined;
  [member: string]: unknown;
}

/** An item that is passed to functions: a {@link ContentItem}, or one of a type of your own or of an SDK. */
export interface ContentObject {
  readonly type: string;
  readonly text?: string | undefined;
}

/** The result of a function. */
export interface Outcome {
  content: ContentItem[];
  /** Data for the application, never for a model: it may contain values that were removed from the context. */
  metadata?: Record<string, unknown>;
  /**
   * The reason why the context was refused. Check it after each call: `content` is then the context that was refused, and
   * neither a model nor a user may read it.
   */
  refusal?: { reason: string; message: string };
}

/** The result of a function of the host. */
export interface HostOutcome {
  content: readonly ContentObject[];
  /** Data for the application. `allow: false` refuses the context. */
  metadata?: Record<string, unknown>;
  /** Refuses the context. The default `reason` is `host`; another value than these texts fails the call. */
  refusal?: { reason?: string; message: string } | null;
}

/** A text that `document_retrieval` can find. */
export interface Document {
  id: string;
  /** The collection that it belongs to. */
  source?: string;
  title: string;
  text: string;
}

/** The environment of functions. */
export interface World {
  /** Content policies by name, beside the built-in ones. */
  policies?: Readonly<Record<string, ContentPolicy>>;
  /** Patterns by the name of their handles: `EMPLOYEE_ID` for `[EMPLOYEE_ID_1]`. */
  patterns?: Readonly<Record<string, PiiPattern>>;
  /** Returns the time, in milliseconds since 1970. @default Date.now */
  now?(): number;
  /** The documents that `document_retrieval` searches. */
  documents?: readonly Document[];
  /** Tools as in the result of `tools/list`. `tool_filter` uses them to resolve bare names. */
  tools?: readonly { readonly name: string }[];
  /** Resolves with whether a URL exists, or with `undefined` if it must not be requested. For `hallucination_check`. */
  reaches?(url: string): Promise<boolean | undefined>;
  /**
   * Reports a failed middleware server, even if a fallback was used, and errors that `reaches` throws, as `cause`. The text
   * contains nothing of a context.
   */
  warn?(problem: string, cause?: unknown): void;
  /**
   * Stores a whole context and returns the name under which it is stored. For `context_logger`. What it throws is the `cause` of
   * the error of the call.
   */
  record?(record: { at: number; reason: string; label: string; context: ContentItem[] }): Promise<string> | string;
}

/** A function of the host. */
export interface HostFunction {
  name: string;
  description?: string;
  /**
   * JSON Schema of the arguments, an object. The supported keywords are `type`, `enum`, `const`, `properties`, `required`,
   * `additionalProperties`, `items`, the bounds of items, lengths and numbers, and `default` at the top level. Annotations such
   * as `title`, `description` and `format` have no effect. Any other keyword, such as `pattern` or `anyOf`, is rejected with the
   * code `config`. @default { "type": "object" }
   */
  inputSchema?: Record<string, unknown>;
  /** Whether the function changes contexts, rather than only checking them. For interceptors (SEP-2624) only. @default true */
  changes?: boolean;
  /** The phase that the function is meant for. A pipeline calls it in any. @default "both" */
  phase?: "request" | "response" | "both";
  /** The events that the function is meant for. A pipeline calls it for any. @default ["llm/completion"] */
  events?: readonly string[];
  /**
   * Applies the function. The arguments match the schema and contain its defaults. The function refuses the context with a
   * `refusal`, or with `allow: false` in its metadata.
   */
  apply(context: ContentItem[], args: Record<string, unknown>): HostOutcome | Promise<HostOutcome>;
}

/** A step of a chain: the name of a function, or the name with options. */
export type Step =
  | string
  | {
      use: string;
      arguments?: Readonly<Record<string, unknown>>;
      /** `audit`: its effect is only reported. @default "enforce" */
      mode?: "enforce" | "audit";
      /** Whether the context passes unchanged if the function fails. Arguments that it rejects still end the chain. */
      failOpen?: boolean;
    };

/** Functions in order. In an object, `last` limits them to the last items of a context, at least one. */
export type Chain = readonly Step[] | { readonly steps: readonly Step[]; readonly last?: number };

/** The result of a chain. */
export interface ChainResult {
  content: ContentItem[];
  /** The metadata of each function that returned some, without the values of handles. */
  metadata: { function: string; metadata: Record<string, unknown> }[];
  /**
   * The reason why a function refused the context. Check it after each call: `content` is then the context that was refused, as
   * it came to that function, and neither a model nor a user may read it.
   */
  refusal?: { reason: string; message: string };
  /** The effects of each step in sizes and counts, for an audit trail. */
  reports: {
    function: string;
    mode: "enforce" | "audit";
    bytes: [number, number];
    items: [number, number];
    changed: boolean;
    ended: string | null;
  }[];
}

/** A conversation. Its contexts are processed one after the other. */
export interface Conversation {
  /**
   * The values of all handles, by name. Store it with the conversation, pass it to `start` later, and never show it to a model.
   * Known handles stay in a context, so history can be sent again as the model saw it.
   */
  readonly handles: Record<string, string>;
  /** Processes a context for the model. */
  outbound(context: readonly ContentObject[]): Promise<ChainResult>;
  /** Processes a context from the model. */
  inbound(context: readonly ContentObject[]): Promise<ChainResult>;
}

/** A middleware server that an application connects to. */
export interface RemoteServer {
  /** The absolute `https:` or `http:` address of its MCP endpoint. Redirects are refused. */
  url: string;
  /** Headers of every request, such as `Authorization`. Errors never repeat their values. */
  headers?: Record<string, string>;
  /** Maximum time of one call, in milliseconds, with the handshake. A fallback has its own. @default 5000 */
  timeoutMs?: number;
  /**
   * Names of connected servers that are called in this order if this one fails. They need functions of the same names. No
   * fallback is called after a refusal or another error of the function itself.
   */
  fallback?: string | readonly string[];
  /** The functions to add; all that the server lists by default. */
  functions?: readonly string[];
  /** Sends the requests; the global `fetch` by default. */
  fetch?: typeof fetch;
}

/** Context middleware inside an application. */
export class Middleware {
  /**
   * @throws {SieveError} `config` for invalid policies and patterns, with the path of the first; `invalid_option` for an unknown
   * member
   */
  constructor(world?: World);
  /** Returns the functions, as in the result of `middleware/list`. */
  list(): { name: string; description: string; inputSchema: Record<string, unknown> }[];
  /** Adds a function of the host. What it throws is the `cause` of the error of a call. */
  add(own: HostFunction): this;
  /**
   * Connects to a middleware server and adds its functions as `NAME/FUNCTION`, for `invoke` and for steps of pipelines.
   * Resolves with their names. Rejects with `middleware_failed` if the server cannot be reached, with `unknown_middleware` if it
   * does not list one of `functions`, and with `config` for contradictory options.
   *
   * A call fails with `middleware_failed` if the server and its fallbacks fail, time out or return an invalid result.
   */
  connect(name: string, server: RemoteServer): Promise<string[]>;
  /** Adds a document, or replaces the one with the same `id`. */
  put(document: Document): this;
  /** Removes a document. Returns false if there was none. */
  remove(id: string): boolean;
  /** Calls a function. Values nested deeper than 64 levels are rejected with the code `json`, here and in pipelines. */
  invoke(name: string, context: readonly ContentObject[], args?: Readonly<Record<string, unknown>>): Promise<Outcome>;
  /**
   * Creates a pipeline of two chains: to a model, and back. `start` begins a conversation with a copy of `handles`, and throws
   * `invalid_option` if their values are not texts.
   * @throws {SieveError} `config` for an unknown function or invalid options or arguments of a step; `invalid_option` for another
   * member, for a `last` below 1, and if neither chain has a step
   */
  pipeline(chains: { outbound?: Chain; inbound?: Chain }): {
    start(handles?: Readonly<Record<string, string>>): Conversation;
  };
  /** Frees the memory, documents included. Running calls complete. Freeing twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
}
