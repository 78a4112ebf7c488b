//! The bindings for hashes of catalogs, filters and list results.

use mcp_sieve::{
    Digest, Error, Filter,
    catalog::Lists,
    filter::{Fields, ParsedFilter, Selection, SettledFilter},
    json::Object,
};
use mcp_sieve_bindings_value::refusal;
use wasm_bindgen::prelude::*;

use super::{
    caller,
    deployment::Deployment,
    selected::ResultPage,
    values::{kind_of, read, text},
};

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
        Ok(Digest::hex(Selection::hash_of_hashes(
            lists.primitives(kind).iter().map(|item| Digest::of(item.get().as_bytes())),
        )))
    };
    hash().map_err(|error: Error| refusal(&error))
}

/// Implements [`hashes`].
fn hashes_of(page: &ResultPage) -> Result<String, Error> {
    let deployment = Deployment::read(&page.config(), &page.servers(), &page.lists())?;
    let kind = kind_of(&page.kind())?;
    let (config, catalog) = (&deployment.config, deployment.config.compile_first(&deployment.sources()?));
    let view = caller::view(&config.guard(catalog), None);
    let settle = |filter: Filter, ignored| {
        filter.settle(&view, &config.engine.concerns, config.engine.on_invalid_concern, ignored)
    };
    let on_unknown = config.engine.on_unknown_member;
    let ParsedFilter { filter, ignored, .. } = read(&page.filter(), config, on_unknown)?;
    let url = settle(read(&page.query(), config, on_unknown)?.filter, Vec::new())?.filter;
    let filter = filter.with_server_defaults(&url);
    let SettledFilter { filter, mut narrowing } = settle(filter, ignored)?;
    narrowing.add(&view, &url);

    let kind_index = view.catalog().kind_index(kind);
    let mut selection = Selection::default();
    view.select(&narrowing, kind, &mut selection);
    let bits = selection.bits();
    let from = page.first().and_then(|name| kind_index.find(&name)).unwrap_or_default();
    let mut list = b"[".to_vec();
    Fields::write_page(
        kind_index,
        bits,
        narrowing.fields(),
        from,
        page.count().unwrap_or(usize::MAX),
        &mut list,
    );
    list.push(b']');

    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.text("catalogHash", &Digest::hex(view.hash()));
    object.text("filterHash", &Digest::hex(Filter::hash_all([&filter, &url])));
    object.text("resultHash", &Digest::hex(Selection::result_hash(&list)));
    object.raw("total", view.count(kind).to_string().as_bytes());
    object.raw("matched", bits.count().to_string().as_bytes());
    object.close();
    Ok(text(out))
}
