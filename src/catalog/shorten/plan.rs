//! The steps by which a definition is shortened, in their order.

/// Levels of a schema below this one count as this one.
pub(super) const MAX_LEVEL: u8 = 8;

/// The steps that are taken. Each plan has the steps of the one before it, and one more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    /// Whether examples, comments and long defaults are dropped.
    pub examples: bool,
    /// Whether long lists of values are replaced by a sentence.
    pub choices: bool,
    /// Descriptions on this level and below it are cut to their first sentence.
    pub cut_from: u8,
    /// Descriptions on this level and below it are dropped.
    pub drop_from: u8,
    /// Whether titles are dropped.
    pub titles: bool,
}

impl Plan {
    /// No step.
    pub const NOTHING: Self =
        Self { examples: false, choices: false, cut_from: u8::MAX, drop_from: u8::MAX, titles: false };
    /// Every step.
    pub const ALL: Self = Self { examples: true, choices: true, cut_from: 1, drop_from: 1, titles: true };

    /// Returns the plans for schemas whose deepest description is on level `deepest`, in order. The schema itself is
    /// on level 1, its properties on level 2.
    pub fn steps(deepest: u8) -> impl Iterator<Item = Self> {
        let examples = Self { examples: true, ..Self::NOTHING };
        let choices = Self { choices: true, ..examples };
        let cut = move |level| Self { cut_from: level, ..choices };
        let drop = move |level| Self { drop_from: level, ..cut(1) };
        let levels = || (1..=deepest.min(MAX_LEVEL)).rev();
        let first = [examples, choices].into_iter();
        first.chain(levels().map(cut)).chain(levels().map(drop)).chain([Self::ALL])
    }
}
