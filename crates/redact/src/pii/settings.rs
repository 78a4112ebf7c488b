//! The settings of the scanner: the kinds to find, and whether it is strict.

use crate::{
    pii::numbers::{automaton::FormSet, table::FORMS},
    scan::{
        kind::{Kind, Kinds},
        patterns::Patterns,
    },
};

/// The kinds that a scanner finds, and its strictness.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Whether a number of the right form is a finding even without context.
    pub strict: bool,
    /// Whether the application listed the kinds.
    pub named: bool,
    kinds: Kinds,
    /// The forms of numbers of those kinds.
    pub wanted_forms: FormSet,
    /// The custom patterns.
    pub patterns: Patterns,
}

impl Settings {
    pub fn new(strict: bool, kinds: Option<Kinds>) -> Self {
        let wanted = kinds.unwrap_or(Kinds::ALL);
        let of_wanted_kinds = FORMS.iter().enumerate().filter(|(_, form)| wanted.contains(form.kind));
        Self {
            strict,
            named: kinds.is_some(),
            kinds: wanted,
            wanted_forms: of_wanted_kinds.fold(0, |set, (place, _)| set | 1 << place),
            patterns: Patterns::default(),
        }
    }

    /// Returns whether findings of a kind are wanted.
    pub fn wants(&self, kind: Kind) -> bool {
        self.kinds.contains(kind)
    }
}
