//! `Retry-After` (RFC 9110, section 10.2.3): the time after which a busy server accepts requests again.

use crate::protocol::http_date::parse_http_date;
use http::{HeaderMap, StatusCode, header};

/// Longest delay that a server can request, in seconds.
pub const MAX_RETRY_AFTER_S: u64 = 3_600;

/// Returns the delay that a server requests, in seconds. It is read only for the statuses 429 and 503. A date is
/// relative to `now`, in milliseconds since 1970.
pub(crate) fn read(status: StatusCode, headers: &HeaderMap, now: u64) -> Option<u64> {
    if !matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        return None;
    }
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    let seconds = match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true if text.is_empty() => return None,
        // Too many digits for an integer mean a very long delay.
        true => text.parse().unwrap_or(u64::MAX),
        false => {
            let date = parse_http_date(text)?;
            u64::try_from(date).unwrap_or_default().saturating_sub(now / 1_000)
        }
    };
    Some(seconds.min(MAX_RETRY_AFTER_S))
}
