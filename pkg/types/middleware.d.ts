/// <reference lib="esnext.disposable" />
import type { ContentPolicy, PiiPattern } from "./config.js";

export { SieveError } from "./error.js";
export type { ContentPolicy, PiiPattern };

/** An item of a context, as MCP has content: text, an image, a tool's call. What is not known stays as it is. */
export interface ContentItem {
  type: string;
  text?: string | undefined;
  [member: string]: unknown;
}

/** What a function makes of a context. */
export interface Outcome {
  content: ContentItem[];
  /** For the application, and never for a model: it may hold what the context must not show. */
  metadata?: Record<string, unknown>;
  /** Why the context must not go on. */
  refusal?: { reason: string; message: string };
}

/** A text that `document_retrieval` can find. */
export interface Document {
  id: string;
  /** The collection that it belongs to. */
  source?: string;
  title: string;
  text: string;
}

/** What functions ask of the world. */
export interface World {
  /** Content policies by name, beside the built-in ones. */
  policies?: Readonly<Record<string, ContentPolicy>>;
  /** Patterns by the name of their handles: `EMPLOYEE_ID` gives `[EMPLOYEE_ID_1]`. */
  patterns?: Readonly<Record<string, PiiPattern>>;
  /** Milliseconds since 1970; `Date.now` by default. */
  now?(): number;
  documents?: Document[];
  /** Tools as `tools/list` has them: `tool_filter` learns from them what bare names mean. */
  tools?: { name: string; [member: string]: unknown }[];
  /** Whether an address answers; `undefined` where it is not to be asked. For `hallucination_check`. */
  reaches?(url: string): Promise<boolean | undefined>;
  /** Reports a middleware server that failed, even if a fallback took its place. The text holds nothing of a context. */
  warn?(problem: string): void;
  /** Keeps a whole context; gives the name that it is kept under. For `context_logger`. */
  record?(record: { at: number; reason: string; label: string; context: ContentItem[] }): Promise<string> | string;
}

/** A function of the host's own. */
export interface HostFunction {
  name: string;
  description?: string;
  /** JSON Schema 2020-12 of an object; an unknown keyword is refused. */
  inputSchema?: Record<string, unknown>;
  /** Whether it changes contexts, or only judges them. */
  changes?: boolean;
  phase?: "request" | "response" | "both";
  events?: string[];
  /** The arguments have passed the schema, with its defaults in place. */
  apply(context: ContentItem[], args: Record<string, unknown>): Outcome | Promise<Outcome>;
}

/** A step of a chain: a function's name, or with how it is used. */
export type Step =
  | string
  | {
      use: string;
      arguments?: Record<string, unknown>;
      /** `audit`: what it does is only told. */
      mode?: "enforce" | "audit";
      /** Lets the context go on, unchanged, when the function fails. */
      failOpen?: boolean;
    };

/** Functions in order; as an object, with how many of the last items they see. */
export type Chain = Step[] | { steps: Step[]; last?: number };

/** What a chain made of a context. */
export interface ChainResult {
  content: ContentItem[];
  /** The metadata of each function that had some. What handles stand for is left out. */
  metadata: { function: string; metadata: Record<string, unknown> }[];
  refusal?: { reason: string; message: string };
  /** What was done, in sizes and counts, for an audit trail. */
  reports: {
    function: string;
    mode: "enforce" | "audit";
    bytes: [number, number];
    items: [number, number];
    changed: boolean;
    ended: string | null;
  }[];
}

/** One conversation. Contexts go through it one after the other. */
export interface Conversation {
  /**
   * The values of all handles, by name. Store it with the conversation, pass it to `start` later, and never show it to a
   * model. A handle that it has stays in a context, so history can be sent again as the model saw it.
   */
  readonly handles: Record<string, string>;
  /** Towards the model. */
  outbound(context: ContentItem[]): Promise<ChainResult>;
  /** Back from the model. */
  inbound(context: ContentItem[]): Promise<ChainResult>;
}

/** A middleware server that an application connects to. */
export interface RemoteServer {
  /** The absolute `https:` or `http:` address of its MCP endpoint. Redirects are refused. */
  url: string;
  /** Headers of every request, such as `Authorization`. Errors never repeat their values. */
  headers?: Record<string, string>;
  /** Maximum time for one call, in milliseconds, handshake included; 5,000 by default. A fallback has a time of its own. */
  timeoutMs?: number;
  /**
   * Names of servers, connected before, that are called in this order if this one fails. They need functions of the
   * same names. A refusal, or any other error of the function itself, is an answer: no fallback is called.
   */
  fallback?: string | string[];
  /** The functions to add; all that the server lists by default. */
  functions?: string[];
  /** Sends the requests; the global `fetch` by default. */
  fetch?: typeof fetch;
}

/** Functions from context to context, inside an application. */
export class Middleware {
  /** Throws a `SieveError` (`config`) for policies and patterns that are wrong, with the path of the first. */
  constructor(world?: World);
  /** What `middleware/list` answers. */
  list(): { name: string; description: string; inputSchema: Record<string, unknown> }[];
  /** Adds a function of the host's own. */
  add(own: HostFunction): this;
  /**
   * Connects to a middleware server and adds its functions as `NAME/FUNCTION`, for `invoke` and as steps of pipelines.
   * Returns their names. The promise is rejected with `middleware_failed` if the server cannot be reached, with
   * `unknown_middleware` if it does not list one of `functions`, and with `config` for options that contradict
   * themselves.
   *
   * A call fails with `middleware_failed` if the server and its fallbacks fail, time out or return an invalid result.
   */
  connect(name: string, server: RemoteServer): Promise<string[]>;
  /** Adds a document, or puts it in the place of the one that has its `id`. */
  put(document: Document): this;
  /** Removes a document; false if there was none. */
  remove(id: string): boolean;
  /** Calls one function. Values that nest deeper than 64 levels are refused with the code `json`, here and in pipelines. */
  invoke(name: string, context: ContentItem[], args?: Record<string, unknown>): Promise<Outcome>;
  /** Two chains: towards a model, and back. */
  pipeline(chains: { outbound?: Chain; inbound?: Chain }): { start(handles?: Record<string, string>): Conversation };
  /** Gives its memory back, documents and all; what goes through it at this moment goes on. Twice is once. */
  free(): void;
  [Symbol.dispose](): void;
}
