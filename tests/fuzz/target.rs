//! The description of a fuzz target: its property, seeds, words and number of mutations.

/// A property that must hold for any bytes.
pub struct Target {
    /// Number of mutations that every build tries in addition to the corpus.
    pub mutations: usize,
    /// Inputs to mutate in addition to the files of the corpus, usually from rows of other tests.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words to insert anywhere.
    pub words: &'static [&'static str],
    /// Panics if the property does not hold. Returns a short outcome that many inputs share; an input with a new
    /// outcome is added to the pool for further mutation.
    pub holds: fn(&[u8]) -> String,
}
