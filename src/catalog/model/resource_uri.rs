//! The identity of a resource. Servers on the official SDKs parse URIs by the WHATWG URL standard, other servers
//! compare bytes, and some open files. So a URI is checked in each of its [readings](super::uri_readings).

use std::fmt;

use super::uri_readings::{Readings, decode_bytes, parse};
use crate::digest::Digest;

impl ResourceUri<'_> {
    /// Maximum length, in bytes, of a resource URI that is read or subscribed to. Templates are matched against each of
    /// them.
    pub const MAX_LENGTH: usize = 8 * 1024;
}

/// A resource's URI and the forms in which it is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceUri<'a> {
    text: &'a str,
    /// The WHATWG serialization. `None` if the text is not an absolute URL. It then refers only to a primitive that is
    /// listed under exactly this text.
    normal: Option<String>,
    readings: Readings,
}

/// The error for text that is not the URI of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UriError {
    /// It is longer than [`ResourceUri::MAX_LENGTH`](crate::catalog::ResourceUri::MAX_LENGTH) bytes.
    TooLong,
    /// It is empty, or has control characters or surrounding white space, which parsers strip.
    Stripped,
    /// Servers could read it in too many ways.
    Ambiguous,
}

impl fmt::Display for UriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "expected a URI of at most {max} bytes", max = ResourceUri::MAX_LENGTH),
            Self::Stripped => {
                f.write_str("expected a URI without control characters and surrounding white space")
            }
            Self::Ambiguous => f.write_str(
                "expected a URI with fewer nested escapes, dot segments and empty segments, since servers could read \
                 this one in too many ways",
            ),
        }
    }
}

impl std::error::Error for UriError {}

impl<'a> ResourceUri<'a> {
    /// Parses a URI.
    ///
    /// # Errors
    /// An error for text that parsers strip or truncate, so that it would refer to another resource than it appears
    /// to, and for text with too many readings.
    pub fn parse(text: &'a str) -> Result<Self, UriError> {
        if text.len() > ResourceUri::MAX_LENGTH {
            return Err(UriError::TooLong);
        }
        if text.is_empty() || text.chars().any(char::is_control) || text.trim().len() != text.len() {
            return Err(UriError::Stripped);
        }
        let readings = Readings::new(text);
        match readings.is_complete() {
            true => Ok(Self { text, normal: parse(text), readings }),
            false => Err(UriError::Ambiguous),
        }
    }

    /// Returns the URI as written.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the normal form, if the text is an absolute URL.
    pub fn normal(&self) -> Option<&str> {
        self.normal.as_deref()
    }

    /// Returns the identity of the resource for servers that parse URIs.
    pub(crate) fn identity(&self) -> u128 {
        Digest::of(self.normal().unwrap_or(self.text).as_bytes())
    }

    /// Returns every text that a server may open for this URI.
    pub fn readings(&self) -> impl Iterator<Item = &str> {
        self.readings.all()
    }

    /// Returns the readings of servers that ignore no part of the URI, without the text and its normal form.
    pub(crate) fn other_readings(&self) -> impl Iterator<Item = &str> {
        self.readings.strict().filter(|reading| *reading != self.text && Some(*reading) != self.normal())
    }

    /// Returns the readings in lowercase. Several resources may share one key, so it only decides what is hidden.
    pub(crate) fn keys(&self) -> impl Iterator<Item = String> {
        self.readings().map(uri_key)
    }
}

/// Returns the form of a reading for servers that ignore letter case.
pub fn uri_key(reading: &str) -> String {
    reading.to_lowercase()
}

/// Returns the keys of a listed URI. One with too many readings has those that fit, because it cannot be requested.
pub(crate) fn listed_keys(text: &str) -> impl Iterator<Item = String> {
    let readings = Readings::new(text);
    readings.all().map(uri_key).collect::<Vec<_>>().into_iter()
}

/// Returns the form of a listed URI for a lenient server: without fragment, empty query and final slash, with
/// unreserved characters decoded (RFC 3986, section 6.2.2), in lowercase. It needs no URL parser, which pages that list
/// resources would have to load, so it does not handle default ports and users.
pub(crate) fn fold_listed(text: &str) -> String {
    let text = text.split('#').next().unwrap_or_default();
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let path = decode_bytes(path, unreserved);
    // Dot segments cannot go above the host, or above the scheme of a URI without a host.
    let mut folded = resolve(&path, if path.contains("://") { 3 } else { 1 });
    if !query.is_empty() {
        folded.push('?');
        folded.push_str(&decode_bytes(query, unreserved).to_ascii_lowercase());
    }
    if folded.ends_with('/') {
        folded.pop();
    }
    folded
}

/// Returns a path in lowercase with its dot segments resolved. They cannot go above the first `root` segments.
fn resolve(path: &str, root: usize) -> String {
    let path = path.to_ascii_lowercase();
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            ".." => segments.truncate((segments.len().saturating_sub(1)).max(root)),
            "." => {}
            segment => segments.push(segment),
        }
    }
    segments.join("/")
}

/// Returns whether a byte means the same with and without an escape (RFC 3986, section 2.3).
fn unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Returns a template whose literal parts are in the normal form of the URIs that it matches.
pub(crate) fn normal_template(template: &str) -> String {
    let (literal, rest) = template.split_at(template.find('{').unwrap_or(template.len()));
    let mut out = match parse(literal) {
        Some(mut parsed) => {
            if parsed.ends_with('/') && !literal.ends_with('/') {
                parsed.pop();
            }
            parsed
        }
        // `https://` alone is not a URL: the scheme requires a host.
        None => {
            let (scheme, behind) = literal.split_at(literal.find(':').unwrap_or_default());
            format!("{}{behind}", scheme.to_ascii_lowercase())
        }
    };
    for character in rest.chars() {
        let mut bytes = [0; 4];
        match character.is_ascii() {
            true => out.push(character),
            false => character
                .encode_utf8(&mut bytes)
                .bytes()
                .for_each(|byte| out.push_str(&format!("%{byte:02X}"))),
        }
    }
    out
}
