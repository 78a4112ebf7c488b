//! URLs in texts: finding and comparing them, and the decision whether a request may be sent to one.

use std::ops::Range;

use crate::scan::byte_class::ByteClass;

/// The characters that end a URL anywhere.
const ENDS: &[char] = &['<', '>', '"', '`', '{', '}', '|', '\\', '^', '“', '”', '’'];
/// The characters that are not the end of a URL, but of the sentence around it.
const TRAILING: &[char] = &['.', ',', ';', ':', '!', '?', '\'', '*', '_'];

const COLON: ByteClass<1> = ByteClass([(b':', b':')]);

/// Returns the ranges of the `http` and `https` URLs in a text, without the punctuation of the sentence around them.
///
/// ```
/// use mcp_sieve_redact::url;
///
/// let text = "See https://example.com/a_(b), or write to us.";
/// let found: Vec<_> = url::find(text).into_iter().filter_map(|range| text.get(range)).collect();
/// assert_eq!(found, ["https://example.com/a_(b)"]);
/// ```
pub fn find(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut from, mut place) = (Vec::new(), 0, 0);
    // Every URL contains a colon, and colons are rare.
    while let Some(colon) = COLON.find(text.as_bytes(), place) {
        place = colon + 1;
        let before = text.get(from..colon).unwrap_or_default();
        let scheme = ["https", "http"].into_iter().find(|scheme| before.ends_with(scheme));
        let Some(scheme) = scheme.filter(|_| text.get(place..).is_some_and(|rest| rest.starts_with("//")))
        else {
            continue;
        };
        let (start, length) = (colon - scheme.len(), scheme.len() + "://".len());
        let rest = text.get(start..).unwrap_or_default();
        let end = rest.find(|c: char| c.is_whitespace() || c.is_control() || ENDS.contains(&c));
        let whole = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let link = trim_sentence_end(whole);
        from = start + link.len().max(length);
        place = from;
        if link.len() > length {
            found.push(start..from);
        }
    }
    found
}

/// Removes the end of the sentence from a URL: punctuation, and closing brackets that the URL does not open.
fn trim_sentence_end(link: &str) -> &str {
    let extra =
        |open: char, close: char| link.matches(close).count().saturating_sub(link.matches(open).count());
    let (mut round, mut square) = (extra('(', ')'), extra('[', ']'));
    link.trim_end_matches(|c: char| {
        let spare = match c {
            ')' => &mut round,
            ']' => &mut square,
            _ => return TRAILING.contains(&c),
        };
        let closes_none = *spare > 0;
        *spare = spare.saturating_sub(1);
        closes_none
    })
}

/// Returns the host of a URL, with its port and credentials if it has any, and the rest after it.
pub fn split(link: &str) -> (&str, &str) {
    let rest = link.split_once("://").map_or(link, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    rest.split_at_checked(end).unwrap_or((rest, ""))
}

/// Returns a URL in a form for comparison: without its scheme and slashes at its end, and with the host in lower case.
pub fn normalize(link: &str) -> String {
    let (host, path) = split(link);
    host.to_ascii_lowercase() + path.trim_end_matches('/')
}

/// Returns whether a pattern matches a URL. A pattern is a URL, compared as [`normalize`] writes it, or the beginning
/// of URLs followed by `*`.
///
/// ```
/// use mcp_sieve_redact::url;
///
/// assert!(url::matches("https://example.com/docs/*", "https://example.com/docs/a"));
/// assert!(url::matches("https://Example.com/a", "http://example.com/a/"));
/// ```
pub fn matches(pattern: &str, link: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => link.starts_with(prefix),
        None => normalize(pattern) == normalize(link),
    }
}

/// Returns whether a program may send a request to a URL that it read in a text, for example to check that it exists.
///
/// The URL must begin with one of the `allowed` prefixes, use HTTPS, and have a public name as its host. A URL with
/// credentials, a port or an IP address is rejected, and so is one with a path that leaves its prefix, such as
/// `/docs/../admin`. The function does not resolve names: a public name may have a private address.
pub fn may_reach(allowed: &[String], link: &str) -> bool {
    let (host, _) = split(link);
    let labels = host.to_ascii_lowercase();
    let last = labels.rsplit('.').next().unwrap_or_default();
    let named = labels.contains('.') && last.starts_with(|c: char| c.is_ascii_lowercase());
    let own = ["local", "internal", "localhost", "lan", "home", "arpa"].contains(&last);
    let plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    link.starts_with("https://")
        && named
        && !own
        && plain
        && !leaves_prefix(link)
        && allowed.iter().any(|prefix| link.starts_with(prefix.as_str()))
}

/// Returns whether a request for a URL could go to a path that does not begin as it is written: dot segments,
/// backslashes and white space are resolved first.
fn leaves_prefix(link: &str) -> bool {
    let path = link.split(['?', '#']).next().unwrap_or_default();
    let dots =
        |segment: &str| [".", ".."].contains(&segment.to_ascii_lowercase().replace("%2e", ".").as_str());
    link.contains(|letter: char| letter == '\\' || letter <= ' ') || path.split('/').any(dots)
}

#[cfg(test)]
#[allow(clippy::string_slice, reason = "tests")]
mod tests {
    use super::{find, matches, may_reach, normalize};

    #[track_caller]
    fn finds(text: &str, expected: &[&str]) {
        let found: Vec<&str> = find(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn addresses_end_where_the_sentence_goes_on() {
        finds(
            "See https://a.example/b. Or (http://c.example/d_(e)), [f](https://g.example/h)!",
            &["https://a.example/b", "http://c.example/d_(e)", "https://g.example/h"],
        );
        finds(
            "“https://a.example/é?q=1#x” <http://b.example> `https://c.example`;",
            &["https://a.example/é?q=1#x", "http://b.example", "https://c.example"],
        );
        finds("http https:// http://. httphttps://a.example", &["https://a.example"]);
    }

    /// Finds URLs with a simpler algorithm, for comparison.
    fn naive(text: &str) -> Vec<std::ops::Range<usize>> {
        let (mut found, mut from) = (Vec::new(), 0);
        while let Some(start) = text[from..].find("http").map(|at| from + at) {
            let rest = &text[start..];
            let Some(scheme) = ["https://", "http://"].into_iter().find(|scheme| rest.starts_with(scheme))
            else {
                from = start + 4;
                continue;
            };
            let end = rest.find(|c: char| c.is_whitespace() || c.is_control() || super::ENDS.contains(&c));
            let link = super::trim_sentence_end(&rest[..end.unwrap_or(rest.len())]);
            from = start + link.len().max(scheme.len());
            if link.len() > scheme.len() {
                found.push(start..from);
            }
        }
        found
    }

    #[test]
    fn colons_find_what_letters_find() {
        const PIECES: [&str; 16] = [
            "http",
            "https",
            "://",
            ":",
            "/",
            "s",
            "h",
            "a.example",
            " ",
            ".",
            ")",
            "(",
            "]",
            "é",
            "”",
            "\n",
        ];
        let mut seed = 1u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            while {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(PIECES.get((seed >> 60) as usize).unwrap_or(&""));
                seed >> 40 & 15 != 0
            } {}
            assert_eq!(find(&text), naive(&text), "{text:?}");
        }
    }

    #[test]
    fn hostile_text_takes_no_longer() {
        assert_eq!(find(&"http://".repeat(20_000)).len(), 1);
        assert_eq!(find(&"http://a)".repeat(20_000)).len(), 1);
        assert_eq!(find(&format!("http://a{}", ")".repeat(5_000))).len(), 1);
    }

    #[test]
    fn what_is_allowed() {
        assert_eq!(normalize("https://A.example/b/"), normalize("http://a.example/b"));
        assert_ne!(normalize("https://a.example/B"), normalize("https://a.example/b"));
        assert!(matches("https://a.example/docs/*", "https://a.example/docs/x"));
        assert!(!matches("https://a.example/docs/*", "https://a.example.evil/docs/x"));
        assert!(!matches("https://a.example", "https://a.example/x"));
    }

    #[test]
    fn what_may_be_asked() {
        let allowed: Vec<String> = [
            "https://docs.example.com/",
            "https://10.0.0.1/",
            "https://[::1]/",
            "https://a.internal/",
            "https://localhost/",
            "https://user@docs.example.com/",
            "https://docs.example.com:8443/",
            "https://0x7f.1/",
        ]
        .map(str::to_owned)
        .into();
        for link in ["https://docs.example.com/x", "https://docs.example.com/a.b/..c?d=../e#../f"] {
            assert!(may_reach(&allowed, link), "{link}");
        }
        for link in [
            "https://docs.example.com/x/../../y",
            "https://docs.example.com/x/.%2E",
            "https://docs.example.com/./y",
            "https://docs.example.com/x/..\\y",
            "https://docs.example.com/x/.\t./y",
            "http://docs.example.com/x",
            "https://other.example.com/",
            "https://docs.example.com.evil.example/",
            "https://10.0.0.1/x",
            "https://[::1]/x",
            "https://a.internal/x",
            "https://localhost/x",
            "https://user@docs.example.com/x",
            "https://docs.example.com:8443/x",
            "https://0x7f.1/x",
            "https://docs.example.com",
        ] {
            assert!(!may_reach(&allowed, link), "{link}");
        }
    }
}
