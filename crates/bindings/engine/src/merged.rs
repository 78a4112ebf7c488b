//! Compiles the lists of several servers into one engine.

use mcp_sieve::{
    Error, ErrorKind, Kind,
    catalog::{Lists, ResourceUri, Source, SourceText},
    json::{Entry, Object, Raw},
};
use mcp_sieve_bindings_value::{plain, refusal};
use mcp_sieve_gateway::config::{Config, MAX_UPSTREAMS, Renames, Upstream, renamed_lists};
use wasm_bindgen::prelude::*;

use super::{
    Judges,
    compiled::{Compiled, settings},
    engine::{Engine, Inbox},
};

#[wasm_bindgen]
impl Engine {
    /// Compiles the lists of several servers, in order, which the engine keeps.
    ///
    /// `servers` is a JSON array with the name of each server, and its prefix and renames if they differ from the
    /// configuration.
    pub fn several(
        lists: Vec<Inbox>,
        servers: &str,
        config: Option<String>,
        predicates: Option<Judges>,
    ) -> Result<Engine, JsValue> {
        compile(lists, servers, config, predicates).map_err(|error| refusal(&error))
    }

    /// Returns the server of a primitive and its name on that server: `{server, name}`; `undefined` if it is not
    /// visible. For a URI that is not listed, a template that matches it decides, unless another server has the URI or
    /// a template for it.
    pub fn origin(&self, name: &str, kind: usize) -> JsValue {
        let (Some(kind), view) = (Kind::ALL.get(kind).copied(), self.view()) else {
            return JsValue::UNDEFINED;
        };
        let templates = view.catalog().kind_index(Kind::Template);
        // Only texts are compared, because a parser of URIs would enlarge the module for this single use.
        let made = |at: &usize| {
            templates.id(*at).is_some_and(|template| ResourceUri::matches_template(template, name))
        };
        let found = match view.find(kind, name) {
            None if kind == Kind::Resource => {
                let listed = view.catalog().kind_index(kind);
                let is_others = |at: &usize| {
                    let server = templates.server(*at);
                    listed.find(name).is_some_and(|known| listed.server(known) != server)
                        || templates.all().iter().filter(made).any(|other| templates.server(other) != server)
                };
                let found = view.bits(Kind::Template).iter().find(made);
                found.filter(|at| !is_others(at)).map(|at| (Kind::Template, at))
            }
            found => found.map(|at| (kind, at)),
        };
        let Some((found, index)) = found else { return JsValue::UNDEFINED };
        let kind_index = view.catalog().kind_index(found);
        let own = if found == kind { kind_index.own_id(index) } else { None };
        let mut out = Vec::new();
        let mut origin = Object::open(&mut out);
        origin.text("server", kind_index.server(index).unwrap_or_default());
        origin.text("name", own.unwrap_or(name));
        origin.close();
        plain(out)
    }
}

fn compile(
    lists: Vec<Inbox>,
    servers: &str,
    config: Option<String>,
    predicates: Option<Judges>,
) -> Result<Engine, Error> {
    let mut settings = settings(config.as_deref())?;
    settings.upstreams = read(servers, &settings)?;
    let mut sources = Vec::new();
    let servers = settings.upstreams.clone();
    for (at, (inbox, server)) in lists.into_iter().zip(&servers).enumerate() {
        let text = renamed(inbox.into_text(), &server.renames);
        let lists = Lists::take(text).map_err(|error| error.within(&format!("[{at}].lists")))?;
        sources.push(Source { server: &server.name, lists });
    }
    let compiled = Compiled::new(sources, settings, config, |sources, settings| settings.compile(&sources));
    Ok(Engine::over(compiled, predicates))
}

/// Renames the groups, tags and concerns in the lists of a server.
fn renamed(text: SourceText, renames: &Renames) -> SourceText {
    if renames.is_empty() {
        return text;
    }
    let (mut bytes, from) = text.into_bytes();
    match String::from_utf8(bytes.split_off(from)) {
        Ok(text) => renamed_lists(&text, renames).into_owned().into(),
        // The parser of lists rejects it, with the position.
        Err(error) => error.into_bytes().into(),
    }
}

/// Parses the servers of a catalog, such as `[{"name": "forge", "prefix": "forge_"}]`. A missing prefix and missing
/// renames are those of the configuration.
fn read(text: &str, config: &Config) -> Result<Vec<Upstream>, Error> {
    let mut servers: Vec<Upstream> = Vec::new();
    let entries = Entry::root(Raw::parse(text)?).list(|entry| Ok(entry.raw()))?;
    for (at, entry) in entries.into_iter().enumerate() {
        let place = format!("[{at}]");
        let refuse =
            |message: String| Err(Error::new(ErrorKind::Config, message).field("server").within(&place));
        let mut given =
            Upstream::read(&Entry::root(entry), &["name"]).map_err(|error| error.within(&place))?;
        if servers.iter().any(|known| known.name == given.name) {
            return refuse(["`", &given.name, "` occurs twice, expected each server once"].concat());
        }
        if servers.len() == MAX_UPSTREAMS {
            return refuse(format!("expected at most {MAX_UPSTREAMS} servers"));
        }
        if let Some(written) = config.upstreams.iter().find(|known| known.name == given.name) {
            if given.prefix.is_none() {
                given.prefix.clone_from(&written.prefix);
                given.prefix_all = written.prefix_all;
            }
            if given.renames.is_empty() {
                given.renames.clone_from(&written.renames);
            }
        }
        servers.push(given);
    }
    Ok(servers)
}
