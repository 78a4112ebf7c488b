//! The settings under `auth`: the authorization servers whose access tokens are accepted.

mod address;
mod introspection;
mod key_source;
mod token_issuer;

use http::HeaderMap;
use mcp_sieve::{Error, json::Entry};
use serde_json::{Map, Value};

pub use introspection::Introspection;
pub use key_source::KeySource;
pub use token_issuer::TokenIssuer;

pub(super) use address::address;
pub(super) use token_issuer::scopes;

/// The default tolerance, in seconds, for differences between clocks.
const CLOCK_SKEW_S: u64 = 60;
/// Maximum number of authorization servers whose tokens one gateway accepts.
pub const MAX_ISSUERS: usize = 16;

/// The access tokens that the gateway accepts, as an OAuth 2.1 resource server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Auth {
    /// The authorization servers, in the order of the file. There is at least one.
    pub issuers: Vec<TokenIssuer>,
    /// Whether requests without a token are rejected.
    pub required: bool,
}

impl Auth {
    /// Reads one issuer, or an array of several.
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let read = match entry.raw().elements() {
            Some(_) => entry.some_list(TokenIssuer::read)?,
            None => vec![TokenIssuer::read(entry)?],
        };
        if read.len() > MAX_ISSUERS {
            return Err(entry.refuse(format!("expected at most {MAX_ISSUERS} issuers")));
        }
        // A token is required unless every issuer says otherwise, so that one more issuer never opens the gateway.
        let required = read.iter().any(|(_, required)| *required);
        let auth = Self { issuers: read.into_iter().map(|(issuer, _)| issuer).collect(), required };
        auth.check_distinct(entry)?;
        Ok(auth)
    }

    /// Checks that the header and the issuer of a token choose one entry, and that one endpoint judges the opaque tokens
    /// of a header. A token must not reach the endpoint of another issuer.
    fn check_distinct(&self, entry: &Entry<'_>) -> Result<(), Error> {
        for (at, later) in self.issuers.iter().enumerate() {
            for earlier in self.issuers.iter().take(at).filter(|earlier| earlier.header == later.header) {
                if earlier.issuer == later.issuer {
                    return Err(entry.refuse(format!("`{}` is declared twice", later.issuer)));
                }
                if earlier.introspection.is_some() && later.introspection.is_some() {
                    let message =
                        "one `introspection` judges all opaque tokens of a header, expected no second";
                    return Err(entry.refuse(message));
                }
            }
        }
        Ok(())
    }

    /// Returns the issuers whose tokens a header holds; `None` for `Authorization`.
    pub(crate) fn of_header(&self, header: Option<&str>) -> impl Iterator<Item = (usize, &TokenIssuer)> {
        self.issuers.iter().enumerate().filter(move |(_, issuer)| issuer.header.as_deref() == header)
    }

    /// Returns whether `Authorization` may hold a token of an issuer.
    pub fn reads_authorization(&self) -> bool {
        self.of_header(None).next().is_some()
    }

    /// Returns the header other than `Authorization` whose token decides about a request, if it has one.
    pub(crate) fn deciding_header(&self, headers: &HeaderMap) -> Option<&str> {
        self.headers().find(|name| headers.contains_key(*name))
    }

    /// Returns the issuer at which a browser signs in to the gateway: the first with a client, or else the first whose
    /// tokens `Authorization` holds.
    pub fn sign_in(&self) -> Option<&TokenIssuer> {
        let mut issuers = self.of_header(None).map(|(_, issuer)| issuer);
        let with_client =
            self.of_header(None).map(|(_, issuer)| issuer).find(|issuer| issuer.client.is_some());
        with_client.or_else(|| issuers.next())
    }

    /// Returns the headers other than `Authorization` that hold tokens, in the order of the file.
    pub fn headers(&self) -> impl Iterator<Item = &str> {
        self.issuers.iter().filter_map(|issuer| issuer.header.as_deref())
    }

    /// Returns the tolerance, in seconds, for the clock of the issuer of these claims. Claims of the operator have the
    /// longest one, which cuts off no stream too early.
    pub(crate) fn clock_skew(auth: Option<&Self>, claims: &Map<String, Value>) -> u64 {
        let named = claims.get("iss").and_then(Value::as_str);
        let issuers = || auth.into_iter().flat_map(|auth| &auth.issuers);
        // An issuer may have an entry for each header.
        let own =
            issuers().filter(|issuer| named == Some(&issuer.issuer)).map(|issuer| issuer.clock_skew).max();
        let longest = || issuers().map(|issuer| issuer.clock_skew).max();
        own.or_else(longest).unwrap_or(CLOCK_SKEW_S)
    }
}
