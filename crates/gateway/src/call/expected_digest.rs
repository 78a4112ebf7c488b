//! Conditional requests. A client may send the digest of the definition that it knows; the request is rejected before
//! it is forwarded if the definition has changed.

use http::StatusCode;
use mcp_sieve::{Kind, catalog::ResourceUri, policy::Reach};

use crate::{
    drafts::hints::EXPECTED,
    host::Host,
    protocol::{
        error::RpcError,
        method::{Method, Subject},
    },
    request::context::Context,
};

/// Checks the digest that a request expects of the primitive's definition.
///
/// # Errors
/// 409 `digest_changed` if no definition that the caller sees has this digest. The draft defines no code for it yet.
pub(crate) fn check<H: Host>(context: &Context<'_, H>) -> Result<(), RpcError> {
    let Some(expected) = context.message.meta.get(EXPECTED) else { return Ok(()) };
    if !context.exchange.config.drafts.primitive_digests {
        return Ok(());
    }
    let text = |key| context.message.text_param(key);
    let view = &context.view;
    let places = match context.message.known.map_or(Subject::None, Method::subject) {
        Subject::Tool => [view.find(Kind::Tool, &text("name")?).map(|index| (Kind::Tool, index)), None],
        Subject::Prompt => [view.find(Kind::Prompt, &text("name")?).map(|index| (Kind::Prompt, index)), None],
        Subject::Resource => {
            let uri = text("uri")?;
            let uri = ResourceUri::parse(&uri).ok();
            let template = uri.as_ref().and_then(|uri| view.template_around(uri));
            let resource = uri.and_then(|uri| match view.resource(&uri) {
                Reach::Resource(index) => Some((Kind::Resource, index)),
                _ => None,
            });
            [resource, template.map(|index| (Kind::Template, index))]
        }
        _ => return Ok(()),
    };
    let expected = expected.text();
    let same = |(kind, index)| {
        let definition = context.backend.definitions.get(view.catalog(), kind, index);
        definition.and_then(|definition| definition.mark.as_ref()).map(|mark| mark.digest.as_str())
            == expected.as_deref()
    };
    match expected.is_some() && places.into_iter().flatten().any(same) {
        true => Ok(()),
        false => {
            let message =
                "the definition is not the expected one; list it again before you send the request anew";
            Err(RpcError::handle("digest_changed", message).under(StatusCode::CONFLICT))
        }
    }
}
