//! The clock and the timers of the platform.

use gloo_timers::future::TimeoutFuture;
use js_sys::Date;

/// Waits for `ms` milliseconds. The timer is cleared when the future is dropped.
pub async fn sleep(ms: u64) {
    // JavaScript timers have a signed 32-bit delay; a longer one would fire at once.
    TimeoutFuture::new(ms.min(i32::MAX as u64) as u32).await;
}

/// Returns the time, in milliseconds since 1970.
pub fn now() -> u64 {
    Date::now() as u64
}
