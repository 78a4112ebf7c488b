//! The log line of a request. Its attributes have the names that OpenTelemetry defines for MCP; those specific to Sieve
//! are under `dev.mcpsieve`. It contains no argument and no content of the request.
//!
//! | attribute | value |
//! |---|---|
//! | `time` | time of arrival, in RFC 3339 format, in UTC |
//! | `enduser.id` | the principal of the verified token, as in the log of decisions; absent for a caller without one |
//! | `mcp.method.name`, `jsonrpc.request.id` | method and id of the message |
//! | `gen_ai.tool.name`, `gen_ai.prompt.name`, `mcp.resource.uri` | the requested primitive |
//! | `dev.mcpsieve.discovery` | the discovery tool that was called, directly or to call another tool |
//! | `dev.mcpsieve.upstream` | the upstream server; for an unlisted resource the servers in order, comma-separated |
//! | `dev.mcpsieve.read_by` | what looked at the result of a call, get or read; absent for one that passed through unread |
//! | `http.response.body.size` | the length of a response that passed through, in bytes. Its line is written when it was sent |
//! | `dev.mcpsieve.duration` | seconds until the response began |
//! | `error.type`, `rpc.response.status_code` | the code of the error that was sent |

use std::borrow::Cow;

use http::Response;
use mcp_sieve::{Kind, catalog::Catalog, time::CivilDate};

use crate::{
    caller::identity::principal,
    host::{Host, audit},
    protocol::{
        error::RpcError,
        message::Message,
        method::{Method, Subject},
        passed,
        response::Body,
    },
    request::{context::Exchange, discovery},
};

/// Writes the log line of a message that arrived at `since`, in milliseconds since 1970.
pub(crate) fn write<H: Host>(
    exchange: &Exchange<'_, H>,
    message: &Message<'_>,
    since: u64,
    answered: &Result<Response<Body>, RpcError>,
) {
    let Some(log) = exchange.log else { return };
    log.set("time", CivilDate::timestamp(since));
    if let Some(who) = exchange.claims.and_then(principal) {
        log.set_text("enduser.id", &who);
    }
    log.set_text("mcp.method.name", &message.method);
    if let Some(id) = message.id {
        log.set_text("jsonrpc.request.id", id.get());
    }
    if let Some((kind, name)) = passed::primitive(exchange.config, message) {
        let key = match kind {
            Kind::Tool => "gen_ai.tool.name",
            Kind::Prompt => "gen_ai.prompt.name",
            Kind::Resource | Kind::Template | Kind::Skill => "mcp.resource.uri",
        };
        log.set_text(key, &name);
    }
    if let Some(discovered) = exchange.discovered.get() {
        log.set(&format!("{prefix}.discovery", prefix = Catalog::PREFIX), discovered.tool.name());
    }
    let called = discovery::called(exchange.discovered).map(Cow::Borrowed);
    if let Some(name) = called.or_else(|| audit::named(message)) {
        match message.known.map(Method::subject) {
            Some(Subject::Tool) => {
                log.set("gen_ai.operation.name", "execute_tool");
                log.set_text("gen_ai.tool.name", &name);
            }
            Some(Subject::Prompt) => log.set_text("gen_ai.prompt.name", &name),
            Some(Subject::Resource | Subject::Skill | Subject::Directory) => {
                log.set_text("mcp.resource.uri", &name)
            }
            _ => {}
        }
    }
    if let Err(failure) = answered {
        log.set("rpc.response.status_code", failure.code.to_string());
        log.set("error.type", failure.code.to_string());
    }
    // OpenTelemetry measures durations in seconds. The clock may have gone back.
    let ms = exchange.host.now().saturating_sub(since);
    log.set(&format!("{prefix}.duration", prefix = Catalog::PREFIX), ms as f64 / 1000.0);
    match answered.as_ref().map(Response::body) {
        Ok(Body::Passthrough(response)) => {
            let (host, mut line) = (exchange.host.clone(), log.take());
            response.at_end(move |bytes| {
                line.insert("http.response.body.size".to_owned(), bytes.into());
                host.log(line);
            });
        }
        _ => exchange.host.log(log.take()),
    }
}
