//! Keys that distinguish the skills and pages of different servers, and their new URIs.

use super::kind::Kind;

/// Returns the key of a server's URI or directory. It differs between servers with the same URI.
pub(crate) fn scoped(server: &str, uri: &str) -> String {
    [server, "\n", uri].concat()
}

/// Returns the key of a hidden primitive of its kind. The URI of a skill is scoped to its server.
pub(crate) fn hidden_key(kind: Kind, server: &str, id: &str) -> String {
    if kind == Kind::Skill { scoped(server, id) } else { id.to_owned() }
}

/// Returns the server and the URI of such a key.
pub(crate) fn unscoped(key: &str) -> (&str, &str) {
    key.rsplit_once('\n').unwrap_or(("", key))
}

/// Inserts the name of a server before the path of a URI.
pub(crate) fn server_path(server: &str, uri: &str) -> String {
    inserted(server, "/", uri)
}

/// Inserts the prefix of a server before the path of a URI.
pub(crate) fn prefixed_path(prefix: &str, uri: &str) -> String {
    inserted(prefix, "", uri)
}

/// Inserts a text, with escapes, and a separator before the path of a URI.
fn inserted(text: &str, separator: &str, uri: &str) -> String {
    let scheme = uri.find(':').map_or(0, |at| at + 1);
    let (head, rest) = uri.split_at_checked(scheme).unwrap_or_default();
    let path = rest.trim_start_matches('/');
    let mut out = head.to_owned();
    out.push_str(rest.strip_suffix(path).unwrap_or_default());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            let digit = |value: u8| char::from(if value < 10 { b'0' + value } else { b'A' - 10 + value });
            out.push(digit(byte >> 4));
            out.push(digit(byte & 15));
        }
    }
    out.push_str(separator);
    out.push_str(path);
    out
}
