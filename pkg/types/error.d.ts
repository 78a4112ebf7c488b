/**
 * An input that was refused.
 *
 * `json`: text that is not JSON. `catalog`: lists of another shape. `config`: a configuration that
 * contradicts its schema or itself. `expression`: a `where` that does not parse. `filter_type`, `filter_limit`, `concern_value`: a filter of the wrong
 * type, over its limits, or with a value that is not declared. `filter_field`: a URL with a misspelt field, such as `group`. `kind`, `invalid_name`, `query`, `limit`: no such kind, no such name or no text, no number.
 * `invalid_option`: an option that is unknown, or has a value that it cannot have. `predicate`: a predicate that cannot be used.
 * `snapshot`: bytes that are no snapshot, or of another format. `preferences`: kept ones of another shape, or of a later version; own tags over their limits.
 * `unknown_middleware`, `arguments_invalid`, `context_invalid`, `context_limit`, `middleware_failed`: context middleware
 * that there is not, that was asked wrongly, or that could not do its work.
 * `freed`, `foreign_filter`: a sieve or filter after `free`, a filter of another sieve.
 * `uninitialised`: the WebAssembly of `mcp-sieve/init` is not there yet.
 * `part`: `part` of the engine is loaded on demand, and was not yet: `await sieve.ready(error.part)`, then call again.
 * `load`: the WebAssembly could not be loaded; `url`, `status` and `contentType` say what the server sent.
 * `handler`: a handler or option of `gateway` that cannot be used. `client`: what `wrapClient` was given is no client; `capability`: the server does
 * not say that it can do this; `endless_list`: a list has no end.
 */
export class SieveError extends Error {
  private constructor();
  readonly name: "SieveError";
  readonly code:
    | "json"
    | "catalog"
    | "config"
    | "expression"
    | "predicate"
    | "filter_type"
    | "filter_field"
    | "filter_limit"
    | "concern_value"
    | "kind"
    | "invalid_name"
    | "invalid_option"
    | "query"
    | "limit"
    | "ranker"
    | "time_format"
    | "invalid_cursor"
    | "cursor_filter_mismatch"
    | "snapshot"
    | "unknown_middleware"
    | "arguments_invalid"
    | "context_invalid"
    | "context_limit"
    | "middleware_failed"
    | "preferences"
    | "freed"
    | "foreign_filter"
    | "uninitialised"
    | "part"
    | "load"
    | "client"
    | "handler"
    | "capability"
    | "endless_list";
  /** The byte of the UTF-8 text where it went wrong. */
  readonly at?: number;
  /** The member that was refused: `filter.groups[2]`, `rules[0].match`. */
  readonly path?: string;
  /** The part of the engine that is not loaded: see {@link Sieve.ready}. */
  readonly part?: import("./sieve.js").Part;
  /** The address of the file that could not be loaded. */
  readonly url?: string;
  /** The HTTP status of the response. */
  readonly status?: number;
  /** The `Content-Type` of the response. */
  readonly contentType?: string;
}
