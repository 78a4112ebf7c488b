import type { Kind } from "./catalog.js";
import type { Config, Upstream } from "./config.js";
export { SieveError } from "./error.js";

/**
 * The `fetch` of a Worker: it takes a request, its bindings and its context. The platform's own type of request, such as
 * Cloudflare's with `cf`, is accepted too.
 */
export type Fetch<Env = any, Context = any> = {
  // Parameters of a method are compared in both directions; a function type would refuse the platform's subtypes.
  fetch(request: Request, env: Env, ctx: Context): Response | Promise<Response>;
}["fetch"];

/** An object with a `fetch`, such as Cloudflare's `ExportedHandler`, whose type has an optional one. */
export interface FetchHandler<Env = any> {
  fetch?: Fetch<Env> | undefined;
}

/** The type of the bindings of a handler's `fetch`; `any` if it is unknown. */
export type EnvOf<Handler> = Handler extends { fetch?: (request: any, env: infer Env, ...rest: any[]) => unknown }
  ? unknown extends Env
    ? any
    : Env
  : any;

/** A handler behind the gateway. Outside Cloudflare's platform `env` and `ctx` may be absent. */
export interface Served<Env = any> {
  fetch(request: Request, env?: Env, ctx?: any): Promise<Response>;
}

/** A configuration without the sections that have no effect before a handler. */
export type HandlerConfig = Omit<Config, "auth" | "limits" | "middleware" | "tasks" | "upstream" | "upstreams"> & {
  /** `name` is the name of the server in `server:` terms. A handler has no URL. */
  readonly upstream?: Omit<Upstream, "url">;
};

/** The caller of a check. */
export interface CheckedCaller<Env = any> {
  /** The id of the request; `null` for one without, such as a GET. */
  readonly id: string | number | null;
  readonly method: string;
  /** The protocol revision of the request, such as `2026-07-28`. */
  readonly protocol: string;
  /** The transport on which clients reach the deployment; `http` in a handler. */
  readonly transport: "http" | "stdio";
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

/** The explicit result of a check: it passes, or it fails with a message. */
export class CheckResult {
  private constructor();
  /** A check that passes. */
  static readonly SUCCESS: CheckResult;
  /** A check that passes. */
  static success(): CheckResult;
  /** A check that fails. The caller gets the message (error -32603), or `refused` if it is empty. */
  static error(message: string): CheckResult;
  isError(): boolean;
  /** The message of a check that failed; `null` for one that passed. */
  message(): string | null;
}

/**
 * Decides whether a caller is served. `undefined`, `true` and `CheckResult.success()` admit the caller; so does a check without
 * a `return`. A string or `CheckResult.error(text)` refuses the caller with that message (error -32603), and `false` with
 * `refused`. Any other value refuses with `refused` and is noted. If a check throws, the caller gets HTTP 500, and only the note
 * has the reason. If it takes longer than ten seconds, the caller gets HTTP 503.
 */
export type CheckFunction<Env = any> = (
  caller: CheckedCaller<Env>,
) => void | boolean | string | CheckResult | Promise<void | boolean | string | CheckResult>;

/** The second argument of a predicate: the caller and its request. */
export interface FilterContext {
  readonly kind: Kind;
  /** The name of the server in `server:` terms. */
  readonly server: string;
  /** The caller and its request, frozen. */
  readonly caller: Omit<CheckedCaller, "headers" | "env">;
}

/**
 * A policy as a function, in addition to those of the configuration. A primitive is visible only if every policy holds. It is
 * called for each visible primitive at every request, and must not return a promise.
 */
export interface HandlerPredicate {
  /** The name in notes. Predicates of the same priority are evaluated in the order of their names. */
  readonly name: string;
  /** Predicates with a higher priority are evaluated first. @default 0 */
  readonly priority?: number;
  /** The kinds of primitives it is evaluated for; all by default. */
  readonly kinds?: readonly Kind[];
  /** Whether the primitive is shown if `test` throws. By default it is hidden. */
  readonly failOpen?: boolean;
  test(primitive: Readonly<Record<string, any>>, context: FilterContext): boolean;
}

/** A store for sessions, such as a KV namespace. If a call throws or takes ten seconds, the request fails. */
export interface SessionStore {
  get(id: string): string | null | undefined | Promise<string | null | undefined>;
  /** `expirationTtl` is the time, in seconds, after which the store should delete the session: a day. */
  put(id: string, session: string, options: { expirationTtl: number }): unknown;
  delete(id: string): unknown;
}

/** A key of at least 16 bytes, such as 32 random bytes in base64. */
export type SealingKey = string | Uint8Array;

/** The third argument of a ranker. */
export interface RankerContext<Env = any> {
  readonly env: Env;
  /** The first sentence of each tool's description, of at most 120 characters; empty for a tool without one. */
  readonly descriptions: readonly string[];
}

/** `HeadersInit`, which is no global type of Node. */
type ListHeaders = NonNullable<ConstructorParameters<typeof Headers>[0]>;

export interface HandlerOptions<Env = any> {
  /** The path of the endpoint. The handler is called only for requests at this path. @default "/mcp" */
  readonly path?: string;
  /** The path of the lists as plain resources, such as `"/catalog"`. By default they are not served. */
  readonly catalog?: string;
  /**
   * Serves requests at all other paths, which get 404 by default. It must not be the handler, because most handlers serve MCP
   * at any path, where no policy, check or `identify` would apply.
   */
  readonly otherwise?: Fetch<Env> | FetchHandler<Env>;
  /**
   * The key that seals sessions and cursors: a long random text, the same in every isolate. By default `env.SIEVE_KEY`. Several
   * keys (a list, or its JSON text) allow replacing a key: the first one seals, and all open. Without a key each isolate makes a
   * random one, so other isolates cannot open its sessions and cursors; Cloudflare Workers then log a warning.
   */
  readonly key?:
    | SealingKey
    | readonly SealingKey[]
    | ((env: Env) => SealingKey | readonly SealingKey[] | Promise<SealingKey | readonly SealingKey[]>);
  /**
   * Returns the claims of the caller, for policies: a plain object that JSON can represent, with the caller's identity as `sub`
   * (a string). `undefined` and `null` mean an unknown caller. Any other value refuses the caller with HTTP 500 and a note. If it
   * throws, the caller gets HTTP 401, and only the note has the reason. If it takes ten seconds, the caller gets HTTP 503. It runs
   * before the body of the request is read, and must not read the body. A stream of changes ends a minute after the time in
   * the claim `exp` (seconds since 1970).
   */
  readonly identify?: (request: Request, env: Env) => object | null | undefined | Promise<object | null | undefined>;
  /**
   * Checks that a caller has to pass after those of the configuration: at `initialize`, and at every request of the stateless
   * revision. They run one after the other, by descending `priority`, until one refuses. Of
   * equal priority, functions run first, in their order, then the others by name.
   */
  readonly checks?:
    | CheckFunction<Env>
    | readonly (
        | CheckFunction<Env>
        | { readonly name: string; readonly priority?: number; readonly check: CheckFunction<Env> }
      )[];
  /** Policies as functions, which get the caller, its method and the `_meta` of its request. */
  readonly predicates?: readonly HandlerPredicate[];
  /**
   * Scores tools for the query of `search_tools`, one score for each name, like the `ranker` of `sieve.search`. The order of the
   * scores is joined with that of the search by words. It gets at most 5,000 tools, all of which the caller can find. If it throws,
   * takes longer than two seconds or returns another number of scores, only words decide, and a note says why.
   */
  readonly ranker?: (
    query: string,
    names: readonly string[],
    context: RankerContext<Env>,
  ) => ArrayLike<number> | Promise<ArrayLike<number>>;
  /**
   * The headers of list requests to the handler, such as the credentials of a service account. All callers share the lists, so
   * these requests have no header of a caller. `host` is `localhost` by default.
   */
  readonly listHeaders?: ListHeaders | ((env: Env) => ListHeaders | Promise<ListHeaders>);
  /**
   * The store for sessions of clients of MCP 2025-11-25 and older: a KV namespace, another store, or a function that returns
   * one. `"memory"`, the default, keeps them in this isolate: at most 10,000 sessions and 16 Mi characters in all, each for a
   * day after its last use. Beyond that, the least recently used session is dropped. Without the option, Cloudflare Workers log a
   * warning, because other isolates do not have the session.
   */
  readonly sessions?:
    | SessionStore
    | "memory"
    | ((env: Env) => SessionStore | undefined | Promise<SessionStore | undefined>);
  /** Receives lines for the operator, such as the reason for which a caller was refused. @default console.warn */
  readonly note?: (line: string) => void;
}

/**
 * Puts the gateway in front of a handler: filters, groups, tags, concerns, rules, policies and checks, for clients of every
 * revision, whichever revision the handler implements. The handler is called for its lists, which are cached for the lifetime
 * that it states, and for allowed calls. A call has the caller's own headers, `env` and `ctx`, and `request.auth` if a wrapper
 * has set it; its `signal` aborts when the caller of a call without a session gives up. The handler is called only at
 * `path`; other paths get 404, or go to `otherwise`. A request body may have 4 MiB and must arrive within 30 seconds. All
 * bodies of more than 16 KiB together may have 16 MiB at a time.
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
