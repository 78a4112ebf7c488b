use futures_util::future::LocalBoxFuture;

/// Time, and work that outlives its request.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Clock {
    /// Milliseconds since 1970.
    fn now(&self) -> u64;

    /// Returns after so many milliseconds. With 0 it lets other work run first that is ready.
    async fn sleep(&self, ms: u64);

    /// Does work that goes on when the request that began it has been answered.
    fn spawn(&self, work: LocalBoxFuture<'static, ()>);
}
