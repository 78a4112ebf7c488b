//! Evaluates expressions on bitsets, block by block and without intermediate sets.

use super::{
    bitset::Bitset,
    meet::{And, AndNot, Meet, Or, OrNot, Take, TakeNot, meet},
};

/// Number of words that are evaluated together. A block of every set that a plan reads fits in the processor's nearest
/// cache, and intermediate results need no set of their own.
const BLOCK: usize = 128;

/// A plan that evaluates an expression by sets. Negations have been pushed down to the sets.
#[derive(Debug)]
pub enum Plan<'a> {
    /// The members of the set.
    In(&'a Bitset),
    /// The primitives outside of the set.
    Out(&'a Bitset),
    /// The intersection of all parts. Without parts, every primitive.
    All(Vec<Plan<'a>>),
    /// The union of all parts. Without parts, no primitive.
    Any(Vec<Plan<'a>>),
}

impl Plan<'_> {
    /// Returns the plan, with a conjunction or disjunction of one part replaced by that part.
    pub fn reduced(self) -> Self {
        match self {
            Self::All(mut parts) | Self::Any(mut parts) if parts.len() == 1 => {
                parts.pop().unwrap_or(Self::All(parts))
            }
            plan => plan,
        }
    }

    /// Returns the members of `within` for which the plan holds.
    pub fn evaluate(&self, within: &Bitset) -> Bitset {
        let mut words = within.words().to_vec();
        let mut room = vec![0; self.levels() * BLOCK];
        let blocks = words.chunks_mut(BLOCK).enumerate();
        blocks.for_each(|(at, block)| self.keep(at * BLOCK, block, &mut room));
        Bitset::from_words(words)
    }

    /// Returns the number of blocks that intermediate results need.
    fn levels(&self) -> usize {
        match self {
            Self::In(_) | Self::Out(_) => 0,
            Self::All(parts) | Self::Any(parts) => {
                1 + parts.iter().map(Self::levels).max().unwrap_or_default()
            }
        }
    }

    /// Clears the bits of the words from `at` on for which the plan does not hold.
    fn keep(&self, at: usize, block: &mut [u64], room: &mut [u64]) {
        match self {
            Self::In(bits) => each::<And>(block, bits, at),
            Self::Out(bits) => each::<AndNot>(block, bits, at),
            Self::All(parts) => parts.iter().for_each(|part| part.keep(at, block, room)),
            Self::Any(_) => meet::<And>(block, self.decide(at, block.len(), room)),
        }
    }

    /// Sets the bits of the words from `at` on for which the plan holds.
    fn add(&self, at: usize, block: &mut [u64], room: &mut [u64]) {
        match self {
            Self::In(bits) => each::<Or>(block, bits, at),
            Self::Out(bits) => each::<OrNot>(block, bits, at),
            Self::Any(parts) => parts.iter().for_each(|part| part.add(at, block, room)),
            Self::All(_) => meet::<Or>(block, self.decide(at, block.len(), room)),
        }
    }

    /// Returns `count` words from `at` on, with a bit set where the plan holds.
    fn decide<'r>(&self, at: usize, count: usize, room: &'r mut [u64]) -> &'r [u64] {
        let (block, room) = room.split_at_mut_checked(BLOCK).unwrap_or_default();
        let block = block.get_mut(..count).unwrap_or_default();
        self.set(at, block, room);
        block
    }

    /// Overwrites the words from `at` on, with a bit set where the plan holds.
    fn set(&self, at: usize, block: &mut [u64], room: &mut [u64]) {
        let (parts, all) = match self {
            Self::In(bits) => return each::<Take>(block, bits, at),
            Self::Out(bits) => return each::<TakeNot>(block, bits, at),
            Self::All(parts) => (parts, true),
            Self::Any(parts) => (parts, false),
        };
        match parts.split_first() {
            Some((first, parts)) => {
                first.set(at, block, room);
                let more =
                    |part: &Self| if all { part.keep(at, block, room) } else { part.add(at, block, room) };
                parts.iter().for_each(more);
            }
            None => block.fill(if all { u64::MAX } else { 0 }),
        }
    }
}

/// Combines a block with the words of a set from `at` on. Beyond its last word, a set is empty.
fn each<M: Meet>(block: &mut [u64], bits: &Bitset, at: usize) {
    let set = bits.words().get(at..).unwrap_or_default();
    meet::<M>(block, set);
    block.iter_mut().skip(set.len()).for_each(|word| *word = M::word(*word, 0));
}
