//! The URL and the headers of requests to a server.

use mcp_sieve::{Error, ErrorKind};

/// The advice on a URL with a login. It does not repeat the login.
pub(super) const LOGIN: &str = "expected no user or password: set the header `Authorization` to `Basic ${NAME}`, a variable with both in Base64";

/// Headers of one connection, which no intermediary forwards (RFC 9110, section 7.6.1), and those that the gateway sets
/// on each of its own requests. A name that ends with `-` stands for all that begin with it: headers of the body and of
/// MCP.
const OWN: [&[u8]; 11] = [
    b"accept",
    b"connection",
    b"content-",
    b"keep-alive",
    b"last-event-id",
    b"mcp-",
    b"proxy-connection",
    b"te",
    b"trailer",
    b"transfer-encoding",
    b"upgrade",
];

/// Checks the URL of a server, the headers of requests to it, and the names of callers' headers that are forwarded.
/// References to variables in the values are not checked, because pages, which read configurations too, replace none.
///
/// # Errors
/// [`ErrorKind::Config`] with the member `url`, `headers` or `passHeaders`.
pub(super) fn check_request(url: &str, headers: &[(String, String)], passed: &[String]) -> Result<(), Error> {
    if has_login(url) {
        return Err(Error::new(ErrorKind::Config, LOGIN).field("url"));
    }
    headers.iter().try_for_each(|(name, value)| check_header("headers", name, value))?;
    passed.iter().try_for_each(|name| check_header("passHeaders", name, ""))
}

/// Returns whether a URL has a user or a password. `fetch` refuses to request such a URL.
pub(super) fn has_login(url: &str) -> bool {
    let mut slashes = 0;
    for byte in url.bytes() {
        match byte {
            b'/' => slashes += 1,
            b'?' | b'#' | b'\\' => return false,
            b'@' if slashes == 2 => return true,
            _ => {}
        }
    }
    false
}

/// Returns whether a request to a server may carry this header of the caller or the operator. Headers of the connection
/// and those that the gateway sets itself are excluded. `Host` is allowed here, but a server over the network gets its
/// own.
pub fn may_pass(name: &str) -> bool {
    let is = |own: &&[u8]| {
        let length = if own.ends_with(b"-") { own.len() } else { name.len() };
        name.as_bytes().get(..length).is_some_and(|part| part.eq_ignore_ascii_case(own))
    };
    !OWN.iter().any(is)
}

/// Returns whether a request to a server over the network may carry this header of the caller or the operator.
pub fn is_configurable(name: &str) -> bool {
    may_pass(name) && !name.eq_ignore_ascii_case("host")
}

/// Checks that a header can be sent. Its name must be a token (RFC 9110, section 5.6.2).
fn check_header(member: &str, name: &str, value: &str) -> Result<(), Error> {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let problem = if name.is_empty() || !name.bytes().all(token) {
        "is not the name of a header"
    } else if !is_configurable(name) {
        "is a header that the gateway itself writes"
    } else if !value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')) {
        "has a value that no header may have"
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorKind::Config, format!("`{name}` {problem}")).field(member))
}
