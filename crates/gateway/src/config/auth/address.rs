//! Addresses of authorization servers.

use mcp_sieve::{Error, json::Entry};

const ADDRESS: &str = "expected an https URL, or http to this machine";

/// Reads a URL whose responses no machine on the way can forge: HTTPS, or HTTP to this machine.
pub(in crate::config) fn address(entry: &Entry<'_>) -> Result<String, Error> {
    let text = entry.text()?;
    let loopback = text.strip_prefix("http://").is_some_and(|rest| {
        // Anything else between host and path, such as `:x@`, makes another host of it.
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let port = ["localhost", "127.0.0.1", "[::1]"].iter().find_map(|host| authority.strip_prefix(host));
        port.is_some_and(|port| {
            port.is_empty()
                || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
        })
    });
    let there = |rest: &str| !rest.is_empty() && !rest.starts_with('/');
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\');
    match plain && (loopback || text.strip_prefix("https://").is_some_and(there)) {
        true => Ok(text),
        false => Err(entry.refuse(ADDRESS)),
    }
}
