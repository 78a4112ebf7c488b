/// Something that must hold for any bytes.
pub struct Target {
    /// Mutations that every build tries, beside the corpus.
    pub mutations: usize,
    /// Where mutation starts, beside the files of the corpus: rows that other tests have anyway.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// What is worth putting anywhere.
    pub words: &'static [&'static str],
    /// Panics where it does not hold. Says in a few words, which many inputs share, what came of this one: an
    /// input with which something new came is one to go on from.
    pub holds: fn(&[u8]) -> String,
}
