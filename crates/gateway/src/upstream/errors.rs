//! The errors of upstream servers, with their reasons and messages. A message contains the operator's name for the
//! server. It contains no addresses, bodies or messages of the platform.

use std::fmt;

use http::{HeaderMap, Response, StatusCode, header};
use mcp_sieve::{Error, revision::Revision};

use crate::{
    config::{AuthKind, VariableError},
    protocol::error::RpcError,
    upstream::{
        endpoint::{Endpoint, UnsetVariable},
        offered_capabilities::MAX_OFFERED_PAGES,
        outer_members::Obstacle,
        redirect,
        sessions::Full,
    },
};

/// Maximum length of a content type that a message repeats, in bytes.
const MAX_MEDIA_TYPE: usize = 100;

/// Maximum length, in bytes, of a server's challenge that is passed to the caller.
const MAX_CHALLENGE: usize = 2 * 1024;

impl Endpoint {
    fn fault(&self, reason: &str, words: fmt::Arguments<'_>) -> RpcError {
        RpcError::internal(reason, format!("{} `{}` {words}", self.role, self.name))
    }

    /// Returns the error for a server that is left out, because variables that its settings refer to are not set.
    pub(crate) fn left_out(&self) -> RpcError {
        let mut names: Vec<&str> = self.unset.iter().map(|variable| variable.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let (noun, are) = if names.len() == 1 { ("variable", "is") } else { ("variables", "are") };
        let names = names.join("`, `");
        self.fault("upstream_variable", format_args!("is left out: the {noun} `{names}` {are} not set"))
    }

    /// Returns the error for a configuration that refers to a variable that is not set.
    pub(crate) fn unset(&self, variable: &UnsetVariable) -> RpcError {
        let problem = VariableError::Missing(variable.name.clone()).to_string();
        header(self.role, &self.name, &variable.header, &problem)
    }

    pub(crate) fn unreachable(&self) -> RpcError {
        self.fault("upstream_unreachable", format_args!("cannot be reached"))
    }

    pub(crate) fn late(&self, method: &str, ms: u64) -> RpcError {
        self.fault("upstream_timeout", format_args!("did not answer `{method}` within {ms} ms"))
    }

    pub(crate) fn unfinished(&self, method: &str, ms: u64) -> RpcError {
        self.fault("upstream_timeout", format_args!("did not finish its answer to `{method}` within {ms} ms"))
    }

    pub(crate) fn silent(&self, method: &str, ms: u64) -> RpcError {
        self.fault("upstream_timeout", format_args!("fell silent for {ms} ms while answering `{method}`"))
    }

    pub(crate) fn incomplete(&self, method: &str, ms: u64) -> RpcError {
        self.fault(
            "upstream_timeout",
            format_args!("sent no complete message for {ms} ms while answering `{method}`"),
        )
    }

    pub(crate) fn cut(&self, method: &str) -> RpcError {
        self.fault("upstream_cut", format_args!("broke off its answer to `{method}`"))
    }

    pub(crate) fn ended(&self, method: &str) -> RpcError {
        self.fault("upstream_cut", format_args!("ended the stream of `{method}` without a response"))
    }

    /// Returns the error for a server that refuses the credentials of a request. `of_caller` states whether the caller sent
    /// them for this server: the caller then gets the status and the challenge of the server.
    pub(crate) fn unauthorized<B>(&self, method: &str, refusal: &Response<B>, of_caller: bool) -> RpcError {
        let status = refusal.status();
        let code = status.as_u16();
        // A handler in the same process receives the credentials of the caller.
        let whose = match (of_caller, self.in_process, self.is_of_caller) {
            (true, ..) => "caller",
            (_, true, _) => "request",
            (.., true) => "caller's connection",
            _ => "gateway",
        };
        let failure = self.fault(
            "upstream_unauthorized",
            format_args!("answered `{method}` with HTTP {code}, the {whose}'s credentials do not suffice"),
        );
        if !of_caller {
            return failure;
        }
        let failure = failure.http_status(status).under(status).denied("upstream_unauthorized");
        let challenge = refusal.headers().get(header::WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
        match challenge.filter(|challenge| challenge.len() <= MAX_CHALLENGE) {
            Some(challenge) => failure.challenged(challenge.to_owned()),
            None => failure,
        }
    }

    /// Returns whether the headers of a request contain credentials that the caller sent for this server.
    pub(crate) fn passes_credentials(&self, sent: &HeaderMap) -> bool {
        self.auth == AuthKind::Pass || sent.contains_key(header::AUTHORIZATION) && !self.needs_tokens()
    }

    /// Returns the error for a busy or broken server, with the delay in seconds that it requested before a retry.
    pub(crate) fn status(&self, method: &str, status: StatusCode, retry_after: Option<u64>) -> RpcError {
        let code = status.as_u16();
        let failure = self.fault("upstream_status", format_args!("answered `{method}` with HTTP {code}"));
        let failure = failure.http_status(status);
        match retry_after {
            Some(seconds) => failure.retry_after(seconds),
            None => failure,
        }
    }

    /// Returns the error for a server to which requests are paused for `ms` milliseconds.
    pub(crate) fn paused(&self, ms: u64) -> RpcError {
        let seconds = ms.div_ceil(1_000);
        let words = format_args!("is not called again for {seconds} s");
        self.fault("upstream_paused", words).retry_after(seconds)
    }

    pub(crate) fn lists_late(&self, ms: u64) -> RpcError {
        self.fault("upstream_timeout", format_args!("did not finish its lists within {ms} ms"))
    }

    /// Returns the error for a redirect that is not followed, with what the operator can do about it.
    fn redirected(&self, method: &str, status: StatusCode, headers: &HeaderMap) -> RpcError {
        let code = status.as_u16();
        let failure =
            self.fault("upstream_redirect", format_args!("answered `{method}` with HTTP {code}, a redirect"));
        let from = redirect::shown(&self.uri);
        failure.for_operator(match redirect::location(&self.uri, headers) {
            Some(target) => {
                let target = redirect::shown(&target);
                format!("`{from}` leads to `{target}`, set `url` to the address of the MCP server")
            }
            None => format!("`{from}` names no usable `Location`"),
        })
    }

    /// Returns the error for a response that is neither JSON nor an event stream, or whose status has no meaning in
    /// MCP.
    pub(crate) fn foreign(&self, method: &str, status: StatusCode, headers: &HeaderMap) -> RpcError {
        if status.is_redirection() {
            return self.redirected(method, status, headers);
        }
        let code = status.as_u16();
        let media = match media_type(headers) {
            Some(media) => format!("content type `{media}`"),
            None => "no content type".to_owned(),
        };
        let expected = "expected HTTP 200 and `application/json` or `text/event-stream`";
        self.fault(
            "upstream_not_mcp",
            format_args!("answered `{method}` with HTTP {code} and {media}, {expected}"),
        )
    }

    pub(crate) fn unreadable(&self, method: &str, error: &Error) -> RpcError {
        self.fault("upstream_not_mcp", format_args!("answered `{method}` with a bad message: {error}"))
    }

    pub(crate) fn not_rpc(&self, method: &str) -> RpcError {
        self.fault(
            "upstream_not_mcp",
            format_args!("answered `{method}` with something other than a JSON-RPC message"),
        )
    }

    pub(crate) fn no_response(&self, method: &str) -> RpcError {
        self.fault("upstream_not_mcp", format_args!("answered `{method}` without a JSON-RPC response"))
    }

    pub(crate) fn other_id(&self, method: &str) -> RpcError {
        self.fault("upstream_not_mcp", format_args!("answered `{method}` under the id of another request"))
    }

    pub(crate) fn request_in_answer(&self, method: &str) -> RpcError {
        let words = "with a request of its own, which this protocol version does not know";
        self.fault("upstream_not_mcp", format_args!("answered `{method}` {words}"))
    }

    pub(crate) fn no_session(&self, method: &str) -> RpcError {
        let words = "and keeps no session, so it cannot receive the answer";
        self.fault("upstream_session", format_args!("asked the client by `{method}` {words}"))
    }

    /// Returns the error for a call that needs a session of its own while all places for one are in use.
    pub(crate) fn sessions_full(&self, full: Full) -> RpcError {
        let sessions = full.description();
        self.fault(
            "upstream_sessions",
            format_args!("has {sessions}, all in use; one of them must end before another begins"),
        )
    }

    /// Returns the error for a request to the client that the operator does not let through.
    pub(crate) fn refused_question(&self) -> RpcError {
        let words = "sent a request to the client, which its setting `\"questions\": \"refuse\"` does not let through";
        self.fault("questions_refused", format_args!("{words}"))
    }

    pub(crate) fn lacks(&self, method: &str, member: &str) -> RpcError {
        self.fault("upstream_not_mcp", format_args!("answered `{method}` without a usable `{member}`"))
    }

    pub(crate) fn too_many_groups(&self, most: usize) -> RpcError {
        self.fault("upstream_too_large", format_args!("lists more than {most} groups"))
    }

    pub(crate) fn too_large(&self, method: &str, bytes: usize) -> RpcError {
        self.fault("upstream_too_large", format_args!("sent more than {bytes} bytes in answer to `{method}`"))
    }

    pub(crate) fn misshapen(&self, method: &str, obstacle: Obstacle) -> RpcError {
        let code = obstacle.code();
        self.fault(
            "upstream_not_mcp",
            format_args!("sent a response to `{method}` whose end is wrong ({code})"),
        )
    }

    pub(crate) fn lists_too_large(&self, bytes: usize) -> RpcError {
        self.fault("upstream_too_large", format_args!("lists more than {bytes} bytes"))
    }

    pub(crate) fn cursor_too_large(&self, method: &str, bytes: usize) -> RpcError {
        self.fault(
            "upstream_too_large",
            format_args!("sent a cursor of more than {bytes} bytes in answer to `{method}`"),
        )
    }

    pub(crate) fn cursor_loop(&self, method: &str, page: usize) -> RpcError {
        self.fault("upstream_cursor_loop", format_args!("repeats a cursor of `{method}` on page {page}"))
    }

    pub(crate) fn too_many_pages(&self, method: &str) -> RpcError {
        self.fault(
            "upstream_too_many_pages",
            format_args!("has more than {} pages of `{method}`", self.max_pages),
        )
    }

    pub(crate) fn too_many_relisted(&self) -> RpcError {
        self.fault(
            "upstream_too_many_pages",
            format_args!("has more than {MAX_OFFERED_PAGES} pages, and no `capabilities` are configured"),
        )
    }

    pub(crate) fn version(&self) -> RpcError {
        let ours = Revision::dates().join(", ");
        self.fault("upstream_version", format_args!("speaks no protocol version of {ours}"))
    }

    /// Returns the error for a request of the gateway's own that the server refused. Forwarded unchanged, the caller
    /// would take it for the answer to its own request.
    pub(crate) fn refused(&self, method: &str, failure: &RpcError) -> RpcError {
        self.fault(
            "upstream_refused",
            format_args!("refused `{method}`: {} ({})", failure.message, failure.code),
        )
    }
}

/// Returns the error for an invalid address, which the operator has to correct.
pub(crate) fn address(role: &str, name: &str) -> RpcError {
    let message = format!("the address of {role} `{name}` is not an absolute http or https URL");
    RpcError::internal("upstream_url", message)
}

/// Returns the error for a configured header that cannot be sent.
pub(crate) fn header(role: &str, server: &str, header: &str, problem: &str) -> RpcError {
    RpcError::internal("config", format!("{role} `{server}`: header `{header}`: {problem}"))
}

/// Returns the media type without its parameters, if it is short enough to repeat.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let media = value.split(';').next()?.trim();
    (!media.is_empty() && media.len() <= MAX_MEDIA_TYPE).then_some(media)
}
