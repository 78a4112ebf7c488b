//! The trait for a host's clock, timers and background work.

use futures_util::future::LocalBoxFuture;

/// The clock of a host, its timers and its background work.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Clock {
    /// Returns the current time in milliseconds since 1970.
    fn now(&self) -> u64;

    /// Waits for `ms` milliseconds. With 0, other work that is ready runs first.
    async fn sleep(&self, ms: u64);

    /// Runs work that may continue after the request that started it has been answered.
    fn spawn(&self, work: LocalBoxFuture<'static, ()>);
}
