//! Hints in `_meta` about lists that clients know, in requests and results.

use mcp_sieve::json::{self, Members, Object, Raw};

use crate::object::OwnedObject;

use crate::config::Drafts;

/// The key of a request's `_meta` that contains the tags known to the client, by method.
pub(crate) const KNOWN: &str = "io.modelcontextprotocol/knownTags";
/// The key of a result's `_meta` that contains the methods whose known tags have changed.
pub(crate) const STALE: &str = "io.modelcontextprotocol/staleTags";
/// The key of a request's `_meta` that contains the digest of the definition known to the client.
pub(crate) const EXPECTED: &str = "io.modelcontextprotocol/expectedDigest";

/// Returns the parameters of a request for an upstream server, without the hints that the gateway has processed. They
/// describe the gateway's lists, which the server does not know.
pub(crate) fn without_hints(drafts: &Drafts, params: Option<OwnedObject>) -> Option<OwnedObject> {
    let hints = [drafts.definition_tags.then_some(KNOWN), drafts.primitive_digests.then_some(EXPECTED)];
    let hints: Vec<&str> = hints.into_iter().flatten().collect();
    if hints.is_empty() {
        return params;
    }
    let without = |params: &OwnedObject| {
        let read = params.read();
        let meta = read.get("_meta").and_then(Members::read)?;
        if hints.iter().all(|hint| meta.get(hint).is_none()) {
            return None;
        }
        let mut out = Vec::with_capacity(params.text().len());
        let mut object = Object::open(&mut out);
        for (key, value) in &read.members().0 {
            write(&mut object, key, *value, &hints);
        }
        object.close();
        OwnedObject::parse(std::str::from_utf8(&out).ok()?)
    };
    params.map(|params| without(&params).unwrap_or(params))
}

fn write(object: &mut Object<'_>, key: &str, value: Raw<'_>, hints: &[&str]) {
    match Members::read(value).filter(|_| key == "_meta") {
        Some(meta) => {
            let mut inner = Object::open(object.value(key));
            inner.keep(&meta, hints);
            inner.close();
        }
        None => object.raw(key, value.get().as_bytes()),
    }
}

/// Merges the stale tags of the gateway with those of an upstream result, without duplicates.
pub(crate) fn merged(stale: &[u8], own: Option<Raw<'_>>) -> Vec<u8> {
    let mut out = stale.to_vec();
    let parsed = std::str::from_utf8(stale).ok().map(Raw::known);
    let elements = |raw: Option<Raw<'_>>| -> Vec<String> {
        let elements = raw.and_then(json::Raw::elements).unwrap_or_default();
        elements.into_iter().filter_map(json::Raw::text).map(Into::into).collect()
    };
    let known = elements(parsed);
    for method in elements(own).into_iter().filter(|method| !known.contains(method)) {
        out.pop();
        out.push(b',');
        Object::push_text(&mut out, &method);
        out.push(b']');
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn stale_tags_of_the_server_are_kept_each_once() {
        let merged = |own: &str| {
            let merged = merged(br#"["tools/list","prompts/list"]"#, Raw::parse(own).ok());
            String::from_utf8(merged).unwrap()
        };
        let gateway = r#"["tools/list","prompts/list"]"#;
        assert_eq!(
            merged(r#"["skills/list","tools/list"]"#),
            r#"["tools/list","prompts/list","skills/list"]"#
        );
        for own in [r#"["prompts/list"]"#, "[]", "7", "[7]", "{}", ""] {
            assert_eq!(merged(own), gateway, "{own}");
        }
    }
}
