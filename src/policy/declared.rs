//! The check whether a client declares the capabilities that a primitive requires.

use serde_json::Value;

use crate::json::{self, Members, Raw};

/// The capability whose empty object stands for its form mode (protocol revision 2025-11-25, section "Elicitation").
const ELICITATION: &str = "elicitation";
const FORM: &str = "form";

/// Returns whether `declared` contains the object `required`. A contained object may have more members, a contained
/// array more elements.
pub(crate) fn declares(declared: &Value, required: &str) -> bool {
    let Ok(required) = Raw::parse(required) else { return false };
    let Some(members) = Members::read(required) else { return false };
    members.0.iter().all(|(name, part)| {
        let declared = declared.get(name.as_ref());
        declared.is_some_and(|declared| {
            has(declared, *part) || (name == ELICITATION && is_form(*part) && is_empty(declared))
        })
    })
}

fn has(declared: &Value, required: Raw<'_>) -> bool {
    if let Some(members) = Members::read(required) {
        let part = |name: &str| declared.as_object().and_then(|declared| declared.get(name));
        return declared.is_object()
            && members.0.iter().all(|(name, required)| part(name).is_some_and(|part| has(part, *required)));
    }
    if let Some(elements) = json::elements(required) {
        let declared = declared.as_array().map(Vec::as_slice).unwrap_or_default();
        return elements.iter().all(|required| declared.iter().any(|declared| has(declared, *required)));
    }
    serde_json::from_str::<Value>(required.get()).is_ok_and(|required| required == *declared)
}

fn is_form(required: Raw<'_>) -> bool {
    let members = Members::read(required).unwrap_or_default();
    matches!(members.0.as_slice(), [(name, mode)] if name == FORM && Members::read(*mode).is_some_and(|mode| mode.0.is_empty()))
}

fn is_empty(declared: &Value) -> bool {
    declared.as_object().is_some_and(serde_json::Map::is_empty)
}
