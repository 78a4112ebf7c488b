//! The binding `callers`: the primitives that each of several callers sees.

use mcp_sieve::{Error, Kind, json::Object};
use mcp_sieve_bindings_value::refusal;
use wasm_bindgen::prelude::*;

use super::{caller, deployment::Deployment, values::text};

/// Returns the primitives that each of some callers sees, as JSON:
/// `{"catalog": {"tools": 43, …}, "unknown": ["header.x-team"], "callers": [{refused?, tools: [names], …}]}`.
///
/// A caller is described by its claims, as JSON. With `preset`, all of them use the path of that preset. `catalog` has
/// the number of primitives of each kind. `unknown` has the fields of callers that the configuration reads, but that
/// are not part of the description.
#[wasm_bindgen]
pub fn callers(
    config: &str,
    servers: Vec<String>,
    lists: Vec<String>,
    claims: Vec<String>,
    preset: Option<String>,
) -> Result<String, JsValue> {
    seen(config, (&servers, &lists), &claims, preset.as_deref()).map_err(|error| refusal(&error))
}

fn seen(
    source: &str,
    (servers, lists): (&[String], &[String]),
    claims: &[String],
    preset: Option<&str>,
) -> Result<String, Error> {
    let deployment = Deployment::read(source, servers, lists)?;
    let (config, catalog) = (&deployment.config, deployment.config.compile_first(&deployment.sources()?));
    let described = claims.iter().map(|claims| caller::described(config, claims, preset));
    let described = described.collect::<Result<Vec<_>, Error>>()?;
    let guarded = config.guard(catalog);
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    let mut counts = Object::open(object.value("catalog"));
    for kind in Kind::ALL {
        counts.raw(kind.list_key(), guarded.catalog().kind_index(kind).len().to_string().as_bytes());
    }
    counts.close();
    Object::push_array(
        object.value("unknown"),
        caller::unknown(config).iter().map(String::as_str),
        Object::push_text,
    );
    Object::push_array(object.value("callers"), &described, |out, (caller, refused)| {
        let mut object = Object::open(out);
        refused.iter().for_each(|refused| refused.write(&mut object));
        let view = caller::view(&guarded, Some(caller));
        for kind in Kind::ALL {
            let visible = view.bits(kind).iter().filter(|_| refused.is_none());
            let names = visible.filter_map(|index| guarded.catalog().kind_index(kind).id(index));
            Object::push_array(object.value(kind.list_key()), names, Object::push_text);
        }
        object.close();
    });
    object.close();
    Ok(text(out))
}
