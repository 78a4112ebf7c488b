//! `GET /upstreams`, for the operator: lists each upstream server and reports the outcome.

use std::rc::Rc;

use futures_util::stream;
use http::StatusCode;
use mcp_sieve::{Kind, discovery::Preview};
use mcp_sieve_gateway::{
    auth::bearer_token,
    config::Disclosure,
    host::{Backends as _, Freshness},
    upstream::{Backend, ListProblem},
};
use serde_json::{Map, Value, json};
use worker::{Context, Env, Method, Request, Response, Result};

use super::{
    convert,
    operator::{Endpoint, admit},
};
use crate::{
    auth::sha256,
    console,
    deployment::{Deployment, OPERATOR, variable},
    host::EdgeHost,
    objects::catalog::{self, Surveyed},
};

/// The path of the endpoint.
pub(crate) const PATH: &str = "/upstreams";
/// The variables with the SHA-256, in hex, of a token for it: the operator's token, and that of `mcp-sieve dev`.
const READERS: [&str; 2] = [OPERATOR, "SIEVE_DEV"];

/// Returns a report on each upstream server and the size of their lists, or the error of a configuration that cannot be
/// served or that names no server. The Worker's own server is not reported. If no variable names a token, the path does not
/// exist.
pub(crate) async fn read(request: &Request, env: &Env, context: Context) -> Result<Option<Response>> {
    let digests: Vec<String> = READERS.iter().filter_map(|name| variable(env, name)).collect();
    let shown = bearer_token(&convert::headers(request)).map(|token| sha256(token.as_bytes()));
    let of_token =
        digests.iter().find(|digest| shown.as_ref().is_some_and(|shown| shown.eq_ignore_ascii_case(digest)));
    let Some(digest) = of_token.or(digests.first()) else { return Ok(None) };
    let context = Rc::new(context);
    let message = format!("expected the bearer token whose digest is in {OPERATOR}");
    let reader = Endpoint { name: "upstreams", digest, message };
    if let Err(failure) = admit(request, env, &context, reader).await {
        return convert::write(failure.into_response()).map(Some);
    }
    if request.method() != Method::Get {
        let allowed = [("allow", "GET")].into_iter().collect();
        return Ok(Some(Response::error("expected GET", 405)?.with_headers(allowed)));
    }
    let deployment = match Deployment::load(env).await {
        Ok(deployment) => deployment,
        Err(failure) => return convert::write(failure.by_status().into_response()).map(Some),
    };
    if let Err(failure) = deployment.require_server(env) {
        return convert::write(failure.under(StatusCode::SERVICE_UNAVAILABLE).into_response()).map(Some);
    }
    let host = EdgeHost { context: Some(context), ..EdgeHost::new(deployment, env) };
    // The head is sent at once: it shows that the configuration is valid, however long the servers take.
    let body =
        stream::once(async move { Ok::<_, worker::Error>(reports(&host).await.to_string().into_bytes()) });
    let headers = [("content-type", "application/json"), ("cache-control", "no-store")];
    Ok(Some(Response::from_stream(body)?.with_headers(headers.into_iter().collect())))
}

/// Lists every server and reports on each.
async fn reports(host: &EdgeHost) -> Value {
    let Some(gateway) = &host.deployment.gateway else { return json!({"servers": []}) };
    let elsewhere = match host.deployment.has_catalog_object {
        true => catalog::survey(&host.env).await.map_err(|failure| console::warn(&failure.message)).ok(),
        false => None,
    };
    let surveyed: Vec<_> = match elsewhere {
        Some(surveyed) => surveyed,
        None => gateway.survey(&host.net()).await.into_iter().map(Surveyed::new).collect(),
    };
    // The catalog of all servers shows the part of each. If no server can be listed, there is none.
    host.deployment.shared.expire();
    let backend = host.backend(Freshness::List).await.ok();
    let servers: Value = surveyed.iter().map(|survey| report(survey, backend.as_deref())).collect();
    let total = backend.map(|backend| total(&backend, &host.deployment.config.disclosure));
    json!({"servers": servers, "total": total})
}

/// Returns the number of tools of all servers, without policies and presets, and the tokens that the first list of a
/// model takes in each disclosure mode.
fn total(backend: &Backend, disclosure: &Disclosure) -> Value {
    let view = backend.guarded.whole();
    let modes = Preview::of_modes(view, view.bits(Kind::Tool), disclosure.always.as_ref());
    let tokens: Map<String, Value> =
        modes.iter().map(|one| (one.mode.name().to_owned(), one.tokens.count.into())).collect();
    json!({"tools": modes.first().map(|flat| flat.tools), "tokens": tokens})
}

/// Returns the report on one server: the number of its primitives of each kind, or why it could not be listed.
fn report(survey: &Surveyed, backend: Option<&Backend>) -> Value {
    let mut report = Map::new();
    let mut put = |member: &str, value: Value| _ = report.insert(member.to_owned(), value);
    put("name", survey.name.as_str().into());
    put("ms", survey.ms.into());
    if let Some(failure) = &survey.failure {
        // An error of the server itself has no reason code of the gateway.
        let reason = failure.pointer("/data/reason").cloned();
        put("reason", reason.unwrap_or_else(|| "upstream_refused".into()));
        put("message", failure.get("message").cloned().unwrap_or_default());
    } else if let Some(backend) = backend {
        for kind in Kind::ALL {
            let kind_index = backend.guarded.catalog().kind_index(kind);
            let served =
                (0..kind_index.len()).filter(|index| kind_index.server(*index) == Some(&survey.name));
            put(kind.list_key(), served.count().into());
        }
        let problems = backend.declared.problems().iter().filter(|problem| problem.server == survey.name);
        let problems: Vec<Value> = problems.map(|problem| problem.problem.as_str().into()).collect();
        if !problems.is_empty() {
            put("problems", problems.into());
        }
        let missing: Vec<Value> = survey.problems.iter().map(missing_list).collect();
        if !missing.is_empty() {
            put("missing", missing.into());
        }
    }
    report.into()
}

/// Returns the report on a list that is missing or incomplete.
fn missing_list(problem: &ListProblem) -> Value {
    let ListProblem { list, reason, message, kept } = problem;
    json!({"list": list, "reason": reason, "message": message, "kept": kept})
}
