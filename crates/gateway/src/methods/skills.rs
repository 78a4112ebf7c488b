//! Skills (SEP-2640): the check whether a caller is served skills, and `skills/get`. `skills/list` is handled like
//! other lists.

use futures_util::StreamExt;
use http::Response;
use mcp_sieve::{
    Kind,
    catalog::{Catalog, Lists, Source},
    json::{self, Members, Object, Raw},
};

use crate::{
    call::{pending::PendingCall, rounds},
    drafts::hints::without_hints,
    host::{Event, Host},
    object::OwnedObject,
    protocol::{
        error::RpcError,
        response::{self, Body, Cache},
    },
    request::{context::Context, route::Route, visibility},
};

/// Returns whether the caller may know that skills are served. It must see one, or nothing may be hidden from it and a
/// server declares skills.
pub(crate) fn served<H: Host>(context: &Context<'_, H>) -> bool {
    let restricts = visibility::restricts(&context.backend, &context.caller);
    let has_skills = || context.backend.features.iter().any(|(_, features)| features.skills);
    context.view.count(Kind::Skill) > 0 || (!restricts && has_skills())
}

/// Returns whether the caller may know that directories can be read: it sees a skill of a server that reads
/// directories, or such a server exists and nothing is hidden from the caller.
pub(crate) fn reads_directories<H: Host>(context: &Context<'_, H>) -> bool {
    let backend = &context.backend;
    let kind_index = context.view.catalog().kind_index(Kind::Skill);
    let reads = |index| {
        let server = kind_index.server(index);
        server.is_some_and(|server| backend.offers(server, |features| features.directory_read))
    };
    match visibility::restricts(backend, &context.caller) {
        true => context.view.bits(Kind::Skill).iter().any(reads),
        false => backend.features.iter().any(|(_, features)| features.directory_read),
    }
}

/// Answers `skills/get` with the server's current entry, which a host requests when a file does not match the listed
/// digest. The same checks, rules and policies apply as to listed skills.
pub(crate) async fn get<H: Host>(mut context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let mut route = std::mem::replace(&mut context.route, Ok(Route::default()))?;
    route.settle(&context)?;
    let text = context.message.text_param("uri")?;
    let unknown = Route::missing(&context, &text);
    let mut found = None;
    for server in route.servers.clone() {
        match ask(&context, &route.at(server.clone())).await {
            Ok(result) if !route.hidden => found = entry(&context, &route, &server, &text, &result),
            Ok(_) => {}
            Err(failure) if failure.is_resource_not_found(true) => {}
            Err(failure) => return Err(failure),
        }
        if found.is_some() {
            break;
        }
    }
    let Some(entry) = found else {
        if !route.unlisted {
            context.refused(&unknown);
        }
        return Err(unknown);
    };
    let mut out = response::open(context.id);
    // The entry may be visible to this caller only.
    let cache = Cache { ttl_ms: 0, private: true };
    context.shape().write(&mut out, Some(cache), None, |result| result.raw("skill", &entry));
    response::close(&mut out);
    Ok(response::json(out))
}

/// Sends the request along a route and returns its result.
///
/// # Errors
/// The server's error, or a missing response.
pub(crate) async fn ask<H: Host>(context: &Context<'_, H>, route: &Route) -> Result<Vec<u8>, RpcError> {
    let params = route.params(context.message);
    let params = without_hints(&context.exchange.config.drafts, params).map(without_null_cursor);
    let call = PendingCall::new(context, route, params, false);
    let mut events = rounds::call_events(context.exchange.host.clone(), call, None);
    while let Some(event) = events.next().await {
        match event {
            Event::Notification(_) | Event::Paused(_) => {}
            Event::Result(result) => return Ok(result),
            Event::Error(failure) => return Err(failure),
            Event::Passthrough(_) => break,
        }
    }
    Err(RpcError::internal("upstream_cut", "the upstream server sent no response"))
}

/// Returns parameters without a cursor that is `null`, which means none. Servers may refuse it.
fn without_null_cursor(params: OwnedObject) -> OwnedObject {
    let read = params.read();
    if !read.get("cursor").is_some_and(Raw::is_null) {
        return params;
    }
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.keep(read.members(), &["cursor"]);
    object.close();
    std::str::from_utf8(&out).ok().and_then(OwnedObject::parse).unwrap_or(params)
}

/// Returns the entry of a skill in its form for callers, if it is the requested one, valid, and visible to the caller.
fn entry<H: Host>(
    context: &Context<'_, H>,
    route: &Route,
    server: &str,
    text: &str,
    result: &[u8],
) -> Option<Vec<u8>> {
    let result = std::str::from_utf8(result).ok().and_then(Members::parse)?;
    let skill = result.get("skill")?;
    let own = Members::read(skill)?.get("uri").and_then(json::Raw::text)?;
    if own != route.uri().unwrap_or(text) {
        return None;
    }
    let listed = ["{\"skills\":[", skill.get(), "]}"].concat();
    let (config, declared) = (context.exchange.config, &context.backend.declared);
    let listed = declared.rename(config, server, &listed);
    let source = Source { server, lists: Lists::read(&listed).ok()? };
    let called = (own != text).then_some(text);
    let catalog = Catalog::compile_called(source, declared.assignments(config), called);
    for report in catalog.reports() {
        context
            .exchange
            .host
            .note(&format!("catalog: {} `{}`: {}", report.kind, report.name, report.problem));
    }
    let alone = context.backend.guarded.over(catalog);
    let query = context.exchange.request.uri().query().unwrap_or_default();
    let (view, ..) = visibility::look(config, &alone, declared, &context.caller, query).ok()?;
    let index = view.find(Kind::Skill, text)?;
    view.catalog().kind_index(Kind::Skill).bytes(index).map(<[u8]>::to_vec)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_that_is_null_is_not_forwarded() {
        for (params, expected) in [
            (r#"{"uri":"a:b","cursor":null}"#, r#"{"uri":"a:b"}"#),
            // A server may issue an empty cursor.
            (r#"{"uri":"a:b","cursor":""}"#, r#"{"uri":"a:b","cursor":""}"#),
            (r#"{"uri":"a:b"}"#, r#"{"uri":"a:b"}"#),
        ] {
            let params = OwnedObject::parse(params).unwrap();
            assert_eq!(without_null_cursor(params).read().raw().get(), expected);
        }
    }
}
