//! JSON-RPC errors with their codes, HTTP statuses and audit details.

use std::fmt;

use http::StatusCode;
use mcp_sieve::{Error, ErrorKind, revision::Era};
use serde_json::{Map, Value, json};

/// A JSON-RPC error and its HTTP status. All errors of the protocol are made here, so that codes and statuses are
/// decided in one place (protocol revision 2026-07-28, error handling).
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    /// JSON-RPC `error.code`.
    pub code: i64,
    /// JSON-RPC `error.message`.
    pub message: String,
    /// JSON-RPC `error.data`.
    pub data: Option<Value>,
    /// HTTP status.
    pub status: StatusCode,
    /// Details that only errors which deny access have.
    pub(crate) denial: Option<Box<Denial>>,
}

/// Audit details of an error that denies access.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Denial {
    /// The reason in the operator's log. It is not sent to the caller.
    pub reason: Option<&'static str>,
    /// The value of `WWW-Authenticate`.
    pub challenge: Option<String>,
}

/// The `data.reason` of a failed check.
pub(crate) const CHECK_REASON: &str = "check";

const PARSE: i64 = -32700;
pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;
const INTERNAL: i64 = -32603;
pub(crate) const HEADER_MISMATCH: i64 = -32020;
pub(crate) const MISSING_CAPABILITY: i64 = -32021;
pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;
/// Delay, in seconds, before a retry when storage cannot be opened: the runtime closes the files of an idle object
/// after ten seconds.
const STORAGE_RETRY_S: u64 = 10;
/// The member of `data` with the delay before a retry, in seconds.
const RETRY_AFTER: &str = "retryAfter";
/// The member of `data` that only the operator reads.
const OPERATOR: &str = "operator";
/// The member of `data` with the HTTP status of an upstream server.
const HTTP_STATUS: &str = "httpStatus";
/// Resource not found, in the revisions before 2026-07-28; group not found, in the draft of groups.
const RESOURCE_NOT_FOUND: i64 = -32002;

impl RpcError {
    /// Returns an error with any code and data, such as an error of another server.
    pub fn relayed(code: i64, message: impl Into<String>, data: Option<Value>) -> Self {
        // A missing capability has status 400 as in errors of our own, because clients may evaluate it.
        let status = if code == MISSING_CAPABILITY { StatusCode::BAD_REQUEST } else { StatusCode::OK };
        Self { code, message: message.into(), data, status, denial: None }
    }

    pub(crate) fn new(status: StatusCode, code: i64, message: impl Into<String>, data: Value) -> Self {
        let data = (!data.is_null()).then_some(data);
        Self { code, message: message.into(), data, status, denial: None }
    }

    /// Returns an error for a body that is not JSON.
    pub fn parse(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, PARSE, message, Value::Null)
    }

    /// Returns an error for a request that is rejected at the level of HTTP.
    pub fn request(status: StatusCode, reason: &str, message: impl Into<String>) -> Self {
        Self::new(status, INVALID_REQUEST, message, json!({"reason": reason}))
    }

    /// Returns an error for a header that is missing or contradicts the body.
    pub fn header(header: &str, found: Option<&str>, body: &str) -> Self {
        let message = match found {
            Some(found) => format!("header {header} `{found}` does not match the body's `{body}`"),
            None => format!("header {header} is missing, expected `{body}`"),
        };
        let data = json!({"mismatch": {"name": header, "header": found, "body": body}});
        Self::new(StatusCode::BAD_REQUEST, HEADER_MISMATCH, message, data)
    }

    /// Returns an error for a header that cannot be decoded.
    pub fn header_encoding(header: &str, problem: &str) -> Self {
        let data = json!({"mismatch": {"name": header, "problem": problem}});
        Self::new(StatusCode::BAD_REQUEST, HEADER_MISMATCH, format!("header {header}: {problem}"), data)
    }

    /// Returns an error for a `_meta` that lacks a required key or has it in another form.
    pub fn envelope(message: impl Into<String>, data: Value) -> Self {
        Self::new(StatusCode::BAD_REQUEST, INVALID_PARAMS, message, json!({"envelope": data}))
    }

    /// Returns an error for a protocol revision that is not supported.
    pub fn version(requested: &str, supported: &[&str]) -> Self {
        let message = format!(
            "protocol version `{requested}` is not supported, expected one of {}",
            supported.join(", ")
        );
        let data = json!({"supported": supported, "requested": requested});
        Self::new(StatusCode::BAD_REQUEST, UNSUPPORTED_VERSION, message, data)
    }

    /// Returns an error for an unknown method. The status is 404 in the stateless revision and 200 before it.
    pub fn method(method: &str, era: Era) -> Self {
        let status = match era {
            Era::Stateless => StatusCode::NOT_FOUND,
            Era::Session => StatusCode::OK,
        };
        Self::new(status, METHOD_NOT_FOUND, format!("method `{method}` not found"), Value::Null)
    }

    /// Returns an error for a tool that must, or must not, be called as a task (revision 2025-11-25).
    pub(crate) fn task_support(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, METHOD_NOT_FOUND, message, json!({"reason": "task_support"}))
    }

    /// Returns an error for invalid parameters.
    pub fn params(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, INVALID_PARAMS, message, Value::Null)
    }

    /// Returns an error for invalid parameters with a reason code, such as an invalid token or handle.
    pub fn handle(reason: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, INVALID_PARAMS, message, json!({"reason": reason}))
    }

    /// Returns an error for a client that does not declare a required capability.
    pub fn capability(required: Value) -> Self {
        let members = |value: &Value| value.as_object().into_iter().flat_map(Map::clone).collect::<Vec<_>>();
        let names = members(&required).into_iter().flat_map(|(name, value)| match name.as_str() {
            "extensions" => members(&value),
            _ => vec![(name, value)],
        });
        let names: Vec<String> = names.map(|(name, _)| format!("`{name}`")).collect();
        let message = format!("the client lacks the capability {}", names.join(" and "));
        let data = json!({"requiredCapabilities": required});
        Self::new(StatusCode::BAD_REQUEST, MISSING_CAPABILITY, message, data)
    }

    /// Returns an error for a resource that does not exist or is hidden from the caller.
    pub fn resource(uri: &str, era: Era) -> Self {
        let code = match era {
            Era::Stateless => INVALID_PARAMS,
            Era::Session => RESOURCE_NOT_FOUND,
        };
        Self::new(StatusCode::OK, code, format!("Resource not found: {uri}"), json!({"uri": uri}))
    }

    /// Returns an error for a disclosed group that does not exist or is hidden from the caller.
    pub(crate) fn group(name: &str) -> Self {
        let message = format!("Group not found: {name}");
        Self::new(StatusCode::OK, RESOURCE_NOT_FOUND, message, json!({"name": name}))
    }

    /// Returns an error for a caller that fails a check of the host, with a message for that caller.
    pub fn check(message: impl Into<String>) -> Self {
        Self::internal(CHECK_REASON, message)
    }

    /// Returns an error for a failure that is not the fault of the caller.
    pub fn internal(reason: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, INTERNAL, message, json!({"reason": reason}))
    }

    /// Returns an error for a caller over its rate limit: HTTP 429 with `Retry-After`.
    pub fn too_many_requests(seconds: u64) -> Self {
        let message = format!("too many requests, ask again in {seconds} s");
        Self::internal("rate_limited", message).retry_after(seconds).under(StatusCode::TOO_MANY_REQUESTS)
    }

    /// Returns an error for storage that cannot be opened, read or written now. Runtimes hide the cause and write it to
    /// their log, so the message names the usual ones.
    pub fn storage_unavailable(what: &str, cause: impl fmt::Display) -> Self {
        let message = format!(
            "{what} cannot be reached: {cause}; the server may have too many open files, too little memory or a full disk, try \
             again in {STORAGE_RETRY_S} s"
        );
        Self::internal("storage_unavailable", message)
            .under(StatusCode::SERVICE_UNAVAILABLE)
            .retry_after(STORAGE_RETRY_S)
    }

    /// Sets the reason under which the operator's audit log records the error.
    #[must_use]
    pub fn denied(mut self, reason: &'static str) -> Self {
        self.denial.get_or_insert_default().reason = Some(reason);
        self
    }

    /// Sets the value of `WWW-Authenticate`.
    #[must_use]
    pub fn challenged(mut self, challenge: String) -> Self {
        self.denial.get_or_insert_default().challenge = Some(challenge);
        self
    }

    /// Returns the value of `WWW-Authenticate`, if there is one.
    pub fn challenge(&self) -> Option<&str> {
        self.denial.as_ref()?.challenge.as_deref()
    }

    /// Sets the HTTP status.
    #[must_use]
    pub fn under(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// Sets the number of seconds after which the caller should retry.
    #[must_use]
    pub fn retry_after(self, seconds: u64) -> Self {
        self.with(RETRY_AFTER, seconds)
    }

    /// Adds the HTTP status with which an upstream server answered.
    pub(crate) fn http_status(self, status: StatusCode) -> Self {
        self.with(HTTP_STATUS, status.as_u16())
    }

    /// Adds words for the operator, such as an address that callers must not see.
    pub(crate) fn for_operator(self, words: String) -> Self {
        self.with(OPERATOR, words)
    }

    /// Removes the words for the operator.
    #[must_use]
    pub fn for_caller(mut self) -> Self {
        if let Some(Value::Object(data)) = &mut self.data {
            data.remove(OPERATOR);
        }
        self
    }

    /// Returns the message as the operator reads it, with addresses that callers must not see.
    pub fn operator_text(&self) -> String {
        let words = self.data.as_ref().filter(|_| self.code == INTERNAL);
        match words.and_then(|data| data.get(OPERATOR)?.as_str()) {
            Some(words) => [&self.message, ": ", words].concat(),
            None => self.message.clone(),
        }
    }

    /// Adds a member to `data`.
    pub(crate) fn with(mut self, member: &str, value: impl Into<Value>) -> Self {
        if let Some(Value::Object(data)) = &mut self.data {
            data.insert(member.to_owned(), value.into());
        }
        self
    }

    /// Returns whether an upstream server answered with this HTTP status in place of a JSON-RPC message.
    pub(crate) fn has_http_status(&self, status: StatusCode) -> bool {
        let data = self.data.as_ref().filter(|_| self.code == INTERNAL);
        data.and_then(|data| data.get(HTTP_STATUS)) == Some(&status.as_u16().into())
    }

    /// Returns the delay, in seconds, after which the request can be repeated, if an upstream server has asked for one
    /// or is paused.
    pub fn asked_again_after(&self) -> Option<u64> {
        self.data.as_ref().filter(|_| self.code == INTERNAL)?.get(RETRY_AFTER)?.as_u64()
    }

    /// Returns the `data.reason` of an [internal](Self::internal) failure.
    pub fn reason(&self) -> Option<&str> {
        self.data.as_ref().filter(|_| self.code == INTERNAL)?.get("reason")?.as_str()
    }

    /// Returns whether storage failed. A retry may succeed.
    pub(crate) fn is_storage(&self) -> bool {
        matches!(self.reason(), Some("storage" | "storage_unavailable"))
    }

    /// Returns whether the error means that a resource does not exist, in the code of either era. For a resource that
    /// no list mentions (`unlisted`) every error from a server counts, but not a failure to reach it.
    pub fn is_resource_not_found(&self, unlisted: bool) -> bool {
        let named = self.data.as_ref().is_some_and(|data| data.get("uri").is_some());
        let answered = || !self.reason().is_some_and(|reason| reason.starts_with("upstream"));
        self.code == RESOURCE_NOT_FOUND || self.code == INVALID_PARAMS && named || unlisted && answered()
    }

    /// Sets the HTTP status for responses that are not JSON-RPC, where the status must show which side is at fault.
    #[must_use]
    pub fn by_status(mut self) -> Self {
        let reason = self.data.as_ref().and_then(|data| data.get("reason")?.as_str()).unwrap_or_default();
        self.status = match self.code {
            _ if self.status != StatusCode::OK => self.status,
            INVALID_PARAMS => StatusCode::BAD_REQUEST,
            INTERNAL if reason == CHECK_REASON => StatusCode::FORBIDDEN,
            INTERNAL if !reason.starts_with("upstream") => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_GATEWAY,
        };
        self
    }

    /// Returns the error object as JSON.
    pub fn to_json(&self) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if let (Some(data), Some(object)) = (&self.data, error.as_object_mut()) {
            object.insert("data".to_owned(), data.clone());
        }
        error
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for RpcError {}

impl From<Error> for RpcError {
    /// Converts an error of the engine to invalid params, with its code and position. If a middleware function failed,
    /// it is an internal error, because the caller is not at fault.
    fn from(error: Error) -> Self {
        if error.kind() == ErrorKind::MiddlewareFailed {
            return Self::internal(error.code(), error.to_string());
        }
        let mut data = json!({"reason": error.code()});
        if let Some(object) = data.as_object_mut() {
            error.path().into_iter().for_each(|path| _ = object.insert("field".to_owned(), path.into()));
            error.at().into_iter().for_each(|at| _ = object.insert("at".to_owned(), at.into()));
        }
        let foreign = [ErrorKind::InvalidCursor, ErrorKind::CursorFilterMismatch, ErrorKind::HandleInvalid];
        // A misspelt URL or header makes every request fail, whatever its body is.
        let is_of_body = error.path().is_some_and(|path| path.starts_with("filter."));
        let status = match error.kind() {
            ErrorKind::FilterField if !is_of_body => StatusCode::BAD_REQUEST,
            _ => StatusCode::OK,
        };
        let failure = Self::new(status, INVALID_PARAMS, error.to_string(), data);
        if foreign.contains(&error.kind()) { failure.denied(error.code()) } else { failure }
    }
}
