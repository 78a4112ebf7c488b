//! `dev.mcpsieve/explain` returns the reason why a filtered list contains a primitive or not, if the operator enables
//! it (`filtering.explain`). A primitive that a policy or rule hides is `unknown`, like one that does not exist.

use http::Response;
use mcp_sieve::{Error, Kind};

use crate::{
    host::Host,
    protocol::{error::RpcError, response::Body},
    request::context::Context,
};

/// Returns `{"shown", "reason"}` for the primitive `name` (a name, `uri` or `uriTemplate`) of `kind`, under the URL's
/// filter and `filter`. `kind` is `tools` (the default), `resources`, `resourceTemplates`, `prompts` or `skills`.
pub(crate) fn explain<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let name = context.message.text_param("name")?;
    let (kind, view) = (kind(context)?, &context.view);
    let (_, narrowing) = context.narrow()?;
    let explanation = view.explain(&narrowing, kind, &name);
    context.reply(|result| explanation.write_members(result))
}

fn kind<H: Host>(context: &Context<'_, H>) -> Result<Kind, Error> {
    let Some(raw) = context.message.param("kind") else { return Ok(Kind::Tool) };
    raw.text().and_then(|key| Kind::from_list_key(&key)).ok_or_else(|| {
        Error::filter_type("kind", "`tools`, `resources`, `resourceTemplates`, `prompts` or `skills`")
    })
}
