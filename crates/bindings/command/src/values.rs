//! Conversions of arguments and results that several bindings share.

use mcp_sieve::{
    Error, ErrorKind, Filter, Kind,
    filter::{OnUnknownMember, ParsedFilter},
};
use mcp_sieve_gateway::config::Config;

/// Returns a JSON boolean.
pub(super) fn flag(value: bool) -> &'static [u8] {
    if value { b"true" } else { b"false" }
}

/// Parses a filter, written as JSON or as the query of a URL, which can name the toolsets of the configuration.
pub(super) fn read(
    filter: &str,
    config: &Config,
    on_unknown: OnUnknownMember,
) -> Result<ParsedFilter, Error> {
    if filter.trim_start().starts_with('{') {
        return Filter::parse_with(filter, on_unknown);
    }
    Filter::from_query_with(filter, &config.engine.toolsets)
}

/// Returns the kind with a list key, such as `tools`.
pub(super) fn kind_of(key: &str) -> Result<Kind, Error> {
    Kind::from_list_key(key)
        .ok_or_else(|| Error::new(ErrorKind::Catalog, format!("no list is called `{key}`")))
}

/// Converts JSON that the engine wrote, which is always UTF-8.
pub(super) fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).unwrap_or_default()
}
