//! The current time in milliseconds.

use worker::js_sys::Date;

/// Returns the time, in milliseconds since 1970. It reads a number, where `worker::Date::now` makes an object to read
/// it from.
pub(crate) fn now() -> u64 {
    Date::now() as u64
}
