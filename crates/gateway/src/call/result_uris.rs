//! Rewrites or removes resource URIs in results.

use mcp_sieve::json::{self, Members, Object};

/// Replaces the URIs of an array's elements in a result, and removes the elements for which `map` returns `None`. A
/// result without such an array is returned unchanged.
pub(crate) fn map_uris(result: &[u8], key: &str, map: &dyn Fn(&str) -> Option<String>) -> Vec<u8> {
    let members = std::str::from_utf8(result).ok().and_then(Members::parse).unwrap_or_default();
    let Some(elements) = members.get(key).and_then(json::Raw::elements) else { return result.to_vec() };
    let mapped = elements.into_iter().filter_map(|element| {
        let members = Members::read(element)?;
        let uri = map(&members.get("uri").and_then(json::Raw::text)?)?;
        Some((members, uri))
    });
    let mut out = Vec::with_capacity(result.len());
    let mut object = Object::open(&mut out);
    object.keep(&members, &[key]);
    Object::push_array(object.value(key), mapped, |out, (members, uri)| {
        let mut element = Object::open(out);
        element.text("uri", &uri);
        element.keep(&members, &["uri"]);
        element.close();
    });
    object.close();
    out
}
