use super::{Timer, World};

/// A timer that is cancelled when it is no longer waited for.
struct Running(Timer);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Returns after so many milliseconds.
pub(super) async fn sleep(world: &World, ms: u64) {
    let running = Running(world.timer(ms as f64));
    running.0.done().await;
}
