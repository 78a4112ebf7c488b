/**
 * An error of the package. `code` is one of:
 *
 * - `json`: text that is not JSON
 * - `catalog`: lists in another format
 * - `config`: a configuration that contradicts its schema or itself
 * - `expression`: a `where` that cannot be parsed
 * - `filter_type`, `filter_limit`, `concern_value`: a filter of the wrong type, over its limits, or with an undeclared value
 * - `filter_field`: a filter or URL with a misspelt field, such as `group`
 * - `kind`, `invalid_name`, `query`, `limit`: an unknown kind, a name or query that is no string, a limit that is no number
 * - `invalid_option`: an unknown option, or an option with an invalid value
 * - `check`, `preset`: a caller that the configuration refuses, see {@link Sieve.view}
 * - `predicate`, `ranker`: a predicate or ranker that cannot be used
 * - `snapshot`: bytes that are no snapshot, or of another format
 * - `preferences`: stored preferences of another format or a later version, or own tags over their limits
 * - `time_format`, `invalid_cursor`, `cursor_filter_mismatch`: a time or cursor of a task list that cannot be used
 * - `unknown_middleware`, `arguments_invalid`, `context_invalid`, `context_limit`, `middleware_failed`: a middleware function
 *   that does not exist, was called with invalid values, or failed
 * - `freed`, `foreign_filter`: a sieve or filter after `free`, or a filter of another sieve
 * - `uninitialised`: the WebAssembly of `mcp-sieve/init` is not loaded yet
 * - `part`: a part of the engine is not loaded yet; `await sieve.ready(error.part)`, then call again
 * - `load`: the WebAssembly could not be loaded; `url`, `status` and `contentType` describe the response
 * - `handler`: a handler or option of `gateway` that cannot be used
 * - `client`: an object that is no client; `capability`: the server does not declare the capability; `endless_list`: a list
 *   without an end; `conflict`: servers declare a group, tag or concern differently, as `client.onerror` is told
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
    | "check"
    | "preset"
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
    | "endless_list"
    | "conflict";
  /** The byte position of the error in the UTF-8 text. */
  readonly at?: number;
  /** The path of the invalid member: `filter.groups[2]`, `rules[0].match`. */
  readonly path?: string;
  /** The part of the engine that is not loaded: see {@link Sieve.ready}. */
  readonly part?: import("./sieve.js").Part;
  /** The URL of the file that could not be loaded. */
  readonly url?: string;
  /** The HTTP status of the response. */
  readonly status?: number;
  /** The `Content-Type` of the response. */
  readonly contentType?: string;
}
