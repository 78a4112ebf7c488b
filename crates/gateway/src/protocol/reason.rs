//! The reason codes of errors: every code that a response or the audit log may carry, with its meaning.

/// A stable code for the reason of a failure, and its meaning in one sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// The code, in `snake_case`.
    pub code: &'static str,
    /// The meaning, a sentence of Markdown.
    pub meaning: &'static str,
}

impl Reason {
    const fn new(code: &'static str, meaning: &'static str) -> Self {
        Self { code, meaning }
    }
}

/// The codes that `error.data.reason` of a JSON-RPC error may hold, in alphabetical order. They include the codes of
/// [`ErrorKind`](mcp_sieve::ErrorKind).
pub const REASONS: &[Reason] = &[
    Reason::new(
        "accept",
        "The endpoint answers with an event stream, which the request's `Accept` header excludes.",
    ),
    Reason::new("argument_bound", "The call sets an argument that the operator binds; leave it out."),
    Reason::new(
        "argument_refused",
        "A policy refuses the arguments of the call; the caller gets a result with `isError` and the policy's message.",
    ),
    Reason::new(
        "argument_unbound",
        "The tool needs a claim or a header that the request lacks, or whose value cannot be an argument.",
    ),
    Reason::new("arguments_invalid", "The arguments of a middleware function do not match its schema."),
    Reason::new(
        "arguments_too_large",
        "The arguments of the call are too long for a policy to judge; the caller gets a result with `isError`.",
    ),
    Reason::new(
        "awaits_review",
        "The operator has not accepted the definition of the primitive yet, and `lock` refuses calls until then.",
    ),
    Reason::new("batch", "The request is a batch where no batch is accepted, or the batch is empty."),
    Reason::new(
        "batch_limit",
        "The batch holds too many messages, or the responses to its first messages are so long that this one is refused.",
    ),
    Reason::new("body", "The request body could not be read."),
    Reason::new(
        "body_limit",
        "The server is already receiving as many request bodies as it can hold; `data.retryAfter` says when to retry.",
    ),
    Reason::new("body_timeout", "The request body did not arrive in time."),
    Reason::new("body_too_large", "The request body is larger than the limit."),
    Reason::new("catalog", "A list result does not have the shape that MCP defines."),
    Reason::new("check", "The operator's checks do not admit the caller, or a check failed to run."),
    Reason::new("check_timeout", "A check of the handler took too long."),
    Reason::new("claims", "The handler identified the caller with claims that cannot be used."),
    Reason::new("client_limit", "The client's information and capabilities are larger than the limit."),
    Reason::new(
        "client_stream",
        "The upstream server asked the client a question during the call, but the answer could not be returned to the server.",
    ),
    Reason::new("concern_value", "The value of a concern is not among the declared values."),
    Reason::new("config", "The gateway's configuration is invalid or contradicts itself."),
    Reason::new("content_type", "The request's `Content-Type` is not JSON."),
    Reason::new("context_invalid", "The context is not an array of content items."),
    Reason::new("context_limit", "The context is too large for a middleware function."),
    Reason::new(
        "cursor_filter_mismatch",
        "The cursor was issued for another filter, method, caller or concern configuration.",
    ),
    Reason::new(
        "digest_changed",
        "The definition is not the one whose digest the request expects; list it again.",
    ),
    Reason::new("document", "The document does not exist, is too large, or is malformed."),
    Reason::new("empty", "The request names no tool."),
    Reason::new("encoding", "A value could not be written as JSON."),
    Reason::new(
        "event_limit",
        "The response was too long to be stored, and its client was not connected when it came.",
    ),
    Reason::new("expression", "The expression does not parse."),
    Reason::new(
        "filter_field",
        "The filter has an unknown field that looks misspelt. The error names the field that was probably meant.",
    ),
    Reason::new("filter_limit", "The filter exceeds its limits, or takes too many steps on a list."),
    Reason::new("filter_type", "A field of the filter has the wrong JSON type."),
    Reason::new("handle_expired", "The handle has expired, or belongs to another version of the server."),
    Reason::new("handle_invalid", "The handle was not issued by this server to this caller."),
    Reason::new("host", "The `Host` header does not name this server."),
    Reason::new("identify_timeout", "The handler took too long to identify the caller."),
    Reason::new(
        "input_request",
        "The upstream server asked the client by a method that clients do not support.",
    ),
    Reason::new("interceptor_hook", "The interceptor does not handle this event or phase."),
    Reason::new(
        "introspection",
        "The authorization server cannot be asked about the token; `data.retryAfter` says when to retry.",
    ),
    Reason::new("invalid_cursor", "This server did not issue the cursor."),
    Reason::new("json", "The text is not JSON, or JSON that is nested too deeply."),
    Reason::new(
        "jwks",
        "The keys of the authorization server cannot be loaded; `data.retryAfter` says when to retry.",
    ),
    Reason::new(
        "last_event_id",
        "The `Last-Event-ID` header names no event of this session, or one of a stream that is no longer stored.",
    ),
    Reason::new("list", "There is no such list of the catalog."),
    Reason::new("listener_limit", "The caller has too many event streams open."),
    Reason::new("member_case", "A member's name differs from the expected one only in upper and lower case."),
    Reason::new("message", "The body is not a JSON-RPC message."),
    Reason::new("middleware", "A middleware function in the chain of this call failed."),
    Reason::new("middleware_failed", "A middleware function could not do its work."),
    Reason::new("middleware_refused", "A middleware function rejected the call; `data.refusal` says why."),
    Reason::new("origin", "The web page's origin is not allowed to call this server."),
    Reason::new("parked_limit", "Too many calls are waiting for their clients."),
    Reason::new("path", "Nothing is served at this path."),
    Reason::new("preferences", "The stored preferences have another shape, or come from a newer version."),
    Reason::new(
        "protocol_version",
        "The `MCP-Protocol-Version` header names a revision that is not supported.",
    ),
    Reason::new(
        "pseudonym_invalid",
        "An argument is a pseudonym that has expired, or was made for another server or caller.",
    ),
    Reason::new("pseudonym_limit", "The arguments hold too many pseudonyms."),
    Reason::new("query", "A parameter of the operator's request for the log has an invalid value."),
    Reason::new(
        "questions_refused",
        "The upstream server sent a request to the client, which the operator does not let through.",
    ),
    Reason::new("rate_limit", "The middleware endpoint received too many calls in this minute."),
    Reason::new(
        "rate_limited",
        "The caller sends too many requests, or too many at once; `data.retryAfter` says when to retry.",
    ),
    Reason::new("repeated_member", "A member occurs twice in the parameters."),
    Reason::new("repeated_name", "The request names a tool twice."),
    Reason::new(
        "reply",
        "A tool of the Worker's own returned a result that is not an object, or questions that cannot be asked.",
    ),
    Reason::new(
        "reply_limit",
        "The gateway is already reading as many replies of upstream servers as it can hold; `data.retryAfter` says when to retry.",
    ),
    Reason::new("request", "The HTTP request could not be read."),
    Reason::new("restarted", "The server was restarted during the request; send the request again."),
    Reason::new("rounds", "The upstream server asked the client too many times during one call."),
    Reason::new("session", "The session has ended or is served elsewhere."),
    Reason::new("session_busy", "The session has too many requests in progress."),
    Reason::new("session_initialized", "The request opens a session that is open already."),
    Reason::new("session_required", "The session header is missing."),
    Reason::new("session_unknown", "The session does not exist; initialize again."),
    Reason::new("snapshot", "The bytes are not a catalog snapshot, or have another format version."),
    Reason::new("steps", "A local tool did not finish within the maximum number of steps."),
    Reason::new("storage", "The server's storage could not be read or written."),
    Reason::new(
        "storage_unavailable",
        "The gateway's storage cannot be opened, for example because its process has reached its limit of open files or memory; `data.retryAfter` says when to retry.",
    ),
    Reason::new(
        "subscription_limit",
        "The session has too many resource subscriptions, or their URIs are too long.",
    ),
    Reason::new("task_ended", "The task has already ended."),
    Reason::new(
        "task_ids_required",
        "Callers without a token must list the tasks by id in `filter.taskIds`.",
    ),
    Reason::new("task_key_used", "The task has already asked a question under this key."),
    Reason::new("task_limit", "Too many tasks are stored."),
    Reason::new("task_questions", "The task has more than 64 open questions."),
    Reason::new("task_step", "A step of the task took too long."),
    Reason::new("task_stuck", "A step of the task was started several times and never finished."),
    Reason::new("task_support", "The tool runs only as a task, or never as one."),
    Reason::new("task_too_large", "The task's data is larger than a task can store."),
    Reason::new(
        "task_unreadable",
        "The task is damaged, or another version stored it in a form that cannot be read.",
    ),
    Reason::new(
        "task_unrequested",
        "The upstream server answered a call with a task, which the client did not request; the task was cancelled.",
    ),
    Reason::new("tasks", "This server stores no tasks."),
    Reason::new(
        "time_format",
        "A time in the task filter is not an ISO 8601 time with an offset, or a date.",
    ),
    Reason::new("timeout", "The interceptor took longer than the `timeoutMs` of the request."),
    Reason::new("token_algorithm", "The bearer token is not signed by a supported algorithm."),
    Reason::new("token_audience", "The bearer token is meant for another server."),
    Reason::new(
        "token_bound",
        "The token is bound to a key of its sender (`cnf`), and came without a proof of this key or is bound in a way that cannot be verified.",
    ),
    Reason::new(
        "token_critical",
        "The bearer token has header parameters (`crit`, `zip`, `b64`) that are not supported.",
    ),
    Reason::new("token_expired", "The bearer token has expired or has no expiry time."),
    Reason::new("token_inactive", "The authorization server says that the token is not active."),
    Reason::new("token_issuer", "The bearer token comes from another issuer."),
    Reason::new(
        "token_key_id",
        "The bearer token does not name its key, and more keys of its issuer fit than are tried.",
    ),
    Reason::new("token_key_type", "No key of the issuer that the bearer token can mean fits its algorithm."),
    Reason::new("token_key_unknown", "The issuer does not publish the key that the bearer token names."),
    Reason::new("token_malformed", "The bearer token is not a signed JWT."),
    Reason::new("token_missing", "A bearer token is required."),
    Reason::new("token_not_yet_valid", "The bearer token is not valid yet."),
    Reason::new(
        "token_proof",
        "The proof of the key that the token is bound to (`DPoP`) is missing or invalid.",
    ),
    Reason::new("token_scheme", "The `Authorization` header does not hold a bearer token."),
    Reason::new("token_scope", "The bearer token lacks a required scope."),
    Reason::new("token_signature", "The signature of the bearer token is invalid."),
    Reason::new("token_subject", "The bearer token has no `sub`."),
    Reason::new("token_too_large", "The bearer token is longer than the limit."),
    Reason::new("token_type", "The bearer token is of another kind (`typ`) than an access token."),
    Reason::new("tokens", "The token counts have another shape, or belong to another catalog."),
    Reason::new("too_many_listeners", "The server has too many event streams open."),
    Reason::new("unauthorized", "The bearer token is unknown, or the credentials were not accepted."),
    Reason::new("unknown_interceptor", "There is no interceptor of this name."),
    Reason::new("unknown_middleware", "There is no middleware function of this name."),
    Reason::new("upstream_catalog", "The lists of the upstream server could not be compiled."),
    Reason::new("upstream_cursor_loop", "The upstream server repeated a cursor, so its list has no end."),
    Reason::new("upstream_cut", "The upstream server ended the connection or stream without a response."),
    Reason::new("upstream_missing", "No upstream server is configured."),
    Reason::new("upstream_not_mcp", "The upstream server sent a response that is not valid MCP."),
    Reason::new(
        "upstream_paused",
        "The upstream server is not called for a while after repeated failures; `data.retryAfter` says when to retry.",
    ),
    Reason::new(
        "upstream_pending",
        "The upstream server has not answered its first lists yet; `data.retryAfter` says when to retry.",
    ),
    Reason::new(
        "upstream_redirect",
        "The upstream server redirected a request to an address that is not followed.",
    ),
    Reason::new("upstream_refused", "The upstream server rejected the handshake."),
    Reason::new(
        "upstream_session",
        "The upstream server asked the client a question without a session to receive the answer.",
    ),
    Reason::new(
        "upstream_sessions",
        "The call needs another session at the upstream server, and all that this caller or the gateway may have there are in use.",
    ),
    Reason::new(
        "upstream_sign_in",
        "The caller has to sign in to the upstream server first, or again. The server's tool `connect_NAME` does it.",
    ),
    Reason::new(
        "upstream_status",
        "The upstream server answered with the HTTP status in `data.httpStatus`, 429 or 5xx. If it sent `Retry-After` with 429 or 503, `data.retryAfter` is that delay, at most 3,600.",
    ),
    Reason::new("upstream_timeout", "The upstream server did not answer in time."),
    Reason::new(
        "upstream_too_large",
        "The upstream server's response, lists or cursor exceed the size limit.",
    ),
    Reason::new("upstream_too_many_pages", "A list of the upstream server has more pages than allowed."),
    Reason::new(
        "upstream_unauthorized",
        "The upstream server rejected the credentials of the gateway, or those of the caller that were passed to it.",
    ),
    Reason::new("upstream_unreachable", "The upstream server could not be reached."),
    Reason::new(
        "upstream_url",
        "The configured address of the upstream server is not an absolute http or https URL.",
    ),
    Reason::new(
        "upstream_variable",
        "A variable that the configuration of the upstream server refers to is not set. The server is left out.",
    ),
    Reason::new(
        "upstream_version",
        "The upstream server supports no protocol revision that the gateway supports.",
    ),
    Reason::new("uri", "The `uri` parameter is not a valid URI."),
    Reason::new("verb", "The endpoint does not support this HTTP method."),
];

/// The codes that only the operator's audit log contains, in alphabetical order. The caller gets another error, which
/// does not reveal whether something exists. The log also contains codes of [`REASONS`].
pub const AUDIT_REASONS: &[Reason] = &[
    Reason::new(
        "hidden",
        "A policy or rule hides the requested name; the caller gets the error for a name that does not exist.",
    ),
    Reason::new(
        "not_kept",
        "Some lines were not recorded because too many different ones came at once; `count` says how many.",
    ),
    Reason::new("session_invalid", "The session id was not issued by this server."),
    Reason::new("session_stolen", "The session belongs to another caller."),
    Reason::new("unknown", "The requested name does not exist."),
    Reason::new("unlisted", "The resource is in no list, so the upstream server was asked for it."),
    Reason::new(
        "unprefixed",
        "The requested name has the prefix of its server, but the server's tool or prompt is listed without it: no other server has its name.",
    ),
];

/// The codes with which a sign-in to an upstream server fails, in alphabetical order. The JavaScript in `worker/oauth`
/// reports them.
pub const SIGN_IN_REASONS: &[Reason] = &[
    Reason::new(
        "sign_in_address",
        "Metadata names an address that a sign-in does not use: at another origin, without https or private. Or a server redirected a request.",
    ),
    Reason::new("sign_in_client", "The authorization server does not accept the gateway as its client."),
    Reason::new(
        "sign_in_clock",
        "The ID token is from another time: a clock is wrong by more than a minute.",
    ),
    Reason::new(
        "sign_in_code",
        "The authorization server refused the code: it was used before, or is too old.",
    ),
    Reason::new("sign_in_denied", "The user or the authorization server did not allow the sign-in."),
    Reason::new("sign_in_expired", "The sign-in has ended or was revoked; sign in again."),
    Reason::new(
        "sign_in_issuer",
        "Another authorization server answered than the one that was asked, or the upstream server has changed it.",
    ),
    Reason::new(
        "sign_in_metadata",
        "The metadata of the upstream server or of its authorization server is missing or cannot be read.",
    ),
    Reason::new("sign_in_pkce", "The authorization server does not support PKCE with S256."),
    Reason::new(
        "sign_in_registration",
        "The authorization server did not register the gateway; name a client in the configuration.",
    ),
    Reason::new("sign_in_scope", "The authorization server does not grant the requested scopes."),
    Reason::new(
        "sign_in_server",
        "The authorization server or the upstream server failed or could not be reached.",
    ),
    Reason::new("sign_in_state", "The sign-in was not begun by this caller and browser, or has ended."),
    Reason::new("sign_in_timeout", "A server did not answer a request of the sign-in within 10 seconds."),
    Reason::new(
        "sign_in_token",
        "The token endpoint sent a response that is not one: a page, no JSON, another type of token, or too large.",
    ),
];
