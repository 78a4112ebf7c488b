import type { Kind } from "./catalog.js";
import type { Config, Upstream } from "./config.js";
export { SieveError } from "./error.js";

/**
 * A Worker's `fetch`: takes a request, its bindings and its context. A platform's own type of request, such as Cloudflare's
 * with `cf`, is accepted too.
 */
export type Fetch<Env = any, Context = any> = {
  // Parameters of a method are compared in both directions; a function type would refuse the platform's subtypes.
  fetch(request: Request, env: Env, ctx: Context): Response | Promise<Response>;
}["fetch"];

/** An object with a `fetch`, such as Cloudflare's `ExportedHandler`, whose type has an optional one. */
export interface FetchHandler<Env = any> {
  fetch?: Fetch<Env> | undefined;
}

/** The bindings that a handler's `fetch` takes; any, if it does not say. */
export type EnvOf<Handler> = Handler extends { fetch?: (request: any, env: infer Env, ...rest: any[]) => unknown }
  ? unknown extends Env
    ? any
    : Env
  : any;

/** A function with the gateway before it. Outside of Cloudflare's platform there may be no `env` and no `ctx`. */
export interface Served<Env = any> {
  fetch(request: Request, env?: Env, ctx?: any): Promise<Response>;
}

/** A configuration without the sections that only the gateway has: before a handler they have no meaning. */
export type HandlerConfig = Omit<Config, "auth" | "limits" | "middleware" | "tasks" | "upstream" | "upstreams"> & {
  /** `name` is what `server:` terms match. The handler has no address. */
  readonly upstream?: Omit<Upstream, "url">;
};

/** A caller, as a check sees it. */
export interface CheckedCaller<Env = any> {
  readonly method: string;
  /** The revision in force, `2026-07-28`. */
  readonly protocol: string;
  readonly client: { readonly name?: string; readonly version?: string } | null;
  readonly capabilities: object;
  /** The claims that `identify` returned. */
  readonly claims: Readonly<Record<string, unknown>> | null;
  /** The names of the presets that apply. */
  readonly presets: readonly string[];
  /** `_meta` of the request. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
  readonly env: Env;
}

/** The result of a check in words, beside the short forms: a check passes, or it fails with a message. */
export class CheckResult {
  private constructor();
  /** A check that passes. */
  static readonly SUCCESS: CheckResult;
  /** A check that passes. */
  static success(): CheckResult;
  /** A check that fails: the caller gets the message (error -32603), or `refused` if it is empty. */
  static error(message: string): CheckResult;
  isError(): boolean;
  /** The message of a check that failed; `null` for one that passed. */
  message(): string | null;
}

/**
 * Lets a caller in with `undefined`, `true` or `CheckResult.success()`; a check that ends without a `return` lets every caller in. A text, or `CheckResult.error(text)`,
 * refuses the caller with that message (error -32603), `false` with `refused`; any other value refuses with `refused` too, and is
 * noted. A check that throws is a fault of the server: HTTP 500, with the reason in the note alone. A check has ten
 * seconds; then the answer is HTTP 503.
 */
export type CheckFunction<Env = any> = (
  caller: CheckedCaller<Env>,
) => void | boolean | string | CheckResult | Promise<void | boolean | string | CheckResult>;

/** What a predicate knows besides the primitive: the caller and its request. */
export interface FilterContext {
  readonly kind: Kind;
  /** The name of the server, as `server:` terms match it. */
  readonly server: string;
  /** The caller and its request, frozen. */
  readonly caller: Omit<CheckedCaller, "headers" | "env">;
}

/**
 * A policy as a function, among the policies of the configuration: a primitive is visible only if every policy holds. It
 * is asked about each visible primitive at every request, and returns no promise.
 */
export interface HandlerPredicate {
  /** The name in notes. Predicates of the same priority are asked in the order of their names. */
  readonly name: string;
  /** Higher numbers are asked first; 0 unless given. */
  readonly priority?: number;
  /** The kinds that it judges; all unless given. */
  readonly kinds?: readonly Kind[];
  /** Shows the primitive when `test` throws. Otherwise it is hidden. */
  readonly failOpen?: boolean;
  test(primitive: Readonly<Record<string, any>>, context: FilterContext): boolean;
}

/** Where sessions are kept; a KV namespace is one. When a call throws, or takes ten seconds, the request fails. */
export interface SessionStore {
  get(id: string): string | null | undefined | Promise<string | null | undefined>;
  /** `expirationTtl` is the time, in seconds, after which the store should forget the session: a day. */
  put(id: string, session: string, options: { expirationTtl: number }): unknown;
  delete(id: string): unknown;
}

/** A key of at least 16 bytes, such as 32 random bytes in base64. */
export type SealingKey = string | Uint8Array;

/** What a ranker knows besides the query and the names. */
export interface RankerContext<Env = any> {
  readonly env: Env;
  /** The first sentence of each tool's description, of at most 120 characters; empty for a tool without one. */
  readonly descriptions: readonly string[];
}

export interface HandlerOptions<Env = any> {
  /** The path of the endpoint; `"/mcp"` unless given. The handler is called for requests at this path alone. */
  readonly path?: string;
  /** The path of the lists as plain resources, such as `"/catalog"`; there are none unless given. */
  readonly catalog?: string;
  /**
   * Serves requests at all other paths, which get 404 unless given. It must not be the handler: most handlers serve MCP at
   * any path, where no policy, check or `identify` would apply.
   */
  readonly otherwise?: Fetch<Env> | FetchHandler<Env>;
  /**
   * Seals sessions and cursors: a long random text, the same in every isolate; `env.SIEVE_KEY` unless given. Of several (a
   * list, or its JSON text) the first seals and each opens, so that a key can be replaced. Without a key each isolate makes
   * a random one, and no other isolate opens what it has sealed; Cloudflare Workers then log a warning.
   */
  readonly key?:
    | SealingKey
    | readonly SealingKey[]
    | ((env: Env) => SealingKey | readonly SealingKey[] | Promise<SealingKey | readonly SealingKey[]>);
  /**
   * Returns the claims of the caller, for policies: a plain object that JSON can hold, with the caller's identity as `sub`
   * (a text). `undefined` or `null` means a stranger. Any other value refuses the caller with HTTP 500 and a note. When it
   * throws, the caller gets HTTP 401 without the reason, which is noted; when it takes ten seconds, HTTP 503. It runs before
   * the body of the request is read, and has to leave the body unread. A stream that only listens for changes ends a
   * minute after the time in the claim `exp` (seconds since 1970).
   */
  readonly identify?: (request: Request, env: Env) => object | null | undefined | Promise<object | null | undefined>;
  /**
   * Checks that a caller has to pass, after the checks of the configuration: at `initialize`, and at every request of the
   * stateless revision. They run one after the other, higher `priority` first, then by name, until one refuses.
   */
  readonly checks?:
    | CheckFunction<Env>
    | readonly (
        | CheckFunction<Env>
        | { readonly name: string; readonly priority?: number; readonly check: CheckFunction<Env> }
      )[];
  /** Policies as functions, which know the caller, its method and the `_meta` of its request. */
  readonly predicates?: readonly HandlerPredicate[];
  /**
   * Scores tools for the query of `search_tools`, one score for each name, as the `ranker` of `sieve.search` does. The order of the
   * scores counts beside that of the words. It is given at most 5,000 tools, which are those that the caller can find, and has two
   * seconds. When it throws, is late or returns another number of scores, the search is made by words alone, with a note.
   */
  readonly ranker?: (
    query: string,
    names: readonly string[],
    context: RankerContext<Env>,
  ) => ArrayLike<number> | Promise<ArrayLike<number>>;
  /**
   * The headers with which the handler is asked for its lists, such as the credentials of a service account. Lists are
   * shared by all callers, so these requests have no header of a caller. `host` is `localhost` unless given.
   */
  readonly listHeaders?: HeadersInit | ((env: Env) => HeadersInit | Promise<HeadersInit>);
  /**
   * Stores the sessions of clients of MCP 2025-11-25 and older: a KV namespace, another store, or a function that returns one.
   * `"memory"` keeps them in this isolate: at most 10,000 sessions of 16 million characters in all, each for a day after its
   * last use; the least recently used makes room. That is also what happens without the option, and Cloudflare Workers then
   * log a warning: another isolate does not know the session.
   */
  readonly sessions?:
    | SessionStore
    | "memory"
    | ((env: Env) => SessionStore | undefined | Promise<SessionStore | undefined>);
  /** Receives lines for the operator, such as why a caller was refused; `console.warn` unless given. */
  readonly note?: (line: string) => void;
}

/**
 * Puts the gateway's protocol in front of a handler: filters, groups, tags, concerns, rules, policies and checks, for
 * clients of every revision, whichever of them the handler speaks. The handler is called for its lists, which are kept for
 * as long as it says, and for calls that are allowed; a call has the caller's own headers, and `env` and `ctx`. The handler
 * is called at `path` alone: other paths get 404, or go to `otherwise`. A request body may have 4 MiB and has to arrive in
 * 30 seconds; bodies of more than 16 KiB may take 16 MiB at one time.
 *
 * ```js
 * export default gateway(handler, { rules: [{ match: "name:*_issue", groups: ["issues"] }] });
 * ```
 * @throws {SieveError} `config` for a configuration that contradicts its schema or itself, `handler` for a handler or
 * option that cannot be used
 */
export function gateway<Env = any>(
  handler: Fetch<Env>,
  config?: HandlerConfig | string,
  options?: HandlerOptions<Env>,
): Served<Env>;
export function gateway<Handler extends FetchHandler>(
  handler: Handler,
  config?: HandlerConfig | string,
  options?: HandlerOptions<EnvOf<Handler>>,
): Handler & Required<Pick<Handler, "fetch">>;
