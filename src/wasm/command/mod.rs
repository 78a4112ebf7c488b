//! The bindings for the package's command. They are in a WebAssembly module of their own, which pages do not load.

mod caller;
mod callers;
mod deployment;
mod explain;
mod servers;

use wasm_bindgen::prelude::*;

use deployment::Deployment;

use super::value::refusal;
use crate::{
    catalog::{Catalog, Kind, Lists},
    config::{self, Config, Finding, Flaw, deciding_claim},
    digest::{digest, hex},
    error::{Error, ErrorKind},
    filter::{
        Filter, ParsedFilter, Selection, SettledFilter, filter_hash, hash_of_hashes, result_hash, write_page,
    },
    json::{Object, push_array, push_text},
    mcp::{gateway::declared::Problem, upstream::join_revisions},
};

/// Reviews a configuration, with or without lists, and a filter, as JSON or the query of a URL. Returns
/// `{"rules": 3, "policies": 1, "primitives": 43, "unlisted": "open", "claim": {name, values}?, "findings": [{code,
/// place, message, meant?, at?}]}` as JSON.
///
/// `at` is a byte offset in the configuration. `claim` is the only claim that distinguishes callers, with the values
/// that the configuration names. `unlisted` is `open` if any server gets requests for resources that no list mentions,
/// otherwise `closed`, or `default` if it is closed because the configuration hides something. Each list belongs to the
/// server at the same index in `servers`. An empty name stands for the only server.
#[wasm_bindgen]
pub fn lint(
    config: &str,
    servers: Vec<String>,
    lists: Vec<String>,
    filter: Option<String>,
) -> Result<String, JsValue> {
    review(config, &servers, &lists, filter.as_deref()).map_err(|error| refusal(&error))
}

/// Returns whether a gateway with this configuration (JSONC) serves callers without a token.
#[wasm_bindgen(js_name = admitsStrangers)]
pub fn admits_strangers(config: &str) -> Result<bool, JsValue> {
    let config = Config::parse(config).map_err(|error| refusal(&error))?;
    Ok(config::admits_strangers(&config))
}

/// Joins the lists that a server of both revisions returns to stateless requests and in sessions.
///
/// Both are JSON arrays of list results. The result marks primitives that only one of them lists, and reports
/// definitions that differ.
#[wasm_bindgen(js_name = joinRevisions)]
pub fn join(stateless: &str, session: &str) -> String {
    join_revisions(stateless, session)
}

/// Returns the byte offset of the member at `path` in a configuration.
#[wasm_bindgen]
pub fn locate(config: &str, path: &str) -> Option<usize> {
    config::locate(config, path).map(|range| range.start)
}

#[wasm_bindgen]
extern "C" {
    /// The input of a selection by a filter and the query of a URL: `{config, servers, lists, filter, query, kind}`.
    pub type Selected;

    /// The configuration (JSONC).
    #[wasm_bindgen(method, getter)]
    fn config(this: &Selected) -> String;
    /// The server of each list. An empty name stands for the only server.
    #[wasm_bindgen(method, getter)]
    fn servers(this: &Selected) -> Vec<String>;
    /// List results as JSON.
    #[wasm_bindgen(method, getter)]
    fn lists(this: &Selected) -> Vec<String>;
    /// The filter, as JSON or the query of a URL.
    #[wasm_bindgen(method, getter)]
    fn filter(this: &Selected) -> String;
    /// The filter in the URL, as JSON or the query of a URL.
    #[wasm_bindgen(method, getter)]
    fn query(this: &Selected) -> String;
    /// The list key of the kind, such as `tools`.
    #[wasm_bindgen(method, getter)]
    fn kind(this: &Selected) -> String;

    /// A page of a result: the members of [`Selected`], and `{first?, count?}`.
    #[wasm_bindgen(extends = Selected)]
    pub type ResultPage;

    /// The name of the first primitive of the page.
    #[wasm_bindgen(method, getter)]
    fn first(this: &ResultPage) -> Option<String>;
    /// The maximum number of primitives of the page.
    #[wasm_bindgen(method, getter)]
    fn count(this: &ResultPage) -> Option<usize>;
}

/// Returns the hashes and counts of the primitives that a filter and a URL's query select, for a caller without claims:
/// `{catalogHash, filterHash, resultHash, total, matched}` as JSON.
#[wasm_bindgen]
pub fn hashes(page: &ResultPage) -> Result<String, JsValue> {
    hashes_of(page).map_err(|error| refusal(&error))
}

/// Returns the `resultHash` of the text of a list result, as 32 hex digits. White space between primitives is ignored.
#[wasm_bindgen]
pub fn hash_of(result: &str, kind: &str) -> Result<String, JsValue> {
    let hash = || {
        let (lists, kind) = (Lists::read(result)?, kind_of(kind)?);
        Ok(hex(hash_of_hashes(lists.of(kind).iter().map(|item| digest(item.get().as_bytes())))))
    };
    hash().map_err(|error: Error| refusal(&error))
}

/// Returns the texts whose tokens an operator counts: `{"catalog": "<hash>", "primitives": {"tool": [["name",
/// "text"]]}}` as JSON. The text of a primitive is its JSON in list results.
#[wasm_bindgen]
pub fn texts(config: &str, servers: Vec<String>, lists: Vec<String>) -> Result<String, JsValue> {
    let compile = || {
        let deployment = Deployment::read(config, &servers, &lists)?;
        Ok(deployment.config.compile(&deployment.sources()?))
    };
    compile().map(|catalog| text(written(&catalog))).map_err(|error: Error| refusal(&error))
}

/// Returns the snapshot of a catalog and its configuration, with counted `tokens` if they are given.
#[wasm_bindgen]
pub fn snapshot(
    config: &str,
    servers: Vec<String>,
    lists: Vec<String>,
    tokens: Option<String>,
) -> Result<Vec<u8>, JsValue> {
    let compile = || {
        let deployment = Deployment::read(config, &servers, &lists)?;
        let catalog = deployment.config.compile(&deployment.sources()?);
        match &tokens {
            Some(tokens) => catalog.with_tokens(tokens),
            None => Ok(catalog),
        }
    };
    compile().map(|catalog| catalog.snapshot_under(config)).map_err(|error: Error| refusal(&error))
}

fn written(catalog: &Catalog) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.text("catalog", &hex(catalog.hash()));
    let mut kinds = Object::open(object.value("primitives"));
    for kind in Kind::ALL {
        let kind_index = catalog.kind_index(kind);
        let primitives = kind_index
            .all()
            .iter()
            .filter_map(|index| Some((kind_index.id(index)?, kind_index.bytes(index)?)));
        push_array(kinds.value(kind.name()), primitives, |out, (id, bytes)| {
            push_array(out, [id, std::str::from_utf8(bytes).unwrap_or_default()], push_text);
        });
    }
    kinds.close();
    object.close();
    out
}

fn review(source: &str, names: &[String], lists: &[String], filter: Option<&str>) -> Result<String, Error> {
    let deployment = Deployment::read(source, names, lists)?;
    let (config, sources) = (&deployment.config, deployment.sources()?);
    servers::check_references(config)?;
    let tried = Some(sources.as_slice()).filter(|sources| !sources.is_empty());
    let mut findings = config::lint(config, tried);
    if let Some(filter) = filter {
        let ParsedFilter { filter, ignored } = read(filter)?;
        findings.extend(config::lint_filter(config, &config.compile(&sources), filter, ignored)?);
    }
    findings.extend(deployment.problems.iter().map(|Problem { server, problem }| {
        Finding::new(Flaw::Declaration, "catalog", format!("server `{server}`: {problem}"))
    }));
    let primitives = sources.iter().flat_map(|source| Kind::ALL.map(|kind| source.lists.of(kind).len()));
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    for (key, count) in [
        ("rules", config.assignments.rules.len()),
        ("policies", config.policies.len()),
        ("primitives", primitives.sum()),
    ] {
        object.raw(key, count.to_string().as_bytes());
    }
    object.text("unlisted", unlisted(config));
    if let Some((name, values)) = deciding_claim(config) {
        let mut claim = Object::open(object.value("claim"));
        claim.text("name", name);
        push_array(claim.value("values"), values, push_text);
        claim.close();
    }
    push_array(object.value("findings"), &findings, |out, finding| write(source, finding, out));
    object.close();
    Ok(text(out))
}

fn unlisted(config: &Config) -> &'static str {
    let only = [config.upstream.clone()];
    let servers = if config.upstreams.is_empty() { &only[..] } else { &config.upstreams };
    let asked = config.unlisted(servers.iter().map(|server| (server.name.as_str(), server.unlisted)));
    match servers {
        _ if !asked.is_empty() => "open",
        // With several servers, unlisted resources were never open by default.
        [server] if server.unlisted.is_none() => "default",
        _ => "closed",
    }
}

fn write(source: &str, finding: &Finding, out: &mut Vec<u8>) {
    let mut object = Object::open(out);
    object.text("code", finding.flaw.code());
    object.text("place", &finding.place);
    object.text("message", &finding.message);
    if let Some(meant) = &finding.meant {
        object.text("meant", meant);
    }
    // Findings about lists and filters have no position in the configuration.
    let elsewhere = ["catalog", "filter."].iter().any(|root| finding.place.starts_with(root))
        || finding.place == "filter";
    if let Some(range) = config::locate(source, &finding.place).filter(|_| !elsewhere) {
        object.raw("at", range.start.to_string().as_bytes());
    }
    object.close();
}

/// Returns a JSON boolean.
fn flag(value: bool) -> &'static [u8] {
    if value { b"true" } else { b"false" }
}

/// Parses a filter, written as JSON or as the query of a URL.
fn read(filter: &str) -> Result<ParsedFilter, Error> {
    if filter.trim_start().starts_with('{') {
        return Filter::parse(filter);
    }
    Filter::from_query(filter.strip_prefix('?').unwrap_or(filter))
}

fn hashes_of(page: &ResultPage) -> Result<String, Error> {
    let deployment = Deployment::read(&page.config(), &page.servers(), &page.lists())?;
    let kind = kind_of(&page.kind())?;
    let (config, catalog) = (&deployment.config, deployment.config.compile(&deployment.sources()?));
    let view = caller::view(&config.guard(catalog), None);
    let settle =
        |filter: Filter, ignored| filter.settle(&view, &config.concerns, config.on_invalid_concern, ignored);
    let ParsedFilter { filter, ignored } = read(&page.filter())?;
    let url = settle(read(&page.query())?.filter, Vec::new())?.filter;
    let filter = filter.with_server_defaults(&url);
    let SettledFilter { filter, mut narrowing } = settle(filter, ignored)?;
    narrowing.add(&view, &url);

    let kind_index = view.catalog().kind_index(kind);
    let mut selection = Selection::default();
    view.select(&narrowing, kind, &mut selection);
    let bits = selection.bits();
    let from = page.first().and_then(|name| kind_index.find(&name)).unwrap_or_default();
    let mut list = b"[".to_vec();
    write_page(kind_index, bits, narrowing.fields(), from, page.count().unwrap_or(usize::MAX), &mut list);
    list.push(b']');

    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.text("catalogHash", &hex(view.hash()));
    object.text("filterHash", &hex(filter_hash([&filter, &url])));
    object.text("resultHash", &hex(result_hash(&list)));
    object.raw("total", view.count(kind).to_string().as_bytes());
    object.raw("matched", bits.count().to_string().as_bytes());
    object.close();
    Ok(text(out))
}

fn kind_of(key: &str) -> Result<Kind, Error> {
    Kind::from_list_key(key)
        .ok_or_else(|| Error::new(ErrorKind::Catalog, format!("no list is called `{key}`")))
}

/// Converts JSON that the engine wrote, which is always UTF-8.
fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).unwrap_or_default()
}
