use http::Response;

use futures_util::StreamExt;

use super::{
    Answer, Call, Event, Failure, Host,
    context::Context,
    headers, param_headers,
    reply::{self, Body, Cache, Shape},
};
use crate::{
    catalog::Kind,
    json::{self, Members},
};

/// Forwards a call, get, read or completion to the server that owns the primitive, if the caller may see
/// the primitive. What may not be seen is answered as what does not exist.
pub(super) async fn call<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, Failure> {
    let server = owner(&context)?;
    let call = Call {
        method: &context.message.method,
        params: context.message.params,
        server: server.as_deref(),
        caller: &context.caller,
    };
    let modern = context.modern();
    let reads = context.message.method == "resources/read";
    // A read may hold anything the caller alone may see.
    let cache = reads.then_some(Cache { ttl_ms: 0, private: true });
    let uri = if reads { context.message.text_param("uri")?.into_owned() } else { String::new() };
    // What no list mentions may be hidden by name, so every refusal of it has the words of that.
    let unlisted = reads && server.is_none();
    let in_era = move |failure: Failure| match reads && failure.is_resource_not_found(unlisted) {
        true => Failure::resource(&uri, modern),
        false => failure,
    };
    match context.asked.host.forward(&call).await? {
        Answer::Error(failure) => Err(in_era(failure)),
        Answer::Result(result) => {
            let mut out = reply::open(context.id);
            context.shape().adopt(&mut out, &result, cache);
            reply::close(&mut out);
            Ok(reply::json(out))
        }
        Answer::Events(events) => {
            let server = context.shape().server.to_vec();
            let finish = move |out: &mut Vec<u8>, result: &[u8]| {
                Shape { modern, server: &server }.adopt(out, result, cache);
            };
            let mut events = events
                .map(move |event| match event {
                    Event::Error(failure) => Event::Error(in_era(failure)),
                    other => other,
                })
                .boxed_local();
            if headers::accepts(context.asked.request.headers(), "text/event-stream") {
                return Ok(reply::events(events, context.id, finish));
            }
            // Whoever takes no stream gets the response alone.
            while let Some(event) = events.next().await {
                if !matches!(event, Event::Notification(_)) {
                    return Ok(reply::json(reply::message(event, context.id, finish)));
                }
            }
            Err(Failure::internal("upstream_cut", "the server behind ended its stream without a response"))
        }
    }
}

/// The server that owns what the request is about.
fn owner<H: Host>(context: &Context<'_, H>) -> Result<Option<String>, Failure> {
    match context.message.method.as_ref() {
        "tools/call" => {
            let name = context.message.text_param("name")?;
            let found = named(context, Kind::Tool, &name)
                .ok_or_else(|| Failure::params(format!("Unknown tool: {name}")))?;
            if context.modern() {
                let tool = context.view.catalog().shelf(Kind::Tool).bytes(found.0).unwrap_or_default();
                param_headers::check(
                    tool,
                    context.message.param("arguments"),
                    context.asked.request.headers(),
                )?;
            }
            Ok(found.1)
        }
        "prompts/get" => {
            let name = context.message.text_param("name")?;
            let found = named(context, Kind::Prompt, &name);
            found.map(|found| found.1).ok_or_else(|| Failure::params(format!("Unknown prompt: {name}")))
        }
        "resources/read" => readable(context, &context.message.text_param("uri")?),
        _ => completable(context),
    }
}

fn named<H: Host>(context: &Context<'_, H>, kind: Kind, id: &str) -> Option<(usize, Option<String>)> {
    let index = context.view.find(kind, id)?;
    Some((index, context.view.catalog().shelf(kind).server(index).map(str::to_owned)))
}

/// A resource that is visible, or falls to a visible template, or that no list mentions: a server may
/// serve more than it lists, and only what it lists can be hidden.
fn readable<H: Host>(context: &Context<'_, H>, uri: &str) -> Result<Option<String>, Failure> {
    if let Some((_, server)) = named(context, Kind::Resource, uri) {
        return Ok(server);
    }
    if let Some(index) = context.view.template_for(uri) {
        return Ok(context.view.catalog().shelf(Kind::Template).server(index).map(str::to_owned));
    }
    if context.view.conceals(uri) { Err(Failure::resource(uri, context.modern())) } else { Ok(None) }
}

fn completable<H: Host>(context: &Context<'_, H>) -> Result<Option<String>, Failure> {
    let reference = context.message.param("ref").and_then(Members::read);
    let reference = reference.ok_or_else(|| Failure::params("`ref` is required, an object"))?;
    let text = |key: &str| reference.get(key).and_then(json::text);
    let unknown = |what: &str, id: &str| Failure::params(format!("Unknown {what}: {id}"));
    match (text("type").as_deref(), text("name"), text("uri")) {
        (Some("ref/prompt"), Some(name), _) => {
            let found = named(context, Kind::Prompt, &name);
            found.map(|found| found.1).ok_or_else(|| unknown("prompt", &name))
        }
        (Some("ref/resource"), _, Some(uri)) => {
            let found = named(context, Kind::Template, &uri).or_else(|| named(context, Kind::Resource, &uri));
            found.map(|found| found.1).ok_or_else(|| unknown("resource", &uri))
        }
        _ => Err(Failure::params("`ref` is a `ref/prompt` with `name` or a `ref/resource` with `uri`")),
    }
}
