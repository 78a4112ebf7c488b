//! The readings of a resource URI: every text that a server may open for it. Servers parse URIs, join paths and decode
//! escapes, in any order. Each reading is derived from the raw text, because a parser that has removed a segment hides
//! what another program would have opened.

use url::Url;

use crate::catalog::ResourceUri;

/// Number of times that escapes are decoded. The Python SDK decodes the variables of a template once, and a program
/// that receives them may decode them again.
const DECODINGS: usize = 3;

/// Maximum sum of the lengths, in bytes, of the readings of one URI. A URI with more readings is refused, because
/// templates are matched against each of them.
pub(crate) const MAX_READING_BYTES: usize = 12 * ResourceUri::MAX_LENGTH;

/// A step that a server may take from one text to the next. `None` if it changes nothing, or fails.
type Step = fn(&str) -> Option<String>;

/// The steps of servers that open exactly the requested resource.
const STRICT: &[Step] = &[parse, join_path, join_whole, turn_slashes];
/// Adds the steps of lenient servers, which ignore a part of the URI.
const LENIENT: &[Step] = &[
    parse,
    join_path,
    join_whole,
    turn_slashes,
    drop_query,
    drop_parameters,
    drop_authority,
    drop_final_slash,
];

/// The readings of one URI, without repetitions. The first is the text itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Readings {
    texts: Vec<String>,
    /// Number of readings of servers that ignore no part of the URI. They come first.
    strict: usize,
    /// Whether every reading is known.
    complete: bool,
}

impl Readings {
    pub fn new(text: &str) -> Self {
        let mut texts = vec![text.to_owned()];
        let mut complete = close(&mut texts, STRICT);
        let strict = texts.len();
        let mut all = vec![text.to_owned()];
        complete &= close(&mut all, LENIENT);
        all.retain(|reading| !texts.contains(reading));
        texts.append(&mut all);
        Self { texts, strict, complete }
    }

    /// Returns whether every reading is known. It is not if together they exceed [`MAX_READING_BYTES`].
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Returns every reading.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }

    /// Returns the readings of servers that ignore no part of the URI.
    pub fn strict(&self) -> impl Iterator<Item = &str> {
        self.all().take(self.strict)
    }
}

/// Adds every text that the steps and at most [`DECODINGS`] decodings reach. Returns whether all fit.
fn close(texts: &mut Vec<String>, steps: &[Step]) -> bool {
    let mut bytes: usize = texts.iter().map(String::len).sum();
    let mut from = 0;
    for round in 0..=DECODINGS {
        let mut at = from;
        while let Some(text) = texts.get(at).cloned() {
            if !steps.iter().filter_map(|step| step(&text)).all(|next| add(texts, next, &mut bytes)) {
                return false;
            }
            at += 1;
        }
        if round < DECODINGS {
            let decoded: Vec<_> = texts.iter().skip(from).filter_map(|text| decode(text)).collect();
            from = texts.len();
            if !decoded.into_iter().all(|next| add(texts, next, &mut bytes)) {
                return false;
            }
        }
    }
    true
}

/// Adds a reading that is not known yet. Returns whether all readings fit.
fn add(texts: &mut Vec<String>, next: String, bytes: &mut usize) -> bool {
    if !texts.contains(&next) {
        *bytes += next.len();
        texts.push(next);
    }
    *bytes <= MAX_READING_BYTES
}

/// Returns the WHATWG serialization of an absolute URL.
pub(crate) fn parse(text: &str) -> Option<String> {
    Url::parse(text).ok().map(String::from)
}

/// Resolves empty segments and dot segments of the path, as POSIX does. They do not go above the host.
fn join_path(text: &str) -> Option<String> {
    let (head, rest) = split_scheme(text);
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    needs_join(path).then(|| [head, host, &join(path)].concat())
}

/// Resolves the segments like [`join_path`], but for a server that takes the host for a directory.
fn join_whole(text: &str) -> Option<String> {
    let (head, rest) = split_scheme(text);
    needs_join(rest).then(|| [head, &join(rest)].concat())
}

/// Returns whether a path has segments that servers resolve.
fn needs_join(path: &str) -> bool {
    path.contains("//") || path.split('/').any(|segment| matches!(segment, "." | ".."))
}

/// Returns whether the reading has segments that servers resolve. Each result is another reading.
pub(crate) fn is_unresolved(reading: &str) -> bool {
    needs_join(split_scheme(reading).1) && !is_climbing(reading)
}

/// Returns whether the reading leaves the directory in which its scheme begins.
pub(crate) fn is_climbing(reading: &str) -> bool {
    split_scheme(reading).1.split('/').next() == Some("..")
}

/// Returns the normal form of a path, as POSIX does. A relative path that climbs begins with `..`.
fn join(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." if segments.last().is_none_or(|last| *last == "..") => {
                if !absolute {
                    segments.push("..");
                }
            }
            ".." => _ = segments.pop(),
            segment => segments.push(segment),
        }
    }
    let final_slash = if path.ends_with('/') && !segments.is_empty() { "/" } else { "" };
    [if absolute { "/" } else { "" }, &segments.join("/"), final_slash].concat()
}

/// Replaces backslashes, which are separators on Windows.
fn turn_slashes(text: &str) -> Option<String> {
    text.contains('\\').then(|| text.replace('\\', "/"))
}

/// Removes the fragment and the query. The query of a web address is a part of its identity, unless it is empty.
fn drop_query(text: &str) -> Option<String> {
    let web = text
        .split(':')
        .next()
        .is_some_and(|scheme| ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web)));
    let end = match web {
        false => text.find(['?', '#'])?,
        true => {
            let fragment = text.find('#').unwrap_or(text.len());
            let before = text.get(..fragment)?;
            before.strip_suffix('?').unwrap_or(before).len()
        }
    };
    (end < text.len()).then(|| text.get(..end).unwrap_or_default().to_owned())
}

/// Removes the parameters of path segments (`;version=1`).
fn drop_parameters(text: &str) -> Option<String> {
    let segment = |segment: &str| segment.split(';').next().unwrap_or_default().to_owned();
    text.contains(';').then(|| text.split('/').map(segment).collect::<Vec<_>>().join("/"))
}

/// Removes the user, the dots behind a host, and the host of a `file:` URI.
fn drop_authority(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    let (name, port) = host.split_at(host.find(':').unwrap_or(host.len()));
    let host = match scheme.eq_ignore_ascii_case("file") {
        true => String::new(),
        false => [name.trim_end_matches('.'), port].concat(),
    };
    (host != authority).then(|| [scheme, "://", &host, path].concat())
}

/// Removes the final slash, unless parsers add it again, as behind the host of a web address.
fn drop_final_slash(text: &str) -> Option<String> {
    let short = text.strip_suffix('/')?;
    (!split_scheme(text).1.is_empty() && parse(short).as_deref() != Some(text)).then(|| short.to_owned())
}

/// Returns the scheme with the slashes behind it, and the rest.
pub(crate) fn split_scheme(text: &str) -> (&str, &str) {
    let scheme = text.find(':').map_or(0, |at| at + 1);
    let slashes = if text.get(scheme..).is_some_and(|rest| rest.starts_with("//")) { 2 } else { 0 };
    text.split_at_checked(scheme + slashes).unwrap_or(("", text))
}

/// Decodes all percent-escapes once. Invalid UTF-8 becomes U+FFFD, as lenient servers do.
fn decode(text: &str) -> Option<String> {
    text.contains('%').then(|| decode_bytes(text, |_| true)).filter(|decoded| decoded != text)
}

/// Returns the text and its decoded forms, without repetitions.
pub(crate) fn decodings(text: &str) -> Vec<String> {
    let decoded = std::iter::successors(Some(text.to_owned()), |text| decode(text));
    decoded.take(DECODINGS + 1).collect()
}

/// Decodes the percent-escapes of bytes that are `wanted`.
pub(crate) fn decode_bytes(text: &str, wanted: impl Fn(u8) -> bool) -> String {
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
