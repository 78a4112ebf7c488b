//! The bindings for the lock: the canonical forms of which the command makes digests.

use mcp_sieve::{
    Error, Kind,
    catalog::Lists,
    json::{Members, Object, Raw},
    lock::Lock,
};
use mcp_sieve_bindings_value::refusal;
use mcp_sieve_gateway::config::{Config, renamed_lists};
use wasm_bindgen::prelude::*;

use super::values::text;

/// Returns the definitions in the list results of a server, as the gateway compares them with a lock: for each list the
/// canonical forms by name, `{tools: [[name, text], …], …}` as JSON. An empty `server` stands for the only one.
///
/// # Errors
/// The errors of the configuration, and text that is not JSON.
#[wasm_bindgen]
pub fn definitions(config: &str, server: &str, pages: &str) -> Result<String, JsValue> {
    definitions_of(config, server, pages).map_err(|error| refusal(&error))
}

/// Returns the canonical form of a JSON value.
///
/// # Errors
/// Text that is not JSON.
#[wasm_bindgen]
pub fn canonical(json: &str) -> Result<String, JsValue> {
    let mut out = Vec::new();
    Raw::parse_deep(json).map_err(|error| refusal(&error))?.push_canonical(&mut out);
    Ok(text(out))
}

/// Returns the text of a configuration in which the setting `lock` has the text of its file, on one line, so that all
/// other lines stay where they are.
///
/// # Errors
/// The errors of the configuration.
#[wasm_bindgen(js_name = withLock)]
pub fn with_lock(config: &str, lock: &str) -> Result<String, JsValue> {
    Lock::write_into(config, lock).map_err(|error| refusal(&error))
}

/// Implements [`definitions`].
fn definitions_of(config: &str, server: &str, pages: &str) -> Result<String, Error> {
    let config = Config::parse(config)?;
    let server = if server.is_empty() { &config.upstream.name } else { server };
    let ignored = config.engine.assignments.lock.as_deref().map(Lock::ignored).unwrap_or_default();
    let raw = Raw::parse_deep(pages)?;
    let results = raw.elements().unwrap_or_else(|| vec![raw]);
    let renamed: Vec<_> =
        results.iter().map(|result| renamed_lists(result.get(), config.renames(server))).collect();
    // A result of another shape has no definitions.
    let lists: Vec<Lists<'_>> = renamed.iter().filter_map(|result| Lists::read(result).ok()).collect();
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    for kind in Kind::ALL {
        let listed: Vec<_> = lists.iter().flat_map(|lists| lists.primitives(kind)).collect();
        write(object.value(kind.list_key()), kind.id_key(), &listed, ignored);
    }
    let declared: Vec<_> = results
        .into_iter()
        .filter_map(|result| Members::read(Members::read(result)?.get(Lists::DECLARED_KEY)?))
        .collect();
    for (list, facets) in
        [("groups", ["groups", "toolbox"].as_slice()), ("tags", &["tags"]), ("concerns", &["concerns"])]
    {
        let items = declared.iter().flat_map(|declared| {
            facets.iter().filter_map(|facet| Members::read(declared.get(facet)?)?.get("items")?.elements())
        });
        write(object.value(list), "name", &items.flatten().collect::<Vec<_>>(), ignored);
    }
    object.close();
    Ok(text(out))
}

/// Writes the canonical forms of definitions by their names.
fn write(out: &mut Vec<u8>, id: &str, definitions: &[Raw<'_>], ignored: &[String]) {
    let named = definitions.iter().filter_map(|definition| {
        let name = Members::read(*definition)?.get(id)?.text()?.into_owned();
        Some((name, text(Lock::canonical(*definition, ignored))))
    });
    Object::push_array(out, named, |out, (name, definition)| {
        Object::push_array(out, [name, definition], |out, text| Object::push_text(out, &text));
    });
}
