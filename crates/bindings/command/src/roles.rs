//! The binding `roles`: what each role sees of a catalog, for a comparison of two configurations.

use mcp_sieve::{
    Error, Kind,
    catalog::{Catalog, Tokens},
    json::Object,
    policy::{Described, Guarded},
};
use mcp_sieve_bindings_value::refusal;
use wasm_bindgen::prelude::*;

use super::{caller, deployment::Deployment, values::text};

/// Returns the primitives of a catalog and what each role sees of them, as JSON:
///
/// `{primitives: {tools: [{name, server, id, definition, tokens}], …}, unknown: [field],
/// roles: [{refused?, tokens, tools: [index], …}]}`
///
/// The roles are callers with `claims`, each a JSON object, and then callers to whom one of `presets` applies and of
/// whom nothing else is known. `id` is the name on the server, `definition` the JSON that lists have, and `tokens` of a
/// role counts its tools.
#[wasm_bindgen]
pub fn roles(
    config: &str,
    servers: Vec<String>,
    lists: Vec<String>,
    claims: Vec<String>,
    presets: Vec<String>,
) -> Result<String, JsValue> {
    compared(config, (&servers, &lists), (&claims, &presets)).map_err(|error| refusal(&error))
}

fn compared(
    source: &str,
    (servers, lists): (&[String], &[String]),
    (claims, presets): (&[String], &[String]),
) -> Result<String, Error> {
    let deployment = Deployment::read(source, servers, lists)?;
    let (config, catalog) = (&deployment.config, deployment.config.compile_first(&deployment.sources()?));
    let with_claims = claims.iter().map(|claims| caller::described(config, claims, None));
    let with_preset = presets.iter().map(|preset| {
        let mut caller = Described::default();
        caller.assume(preset);
        Ok((caller, None))
    });
    let described = with_claims.chain(with_preset).collect::<Result<Vec<_>, Error>>()?;
    let guarded = config.guard(catalog);
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    write_primitives(guarded.catalog(), &mut object);
    let unknown = caller::unknown(config);
    Object::push_array(object.value("unknown"), unknown.iter().map(String::as_str), Object::push_text);
    Object::push_array(object.value("roles"), &described, |out, (caller, refused)| {
        let mut role = Object::open(out);
        refused.iter().for_each(|refused| refused.write(&mut role));
        write_role(&guarded, caller, refused.is_some(), &mut role);
        role.close();
    });
    object.close();
    Ok(text(out))
}

/// Writes all primitives of a catalog, kind by kind.
fn write_primitives(catalog: &Catalog, object: &mut Object<'_>) {
    let mut kinds = Object::open(object.value("primitives"));
    for kind in Kind::ALL {
        let kind_index = catalog.kind_index(kind);
        Object::push_array(kinds.value(kind.list_key()), 0..kind_index.len(), |out, index| {
            let name = kind_index.id(index).unwrap_or_default();
            let mut primitive = Object::open(out);
            primitive.text("name", name);
            primitive.text("server", kind_index.server(index).unwrap_or_default());
            primitive.text("id", kind_index.own_id(index).unwrap_or(name));
            primitive.raw("definition", kind_index.listed(index).unwrap_or(b"{}"));
            let tokens = catalog.tokens_of(kind, index).map_or(0, |tokens: Tokens| tokens.count);
            primitive.raw("tokens", tokens.to_string().as_bytes());
            primitive.close();
        });
    }
    kinds.close();
}

/// Writes the primitives that a role sees, and the tokens of its tools.
fn write_role(guarded: &Guarded, caller: &Described<'_>, is_refused: bool, role: &mut Object<'_>) {
    let view = caller::view(guarded, Some(caller));
    let tokens = if is_refused { 0 } else { view.catalog().tokens(Kind::Tool, view.bits(Kind::Tool)).count };
    role.raw("tokens", tokens.to_string().as_bytes());
    for kind in Kind::ALL {
        let visible = view.bits(kind).iter().filter(|_| !is_refused);
        Object::push_array(role.value(kind.list_key()), visible, |out, index| {
            out.extend_from_slice(index.to_string().as_bytes());
        });
    }
}
