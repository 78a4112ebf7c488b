//! The gate for the arguments of a call: what the policies of the configuration refuse is not sent.

use http::Response;
use mcp_sieve::{
    Kind,
    catalog::Catalog,
    json::Raw,
    policy::{ArgumentRefusal, ArgumentVerdict},
};
use serde_json::json;

use crate::{
    host::Host,
    protocol::{
        error::RpcError,
        method::Method,
        response::{self, Body},
    },
    request::context::Context,
};

/// The audit reason of a call that a condition on its arguments refuses.
const REFUSED: &str = "argument_refused";

/// Returns the result for a call whose arguments a policy refuses, which a model can read and act on; `None` for a call
/// that may be sent. `arguments` are those that the server would get.
#[inline(never)]
pub(crate) fn refused<H: Host>(
    context: &Context<'_, H>,
    arguments: Option<Raw<'_>>,
) -> Option<Result<Response<Body>, RpcError>> {
    let guarded = &context.backend.guarded;
    if context.message.known != Some(Method::CallTool) || !guarded.judges_arguments() {
        return None;
    }
    let name = match context.message.text_param("name") {
        Ok(name) => name,
        Err(failure) => return Some(Err(failure)),
    };
    let index = context.view.find(Kind::Tool, &name)?;
    let arguments = arguments.filter(|raw| !raw.is_null());
    let ArgumentVerdict { refused, audited } =
        guarded.judge_arguments(&context.view, index, &context.caller, arguments);
    for refusal in &audited {
        log(context, "policy.would_refuse", &refusal.policy);
    }
    refused.map(|refusal| respond(context, &refusal))
}

/// Records a refusal, by the policy's name and without arguments, and returns the result for the caller.
fn respond<H: Host>(context: &Context<'_, H>, refusal: &ArgumentRefusal) -> Result<Response<Body>, RpcError> {
    log(context, "policy.refused", &refusal.policy);
    context.refused(&RpcError::params(refusal.message.as_str()).denied(REFUSED));
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
