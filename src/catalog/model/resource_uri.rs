//! The identity of a resource. Servers on the official SDKs parse URIs by the WHATWG URL standard, and other servers
//! compare bytes. So a URI is checked both as written and in its normal form.

use std::fmt;

use url::Url;

use crate::digest::digest;

/// Maximum length, in bytes, of a resource URI that is read or subscribed to. Templates are matched against each of
/// them.
pub const MAX_URI: usize = 8 * 1024;

/// A resource's URI and the forms in which it is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceUri<'a> {
    text: &'a str,
    /// The WHATWG serialization. `None` if the text is not an absolute URL. It then refers only to a primitive that is
    /// listed under exactly this text.
    normal: Option<String>,
    /// The normal form after decoding its escapes, if that reveals dot segments. A server that decodes `%2f` resolves
    /// them.
    decoded: Option<String>,
}

/// The error for text that is not the URI of a resource.
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
    /// Parses a URI.
    ///
    /// # Errors
    /// [`UriError`] for text that parsers strip or truncate, so that it would refer to another resource than it appears
    /// to.
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
                // Without a form that can be checked, no template can match it either.
                None => Self { text, normal: None, decoded: None },
                decoded => Self { text, normal: Some(normal), decoded },
            },
        })
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
        digest(self.normal().unwrap_or(self.text).as_bytes())
    }

    /// Returns every form in which the URI might reach a hidden resource, folded by [`fold`].
    pub(crate) fn folded(&self) -> impl Iterator<Item = String> {
        let forms = [Some(self.text), self.normal(), self.decoded.as_deref()];
        forms.into_iter().flatten().map(fold)
    }

    /// Returns the forms of [`folded`](Self::folded) as a server reads them that decodes escapes and joins paths before
    /// it looks for the resource, as file servers do.
    pub(crate) fn opened(&self) -> impl Iterator<Item = String> {
        self.folded().map(|form| open(&form))
    }

    /// Returns the URI as read by a server that resolves dot segments beyond the host, as if the host were a directory.
    pub(crate) fn climbing(&self) -> Option<String> {
        let decoded = (0..DECODINGS).fold(self.text.to_owned(), |text, _| decode(&text, |_| true));
        let decoded = decoded.replace('\\', "/");
        decoded.split('/').any(|segment| segment == "..").then(|| resolve(&decoded, 2))
    }

    /// Returns the forms that a template must match so that the resource can come from it. Empty if the URI has no
    /// normal form.
    pub(crate) fn resolved(&self) -> impl Iterator<Item = &str> {
        [self.normal(), self.decoded.as_deref()].into_iter().flatten()
    }
}

/// Returns the WHATWG serialization of an absolute URL.
fn normal(text: &str) -> Option<String> {
    Url::parse(text).ok().map(String::from)
}

/// Number of times that escapes are decoded. The Python SDK decodes the variables of a template once, and a program
/// that receives them may decode them again.
const DECODINGS: usize = 3;

/// Returns the decoded URI, if decoding reveals segments that parsers resolve.
fn resolving(normal: &str) -> Option<String> {
    let decoded = (0..DECODINGS).fold(normal.to_owned(), |text, _| decode(&text, |_| true));
    let resolves = decoded.split(['/', '\\']).any(|segment| matches!(segment, "." | ".."));
    resolves.then_some(decoded)
}

/// Returns the form of a URI for a lenient server: without user, fragment, empty query and final slash, with unreserved
/// characters decoded (RFC 3986, section 6.2.2), in lowercase. Several resources may share one folded form, so it only
/// decides what is hidden.
pub(crate) fn fold(text: &str) -> String {
    let plain = match Url::parse(text) {
        Ok(mut url) => {
            url.set_fragment(None);
            if url.query() == Some("") {
                url.set_query(None);
            }
            // A URL without a host has no user to remove.
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

/// Returns a folded URI, or the folded text of a template, without escapes, empty segments, backslashes and dot
/// segments, without the host of a `file:` URI and without a dot at the end of a host. Even more resources share this
/// form, so it only decides what is hidden.
pub(crate) fn open(folded: &str) -> String {
    let decoded = (0..DECODINGS).fold(folded.to_owned(), |text, _| decode(&text, |_| true));
    let decoded = decoded.to_lowercase().replace('\\', "/");
    let Some((scheme, rest)) = decoded.split_once("://") else { return join(&decoded) };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (name, port) = host.split_at(host.find(':').unwrap_or(host.len()));
    let name = if scheme == "file" { "" } else { name.trim_end_matches('.') };
    [scheme, "://", name, port, "/", &join(path)].concat()
}

/// Returns the segments of a path that are not empty, with dot segments resolved.
fn join(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            ".." => _ = segments.pop(),
            "." | "" => {}
            segment => segments.push(segment),
        }
    }
    segments.join("/")
}

/// Returns the folded form of a listed URI like [`fold`], but without a URL parser, which pages that list resources
/// would have to load. It does not handle default ports and users.
pub(crate) fn fold_listed(text: &str) -> String {
    let text = text.split('#').next().unwrap_or_default();
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let path = decode(path, unreserved);
    // Dot segments cannot go above the host, or above the scheme of a URI without a host.
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
    let mut out = match normal(literal) {
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

/// Decodes the percent-escapes of bytes that are `wanted`. Invalid UTF-8 becomes U+FFFD, as lenient servers do.
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

/// Returns the byte that an escape at the beginning represents.
fn escape(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    let digit = |digit: &u8| char::from(*digit).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}
