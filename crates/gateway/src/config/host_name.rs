//! The names under which a gateway is called, and the origins of pages that call it.

use mcp_sieve::{Error, json::Entry};

/// Reads the host name of the gateway, with or without a port.
pub(super) fn host_name(entry: &Entry<'_>) -> Result<String, Error> {
    let host = entry.text()?;
    match is_host_name(&host) {
        true => Ok(host),
        false => Err(entry.refuse("expected a host name such as `mcp.example` or `127.0.0.1:8787`")),
    }
}

/// Reads the origins of web pages, or `*` for all. An address with a path or a pattern would match no page.
pub(super) fn origins(entry: &Entry<'_>) -> Result<Vec<String>, Error> {
    let is_origin = |text: &String| {
        let parts = text.split_once(':').filter(|(scheme, _)| !scheme.is_empty());
        let host = parts.and_then(|(_, rest)| rest.strip_prefix("//"));
        // Pages without an origin, such as files, send `null`.
        text == "*" || text == "null" || host.is_some_and(is_host_name)
    };
    let origins = entry.texts()?;
    match origins.iter().all(is_origin) {
        true => Ok(origins),
        false => Err(entry.refuse("expected `*` or origins such as `https://app.example`, without a path")),
    }
}

/// Returns whether a text can be the host of a request: a name or an address, with or without a port. An address with a
/// scheme or a pattern would match no request.
pub fn is_host_name(text: &str) -> bool {
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) if !text.ends_with(']') => (name, port),
        _ => (text, "0"),
    };
    let bracketed = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let plain = |byte: u8| byte > b' ' && !b"/*@?#%[]\\:\"'".contains(&byte);
    let known = match bracketed {
        Some(address) => address.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.')),
        None => name.bytes().all(plain),
    };
    known && !name.is_empty() && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::is_host_name;

    #[test]
    fn a_host_is_a_name_or_an_address() {
        for host in
            ["mcp.example", "localhost", "a:8787", "127.0.0.1", "[::1]", "[::1]:80", "exämple.com", "my_host"]
        {
            assert!(is_host_name(host), "{host}");
        }
        for text in [
            "",
            "http://mcp.example",
            "mcp.example/",
            "*",
            "*.example",
            "a:*",
            "127.0.0.1/mcp",
            "a b",
            ":80",
            "a:",
            "::1",
        ] {
            assert!(!is_host_name(text), "{text}");
        }
    }
}
