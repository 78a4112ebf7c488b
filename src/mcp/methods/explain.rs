//! `dev.mcpsieve/explain`: why a list with this filter holds a primitive or not, where the operator lets
//! clients ask (`filtering.explain`). What a policy or a rule hides is `unknown`, like what does not exist.

use http::Response;

use crate::{
    catalog::Kind,
    concern::kind_error,
    error::Error,
    json,
    mcp::{host::Host, http::response::Body, protocol::error::RpcError, request::context::Context},
};

/// Answers `{"shown", "reason"}` for `name` (a `uri`, a `uriTemplate`) of `kind`, which is `tools` if absent
/// and otherwise `resources`, `resourceTemplates`, `prompts` or `skills`, under the URL's filter and `filter`.
pub(crate) fn explain<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let name = context.message.text_param("name")?;
    let (kind, view) = (kind(context)?, &context.view);
    let (_, narrowing) = context.narrow()?;
    let explanation = view.explain(&narrowing, kind, &name);
    context.reply(|result| explanation.write_members(result))
}

fn kind<H: Host>(context: &Context<'_, H>) -> Result<Kind, Error> {
    let Some(raw) = context.message.param("kind") else { return Ok(Kind::Tool) };
    json::text(raw)
        .and_then(|key| Kind::from_list_key(&key))
        .ok_or_else(|| kind_error("kind", "`tools`, `resources`, `resourceTemplates`, `prompts` or `skills`"))
}
