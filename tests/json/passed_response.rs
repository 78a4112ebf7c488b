//! What a response must be like to be passed on unread, according to `serde_json`.

use std::fmt;

use mcp_sieve_gateway::{
    host::Era,
    upstream::outer_members::{Form, MAX_PASSED_DEPTH, MAX_PASSED_ID},
};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object in their order, with repeated ones. Keys and values are as written.
struct Members<'a>(Vec<(&'a str, &'a str)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                    members.push((key.get(), value.get()));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

impl<'a> Members<'a> {
    fn read(source: &'a str) -> Option<Self> {
        serde_json::from_str(source).ok()
    }

    /// Returns the values of a key that has no escapes.
    fn all(&self, key: &str) -> Vec<&'a str> {
        let key = format!("\"{key}\"");
        self.0.iter().filter(|(name, _)| **name == key).map(|(_, value)| *value).collect()
    }

    fn has(&self, key: &str) -> bool {
        !self.all(key).is_empty()
    }
}

/// Returns whether the text is JSON.
pub fn is_json(source: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(source).is_ok()
}

/// Returns whether a response may be passed on, and if so, whether its result has all members that the gateway would
/// add.
pub fn passed(source: &str, id: &str, form: Form) -> Option<bool> {
    let outer = Members::read(source)?;
    let [version, known, result] = ["jsonrpc", "id", "result"].map(|key| outer.all(key));
    let is_response = outer.0.len() == 3 && version == ["\"2.0\""] && known == [id];
    let [result] = result[..] else { return None };
    if !is_response || id.len() > MAX_PASSED_ID || depth(source) > MAX_PASSED_DEPTH {
        return None;
    }
    let result = Members::read(result)?;
    let is_escaped = result.0.iter().any(|(key, _)| key.contains('\\'));
    if is_escaped || result.has("task") || result.has("inputRequests") {
        return None;
    }
    if form.era == Era::Session {
        let foreign = ["resultType", "ttlMs", "cacheScope"].iter().any(|key| result.has(key));
        let is_object = |value: &&str| value.starts_with('{');
        return (!foreign && result.all("structuredContent").iter().all(is_object)).then_some(true);
    }
    let is_complete = result.all("resultType").iter().all(|value| *value == "\"complete\"");
    let is_private = result.all("cacheScope").iter().all(|value| *value == "\"private\"");
    if !is_complete || form.private && !is_private {
        return None;
    }
    let meta = result.all("_meta").pop().and_then(Members::read);
    let is_signed = meta.is_some_and(|meta| meta.has("io.modelcontextprotocol/serverInfo"));
    Some(result.has("resultType") && is_signed && (!form.cached || result.has("ttlMs")))
}

/// Returns the number of levels of a JSON text.
fn depth(source: &str) -> u32 {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0, 0, false, false);
    for byte in source.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}
