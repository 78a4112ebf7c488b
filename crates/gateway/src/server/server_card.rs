//! Server cards (SEP-2127), a draft: public descriptions that a client reads before it connects. A card states the
//! server's name and endpoint. It lists no primitives, so it needs no filter.
//!
//! Cards are public: tokens, checks and policies do not apply, and every web page may read them. Only the check of host
//! names applies, as on every path.

use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use mcp_sieve::{Digest, revision::Revision};
use serde_json::{Map, Value, json};

use crate::{
    config::{CARD_NAME, Config, ServerCard},
    host::{Host, audit},
    http::{
        conditional::{tagged, without_body},
        cors,
    },
    protocol::{
        endpoint::{Endpoint, MCP_PATH},
        error::RpcError,
        headers::{READ_METHODS, cache_by_scheme, requested_scheme},
        response::{self, Body},
    },
};

/// The paths of the catalogs that list the cards: the AI catalog, which describes agents of any kind, and the one that
/// MCP had before it.
pub const CARD_CATALOG_PATHS: [&str; 2] = ["/.well-known/ai-catalog.json", "/.well-known/mcp/catalog.json"];
/// The media type of an AI catalog.
const AI_CATALOG: &str = "application/ai-catalog+json";
/// The media type of a card.
const CARD: &str = "application/mcp-server-card+json";
/// The schema of a card.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
/// Maximum length of a description and of a title, in characters.
const MAX_TEXT: usize = 100;
/// Maximum length of a name, in bytes.
const MAX_NAME: usize = 200;

/// Answers a request for a card or for the catalog of cards, if the draft is enabled; returns `None` for any other
/// path.
///
/// `claims` are those of the caller, or the reason why the request is refused. A refusal because of the token is
/// ignored; another one, such as a rate limit, is returned.
pub(crate) fn answer<H: Host, T, B>(
    config: &Config,
    host: &H,
    claims: &Result<T, RpcError>,
    request: &Request<B>,
) -> Option<Response<Body>> {
    let settings = config.drafts.server_card.as_ref()?;
    let path = request.uri().path();
    let wanted = match path {
        path if CARD_CATALOG_PATHS.contains(&path) => Wanted::Catalog { ai: path == CARD_CATALOG_PATHS[0] },
        path => Wanted::card(settings, Endpoint::from_path(path)?.preset?)?,
    };
    let refused = claims.as_ref().err().filter(|failure| !is_about_token(failure)).cloned();
    let admitted = cors::check_host(request, config).and_then(|()| cors::check_rebinding(request, config));
    let mut response = match refused.map_or(admitted, Err) {
        Ok(()) => serve(config, settings, &wanted, request),
        Err(failure) => {
            audit::note(host, None, request.method().as_str(), &failure);
            response::refusal(&failure, None)
        }
    };
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    Some(response)
}

fn is_about_token(failure: &RpcError) -> bool {
    matches!(failure.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
}

/// The document that a path names.
enum Wanted<'a> {
    /// A catalog: the AI catalog, or the one before it.
    Catalog { ai: bool },
    /// The card of the endpoint, or of the endpoint of a preset.
    Card(Option<&'a str>),
    /// A preset without a card.
    Nothing,
}

impl<'a> Wanted<'a> {
    /// Parses the rest of a path below the endpoint. A preset without a card looks the same as a preset that does not
    /// exist.
    fn card(settings: &ServerCard, rest: &'a str) -> Option<Self> {
        if rest == CARD_NAME {
            return Some(Self::Card(None));
        }
        let preset = rest.strip_suffix(CARD_NAME)?.strip_suffix('/')?;
        let listed = settings.presets.iter().any(|name| name == preset);
        Some(if listed { Self::Card(Some(preset)) } else { Self::Nothing })
    }
}

fn serve<B>(
    config: &Config,
    settings: &ServerCard,
    wanted: &Wanted<'_>,
    request: &Request<B>,
) -> Response<Body> {
    let place = Place::new(config, settings, request);
    let (body, media) = match wanted {
        Wanted::Catalog { ai } => {
            (catalog(config, settings, &place, *ai), if *ai { AI_CATALOG } else { "application/json" })
        }
        Wanted::Card(preset) => (card(config, settings, &place, *preset), CARD),
        Wanted::Nothing => {
            let failure = RpcError::request(StatusCode::NOT_FOUND, "path", "nothing is served at this path");
            return response::refusal(&failure, None);
        }
    };
    match *request.method() {
        Method::GET | Method::HEAD => {}
        Method::OPTIONS => return preflight(),
        _ => return response::not_allowed(READ_METHODS),
    }
    let body = body.to_string().into_bytes();
    let hash = Digest::of(&body);
    let mut response = response::json(body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    let mut response = tagged(response, hash, request.headers());
    let headers = response.headers_mut();
    cache_by_scheme(headers);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("ETag"));
    if *request.method() == Method::HEAD { without_body(response) } else { response }
}

fn preflight() -> Response<Body> {
    let mut response = Response::new(Body::Empty);
    *response.status_mut() = StatusCode::NO_CONTENT;
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_METHODS, READ_METHODS),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "Accept, Content-Type, If-None-Match, MCP-Protocol-Version"),
        (header::ACCESS_CONTROL_MAX_AGE, "7200"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The address of the server, and the parts of its name.
struct Place {
    /// The URL of the endpoint.
    endpoint: String,
    /// The domain of the publisher, such as `example.com`.
    publisher: String,
    /// The same domain in reverse-DNS form.
    namespace: String,
    name: String,
}

impl Place {
    fn new<B>(config: &Config, settings: &ServerCard, request: &Request<B>) -> Self {
        let uri = request.uri();
        let requested = || {
            let authority = uri.authority().map(http::uri::Authority::as_str).unwrap_or_default();
            [requested_scheme(request), "://", authority, MCP_PATH].concat()
        };
        let own = settings.url.as_ref().map(|url| url.trim_end_matches('/').to_owned());
        let endpoint = own.unwrap_or_else(requested);
        if let Some((namespace, name)) = settings.name.as_ref().and_then(|name| name.split_once('/')) {
            let publisher = reversed(namespace);
            return Self { endpoint, publisher, namespace: namespace.to_owned(), name: name.to_owned() };
        }
        let host = endpoint.parse::<http::Uri>().ok().and_then(|uri| Some(uri.host()?.to_owned()));
        let publisher = plain(&host.unwrap_or_default(), "-.");
        let namespace = reversed(&publisher);
        Self { endpoint, publisher, namespace, name: plain(config.server.name(), "-._") }
    }

    /// Returns the last part of the name, and the URL, of the endpoint or of a preset's endpoint.
    fn name_and_url(&self, preset: Option<&str>) -> (String, String) {
        match preset {
            None => (self.name.clone(), self.endpoint.clone()),
            Some(preset) => ([&self.name, ".", preset].concat(), [&self.endpoint, "/", preset].concat()),
        }
    }
}

/// Returns a domain with its labels in reverse order. IP addresses are unchanged.
fn reversed(domain: &str) -> String {
    if domain.parse::<std::net::IpAddr>().is_ok() {
        return domain.to_owned();
    }
    domain.split('.').rev().collect::<Vec<_>>().join(".")
}

/// Returns the text with a hyphen for each character that is neither ASCII alphanumeric nor in `more`; `server` if the
/// text is empty.
fn plain(text: &str, more: &str) -> String {
    let plain = |sign: char| if sign.is_ascii_alphanumeric() || more.contains(sign) { sign } else { '-' };
    let plain: String = text.chars().map(plain).collect();
    if plain.is_empty() { "server".to_owned() } else { plain }
}

fn shortened(text: &str, length: usize) -> String {
    text.chars().take(length).collect()
}

/// Returns the display name of the server, with the preset if there is one.
fn title(config: &Config, preset: Option<&str>) -> String {
    let title = config.server.title.as_deref().unwrap_or_else(|| config.server.name());
    let title = preset.map_or_else(|| title.to_owned(), |preset| format!("{title} ({preset})"));
    shortened(&title, MAX_TEXT)
}

fn card(config: &Config, settings: &ServerCard, place: &Place, preset: Option<&str>) -> Value {
    let (name, url) = place.name_and_url(preset);
    let mut card = Map::new();
    let mut add = |key: &str, value: Value| _ = card.insert(key.to_owned(), value);
    add("$schema", SCHEMA.into());
    add("name", shortened(&[&place.namespace, "/", &name].concat(), MAX_NAME).into());
    add("version", config.server.version().into());
    add("description", settings.description.clone().unwrap_or_else(|| title(config, preset)).into());
    add("title", title(config, preset).into());
    if let Some(url) = &settings.website_url {
        add("websiteUrl", url.as_str().into());
    }
    let versions = Revision::dates();
    add("remotes", json!([{"type": "streamable-http", "url": url, "supportedProtocolVersions": versions}]));
    card.into()
}

fn catalog(config: &Config, settings: &ServerCard, place: &Place, ai: bool) -> Value {
    let (version, namespace) = if ai { ("1.0", "mcp:") } else { ("draft", "") };
    let presets = settings.presets.iter().map(|preset| Some(preset.as_str()));
    let entry = |preset: Option<&str>| {
        let (name, url) = place.name_and_url(preset);
        json!({
            "identifier": format!("urn:air:{}:{namespace}{name}", place.publisher),
            "displayName": title(config, preset),
            "type": CARD,
            "url": format!("{url}/{CARD_NAME}"),
        })
    };
    let entries: Vec<Value> = [None].into_iter().chain(presets).map(entry).collect();
    json!({"specVersion": version, "entries": entries})
}
