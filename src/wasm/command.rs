//! What only the package's command does: it has a module of its own, so that no page fetches this.

use wasm_bindgen::prelude::*;

use super::{engine::Nobody, value::refusal};
use crate::{
    catalog::{Catalog, Kind, Lists, Source},
    config::{self, Config, Finding},
    error::{Error, ErrorKind, Ignored},
    filter::{Filter, Selection, filter_hash, result_hash, write_page},
    json::{Object, push_array},
    policy::Guarded,
};

/// Looks over a configuration, with lists or without, and a filter, JSON or the query of a URL. Gives
/// `{"rules": 3, "policies": 1, "primitives": 43, "findings": [{code, place, message, meant?, at?}]}` as JSON, where
/// `at` is a byte of the configuration.
#[wasm_bindgen]
pub fn lint(config: &str, lists: Option<String>, filter: Option<String>) -> Result<String, JsValue> {
    review(config, lists.as_deref(), filter.as_deref()).map_err(|error| refusal(&error))
}

/// The byte of a configuration where the member at `path` stands.
#[wasm_bindgen]
pub fn locate(config: &str, path: &str) -> Option<usize> {
    config::locate(config, path).map(|range| range.start)
}

/// The hashes of what a filter and a URL's query select of a kind, for nobody in particular:
/// `{catalogHash, filterHash, resultHash, total, matched}` as JSON. Of a page, `first` is the name of its first
/// primitive and `count` how many it has.
#[wasm_bindgen]
pub fn hashes(
    lists: &str,
    config: &str,
    filter: &str,
    query: &str,
    kind: &str,
    first: Option<String>,
    count: Option<usize>,
) -> Result<String, JsValue> {
    sums(lists, config, filter, query, kind, first.as_deref(), count.unwrap_or(usize::MAX))
        .map_err(|error| refusal(&error))
}

/// The `resultHash` of a list result as it is written, in 32 hex digits. White space between primitives does
/// not count.
#[wasm_bindgen]
pub fn hash_of(result: &str, kind: &str) -> Result<String, JsValue> {
    let hash = || {
        let items = Lists::read(result)?.of(kind_of(kind)?);
        let texts: Vec<&str> = items.iter().map(|item| item.get()).collect();
        Ok(hex(result_hash(format!("[{}]", texts.join(",")).as_bytes())))
    };
    hash().map_err(|error: Error| refusal(&error))
}

fn review(source: &str, lists: Option<&str>, filter: Option<&str>) -> Result<String, Error> {
    let config = Config::parse(source)?;
    let lists = lists.map(Lists::read).transpose()?;
    let sources = lists.map(|lists| [Source { server: &config.upstream.name, lists }]);
    let mut findings = config::lint(&config, sources.as_ref().map(<[_; 1]>::as_slice));
    let catalog = Catalog::compile(sources.as_ref().map_or(&[], <[_; 1]>::as_slice), &config.assignments);
    if let Some(filter) = filter {
        let (filter, ignored) = read(filter)?;
        findings.extend(config::lint_filter(&config, &catalog, filter, ignored)?);
    }
    let primitives =
        sources.iter().flatten().flat_map(|source| Kind::ALL.map(|kind| source.lists.of(kind).len()));
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    for (key, count) in [
        ("rules", config.assignments.rules.len()),
        ("policies", config.policies.len()),
        ("primitives", primitives.sum()),
    ] {
        object.raw(key, count.to_string().as_bytes());
    }
    push_array(object.value("findings"), &findings, |out, finding| write(source, finding, out));
    object.close();
    Ok(text(out))
}

fn write(source: &str, finding: &Finding, out: &mut Vec<u8>) {
    let mut object = Object::open(out);
    object.text("code", finding.flaw.code());
    object.text("place", &finding.place);
    object.text("message", &finding.message);
    if let Some(meant) = &finding.meant {
        object.text("meant", meant);
    }
    // What servers list and requests ask is no member of the file.
    let elsewhere = ["catalog", "filter."].iter().any(|root| finding.place.starts_with(root))
        || finding.place == "filter";
    if let Some(range) = config::locate(source, &finding.place).filter(|_| !elsewhere) {
        object.raw("at", range.start.to_string().as_bytes());
    }
    object.close();
}

/// A filter as JSON or as the query of a URL.
fn read(filter: &str) -> Result<(Filter, Vec<Ignored>), Error> {
    if filter.trim_start().starts_with('{') {
        return Filter::parse(filter);
    }
    Filter::from_query(filter.strip_prefix('?').unwrap_or(filter)).map(|filter| (filter, Vec::new()))
}

fn sums(
    lists: &str,
    config: &str,
    filter: &str,
    query: &str,
    kind: &str,
    first: Option<&str>,
    count: usize,
) -> Result<String, Error> {
    let config = Config::parse(config)?;
    let kind = kind_of(kind)?;
    let source = Source { server: &config.upstream.name, lists: Lists::read(lists)? };
    let view = Guarded::new(Catalog::compile(&[source], &config.assignments), config.policies).view(&Nobody);
    let settle = |filter: Filter, ignored| {
        filter.settle(&view, &config.concerns, config.on_invalid_concern, ignored)
    };
    let (filter, ignored) = read(filter)?;
    let (filter, mut narrowing) = settle(filter, ignored)?;
    let (url, _) = settle(read(query)?.0, Vec::new())?;
    narrowing.add(&view, &url);

    let shelf = view.catalog().shelf(kind);
    let mut selection = Selection::default();
    narrowing.select(view.catalog(), kind, Some(view.bits(kind)), &mut selection);
    let bits = selection.bits();
    let from = first.and_then(|name| shelf.find(name)).unwrap_or_default();
    let mut list = b"[".to_vec();
    write_page(shelf, bits, narrowing.fields(), from, count, &mut list);
    list.push(b']');

    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.text("catalogHash", &hex(view.catalog().hash()));
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

fn hex(hash: u128) -> String {
    format!("{hash:032x}")
}

/// What the engine writes is UTF-8.
fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).unwrap_or_default()
}
