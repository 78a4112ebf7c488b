//! `resources/directory/read` of the extension for skills: the children of a directory that the caller may see.

use std::collections::BTreeSet;

use http::Response;
use mcp_sieve::{Kind, catalog::ResourceUri, json::Object, policy::Reach};

use crate::small_collect::small_collect;

use crate::{
    call::result_uris::map_uris,
    host::Host,
    methods::skills,
    protocol::{
        error::RpcError,
        response::{self, Body},
        skills::DIRECTORY,
    },
    request::{context::Context, route::Route},
};

/// Returns the direct children of a directory. Its server answers for a directory in a skill, the catalog of all
/// servers for one above skills.
pub(crate) async fn read<H: Host>(mut context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let mut route = std::mem::replace(&mut context.route, Ok(Route::default()))?;
    let text = context.message.text_param("uri")?;
    if route.above {
        return Ok(above(&context, &text));
    }
    route.settle(&context)?;
    let unknown = Route::missing(&context, &text);
    for server in route.servers.clone() {
        match skills::ask(&context, &route.at(server)).await {
            Ok(result) if !route.hidden => {
                let result = map_uris(&result, "resources", &|child| {
                    let public = route.public(child);
                    reaches(&context, &public).then_some(public)
                });
                let mut out = response::open(context.id);
                context.shape().adopt(&mut out, &result, None, context.cache(0).private);
                response::close(&mut out);
                return Ok(response::json(out));
            }
            Ok(_) => {}
            Err(failure) if failure.is_resource_not_found(true) => {}
            Err(failure) => return Err(failure),
        }
    }
    Err(unknown)
}

/// Returns whether the caller may know of a child: it can be read, and is not a directory of hidden skills. Everything
/// in a visible skill is visible, because the skill's manifest lists it.
fn reaches<H: Host>(context: &Context<'_, H>, uri: &str) -> bool {
    let Ok(uri) = ResourceUri::parse(uri) else { return false };
    matches!(context.view.resource(&uri), Reach::Skill(_))
        || context.view.skills_below(uri.text()) != Some(false) && context.resources().reaches(uri.text())
}

/// Returns the directories that lead to visible skills. Other content of their servers is left out, so that the
/// response does not depend on hidden primitives.
fn above<H: Host>(context: &Context<'_, H>, text: &str) -> Response<Body> {
    let kind_index = context.view.catalog().kind_index(Kind::Skill);
    let visible = context.view.bits(Kind::Skill).iter().filter_map(|index| kind_index.id(index));
    let names = visible.filter_map(|uri| uri.strip_prefix(text)?.strip_prefix('/')?.split('/').next());
    let names: BTreeSet<&str> = small_collect(names);
    let mut out = response::open(context.id);
    context.shape().write(&mut out, None, None, |result| {
        Object::push_array(result.value("resources"), names, |out, name| {
            let mut child = Object::open(out);
            child.text("uri", &[text, "/", name].concat());
            child.text("name", name);
            child.text("mimeType", DIRECTORY);
            child.close();
        });
    });
    response::close(&mut out);
    response::json(out)
}
