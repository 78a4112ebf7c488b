//! Finds the given URL that an unknown URL is probably a misspelling of.

use std::collections::BTreeSet;

use mcp_sieve::expr::Expr;
use mcp_sieve_redact::url;

/// Returns the given URL that an unknown one is probably a misspelling of: the most similar one on the same host, or
/// the one with the same path on a host with a similar name.
pub(crate) fn closest_link(link: &str, links: &BTreeSet<String>) -> Option<String> {
    let (host, path) = url::split(link);
    let candidates = || links.iter().map(|link| (link, url::split(link)));
    let same_host = |other: &str| other.eq_ignore_ascii_case(host);
    let by_path = || {
        let mut paths = candidates().filter(|(_, (other, _))| same_host(other)).map(|(_, (_, path))| path);
        let nearest_path = Expr::nearest(path, &mut paths)?;
        candidates().find(|(_, (other, path))| same_host(other) && *path == nearest_path)
    };
    let by_host = || {
        let mut hosts = candidates().filter(|(_, (_, other))| *other == path).map(|(_, (host, _))| host);
        let nearest_host = Expr::nearest(host, &mut hosts)?;
        candidates().find(|(_, (host, other))| *host == nearest_host && *other == path)
    };
    by_path().or_else(by_host).map(|(link, _)| link.clone())
}
