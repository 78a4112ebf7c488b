//! Dates and times: the Gregorian calendar, timestamps of RFC 3339 and ISO 8601, and dates of HTTP.

mod civil;
mod http_date;
mod iso8601;
mod rfc3339;

pub(crate) use civil::{CivilDate, DAY_S, days_in_month};
pub(crate) use http_date::parse_http_date;
pub(crate) use iso8601::parse_iso8601;
pub use rfc3339::timestamp;
pub(crate) use rfc3339::{parse_rfc3339, short_timestamp, signed_timestamp};
