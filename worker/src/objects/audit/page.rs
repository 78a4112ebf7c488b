//! The page parameters of audit log requests (`after` and `limit`).

use http::StatusCode;
use mcp_sieve_gateway::error::RpcError;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use worker::{Request, SqlStorageValue};

use crate::objects::{query::whole_number, sql::whole};

/// Default and maximum number of lines of a page.
const PAGE: u64 = 200;

/// The parameters of a request for a page.
#[derive(Debug)]
pub(super) struct PageQuery {
    /// The number of the line after which the page begins.
    pub after: u64,
    /// The number of lines of the page.
    pub limit: u64,
}

impl PageQuery {
    /// Reads the parameters `after` and `limit` of a request.
    ///
    /// # Errors
    /// The errors of [`whole_number`].
    pub fn read(request: &Request) -> Result<Self, RpcError> {
        let number = |name, expected: &str| {
            let refuse = || RpcError::request(StatusCode::BAD_REQUEST, "query", expected.to_owned());
            whole_number(request, name, refuse)
        };
        let after = number("after", "expected `after` as the `next` of a page")?;
        let limit = number("limit", "expected `limit` as a whole number")?;
        Ok(Self { after: after.unwrap_or_default(), limit: limit.unwrap_or(PAGE).clamp(1, PAGE) })
    }
}

/// Formats a time by RFC 3339.
pub(super) fn time(ms: &SqlStorageValue) -> Option<String> {
    let nanoseconds = i128::from(whole(ms)?) * 1_000_000;
    OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).ok()?.format(&Rfc3339).ok()
}
