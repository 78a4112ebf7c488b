//! The caller in whose name requests go to an upstream server.

use std::fmt;

use http::{HeaderMap, HeaderValue};

/// The caller in whose name requests go to a server. It shows none of its values.
#[derive(Clone, PartialEq, Eq)]
pub struct Identity {
    /// The name under which the platform stores the caller's connections: that of its [principal](Identity::holder_of), or
    /// [`Identity::LOCAL`].
    pub holder: String,
    /// The headers of the caller that the server gets.
    pub headers: HeaderMap,
    /// The access token with which the caller was verified, for an exchange. Without its scheme.
    pub subject: Option<HeaderValue>,
}

impl Identity {
    /// The holder where only one person can reach the gateway.
    pub const LOCAL: &str = "local";
    /// The holder of the gateway's own credentials.
    pub const GATEWAY: &str = "gateway";

    /// Returns the holder for a principal, which differs from those of the constants.
    pub fn holder_of(principal: &str) -> String {
        ["principal:", principal].concat()
    }

    /// Returns the token in the value of an `Authorization` header.
    pub(crate) fn subject(authorization: &HeaderValue) -> Option<HeaderValue> {
        let (scheme, token) = authorization.to_str().ok()?.split_once(' ')?;
        let is_token = ["bearer", "dpop"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
        let token = HeaderValue::from_str(token.trim()).ok().filter(|_| is_token)?;
        Some(Self::sensitive(&token))
    }

    /// Returns a token that shows itself in no log.
    pub(crate) fn sensitive(token: &HeaderValue) -> HeaderValue {
        let mut token = token.clone();
        token.set_sensitive(true);
        token
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").finish_non_exhaustive()
    }
}
