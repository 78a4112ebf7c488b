//! The groups, tags and concerns that a server announces in its capabilities.

use mcp_sieve::catalog::{Assignments, Catalog};
use serde_json::Value;

use crate::backend::declarations::Facet;

/// The lists of groups, tags and concerns that a server announces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Announced {
    /// Whether the server answers `groups/list` (SEP-1300, SEP-2084).
    pub groups: bool,
    /// Whether the server answers `tags/list` (SEP-1300).
    pub tags: bool,
    /// Whether the server answers `listConcerns` (#1936).
    pub concerns: bool,
    /// Whether the server has the extension of Google's MCP Toolbox, with `groups/list` and `groups/get`.
    pub toolbox: bool,
    /// Whether the server has Sieve's extension for concerns. It then takes them in `_meta` of each request, and `null`
    /// unsets one.
    pub has_concern_extension: bool,
    /// Whether lists can be filtered by concerns in `params.filter`.
    pub filters_concerns: bool,
    /// Whether `params.filter.fields` selects the members of primitives.
    pub filters_fields: bool,
    /// The concerns that the capabilities themselves contain.
    pub declared_concerns: Option<Facet>,
}

impl Announced {
    /// Reads the capabilities of a server. Both the proposals' own keys and Sieve's extensions are recognized.
    pub fn read(capabilities: &Value) -> Self {
        let set = |value: &Value, key: &str| value.get(key).is_some_and(is_set);
        let extension = |name: &str| {
            let extension =
                capabilities.get("extensions")?.get(format!("{prefix}/{name}", prefix = Catalog::PREFIX));
            extension.filter(|extension| is_set(extension))
        };
        let filtering = [capabilities.get("filtering"), extension("filtering")];
        let lists = |key: &str| filtering.iter().flatten().any(|filtering| set(filtering, key));
        let filters = |field: &str| {
            let mut fields =
                filtering.iter().flatten().filter_map(|filtering| filtering.get("fields")?.as_array());
            fields.any(|fields| fields.iter().any(|known| known == field))
        };
        let (plain, extension) = (capabilities.get("concerns"), extension("concerns"));
        let declared = |settings: &Value| settings.get("concerns").and_then(Value::as_array).cloned();
        let array = plain.and_then(Value::as_array).cloned();
        let array = array.or_else(|| [plain, extension].into_iter().flatten().find_map(declared));
        Self {
            groups: lists("groups") || set(capabilities, "groups"),
            tags: lists("tags"),
            toolbox: capabilities.get("extensions").is_some_and(|all| set(all, Assignments::TOOLBOX)),
            // Concerns in the capabilities of a session are as old as the session. A server with Sieve's extension is
            // therefore asked for the current ones.
            concerns: extension.is_some() || array.is_none() && plain.is_some_and(is_set),
            has_concern_extension: extension.is_some(),
            filters_concerns: filters("concerns"),
            filters_fields: filters("fields"),
            declared_concerns: array.map(|array| {
                let mut facet = Facet::default();
                facet.add(array.iter().map(Value::to_string));
                facet
            }),
        }
    }
}

fn is_set(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}
