//! The hooks of a function as the draft writes them: events of one phase each.

use serde_json::{Value, json};

use crate::middleware::{Hook, Phase};

/// Returns the names of the phases in which a function runs.
fn phases(hook: &Hook) -> &'static [&'static str] {
    match hook.phase {
        Phase::Request => &["request"],
        Phase::Response => &["response"],
        Phase::Both => &["request", "response"],
    }
}

/// Returns the hooks of a function.
pub(super) fn written(hook: &Hook) -> Value {
    phases(hook).iter().map(|phase| json!({"events": hook.events, "phase": phase})).collect()
}

/// Returns whether a function is meant for an event, in either phase.
pub(super) fn is_for_event(hook: &Hook, event: &str) -> bool {
    hook.events.iter().any(|known| *known == event || *known == "*")
}

/// Returns whether a function is meant for a phase of an event.
pub(super) fn covers(hook: &Hook, event: &str, phase: &str) -> bool {
    is_for_event(hook, event) && phases(hook).contains(&phase)
}
