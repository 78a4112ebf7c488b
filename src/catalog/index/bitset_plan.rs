use super::{
    bitset::Bitset,
    meet::{And, AndNot, Meet, Or, OrNot, meet},
};

/// Words decided together. A block of every set that a plan reads stays in the processor's nearest cache, and what
/// lies between two steps needs no set of its own.
const BLOCK: usize = 64;

/// How sets decide an expression. Negation has been moved down to them.
#[derive(Debug)]
pub(crate) enum Plan<'a> {
    /// In the set.
    In(&'a Bitset),
    /// Not in the set.
    Out(&'a Bitset),
    /// What every part holds for; everything where there is none.
    All(Vec<Plan<'a>>),
    /// What some part holds for; nothing where there is none.
    Any(Vec<Plan<'a>>),
}

impl Plan<'_> {
    /// The same with a part that stands alone in its place.
    pub fn reduced(self) -> Self {
        match self {
            Self::All(mut parts) | Self::Any(mut parts) if parts.len() == 1 => {
                parts.pop().unwrap_or(Self::All(parts))
            }
            plan => plan,
        }
    }

    /// Those `within` for which the plan holds.
    pub fn of(&self, within: &Bitset) -> Bitset {
        let mut words = within.words().to_vec();
        let blocks = words.chunks_mut(BLOCK).enumerate();
        blocks.for_each(|(at, block)| self.keep(at * BLOCK, block));
        Bitset::from_words(words)
    }

    /// Keeps of the words from `at` on what the plan holds for.
    fn keep(&self, at: usize, block: &mut [u64]) {
        match self {
            Self::In(bits) => each::<And>(block, bits, at),
            Self::Out(bits) => each::<AndNot>(block, bits, at),
            Self::All(parts) => parts.iter().for_each(|part| part.keep(at, block)),
            Self::Any(parts) => {
                let mut some = [0; BLOCK];
                let some = some.get_mut(..block.len()).unwrap_or_default();
                parts.iter().for_each(|part| part.add(at, some));
                meet::<And>(block, some);
            }
        }
    }

    /// Adds to the words from `at` on what the plan holds for.
    fn add(&self, at: usize, block: &mut [u64]) {
        match self {
            Self::In(bits) => each::<Or>(block, bits, at),
            Self::Out(bits) => each::<OrNot>(block, bits, at),
            Self::Any(parts) => parts.iter().for_each(|part| part.add(at, block)),
            Self::All(parts) => {
                let mut every = [u64::MAX; BLOCK];
                let every = every.get_mut(..block.len()).unwrap_or_default();
                parts.iter().for_each(|part| part.keep(at, every));
                meet::<Or>(block, every);
            }
        }
    }
}

/// Meets a block with the words of a set from `at` on. Behind its last word a set is empty.
fn each<M: Meet>(block: &mut [u64], bits: &Bitset, at: usize) {
    let set = bits.words().get(at..).unwrap_or_default();
    meet::<M>(block, set);
    block.iter_mut().skip(set.len()).for_each(|word| *word = M::word(*word, 0));
}
