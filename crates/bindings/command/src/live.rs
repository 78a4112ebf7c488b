//! The binding `listServers`: the lists of running servers, requested by the client of the gateway.

use futures_util::future::join_all;
use mcp_sieve::{Kind, catalog::Lists, json::Object};
use mcp_sieve_bindings_fetch::headers;
use mcp_sieve_bindings_value::{plain, refusal};
use mcp_sieve_gateway::{
    config::{self, Config},
    error::RpcError,
    upstream::{Declarations, Facet, Introduction, Listing, Upstream, introduction_notes},
};
use wasm_bindgen::prelude::*;

use super::network::{LiveFetch, Place, Received};

/// Lists servers, side by side, with the other settings that the configuration has for their names. Resolves with
/// `{servers: [{lists, declared?, about, pages, info?, problems, missing} or {reason, message}], notes}`.
///
/// `lists` is the text of an array of list results, and `declared` that of one more result, with what the server
/// declares. `about` has the texts of what the server says of itself, one for each revision, and `pages` those of its
/// list results as it sent them. `info` is its `serverInfo`. `problems` has `{list, problem}` for each list of
/// primitives that is missing or incomplete, and `missing` names these lists and those of declarations. `notes` are
/// reports on what servers say of themselves, and on what the client noticed of them.
#[wasm_bindgen(js_name = listServers)]
pub async fn list_servers(config: String, places: Vec<Place>) -> Result<JsValue, JsValue> {
    let config = Config::parse(&config).map_err(|error| refusal(&error))?;
    let settings =
        places.iter().map(|place| settings(&config, place)).collect::<Result<Vec<_>, JsValue>>()?;
    let listed = join_all(settings.iter().zip(&places).map(|(settings, place)| list(settings, place))).await;
    let introductions: Vec<(String, Introduction)> = settings
        .iter()
        .zip(&listed)
        .filter_map(|(settings, listed)| {
            let (listing, ..) = listed.as_ref().ok()?;
            Some((settings.name.clone(), listing.introduction.clone()))
        })
        .collect();
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    Object::push_array(object.value("servers"), settings.iter().zip(&listed), |out, (settings, listed)| {
        match listed {
            Ok((listing, received, _)) => write(out, &settings.name, listing, received),
            Err(failure) => write_failure(out, &settings.name, failure),
        }
    });
    let mut notes = introduction_notes(&config, &introductions);
    let oddities = listed.iter().filter_map(|listed| Some(listed.as_ref().ok()?.2.clone()));
    notes.extend(oddities.flatten().map(|oddity| format!("upstreams: {oddity}")));
    Object::push_array(object.value("notes"), notes.iter().map(String::as_str), Object::push_text);
    object.close();
    Ok(plain(out))
}

/// Returns the settings of a server. One that the configuration does not name has the defaults.
fn settings(config: &Config, place: &Place) -> Result<config::Upstream, JsValue> {
    let server = place.server();
    let mut settings = match config.upstream_settings().iter().find(|known| known.name == server) {
        Some(known) => known.clone(),
        None if server.is_empty() => config.upstream.clone(),
        None => config::Upstream { name: server, ..config::Upstream::default() },
    };
    settings.url = place.url();
    // A dollar sign in a value is no reference to a variable any more.
    let value = |bytes: &[u8]| bytes.iter().copied().map(char::from).collect::<String>().replace('$', "$$");
    let headers = headers::read(&place.headers())?;
    settings.headers =
        headers.iter().map(|(name, text)| (name.to_string(), value(text.as_bytes()))).collect();
    Ok(settings)
}

/// Lists a server. Returns its lists, what it sent, and reports on it.
async fn list(
    settings: &config::Upstream,
    place: &Place,
) -> Result<(Listing, Received, Vec<String>), RpcError> {
    let fetch = LiveFetch::new(place);
    let upstream = Upstream::new(settings, &|_| None)?;
    let listing = upstream.lists(&fetch).await?;
    Ok((listing, fetch.received(), upstream.take_oddities()))
}

fn write(out: &mut Vec<u8>, server: &str, listing: &Listing, received: &Received) {
    let mut object = Object::open(out);
    object.text("lists", &listing.lists);
    if let Some(declared) = declared(&listing.declared) {
        object.text("declared", &declared);
    }
    Object::push_array(object.value("about"), received.about(), Object::push_text);
    Object::push_array(object.value("pages"), received.pages(), Object::push_text);
    if let Some(info) = &listing.introduction.server_info {
        object.raw("info", info.as_bytes());
    }
    Object::push_array(object.value("problems"), problems(listing), |out, (list, problem)| {
        let mut object = Object::open(out);
        object.text("list", list);
        object.text("problem", without_name(server, problem));
        object.close();
    });
    let incomplete = problems(listing).map(|(list, _)| list);
    let undeclared = facets(&listing.declared).into_iter().filter(|(_, facet)| facet.problem.is_some());
    let missing = incomplete.chain(undeclared.map(|(key, _)| key));
    Object::push_array(object.value("missing"), missing, Object::push_text);
    object.close();
}

/// Returns the list result by which the engine learns what a server declares; `None` without declarations.
fn declared(all: &Declarations) -> Option<String> {
    if all.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    let mut declared = Object::open(object.value(Lists::DECLARED_KEY));
    for (key, Facet { items, problem }) in facets(all) {
        let mut facet = Object::open(declared.value(key));
        Object::push_array(facet.value("items"), items, |out, item| out.extend_from_slice(item.as_bytes()));
        if let Some(problem) = problem {
            facet.text("problem", problem);
        }
        facet.close();
    }
    declared.close();
    object.raw("tools", b"[]");
    object.close();
    String::from_utf8(out).ok()
}

/// Returns the declarations of each kind, with the member that has them.
fn facets(all: &Declarations) -> [(&'static str, &Facet); 5] {
    let Declarations { groups, tags, concerns, toolbox, learned, .. } = all;
    [("groups", groups), ("tags", tags), ("concerns", concerns), ("toolbox", toolbox), ("learned", learned)]
}

/// Returns the lists that are missing or incomplete, with the reason.
fn problems(listing: &Listing) -> impl Iterator<Item = (&str, &str)> {
    listing.problems.iter().map(|problem| {
        let kind = Kind::ALL.into_iter().find(|kind| kind.list_method() == problem.list);
        (kind.map_or(&*problem.list, |kind| kind.list_key()), &*problem.message)
    })
}

/// Returns a message without the name of the server at its beginning, which the command prints itself.
fn without_name<'a>(server: &str, message: &'a str) -> &'a str {
    let name = ["upstream `", server, "`"].concat();
    message.strip_prefix(&name).unwrap_or(message).trim_start_matches([':', ' '])
}

/// Writes a failure.
fn write_failure(out: &mut Vec<u8>, server: &str, failure: &RpcError) {
    let mut object = Object::open(out);
    object.text("reason", failure.reason().unwrap_or_default());
    object.text("message", without_name(server, &failure.operator_text()));
    object.close();
}
