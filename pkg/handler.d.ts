import type { Config } from "./types.js";
export { SieveError } from "./types.js";

/** What a Worker is called with: a request, its bindings, its context. */
export type Fetch<Env = any, Context = any> = (request: Request, env: Env, ctx: Context) => Response | Promise<Response>;

/** Who wants to be served, for a check. */
export interface CheckedCaller<Env = any> {
  readonly method: string;
  /** The revision in force, `2026-07-28`. */
  readonly protocol: string;
  readonly client: { readonly name?: string; readonly version?: string } | null;
  readonly capabilities: object;
  /** What `identify` gave. */
  readonly claims: Readonly<Record<string, unknown>> | null;
  readonly headers: Headers;
  readonly env: Env;
}

/**
 * Passes with nothing or `true`; a text is what the caller is told instead of an answer (error -32603), `false` the same
 * without words. One that throws is the server's fault: HTTP 500.
 */
export type CheckFunction<Env = any> = (caller: CheckedCaller<Env>) => void | boolean | string | Promise<void | boolean | string>;

/** Where sessions are kept; a KV namespace is one. */
export interface SessionStore {
  get(id: string): string | null | undefined | Promise<string | null | undefined>;
  put(id: string, session: string): unknown;
  delete(id: string): unknown;
}

export interface HandlerOptions<Env = any> {
  /** Where the endpoint is; `"/mcp"` unless given. Requests elsewhere go to the handler untouched. */
  readonly path?: string;
  /** Where the lists are as plain resources, `"/catalog"`; nowhere unless given. */
  readonly catalog?: string;
  /**
   * Seals sessions and cursors: any long random text, the same in every isolate. `env.SIEVE_KEY` unless given; without
   * either it is random, and what one isolate has sealed no other opens.
   */
  readonly key?: string | Uint8Array | ((env: Env) => string | Uint8Array | Promise<string | Uint8Array>);
  /** The claims of whoever asks, for policies; nothing for a stranger. What it throws is answered with 401. */
  readonly identify?: (request: Request, env: Env) => object | null | undefined | Promise<object | null | undefined>;
  /**
   * Asked one after the other, behind the file's own checks, before a caller is told anything: at `initialize`, and at
   * every request of the stateless revision. Higher `priority` first, then by name; the first that refuses ends it.
   */
  readonly checks?: CheckFunction<Env> | readonly (CheckFunction<Env> | { readonly name: string; readonly priority?: number; readonly check: CheckFunction<Env> })[];
  /** Where sessions of the handshake revisions are kept; in this isolate's memory unless given. */
  readonly sessions?: SessionStore | ((env: Env) => SessionStore);
  /** Told what the operator should know; `console.warn` unless given. */
  readonly note?: (line: string) => void;
}

/**
 * The handler, with the gateway's protocol before it: filters, groups, tags, concerns, rules, policies and checks, for
 * clients of every revision, whichever of them the handler speaks. It is called for its lists, which are kept for as
 * long as it says, and for what may be called. It sees the request's own headers, and its `env` and `ctx`.
 *
 * ```js
 * export default sieve(handler, { rules: [{ match: "name:*_issue", groups: ["issues"] }] });
 * ```
 * @throws {SieveError} `config` for a configuration that contradicts its schema or itself
 */
export function sieve<Env = any>(handler: Fetch<Env>, config?: Config | string, options?: HandlerOptions<Env>): { fetch: Fetch<Env> };
export function sieve<Handler extends { fetch: Fetch }>(handler: Handler, config?: Config | string, options?: HandlerOptions): Handler;
