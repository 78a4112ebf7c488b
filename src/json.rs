//! Reading JSON without owning it: an object as its members, each value still the bytes it came as.
//! A gateway that goes through typed structs drops what it does not know; this does not.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};

/// Deepest nesting of arrays and objects that is read. Deeper input is refused before it is parsed.
pub const MAX_DEPTH: usize = 64;

/// The members of a JSON object, in the order they were written, values untouched.
#[derive(Debug, Default)]
pub struct Members<'a>(pub Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Reads an object. `None` when `raw` is another kind of JSON value.
    pub fn read(raw: &'a RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }

    /// The value of `key`; of a repeated key the last, as `JSON.parse` has it.
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(Text(key)) = map.next_key()? {
                    members.push((key, map.next_value()?));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// A JSON string, borrowed unless it carries escapes.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// The string that `raw` is, or `None` for another kind of value.
pub fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Text<'_>>(raw.get()).ok().map(|text| text.0)
}

/// The elements of the array that `raw` is, or `None` for another kind of value.
pub fn elements(raw: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(raw.get()).ok()
}

/// Reads a whole number from `MIN` to `MAX`, however it is spelt: `10`, `10.0` and `1e1` are one number.
pub fn whole<'de, D, N, const MIN: i64, const MAX: i64>(deserializer: D) -> Result<N, D::Error>
where
    D: Deserializer<'de>,
    N: TryFrom<i64>,
{
    let number = f64::deserialize(deserializer).ok().filter(|number| number.fract() == 0.0);
    let number = number.map(|number| number as i64).filter(|number| (MIN..=MAX).contains(number));
    let read = number.and_then(|number| N::try_from(number).ok());
    read.ok_or_else(|| serde::de::Error::custom(format!("expected a whole number from {MIN} to {MAX}")))
}

/// Whether `raw` is `null`.
pub fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}

/// Appends `value` as a JSON string.
pub fn push_text(out: &mut Vec<u8>, value: &str) {
    // Writing to a Vec cannot fail.
    let _ = serde_json::to_writer(out, value);
}

/// A JSON object being written, member by member.
#[derive(Debug)]
pub struct Object<'a> {
    out: &'a mut Vec<u8>,
    first: bool,
}

impl<'a> Object<'a> {
    /// Starts an object at the end of `out`.
    pub fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, first: true }
    }

    /// Ends the object.
    pub fn close(self) {
        self.out.push(b'}');
    }

    /// Writes a key; the caller writes its value to what is returned.
    pub fn value(&mut self, key: &str) -> &mut Vec<u8> {
        if !std::mem::replace(&mut self.first, false) {
            self.out.push(b',');
        }
        push_text(self.out, key);
        self.out.push(b':');
        self.out
    }

    /// Writes a member whose value is JSON already.
    pub fn raw(&mut self, key: &str, json: &[u8]) {
        self.value(key).extend_from_slice(json);
    }

    /// Writes a member that is a string.
    pub fn text(&mut self, key: &str, value: &str) {
        push_text(self.value(key), value);
    }

    /// Copies every member but those named, which are about to be written anew.
    pub fn keep(&mut self, members: &Members<'_>, but: &[&str]) {
        for (key, value) in members.0.iter().filter(|(key, _)| !but.contains(&key.as_ref())) {
            self.raw(key, value.get().as_bytes());
        }
    }
}

/// Refuses JSON text that nests deeper than [`MAX_DEPTH`], in one pass and without recursion. What stands
/// in a comment does not count; where comments are not allowed, the parser stops at the first.
///
/// # Errors
/// [`ErrorKind::Json`] with the byte of the bracket that goes too deep.
pub fn check_depth(source: &[u8]) -> Result<(), Error> {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    let mut bytes = source.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'/' => match source.get(at + 1) {
                Some(b'/') => _ = bytes.find(|(_, byte)| **byte == b'\n'),
                Some(b'*') => {
                    // Past the opening `*`, or `/*/` would close itself.
                    bytes.next();
                    _ = bytes.find(|(end, byte)| **byte == b'*' && source.get(end + 1) == Some(&b'/'));
                }
                _ => {}
            },
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    let message = format!("JSON nests deeper than {MAX_DEPTH} levels");
                    return Err(Error::new(ErrorKind::Json, message).at_byte(at));
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

/// The engine's error for text that `serde_json` could not parse, with the byte it stopped at.
pub fn syntax(source: &str, error: &serde_json::Error) -> Error {
    let before: usize = source.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let at = if error.is_eof() { source.len() } else { before + error.column().saturating_sub(1) };
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or_default();
    Error::new(ErrorKind::Json, format!("not JSON: {words}")).at_byte(source.floor_char_boundary(at))
}
