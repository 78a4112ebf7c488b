//! The URL of requests to a server.

use crate::error::{Error, ErrorKind};

/// The advice on a URL with a login. It does not repeat the login.
pub(super) const LOGIN: &str = "expected no user or password: set the header `Authorization` to `Basic ${NAME}`, a variable with both in Base64";

/// Checks the URL of a server.
///
/// # Errors
/// [`ErrorKind::Config`] with the member `url`.
pub(super) fn check_request(url: &str) -> Result<(), Error> {
    if has_login(url) { Err(Error::new(ErrorKind::Config, LOGIN).field("url")) } else { Ok(()) }
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
