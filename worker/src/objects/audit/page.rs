//! The parameters of requests for a page of the logs: of the operator's, and of those to one object.

use http::StatusCode;
use mcp_sieve_gateway::error::RpcError;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use worker::Request;

use super::shards::Position;
use crate::objects::query::{parameter, whole_number};

/// Default and maximum number of lines of a page.
const PAGE: u64 = 200;

/// The parameters of the operator's request for a page.
#[derive(Debug)]
pub(super) struct PageQuery {
    /// The position at which the page begins.
    pub after: Position,
    /// The number of lines of the page.
    pub limit: u64,
}

/// The parameters of a request for lines of one shard.
#[derive(Debug)]
pub(super) struct ShardQuery {
    shard: u64,
    /// The number of the line after which the lines begin.
    pub after: u64,
    /// The number of lines.
    pub limit: u64,
}

impl PageQuery {
    /// Reads the parameters `after` and `limit` of a request.
    ///
    /// # Errors
    /// When one of them has another form. With such a value ignored, a program that pages would read the first page
    /// again and again.
    pub fn read(request: &Request) -> Result<Self, RpcError> {
        let refuse =
            |expected: &str| RpcError::request(StatusCode::BAD_REQUEST, "query", expected.to_owned());
        let after = parameter(request, "after").map(|after| after.parse());
        let after = after.transpose().map_err(|()| refuse("expected `after` as the `next` of a page"))?;
        let limit = whole_number(request, "limit", || refuse("expected `limit` as a whole number"))?;
        Ok(Self { after: after.unwrap_or_default(), limit: limit.unwrap_or(PAGE).clamp(1, PAGE) })
    }

    /// Returns the query part of the request to a shard, for one line more than the page
    /// has: it shows whether further ones follow.
    pub fn of_shard(&self, shard: usize) -> String {
        let after = self.after.0.get(shard).copied().unwrap_or_default();
        format!("?shard={shard}&after={after}&limit={}", self.limit + 1)
    }
}

impl ShardQuery {
    /// Reads the parameters that [`PageQuery::of_shard`] wrote.
    pub fn read(request: &Request) -> Self {
        let number = |name| parameter(request, name).and_then(|value| value.parse().ok()).unwrap_or_default();
        Self { shard: number("shard"), after: number("after"), limit: number("limit") }
    }

    /// Returns the id of a line with a number: no line of another shard has it.
    pub fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.shard)
    }
}

/// Formats a time by RFC 3339.
pub(super) fn time(ms: u64) -> Option<String> {
    let nanoseconds = i128::from(ms) * 1_000_000;
    OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).ok()?.format(&Rfc3339).ok()
}
