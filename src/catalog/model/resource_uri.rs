//! The identity of a resource. Servers on the official SDKs parse a URI as the WHATWG URL standard says, others
//! compare its bytes, so a URI is judged both as it was written and in its normal form.

use std::fmt;

use url::Url;

use crate::digest::digest;

/// Maximum length of a resource URI that is read or subscribed to, in bytes: templates are matched against each
/// of them.
pub const MAX_URI: usize = 8 * 1024;

/// A resource's URI and the forms in which it is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceUri<'a> {
    text: &'a str,
    /// The WHATWG serialization. Absent where the text is no absolute URL: it then names only what is listed
    /// under exactly this text.
    normal: Option<String>,
    /// The normal form after its escapes are decoded, where that brings out dot segments: a server that decodes
    /// `%2f` resolves them.
    decoded: Option<String>,
}

/// Text that is not the URI of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UriError {
    /// It is longer than [`MAX_URI`] bytes.
    TooLong,
    /// It is empty, or has control characters or surrounding white space, which parsers strip.
    Stripped,
}

impl fmt::Display for UriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "expected a URI of at most {MAX_URI} bytes"),
            Self::Stripped => {
                f.write_str("expected a URI without control characters and surrounding white space")
            }
        }
    }
}

impl std::error::Error for UriError {}

impl<'a> ResourceUri<'a> {
    /// Reads a URI.
    ///
    /// # Errors
    /// [`UriError`] for text that parsers strip or cut, so that it names another resource than it seems to.
    pub fn parse(text: &'a str) -> Result<Self, UriError> {
        if text.len() > MAX_URI {
            return Err(UriError::TooLong);
        }
        if text.is_empty() || text.chars().any(char::is_control) || text.trim().len() != text.len() {
            return Err(UriError::Stripped);
        }
        let Some(normal) = normal(text) else { return Ok(Self { text, normal: None, decoded: None }) };
        Ok(match resolving(&normal) {
            None => Self { text, normal: Some(normal), decoded: None },
            Some(decoded) => match self::normal(&decoded) {
                // What cannot be judged in this form is not made by a template either.
                None => Self { text, normal: None, decoded: None },
                decoded => Self { text, normal: Some(normal), decoded },
            },
        })
    }

    /// The URI as it was written.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The normal form, if the text is an absolute URL.
    pub fn normal(&self) -> Option<&str> {
        self.normal.as_deref()
    }

    /// Identifies the resource for servers that parse URIs.
    pub(crate) fn identity(&self) -> u128 {
        digest(self.normal().unwrap_or(self.text).as_bytes())
    }

    /// Every form in which the URI might reach what is hidden, folded as [`fold`] does.
    pub(crate) fn folded(&self) -> impl Iterator<Item = String> {
        let forms = [Some(self.text), self.normal(), self.decoded.as_deref()];
        forms.into_iter().flatten().map(fold)
    }

    /// What a server reads that resolves dot segments beyond the host, as one does that takes the host for a directory.
    pub(crate) fn climbing(&self) -> Option<String> {
        let decoded = (0..DECODINGS).fold(self.text.to_owned(), |text, _| decode(&text, |_| true));
        let decoded = decoded.replace('\\', "/");
        decoded.split('/').any(|segment| segment == "..").then(|| resolve(&decoded, 2))
    }

    /// The forms that a template has to match for the resource to come from it; none where the URI has no normal
    /// form.
    pub(crate) fn resolved(&self) -> impl Iterator<Item = &str> {
        [self.normal(), self.decoded.as_deref()].into_iter().flatten()
    }
}

/// The WHATWG serialization of an absolute URL.
fn normal(text: &str) -> Option<String> {
    Url::parse(text).ok().map(String::from)
}

/// How often escapes are decoded: the Python SDK decodes the variables of a template once, and a program behind it may
/// do so again.
const DECODINGS: usize = 3;

/// The decoded URI, if decoding brings out segments that parsers resolve.
fn resolving(normal: &str) -> Option<String> {
    let decoded = (0..DECODINGS).fold(normal.to_owned(), |text, _| decode(&text, |_| true));
    let resolves = decoded.split(['/', '\\']).any(|segment| matches!(segment, "." | ".."));
    resolves.then_some(decoded)
}

/// Identifies a URI for a lenient server: without user, fragment, an empty query and a last slash, its unreserved
/// characters decoded (RFC 3986, section 6.2.2), in lower case. Several resources may share one folded form, so it
/// decides only what is hidden.
pub(crate) fn fold(text: &str) -> String {
    let plain = match Url::parse(text) {
        Ok(mut url) => {
            url.set_fragment(None);
            if url.query() == Some("") {
                url.set_query(None);
            }
            // A URL without a host has no user to take away.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            String::from(url)
        }
        Err(_) => text.to_owned(),
    };
    let mut folded = decode(&plain, unreserved).to_ascii_lowercase();
    if folded.ends_with('/') {
        folded.pop();
    }
    folded
}

/// As [`fold`], for what is listed, and without a parser: pages list resources too, and would have to load one. It knows
/// no default ports and no users.
pub(crate) fn fold_listed(text: &str) -> String {
    let text = text.split('#').next().unwrap_or_default();
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let path = decode(path, unreserved);
    // Nothing leads above the host, or the scheme of a URI without one.
    let mut folded = resolve(&path, if path.contains("://") { 3 } else { 1 });
    if !query.is_empty() {
        folded.push('?');
        folded.push_str(&decode(query, unreserved).to_ascii_lowercase());
    }
    if folded.ends_with('/') {
        folded.pop();
    }
    folded
}

/// Returns a path in lower case, its dot segments resolved. Nothing leads above the first `root` segments.
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

/// Whether a character means the same with and without an escape (RFC 3986, section 2.3).
fn unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// A template whose literal parts are in the normal form of the URIs that it makes.
pub(crate) fn normal_template(template: &str) -> String {
    let (literal, rest) = template.split_at(template.find('{').unwrap_or(template.len()));
    let mut out = match normal(literal) {
        Some(mut parsed) => {
            if parsed.ends_with('/') && !literal.ends_with('/') {
                parsed.pop();
            }
            parsed
        }
        // `https://` alone is no URL: the scheme needs a host.
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

/// Decodes the percent-escapes of bytes that are `wanted`. Bytes that are no text become U+FFFD, as lenient servers have
/// it.
fn decode(text: &str, wanted: impl Fn(u8) -> bool) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let Some((&first, rest)) = bytes.split_first() {
        match escape(bytes).filter(|byte| wanted(*byte)) {
            Some(byte) => {
                out.push(byte);
                bytes = bytes.get(3..).unwrap_or_default();
            }
            None => {
                out.push(first);
                bytes = rest;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The byte that an escape at the beginning stands for.
fn escape(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    let digit = |digit: &u8| char::from(*digit).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}
