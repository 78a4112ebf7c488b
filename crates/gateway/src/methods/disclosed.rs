//! `groups/list` and `groups/get` of the draft "Progressive Disclosure via Groups", for requests that declare it.

use http::Response;
use mcp_sieve::{
    catalog::Group,
    filter::{Fields, Selection},
    json::Object,
    policy::FacetQuery,
};

use crate::{
    host::Host,
    methods::facets,
    protocol::{error::RpcError, response::Body},
    request::{
        context::Context,
        disclosure::{self, Disclosure, KINDS},
    },
};

/// Returns whether a request gets the draft's groups. SEP-1300's `groups/list` remains available with its prefix.
pub(crate) fn served<H: Host>(context: &Context<'_, H>) -> bool {
    disclosure::is_on(context.exchange.config, &context.caller)
        && matches!(&*context.message.method, "groups/list" | "groups/get")
}

/// Answers `groups/list` with the groups that no other group contains.
pub(crate) fn list<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let groups: Vec<_> = offered(context)?.top().collect();
    facets::page(context, "groups", &groups, |group| group.name.clone(), |group, out| write(group, out))
}

/// Answers `groups/get` with the primitives of a group that pass the filters of the request and of its URL, and the
/// groups directly in it. A group without visible members is an unknown name.
pub(crate) fn get<H: Host>(mut context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let name = context.message.text_param("name")?.into_owned();
    let disclosure = offered(&context)?;
    let contents = disclosure.contents(&name).ok_or_else(|| RpcError::group(&name))?;
    let nested: Vec<_> = disclosure.below(&name).collect();
    context.view = context.backend.guarded.part(&context.view, contents);
    let (_, narrowing) = context.narrow()?;
    context.reply(|result| {
        let mut contents = Object::open(result.value("contents"));
        for kind in KINDS {
            let mut selection = Selection::default();
            let bits = context.view.select(&narrowing, kind, &mut selection);
            if bits.count() > 0 {
                let list = contents.value(kind.list_key());
                list.push(b'[');
                let kind_index = context.view.catalog().kind_index(kind);
                Fields::write_page(kind_index, bits, narrowing.fields(), 0, usize::MAX, list);
                list.push(b']');
            }
        }
        if !nested.is_empty() {
            Object::push_array(contents.value("groups"), &nested, |out, group| write(group, out));
        }
        contents.close();
    })
}

fn offered<'a, H: Host>(context: &Context<'a, H>) -> Result<Disclosure<'a>, RpcError> {
    let query = context.exchange.request.uri().query().unwrap_or_default();
    Disclosure::new(
        context.exchange.config,
        (&context.backend.guarded, &context.backend.declared),
        &context.caller,
        query,
    )
}

/// Writes a group, in the same form in both responses.
fn write(group: &Group, out: &mut Vec<u8>) {
    let mut object = Object::open(out);
    object.text("name", &group.name);
    object.optional_text("title", group.title.as_deref());
    object.optional_text("description", group.description.as_deref());
    if let Some(meta) = group.meta.as_deref() {
        let mut members = Object::open(object.value("_meta"));
        FacetQuery::write_own(&mut members, Some(meta));
        members.close();
    }
    object.close();
}
