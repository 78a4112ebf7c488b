//! Objects that are parsed once, for any number of look-ups, and values of text that others wrote.

use std::{borrow::Cow, ops::Range};

use mcp_sieve::json::{Members, Raw};
use serde::de::DeserializeOwned;

/// Deserializes JSON that a server or a client wrote. A lone surrogate in it, which no text in Rust can hold, is read as
/// U+FFFD.
///
/// # Errors
/// Those of `serde_json`.
pub(crate) fn deserialize<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(&Raw::known(text).well_formed())
}

/// Deserializes bytes like [`deserialize`].
///
/// # Errors
/// Those of `serde_json`, and one for bytes that are not UTF-8.
pub(crate) fn deserialize_bytes<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    std::str::from_utf8(bytes).map_or_else(|_| serde_json::from_slice(bytes), deserialize)
}

/// The text of an object with its parsed members.
#[derive(Debug, Clone)]
pub struct ReadObject<'a> {
    raw: Raw<'a>,
    members: Members<'a>,
}

/// An object with its own copy of the text. Members are stored as positions in it.
#[derive(Debug, Clone)]
pub struct OwnedObject {
    text: String,
    members: Vec<(Key, Range<usize>)>,
}

#[derive(Debug, Clone)]
enum Key {
    At(Range<usize>),
    /// A key with escapes, unescaped.
    Unescaped(String),
}

impl<'a> ReadObject<'a> {
    /// Parses an object. Returns `None` for another kind of JSON value.
    pub fn read(raw: Raw<'a>) -> Option<Self> {
        Members::read(raw).map(|members| Self { raw, members })
    }

    /// Creates an object that was parsed already: `members` are those of `raw`.
    pub fn known(raw: Raw<'a>, members: Members<'a>) -> Self {
        Self { raw, members }
    }

    /// Returns the text of the object.
    pub fn raw(&self) -> Raw<'a> {
        self.raw
    }

    /// Returns its members.
    pub fn members(&self) -> &Members<'a> {
        &self.members
    }

    /// Returns the value of `key`, as [`Members::get`] does.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.members.get(key)
    }

    /// Returns the object with its own copy of the text.
    pub fn keep(&self) -> OwnedObject {
        let text = self.raw.get();
        let place = |part: &str| {
            let start = part.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
            start..start.wrapping_add(part.len())
        };
        let key = |key: &Cow<'_, str>| match key {
            Cow::Borrowed(key) => Key::At(place(key)),
            Cow::Owned(key) => Key::Unescaped(key.clone()),
        };
        let members = self.members.0.iter().map(|(name, value)| (key(name), place(value.get())));
        OwnedObject { members: members.collect(), text: text.to_owned() }
    }
}

impl OwnedObject {
    /// Parses text that consists of one object.
    pub fn parse(text: &str) -> Option<Self> {
        ReadObject::read(Raw::parse(text).ok()?).map(|object| object.keep())
    }

    /// Returns the text of the object.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the object with its members.
    pub fn read(&self) -> ReadObject<'_> {
        let part = |place: &Range<usize>| self.text.get(place.clone()).unwrap_or_default();
        let key = |key: &'_ Key| match key {
            Key::At(place) => Cow::Borrowed(part(place)),
            Key::Unescaped(key) => Cow::Owned(key.clone()),
        };
        let members = self.members.iter().map(|(name, value)| (key(name), Raw::known(part(value))));
        ReadObject::known(Raw::known(&self.text), Members(members.collect()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_with_the_members_of_one_of_its_values() {
        let rows = [
            (r#"{"a":{"b":1,"c":[{}]},"d":2}"#, Some(r#"{"b":1,"c":[{}]}"#)),
            (r#" { "d" : 2 , "\u0061" : { "b" : 1 } } "#, Some(r#"{ "b" : 1 }"#)),
            (r#"{"a":{"b":1},"a":{}}"#, Some("{}")),
            (r#"{"a":{"b":1},"a":7}"#, None),
            (r#"{"a":7,"a":{"b":1}}"#, Some(r#"{"b":1}"#)),
            (r#"{"a":{"\ud800":1}}"#, None),
            (r#"{"d":{"a":{}}}"#, None),
            ("{}", None),
        ];
        for (source, inner) in rows {
            let (members, read) = Members::parse_and(source, "a").unwrap();
            assert_eq!(members.0, Members::parse(source).unwrap().0, "{source}");
            let expected = inner.map(|inner| Members::parse(inner).unwrap().0);
            assert_eq!(read.map(|read| read.0), expected, "{source}");
        }
        let deep = ["[".repeat(125), "]".repeat(125)].concat();
        assert!(Members::parse_and(&format!(r#"{{"a":{{"b":{deep}}}}}"#), "a").is_some());
        for source in
            ["", "7", "{", r#"{"a":{}"#, r#"{"a":{"b"}}"#, r#"{"a":{}} 1"#, r#"{"\ud800":1,"a":{}}"#]
        {
            assert_eq!(
                Members::parse_and(source, "a").is_some(),
                Members::parse(source).is_some(),
                "{source}"
            );
            assert!(Members::parse_and(source, "a").is_none(), "{source}");
        }
        // A message of a client has a limit.
        let deeper = format!(r#"{{"a":{{"b":[{deep}]}}}}"#);
        assert!(Members::parse_and(&deeper, "a").is_none() && Members::parse(&deeper).is_some());
    }

    #[test]
    fn an_object_that_is_kept_has_the_members_that_it_had() {
        let sources = [
            "{}",
            r#"{"a":1}"#,
            r#"{ "a" : [1, {"b": 2}] , "\u0062\n": "é\"", "a":null, "": {} }"#,
            r#"{"é":"ü","":""}"#,
        ];
        for source in sources {
            let read = ReadObject::read(Raw::parse(source).unwrap()).unwrap();
            let kept = read.keep();
            assert_eq!(kept.text(), source);
            assert_eq!(kept.read().members().0, Members::parse(source).unwrap().0, "{source}");
            assert_eq!(OwnedObject::parse(source).unwrap().read().raw().get(), source);
        }
        let member = ReadObject::read(Members::parse(r#" {"x": {"k": [7] }} "#).unwrap().get("x").unwrap());
        let kept = member.unwrap().keep();
        assert_eq!(kept.read().get("k").unwrap().get(), "[7]");
        for source in ["", "7", "[]", "{", r#"{"a":1} 2"#, r#"{"\ud800":1}"#] {
            assert!(OwnedObject::parse(source).is_none(), "{source}");
        }
    }
}
