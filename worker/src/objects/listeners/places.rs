//! The objects of the listeners: their number, their names, and the one in which an isolate begins a listener.

use std::cell::Cell;

use worker::{Env, Result, Stub};

/// Maximum number of objects. Each takes [`MAX_LISTENERS`](mcp_sieve_gateway::streams::MAX_LISTENERS).
const PLACES: usize = 32;

thread_local! {
    /// The object that accepted the last listener of this isolate.
    static LAST: Cell<usize> = const { Cell::new(0) };
}

/// Returns an object by its number. The first has the name that the only object once had.
pub(super) fn object(env: &Env, place: usize) -> Result<Stub> {
    let name = if place == 0 { "changes".to_owned() } else { format!("changes-{place}") };
    env.durable_object("CHANGES")?.get_by_name(&name)
}

/// Returns every object once, beginning with the one that accepted the last listener. A new isolate begins with the
/// first, so the others are used only while it is full.
pub(super) fn in_turn() -> impl Iterator<Item = usize> {
    let last = LAST.get();
    (last..PLACES).chain(0..last)
}

/// Records the object that accepted a listener.
pub(super) fn accepted(place: usize) {
    LAST.set(place);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_object_has_its_turn_from_the_last_one_on() {
        assert!(in_turn().eq(0..PLACES));
        accepted(PLACES - 2);
        assert!(in_turn().eq([PLACES - 2, PLACES - 1].into_iter().chain(0..PLACES - 2)));
        accepted(0);
        assert!(in_turn().eq(0..PLACES));
    }
}
