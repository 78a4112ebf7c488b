//! The audit log: who sent which request, what it was about, and why it was denied. A line holds the requested names
//! and URIs, hidden ones included. It holds no arguments and no content of the request.
//!
//! Callers choose names freely, so decisions that differ only in the name share one line. The line counts them and
//! lists the first [`MAX_AUDIT_NAMES`](crate::host::operation::MAX_AUDIT_NAMES) names.
//!
//! The reason of a line is a code of [`AUDIT_REASONS`](crate::audit::AUDIT_REASONS) or
//! [`REASONS`](crate::error::REASONS), or the action that a function of context middleware took.

use std::borrow::Cow;

use mcp_sieve::{
    Kind,
    json::{self, Members},
};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::{
    caller::identity::principal,
    config::{Audit, Config},
    host::{allowed_call::AllowedCall, observer::Observer, operation::Operation},
    protocol::{
        clock::Clock,
        error::RpcError,
        message::Message,
        method::{self, Method, Subject},
        passed,
    },
    sha256_text::sha256_text,
};

/// The method in lines about requests with a method that the protocol does not define. Callers choose methods freely,
/// and each would otherwise have a line of its own.
const OTHER_METHOD: &str = "other";

/// Records in the audit log that a message was refused, if the refusal denies access. `called` is the tool that the
/// message calls through a discovery tool, if it does.
pub(crate) fn refused<H: Clock + Observer>(
    config: &Config,
    host: &H,
    claims: Option<&Map<String, Value>>,
    (message, called): (&Message<'_>, Option<&str>),
    failure: &RpcError,
) {
    let Some(pattern) = passed::pattern(config, message) else {
        let method = if method::is_known(&message.method) { message.method.as_ref() } else { OTHER_METHOD };
        let name = called.map(Cow::Borrowed).or_else(|| named(message));
        return write(host, claims, method, message.known.and_then(kind), name.as_deref(), failure);
    };
    let (kind, name) = passed::primitive(config, message).unzip();
    write(host, claims, &pattern, kind.map(Kind::name), name.as_deref(), failure);
}

/// Records the refusal of a request before its message was read, if the refusal denies access. `method` is the HTTP
/// method.
pub(crate) fn note<H: Clock + Observer>(
    host: &H,
    claims: Option<&Map<String, Value>>,
    method: &str,
    failure: &RpcError,
) {
    let known = if method::is_known(method) { method } else { OTHER_METHOD };
    write(host, claims, known, None, None, failure);
}

/// Records a request that is forwarded to `servers`, if the operator's log holds allowed calls. The log has the digest
/// of the arguments in place of their text, so that a copy of them can be compared with what was sent.
pub(crate) fn allowed<H: Clock + Observer>(
    config: &Config,
    host: &H,
    claims: Option<&Map<String, Value>>,
    message: &Message<'_>,
    servers: &[String],
) {
    // Clients complete an argument with each key, and would displace the calls themselves.
    if config.audit != Audit::All || message.known == Some(Method::Complete) {
        return;
    }
    let passed = || passed::primitive(config, message).map(|(_, name)| name);
    let arguments = message.param("arguments").map(|arguments| Sha256::digest(arguments.get()));
    host.record_call(AllowedCall {
        at: host.now(),
        who: claims.and_then(principal).map(Cow::into_owned),
        method: message.method.clone().into_owned(),
        server: servers.join(", "),
        name: named(message).or_else(passed).map(Cow::into_owned),
        arguments: arguments.map(|hash| sha256_text(&hash.into())),
    });
}

/// Returns the name or URI that a message is about.
pub(crate) fn named<'a>(message: &Message<'a>) -> Option<Cow<'a, str>> {
    match message.known?.subject() {
        Subject::Tool | Subject::Prompt => message.text_param("name").ok(),
        Subject::Resource | Subject::Skill | Subject::Directory => message.text_param("uri").ok(),
        Subject::Reference => {
            let reference = Members::read(message.param("ref")?)?;
            ["name", "uri"].into_iter().find_map(|key| reference.get(key).and_then(json::Raw::text))
        }
        Subject::None | Subject::Task => None,
    }
}

/// Returns the kind of primitive that a method is about, as the log writes it.
fn kind(method: Method) -> Option<&'static str> {
    match method.subject() {
        Subject::Tool => Some("tool"),
        Subject::Prompt => Some("prompt"),
        Subject::Resource | Subject::Directory => Some("resource"),
        Subject::Skill => Some("skill"),
        Subject::None | Subject::Reference | Subject::Task => None,
    }
}

fn write<H: Clock + Observer>(
    host: &H,
    claims: Option<&Map<String, Value>>,
    method: &str,
    kind: Option<&'static str>,
    name: Option<&str>,
    failure: &RpcError,
) {
    let Some(reason) = failure.denial.as_ref().and_then(|denial| denial.reason) else { return };
    let who = claims.and_then(principal);
    let operation = Operation::new(host.now(), who.as_deref(), method, kind, reason);
    host.record(match name {
        Some(name) => operation.about(name),
        None => operation,
    });
}
