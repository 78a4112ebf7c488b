//! The check whether a client declares a capability: one that a primitive requires, or one that an expression names.

use crate::json::{Members, Number, Raw};
use crate::policy::Described;

/// The capability whose empty object stands for its form mode (section "Elicitation" of each protocol revision).
const ELICITATION: &str = "elicitation";
const FORM: &str = "form";

impl Described<'_> {
    /// Returns whether a client declares the capability at `path`, such as `elicitation.url`. `find` returns whether
    /// the value at a path of its capabilities is an empty object. It returns `None` for `null` and for a missing
    /// value.
    pub fn declares_path(path: &str, find: impl Fn(&str) -> Option<bool>) -> bool {
        let is_form = path.split_once('.') == Some((ELICITATION, FORM));
        find(path).is_some() || (is_form && find(ELICITATION) == Some(true))
    }
}

impl Described<'_> {
    /// Returns whether the object `declared` contains the object `required`, both as JSON. A contained object may have
    /// more members, a contained array more elements.
    pub fn declares(declared: &str, required: &str) -> bool {
        let (Some(declared), Some(required)) = (Members::parse(declared), Members::parse(required)) else {
            return false;
        };
        required.0.iter().all(|(name, part)| {
            declared.get(name).is_some_and(|declared| {
                has(declared, *part) || (name == ELICITATION && is_form(*part) && is_empty(declared))
            })
        })
    }
}

fn has(declared: Raw<'_>, required: Raw<'_>) -> bool {
    if let Some(members) = Members::read(required) {
        let Some(declared) = Members::read(declared) else { return false };
        let part = |name: &str| declared.get(name);
        return members.0.iter().all(|(name, required)| part(name).is_some_and(|part| has(part, *required)));
    }
    if let Some(elements) = required.elements() {
        let declared = declared.elements().unwrap_or_default();
        return elements.iter().all(|required| declared.iter().any(|declared| has(*declared, *required)));
    }
    match (declared.text(), required.text()) {
        (None, None) => declared == required || is_same_number(declared, required),
        (declared, required) => declared == required,
    }
}

fn is_same_number(one: Raw<'_>, other: Raw<'_>) -> bool {
    let number = |raw: Raw<'_>| raw.get().parse::<Number>().ok();
    number(one).is_some_and(|one| number(other) == Some(one))
}

fn is_form(required: Raw<'_>) -> bool {
    let members = Members::read(required).unwrap_or_default();
    matches!(members.0.as_slice(), [(name, mode)] if name == FORM && is_empty(*mode))
}

fn is_empty(raw: Raw<'_>) -> bool {
    Members::read(raw).is_some_and(|members| members.0.is_empty())
}
