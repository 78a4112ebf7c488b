//! Dates and times: the Gregorian calendar, timestamps of RFC 3339 and ISO 8601, and dates of HTTP.

mod civil;
mod iso8601;
mod rfc3339;

pub use civil::CivilDate;
pub(crate) use iso8601::parse_iso8601;

pub(crate) use rfc3339::{parse_rfc3339, signed_timestamp};
