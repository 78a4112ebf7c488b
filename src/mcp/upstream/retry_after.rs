//! `Retry-After` (RFC 9110, section 10.2.3): when a server that is busy can be asked again.

use http::{HeaderMap, StatusCode, header};

use crate::time::parse_http_date;

/// Longest wait that a server can ask for, in seconds.
pub const MAX_RETRY_AFTER_S: u64 = 3_600;

/// The seconds that a server asks to be left alone for, which only those that are busy may; a date is counted
/// from `now`, in milliseconds since 1970.
pub(crate) fn read(status: StatusCode, headers: &HeaderMap, now: u64) -> Option<u64> {
    if !matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        return None;
    }
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    let seconds = match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true if text.is_empty() => return None,
        // More digits than a number has are a long time.
        true => text.parse().unwrap_or(u64::MAX),
        false => {
            let date = parse_http_date(text)?;
            u64::try_from(date).unwrap_or_default().saturating_sub(now / 1_000)
        }
    };
    Some(seconds.min(MAX_RETRY_AFTER_S))
}
