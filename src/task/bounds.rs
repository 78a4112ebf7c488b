//! Time intervals of task filters, in milliseconds.

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, ErrorKind},
    json::Raw,
    time::{parse_iso8601, parse_rfc3339},
};

/// An interval of time, both ends excluded, in milliseconds since 1970. The times of tasks have milliseconds, so a
/// finer bound is rounded to a millisecond that excludes the same tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// The lower bound: times must be later.
    pub after: Option<i64>,
    /// The upper bound: times must be earlier.
    pub before: Option<i64>,
}

impl Bounds {
    /// Returns whether a time is within the bounds.
    pub fn hold(self, at: i64) -> bool {
        self.after.is_none_or(|after| at > after) && self.before.is_none_or(|before| at < before)
    }

    /// Parses a lower bound. `null` is no bound.
    pub(super) fn later(raw: Raw<'_>, path: &str) -> Result<Option<i64>, Error> {
        Ok(read(raw, path)?.map(|(seconds, nanos)| bound(milliseconds(seconds, nanos / NANOS))))
    }

    /// Parses an upper bound. `null` is no bound.
    pub(super) fn earlier(raw: Raw<'_>, path: &str) -> Result<Option<i64>, Error> {
        Ok(read(raw, path)?.map(|(seconds, nanos)| bound(milliseconds(seconds, nanos.div_ceil(NANOS)))))
    }
}

/// The number of nanoseconds in a millisecond.
const NANOS: u32 = 1_000_000;

/// The first and the last millisecond that RFC 3339 can represent in UTC. The offset of a bound may exceed them.
const WRITABLE: [i64; 2] = [-62_167_219_200_000, 253_402_300_799_999];

fn bound(ms: i64) -> i64 {
    let [first, last] = WRITABLE;
    ms.clamp(first, last)
}

/// Parses an RFC 3339 timestamp into milliseconds since 1970. Finer digits are dropped.
pub(super) fn within(text: &str) -> Option<i64> {
    parse_rfc3339(text).map(|(seconds, nanos)| milliseconds(seconds, nanos / NANOS))
}

fn milliseconds(seconds: i64, ms: u32) -> i64 {
    seconds.saturating_mul(1_000).saturating_add(i64::from(ms))
}

fn read(raw: Raw<'_>, path: &str) -> Result<Option<(i64, u32)>, Error> {
    if raw.is_null() {
        return Ok(None);
    }
    let text = raw.text().ok_or_else(|| Error::filter_type(path, "a time, as a string"))?;
    let read = parse_iso8601(&text).map(Some);
    read.ok_or_else(|| {
        let message = "expected a time of ISO 8601 with its offset, or a date";
        Error::new(ErrorKind::TimeFormat, message).field(path)
    })
}
