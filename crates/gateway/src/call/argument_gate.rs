//! The gate for the arguments of a call: what the policies of the configuration refuse is not sent.

use http::Response;
use mcp_sieve::{
    Kind,
    catalog::Catalog,
    policy::{ArgumentRefusal, ArgumentVerdict},
};
use serde_json::json;

use crate::{
    call::chain::CallChain,
    host::Host,
    object::OwnedObject,
    protocol::{
        error::RpcError,
        method::Method,
        response::{self, Body},
    },
    request::{context::Context, route::Route},
};

/// Returns the result for a call whose arguments a policy refuses, which a model can read and act on; `None` for a call
/// that may be sent. Judged is what the server would get: the parameters that functions have left, with the values of
/// pseudonyms and of bound arguments.
#[inline(never)]
pub(crate) fn refused<H: Host>(
    context: &Context<'_, H>,
    route: &Route,
    chain: Option<&CallChain>,
    params: Option<&OwnedObject>,
) -> Option<Result<Response<Body>, RpcError>> {
    if context.message.known != Some(Method::CallTool) || !context.backend.guarded.judges_arguments() {
        return None;
    }
    match verdict(context, route, chain, params) {
        Ok(ArgumentVerdict { refused, audited }) => {
            audited.iter().for_each(|refusal| log(context, "policy.would_refuse", &refusal.policy));
            refused.map(|refusal| respond(context, &refusal))
        }
        Err(failure) => Some(Err(failure)),
    }
}

fn verdict<H: Host>(
    context: &Context<'_, H>,
    route: &Route,
    chain: Option<&CallChain>,
    params: Option<&OwnedObject>,
) -> Result<ArgumentVerdict, RpcError> {
    let name = context.message.text_param("name")?;
    let Some(index) = context.view.find(Kind::Tool, &name) else { return Ok(ArgumentVerdict::default()) };
    let opened = chain.map(|chain| chain.opened(params)).transpose()?.flatten();
    let opened = opened.as_ref().map(|(opened, _)| opened).or(params);
    let filled = route.bound.as_ref().map(|bound| bound.fill(opened)).transpose()?;
    let sent = filled.as_ref().or(opened).map(OwnedObject::read);
    let arguments = sent.as_ref().and_then(|sent| sent.get("arguments")).filter(|raw| !raw.is_null());
    Ok(context.backend.guarded.judge_arguments(&context.view, index, &context.caller, arguments))
}

/// Records a refusal, by the policy's name and without arguments, and returns the result for the caller.
fn respond<H: Host>(context: &Context<'_, H>, refusal: &ArgumentRefusal) -> Result<Response<Body>, RpcError> {
    log(context, "policy.refused", &refusal.policy);
    context.refused(&RpcError::params(refusal.message.as_str()).denied(refusal.code));
    let text = format!("{} (policy `{}`)", refusal.message, refusal.policy);
    let content = json!([{"type": "text", "text": text}]).to_string();
    let reason = json!({"code": refusal.code, "policy": refusal.policy});
    let (key, reason) = (format!("{}/refused", Catalog::PREFIX), reason.to_string());
    let mut out = response::open(context.id);
    context.shape().write(&mut out, None, Some((key.as_str(), reason.as_bytes())), |result| {
        result.raw("content", content.as_bytes());
        result.raw("isError", b"true");
    });
    response::close(&mut out);
    Ok(response::json(out))
}

fn log<H: Host>(context: &Context<'_, H>, attribute: &str, policy: &str) {
    if let Some(log) = context.exchange.log {
        log.set_text(&format!("{}.{attribute}", Catalog::PREFIX), policy);
    }
}
