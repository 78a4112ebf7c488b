//! JavaScript values as JSON text, which the parsers of `mcp-sieve` read. Input is thus refused with the same words as
//! everywhere else, unknown members included: deserialized into a struct, an object's further members would be ignored.

use std::fmt;

use js_sys::{JSON, Uint8Array};
use mcp_sieve::{
    Kind,
    filter::{OnUnknownMember, ParsedFilter},
    json::Raw,
};
use serde::{
    Deserialize, Serialize,
    de::{Deserializer as _, Error, MapAccess, SeqAccess, Visitor},
};
use serde_wasm_bindgen::Deserializer;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::UrlSearchParams;

use crate::failure::Failure;

/// Returns the text of an object, or a text as it is. `None` for `undefined` and `null`.
///
/// # Errors
/// `json` for a value that JSON cannot represent. The text of a value that nests deeper than [`Raw::MAX_DEPTH`], such as
/// an object that contains itself, ends at the first level beyond, where the parser refuses it.
pub fn text(value: JsValue) -> Result<Option<String>, Failure> {
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
    if let Some(text) = value.as_string() {
        return Ok(Some(text));
    }
    let (mut out, mut is_too_deep) = (Vec::new(), false);
    let json = Json { out: &mut out, is_too_deep: &mut is_too_deep, depth: Raw::MAX_DEPTH };
    let written = Deserializer::from(value).deserialize_any(json);
    written.or_else(|error| if is_too_deep { Ok(()) } else { Err(Failure::new("json", message(error))) })?;
    // Only JSON is written.
    Ok(Some(String::from_utf8(out).unwrap_or_default()))
}

/// Returns the text of lists: a text or UTF-8 bytes as they are, and objects with the order of their members. Lists
/// may be megabytes, so the platform writes them.
///
/// # Errors
/// `json` for bytes that are not UTF-8, and for objects that JSON cannot represent.
pub fn list_text(lists: JsValue) -> Result<String, Failure> {
    if let Some(text) = lists.as_string() {
        return Ok(text);
    }
    if let Some(bytes) = lists.dyn_ref::<Uint8Array>() {
        return String::from_utf8(bytes.to_vec())
            .map_err(|_| Failure::new("json", "expected lists in UTF-8"));
    }
    let written = JSON::stringify(&lists).ok().and_then(|text| text.as_string());
    written.ok_or_else(|| Failure::new("json", "expected lists that JSON can represent"))
}

/// Returns a filter: an object, JSON text, or the parameters of a URL.
pub fn filter(value: JsValue, on_unknown: OnUnknownMember) -> Result<ParsedFilter, Failure> {
    if let Some(parameters) = value.dyn_ref::<UrlSearchParams>() {
        let query = String::from(parameters.to_string());
        return Ok(mcp_sieve::Filter::from_query(&query)?);
    }
    match text(value)? {
        Some(source) => Ok(mcp_sieve::Filter::parse_with(&source, on_unknown)?),
        None => Ok(ParsedFilter::default()),
    }
}

/// Returns a kind by the member of its list result, such as `tools`.
pub fn kind(name: &str) -> Result<Kind, Failure> {
    Kind::from_list_key(name).ok_or_else(|| {
        let known = Kind::ALL.map(|kind| format!("`{}`", kind.list_key())).join(", ");
        Failure::new("kind", format!("unknown kind `{name}`, expected one of {known}"))
    })
}

/// Returns the message of an error, without the class of its exception.
fn message(error: impl fmt::Display) -> String {
    let text = error.to_string();
    text.strip_prefix("Error: ").map(str::to_owned).unwrap_or(text)
}

/// Writes a value as JSON.
struct Json<'a> {
    out: &'a mut Vec<u8>,
    /// Whether the text ends at a value that nests too deep.
    is_too_deep: &'a mut bool,
    /// The number of levels that the value may have.
    depth: usize,
}

/// A value inside another, in the form of the platform: only there `undefined` differs from `null`.
#[derive(Deserialize)]
struct Inner(#[serde(with = "serde_wasm_bindgen::preserve")] JsValue);

impl Json<'_> {
    fn scalar<E: Error>(self, value: impl Serialize) -> Result<(), E> {
        serde_json::to_writer(self.out, &value).map_err(E::custom)
    }

    /// Writes a value inside this one.
    fn inner<E: Error>(&mut self, value: JsValue) -> Result<(), E> {
        let inner =
            Json { out: self.out, is_too_deep: self.is_too_deep, depth: self.depth.saturating_sub(1) };
        Deserializer::from(value).deserialize_any(inner).map_err(|error| E::custom(message(error)))
    }

    /// Opens an array or an object.
    fn open<E: Error>(&mut self, bracket: u8) -> Result<(), E> {
        self.out.push(bracket);
        *self.is_too_deep = self.depth == 0;
        if *self.is_too_deep { Err(E::custom("nests too deep")) } else { Ok(()) }
    }

    /// Separates a value from the one before it.
    fn separate(&mut self, is_first: bool) {
        if !is_first {
            self.out.push(b',');
        }
    }
}

impl<'de> Visitor<'de> for Json<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.scalar(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.scalar(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.scalar(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.scalar(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        if !value.is_finite() {
            return Err(E::custom(format!("expected a finite number, got {value}")));
        }
        self.scalar(value)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.scalar(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut values: A) -> Result<(), A::Error> {
        self.open(b'[')?;
        let mut is_first = true;
        while let Some(Inner(value)) = values.next_element()? {
            self.separate(is_first);
            self.inner(value)?;
            is_first = false;
        }
        self.out.push(b']');
        Ok(())
    }

    /// As in `JSON.stringify`, a member that is `undefined` is absent.
    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        self.open(b'{')?;
        let mut is_first = true;
        while let Some((name, Inner(value))) = members.next_entry::<String, Inner>()? {
            if value.is_undefined() {
                continue;
            }
            self.separate(is_first);
            serde_json::to_writer(&mut *self.out, &name).map_err(A::Error::custom)?;
            self.out.push(b':');
            self.inner(value)
                .map_err(|error: A::Error| A::Error::custom(format!("{name}: {}", message(error))))?;
            is_first = false;
        }
        self.out.push(b'}');
        Ok(())
    }
}
