//! The snapshot of a catalog, and the texts whose tokens an operator counts for it.

use mcp_sieve::{Digest, Error, Kind, catalog::Catalog, json::Object};
use mcp_sieve_bindings_value::refusal;
use wasm_bindgen::prelude::*;

use super::{deployment::Deployment, values::text};

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
    object.text("catalog", &Digest::hex(catalog.hash()));
    let mut kinds = Object::open(object.value("primitives"));
    for kind in Kind::ALL {
        let kind_index = catalog.kind_index(kind);
        let primitives = kind_index
            .all()
            .iter()
            .filter_map(|index| Some((kind_index.id(index)?, kind_index.listed(index)?)));
        Object::push_array(kinds.value(kind.name()), primitives, |out, (id, bytes)| {
            Object::push_array(out, [id, std::str::from_utf8(bytes).unwrap_or_default()], Object::push_text);
        });
    }
    kinds.close();
    object.close();
    out
}
